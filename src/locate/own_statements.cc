#include "locate/own_statements.h"

#include <algorithm>
#include <cctype>

#include "locate/failure.h"

namespace culprit {
namespace {

constexpr size_t kOfShort = 8;  // most statements of a short function

}  // namespace

bool cleans_up(const program::ProgramModel& model, uint32_t block) {
  const program::Indices operations = model.operations_of(block);
  if (operations.empty()) return false;
  const format::OperationRecord& last = model.operation(operations.back());
  return last.kind == format::OperationKind::kBranch && (last.flags & format::kOperationCleansUp) != 0;
}

bool is_in_library(const report::SourcePlace& place) {
  return place.file.starts_with("/usr/include/") || place.file.starts_with("/usr/lib/");
}

bool is_own_statement(const program::ProgramModel& model, uint32_t statement) {
  if (statement >= model.statements().size()) return false;
  const report::SourcePlace place = place_of_statement(model, statement);
  if (place.line == 0) return false;
  std::string name = place.function;
  if (is_in_library(place)) return false;
  if (name.starts_with("std::") || name.starts_with("__gnu_cxx::")) return false;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  // A wrapper of the allocator is short; what is called so and does more is the program's own.
  const bool is_called_so = name.find("alloc") != std::string::npos || name.find("free") != std::string::npos;
  return !is_called_so || !is_short_function(model, model.function_of_statement(statement));
}

bool is_short_function(const program::ProgramModel& model, uint32_t function) {
  size_t statements = 0;
  for (const uint32_t block : model.blocks_of(function)) statements += model.statements_of(block).size();
  return statements <= kOfShort;
}

uint32_t own_statement(const program::ProgramModel& model, const std::vector<uint32_t>& statements) {
  const auto found = std::find_if(statements.begin(), statements.end(),
                                  [&model](uint32_t each) { return is_own_statement(model, each); });
  if (found != statements.end()) return *found;
  return statements.empty() ? program::kNone : statements.front();
}

uint32_t where_chains_part(const program::ProgramModel& model, const std::vector<uint32_t>& first,
                           const std::vector<uint32_t>& second) {
  uint32_t shared = program::kNone;
  for (auto one = first.rbegin(), other = second.rbegin(); one != first.rend() && other != second.rend();
       ++one, ++other) {
    if (*one >= model.statements().size() || *other >= model.statements().size()) break;
    if (model.function_of_statement(*one) != model.function_of_statement(*other)) break;
    shared = *one;
    if (*one != *other) break;
  }
  return shared;
}

std::vector<uint32_t> statements_of(const std::vector<Frame>& frames) {
  std::vector<uint32_t> statements;
  for (const Frame& frame : frames) statements.push_back(frame.statement);
  return statements;
}

}  // namespace culprit
