#include "locate/omitted_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "locate/failure.h"
#include "locate/findings.h"
#include "locate/own_statements.h"
#include "program/external_effects.h"

namespace culprit {
namespace {

using format::OperationKind;
using program::ProgramModel;

constexpr size_t kMostOmitted = 8;
constexpr size_t kMostTold = 2;
constexpr int kMostLevels = 2;  // of functions that only call what puts something out

// What a call is given, told apart by its value.
constexpr std::array<uint64_t, 6> kArguments = {0x101, 0x102, 0x103, 0x104, 0x105, 0x106};
constexpr uint64_t kStandardOutput = 0x201, kStandardError = 0x202;

/// Nothing is known of it but its streams.
class UnknownMemory final : public program::CalledMemory {
 public:
  bool read(When, uint64_t, std::span<std::byte>) const override { return false; }
  std::optional<uint64_t> pointer_variable(std::string_view name) const override {
    if (name == "stdout") return kStandardOutput;
    if (name == "stderr") return kStandardError;
    return std::nullopt;
  }
};

/// The number of the argument that says where a function of the library puts bytes out, kNone for standard output;
/// nothing when it puts none out, or always to standard error.
std::optional<uint32_t> target_of_output(std::string_view function) {
  if (!program::puts_bytes_out(function)) return std::nullopt;
  const auto effects =
      program::effects_of_call({.function = function, .arguments = kArguments, .result = 1}, UnknownMemory());
  if (!effects) return std::nullopt;
  for (const program::Effect& each : effects->effects) {
    if (each.kind != program::EffectKind::kOutput || each.target.kind != program::Place::Kind::kState) continue;
    const std::optional<uint64_t> key = each.target.key;
    if (!key || *key == kStandardError) return std::nullopt;
    const auto* const at = std::find(kArguments.begin(), kArguments.end(), *key);
    return at == kArguments.end() ? program::kNone : static_cast<uint32_t>(at - kArguments.begin());
  }
  return std::nullopt;
}

class Outputs {
 public:
  explicit Outputs(const ProgramModel& model) : model_(model), puts_out_(model.functions().size(), kNever) {
    for (int level = 0; level <= kMostLevels; ++level) find(level);
  }

  /// By branch: which of its ways lead to which output, and by how many decisions more.
  struct Guarded {
    uint32_t way, statement, decisions;
  };
  const std::unordered_map<uint32_t, std::vector<Guarded>>& by_branch() const { return by_branch_; }

 private:
  static constexpr int kNever = kMostLevels + 1;

  void find(int level) {
    std::vector<uint32_t> found;
    for (const uint32_t block : model_.blocks()) {
      for (const uint32_t operation : model_.operations_of(block)) {
        if (!puts_out(operation, level)) continue;
        found.push_back(model_.function_of_block(block));
        add(block, model_.operation(operation).statement);
      }
    }
    for (const uint32_t function : found) puts_out_[function] = std::min(puts_out_[function], level);
  }

  /// What decides whether it is executed, decides so through what it decides itself, too.
  void add(uint32_t block, uint32_t statement) {
    if (!is_own_statement(model_, statement)) return;
    std::vector<std::pair<uint32_t, uint32_t>> open{{block, 0}};
    std::unordered_set<uint32_t> visited{block};
    for (size_t next = 0; next < open.size(); ++next) {
      const auto [at, decisions] = open[next];
      for (const auto& dependence : model_.dependences_of(at)) {
        const uint32_t branch = model_.source_of_edge(dependence.edge);
        const uint32_t way = dependence.edge - model_.edges_of(branch).front();
        if (!cleans_up(model_, branch)) {
          by_branch_[branch].push_back({.way = way, .statement = statement, .decisions = decisions});
        }
        if (visited.insert(branch).second) open.emplace_back(branch, decisions + 1);
      }
    }
  }

  /// Whether a call puts something out by `level` calls in between.
  bool puts_out(uint32_t operation, int level) {
    const auto& record = model_.operation(operation);
    if (record.kind != OperationKind::kCall) return false;
    const uint32_t callee = model_.call(record.detail).callee;
    if (callee == program::kNone) return false;
    if (!model_.blocks_of(callee).empty()) return level > 0 && puts_out_[callee] == level - 1;
    if (level > 0) return false;
    const auto [known, fresh] = targets_.try_emplace(callee);
    if (fresh) known->second = target_of_output(model_.text(model_.function(callee).linkage_name));
    return known->second && (*known->second == program::kNone || !is_standard_error(operation, *known->second));
  }

  bool is_standard_error(uint32_t operation, uint32_t argument) const {
    const uint32_t operand = model_.operation(operation).first_operand + argument;
    if (operand >= model_.operation(operation + 1).first_operand) return false;
    const format::OperandRecord& given = model_.sections().operands[operand];
    if (given.kind == format::OperandKind::kConstant)
      return (given.flags & format::kOperandIsNumber) && given.value == 2;
    if (given.kind != format::OperandKind::kOperation || model_.accesses_of(given.value).empty()) return false;
    const format::AccessRecord& access = model_.accesses_of(given.value).front();
    return access.place == format::PlaceKind::kGlobal &&
           model_.text(model_.sections().anchors[access.value].symbol) == "stderr";
  }

  const ProgramModel& model_;
  std::vector<int> puts_out_;                                      ///< by function: over how many calls
  std::unordered_map<uint32_t, std::optional<uint32_t>> targets_;  ///< of native functions
  std::unordered_map<uint32_t, std::vector<Guarded>> by_branch_;
};

}  // namespace

std::vector<OmittedOutput> omitted_outputs(const ProgramModel& model, const BranchLog& log) {
  const Outputs outputs(model);
  std::vector<OmittedOutput> omitted;
  std::unordered_set<uint32_t> seen;
  for (size_t at = log.entries.size(); at-- > 0 && omitted.size() < kMostOmitted;) {
    const format::BranchEntry& entry = log.entries[at];
    const auto guarded = outputs.by_branch().find(entry.block);
    if (guarded == outputs.by_branch().end() || !seen.insert(entry.block).second) continue;
    // Around a loop every way leads to it in the end.
    const auto nearest = [&](bool taken) {
      const Outputs::Guarded* found = nullptr;
      for (const Outputs::Guarded& each : guarded->second) {
        if ((each.way == entry.way) == taken && (!found || each.decisions < found->decisions)) found = &each;
      }
      return found;
    };
    const Outputs::Guarded *other = nearest(false), *own = nearest(true);
    if (!other || (own && own->decisions <= other->decisions)) continue;
    omitted.push_back(
        {.instance = log.first_instance + at, .block = entry.block, .way = entry.way, .statement = other->statement});
  }
  return omitted;
}

void add_findings_of(const ProgramModel& model, const std::vector<OmittedOutput>& omitted,
                     std::vector<report::Finding>& findings) {
  for (const OmittedOutput& each : std::span(omitted).first(std::min(omitted.size(), kMostTold))) {
    const report::SourcePlace output = place_of_statement(model, each.statement);
    findings.push_back(
        {.kind = "omitted-output",
         .place = place_of_branch(model, each.block),
         .instance = 0,
         .evidence = fmt::format("When the output ended, it had last gone to {}, past {} in {}, which would put "
                                 "something out.",
                                 way_text(model, each.block, each.way), file_and_line(output), output.function),
         .proved = false});
  }
}

}  // namespace culprit
