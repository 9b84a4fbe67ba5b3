#include "cli/prune.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/error.h"
#include "cli/output_position.h"
#include "locate/accessed_variable.h"
#include "program/source_position.h"

namespace culprit::cli {
namespace {

using program::ProgramModel;

constexpr const char* kVariablePrefix = "var:";
constexpr const char* kLibraries = "libraries";

/// The operations of one word.
class Pruned {
 public:
  explicit Pruned(const ProgramModel& model)
      : model_(model), pruned_(std::make_shared<std::vector<bool>>(model.sections().operations.size(), false)) {}

  void add(const std::string& word) {
    const size_t colon = word.rfind(':'), dash = word.rfind('-');
    bool found = false;
    if (word == kLibraries) {
      found = mark([&](uint32_t operation) { return calls_native(operation, std::nullopt); });
    } else if (word.starts_with(kVariablePrefix)) {
      found = add_variable(word.substr(std::string_view(kVariablePrefix).size()));
    } else if (word.ends_with('/')) {
      found = add_files([&](const std::string& path) { return ("/" + path).find("/" + word) != std::string::npos; });
    } else if (colon != std::string::npos && dash != std::string::npos && dash > colon && word[colon - 1] != ':') {
      found = add_region(word, word.substr(0, colon), word.substr(colon + 1, dash - colon - 1), word.substr(dash + 1));
    } else {
      found = add_function(word);
    }
    if (!found) {
      throw UserError(fmt::format("nothing in the program is meant by --prune {}", word),
                      "write FUNCTION, FILE:FIRST-LAST, FOLDER/, var:NAME or libraries");
    }
  }

  std::function<bool(uint32_t)> predicate() const {
    return [pruned = pruned_](uint32_t operation) { return (*pruned)[operation]; };
  }

 private:
  template <typename Which>
  bool mark(Which&& which) {
    bool found = false;
    for (const uint32_t block : model_.blocks()) {
      for (const uint32_t operation : model_.operations_of(block)) {
        if (!which(operation)) continue;
        (*pruned_)[operation] = true;
        found = true;
      }
    }
    return found;
  }

  template <typename Which>
  bool mark_statements(Which&& which) {
    std::vector<bool> statements(model_.statements().size());
    for (const uint32_t each : model_.statements()) statements[each] = which(each);
    return mark([&](uint32_t operation) {
      const uint32_t statement = model_.operation(operation).statement;
      return statement < statements.size() && statements[statement];
    });
  }

  /// Of that function; without one, of any.
  bool calls_native(uint32_t operation, std::optional<uint32_t> function) const {
    if (model_.operation(operation).kind != format::OperationKind::kCall) return false;
    const uint32_t callee = model_.call(model_.operation(operation).detail).callee;
    if (callee == format::kNone || (function && callee != *function)) return false;
    return (model_.function(callee).flags & format::kFunctionNative) != 0;
  }

  bool add_function(const std::string& name) {
    for (const uint32_t function : program::find_functions(model_, name)) {
      mark([&](uint32_t operation) {
        return model_.function_of_block(model_.block_of_operation(operation)) == function ||
               calls_native(operation, function);
      });
    }
    return true;  // find_functions has found some
  }

  bool add_variable(const std::string& name) {
    return mark([&](uint32_t operation) {
      const std::optional<uint32_t> variable = accessed_variable(model_, operation);
      return variable && model_.text(model_.variable(*variable).name) == name;
    });
  }

  template <typename Which>
  bool add_files(Which&& which) {
    return mark_statements([&](uint32_t statement) { return which(model_.path_of_statement(statement)); });
  }

  bool add_region(const std::string& word, const std::string& file, const std::string& first, const std::string& last) {
    const auto from = number_in(first), to = number_in(last);
    if (!from || !to) throw UserError(fmt::format("--prune {} has no lines", word), "write FILE:FIRST-LAST");
    std::vector<std::string> paths;
    for (const uint32_t each : program::find_files(model_, file)) paths.push_back(model_.file_path(each));
    return mark_statements([&](uint32_t statement) {
      const uint32_t line = model_.statement(statement).line;
      return *from <= line && line <= *to &&
             std::find(paths.begin(), paths.end(), model_.path_of_statement(statement)) != paths.end();
    });
  }

  const ProgramModel& model_;
  std::shared_ptr<std::vector<bool>> pruned_;
};

}  // namespace

std::function<bool(uint32_t operation)> pruned_by(const std::vector<std::string>& words,
                                                  const depend::DependenceGraph& graph) {
  if (words.empty()) return {};
  Pruned pruned(graph.model());
  for (const std::string& word : words) pruned.add(word);
  return pruned.predicate();
}

}  // namespace culprit::cli
