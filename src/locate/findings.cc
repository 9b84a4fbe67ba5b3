#include "locate/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "locate/own_statements.h"
#include "locate/statement_values_text.h"
#include "locate/suspects.h"

namespace culprit {

namespace {

std::string ordinal(uint64_t n) {
  const uint64_t tens = n % 100;
  const char* ending = tens / 10 == 1 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
  return fmt::format("{}{}", n, ending);
}

}  // namespace

namespace {

std::string side_text(const program::ProgramModel& model, uint32_t block, uint32_t way) {
  return fmt::format("its side \"{}\"", model.edge_text(model.edges_of(block)[way]));
}

}  // namespace

std::string way_text(const program::ProgramModel& model, uint32_t block, uint32_t way) {
  const program::Indices edges = model.edges_of(block);
  if (way >= edges.size()) return "another place";
  const uint32_t edge = edges[way];
  const uint32_t branch_line = place_of_branch(model, block).line;
  for (const uint32_t statement : model.statements_of(model.edge(edge).target)) {
    const format::StatementRecord& record = model.statement(statement);
    if (record.line == 0) continue;
    return record.line == branch_line ? fmt::format("column {} of this line", record.column)
                                      : fmt::format("line {}", record.line);
  }
  return side_text(model, block, way);
}

namespace {

/// What an altered run would do, where that is the same whatever was altered.
std::string otherwise_text(Repair repair, const Oracle& oracle) {
  if (repair == Repair::kSurvives) {
    return "the program would end by itself instead of failing, though not as a good run does";
  }
  return oracle.output || oracle.good ? "the program would do what is expected" : "the program would not fail";
}

std::string otherwise_text(const CriticalBranch& branch, const Oracle& oracle) {
  switch (branch.repair) {
    case Repair::kFurther:
      return fmt::format("the first {} bytes of the output would be right, not only {}", branch.right_bytes,
                         oracle.right_bytes);
    case Repair::kInfluences:
      return fmt::format("only {} bytes of the output would be others, from the first wrong one on",
                         branch.changed_bytes);
    default:
      return otherwise_text(branch.repair, oracle);
  }
}

const char* word_of(format::SwitchScope scope) {
  switch (scope) {
    case format::SwitchScope::kSameWay:
      return "later";
    case format::SwitchScope::kEachInverted:
      return "each";
    case format::SwitchScope::kInstance:
      break;
  }
  return "one";
}

}  // namespace

report::Finding finding_of(const program::ProgramModel& model, const CriticalBranch& branch, const Oracle& oracle) {
  std::string taken = way_text(model, branch.block, branch.way),
              other = way_text(model, branch.block, branch.other_way);
  // In a macro all is in one column.
  if (taken == other) {
    taken = side_text(model, branch.block, branch.way);
    other = side_text(model, branch.block, branch.other_way);
  }
  const std::string which =
      branch.occurrence == 0 ? "In one execution" : fmt::format("In its {} execution", ordinal(branch.occurrence));
  std::string also;
  if (branch.then_number != 0) {
    const report::SourcePlace second = place_of_branch(model, branch.then_block);
    also = fmt::format(", and had the {} execution after it of the branch at {} led to {}", ordinal(branch.then_number),
                       file_and_line(second), way_text(model, branch.then_block, branch.then_way));
  }
  const char* later = branch.scope == format::SwitchScope::kSameWay ? ", here and later" : "";
  const std::string evidence =
      branch.scope == format::SwitchScope::kEachInverted
          ? fmt::format("Had each of its executions gone to the other side, {}.", otherwise_text(branch, oracle))
          : fmt::format("{} it led to {}; had it led to {}{}{}, {}.", which, taken, other, later, also,
                        otherwise_text(branch, oracle));
  return {.kind = branch.then_number != 0                ? "critical-pair"
                  : branch.repair == Repair::kRepairs    ? "critical-branch"
                  : branch.repair == Repair::kSurvives   ? "surviving-branch"
                  : branch.repair == Repair::kInfluences ? "influencing-branch"
                                                         : "improving-branch",
          .place = place_of_branch(model, branch.block),
          .instance = branch.occurrence,
          .evidence = evidence,
          .proved = branch.verified,
          .executions = word_of(branch.scope)};
}

namespace {

std::string execution_text(const StatementExecution& execution) {
  return execution.of_all ? fmt::format("its {} execution", ordinal(execution.occurrence)) : "one execution";
}

}  // namespace

report::Finding finding_of(const program::ProgramModel& model, const CriticalStatement& critical,
                           const Oracle& oracle) {
  const StatementExecution& execution = critical.execution;
  const bool call = model.statement(execution.statement).kind == format::StatementKind::kCall;
  std::string within;
  for (const uint32_t statement : critical.within) {
    within += fmt::format("{} {}", within.empty() ? " It does so without the whole call at" : ",",
                          model.position_text(statement));
  }
  return {.kind = fmt::format("{}-{}", critical.repair == Repair::kRepairs ? "critical" : "surviving",
                              call ? "call" : "write"),
          .place = place_of_statement(model, execution.statement),
          .instance = execution.of_all ? execution.occurrence : 0,
          .evidence = fmt::format("Had {} been left out, {}.{}{}", execution_text(execution),
                                  otherwise_text(critical.repair, oracle), within, within.empty() ? "" : ", too."),
          .proved = critical.verified};
}

report::Finding finding_of(const program::ProgramModel& model, const CriticalValue& critical, const Oracle& oracle) {
  const StatementExecution& execution = critical.execution;
  const bool returns = model.statement(execution.statement).kind == format::StatementKind::kReturn;
  const uint32_t operation = critical.node.operation(), variable = stored_variable(model, operation);
  const std::string name =
      variable == format::kNone ? "" : fmt::format(" in {}", model.text(model.variable(variable).name));
  std::string made;
  const ValueOrigin& origin = critical.origin;
  const bool elsewhere = origin.how == Origin::kComputed || origin.how == Origin::kConstant;
  if (elsewhere && model.position_text(origin.statement) != model.position_text(execution.statement)) {
    made = fmt::format(" It came by copies only from {} in {}.", model.position_text(origin.statement),
                       model.function_name(model.function_of_statement(origin.statement)));
  }
  return {.kind = "critical-value",
          .place = place_of_statement(model, execution.statement),
          .instance = execution.of_all ? execution.occurrence : 0,
          .evidence = fmt::format("In {} it {} {}{}; had it been {}, {}.{}", execution_text(execution),
                                  returns ? "returned" : "stored", value_text(model, operation, critical.value), name,
                                  value_text(model, operation, critical.instead),
                                  otherwise_text(Repair::kRepairs, oracle), made),
          .proved = critical.verified,
          .instead = static_cast<int64_t>(critical.instead)};
}

report::Finding finding_of(const program::ProgramModel& model, const BoundsFault& fault) {
  return {
      .kind = "array-bounds",
      .place = place_of_statement(model, fault.statement),
      .instance = 0,
      .evidence = fmt::format("It accesses element {} of an array that has {} elements.{}", fault.index, fault.elements,
                              fault.repairs ? " Had the index been kept inside, the run would have succeeded." : ""),
      .proved = true};
}

report::Finding finding_of(const program::ProgramModel& model, const EndlessLoop& loop) {
  std::vector<uint32_t> exits;
  for (const uint32_t block : loop.exits) exits.push_back(place_of_branch(model, block).line);
  std::sort(exits.begin(), exits.end());
  exits.erase(std::unique(exits.begin(), exits.end()), exits.end());
  const std::string ways =
      exits.empty() ? "It has no exit." : fmt::format("It could be left from line {}.", fmt::join(exits, ", "));
  return {.kind = "endless-loop",
          .place = place_of_branch(model, model.headers_of(loop.loop).front().block),
          .instance = 0,
          .evidence = "The program was in this loop when it was stopped. " + ways,
          .proved = false};
}

namespace {

std::string position_in_block(const HeapFault& fault) {
  if (!fault.offset) return fmt::format("a heap block of {} bytes", fault.bytes);
  return fmt::format("byte {} of a heap block of {} bytes", *fault.offset, fault.bytes);
}

}  // namespace

uint32_t release_to_blame(const program::ProgramModel& model, const HeapFault& fault) {
  const uint32_t in_the_end = own_statement(model, fault.freed);
  const std::vector<uint32_t> access = statements_of(fault.access);
  const uint32_t parted = where_chains_part(model, fault.freed, access);
  const uint32_t used = own_statement(model, access);
  if (parted >= model.statements().size() || used >= model.statements().size()) return in_the_end;
  const report::SourcePlace one = place_of_statement(model, parted), other = place_of_statement(model, used);
  return one.line == other.line && one.file == other.file ? in_the_end : parted;
}

void add_findings_of(const program::ProgramModel& model, const HeapFault& fault,
                     std::vector<report::Finding>& findings) {
  const uint32_t used = own_statement(model, statements_of(fault.access));
  const std::string consequence = fault.repairs ? " Without this error the run succeeds." : "";
  const auto add = [&](const char* kind, uint32_t statement, std::string evidence) {
    if (statement >= model.statements().size()) return;
    findings.push_back({.kind = kind,
                        .place = place_of_statement(model, statement),
                        .instance = 0,
                        .evidence = std::move(evidence),
                        .proved = true});
  };
  const auto add_branch = [&](const char* kind, std::string evidence) {
    if (!fault.first_different_branch) return;
    findings.push_back({.kind = kind,
                        .place = place_of_branch(model, *fault.first_different_branch),
                        .instance = 0,
                        .evidence = std::move(evidence),
                        .proved = true});
  };
  if (fault.error == HeapError::kUsedAfterReturn) {
    const std::string_view name = model.text(model.variable(*fault.variable).name);
    const std::string owner = model.function_name(fault.function);
    add("use-after-return", used,
        fmt::format("It {} `{}` of {}, which had returned: the variable no longer exists, and what lies there is "
                    "chance.",
                    fault.writes ? "writes" : "reads", name, owner));
    return add("address-made-here", own_statement(model, fault.allocated),
               fmt::format("The address of `{}` came from here, and was kept when {} returned.", name, owner));
  }
  if (fault.variable) {
    return add("buffer-overflow", used,
               fmt::format("It {} byte {} of `{}`, which has {} bytes.", fault.writes ? "writes" : "reads",
                           *fault.offset, model.text(model.variable(*fault.variable).name), fault.bytes));
  }
  switch (fault.error) {
    case HeapError::kOutOfBounds:
      add("heap-overflow", used,
          fmt::format("It {} {}, outside of it.{}",
                      !fault.was_seen ? "accesses"
                      : fault.writes  ? "writes"
                                      : "reads",
                      position_in_block(fault), consequence));
      break;
    case HeapError::kUsedAfterFree:
      add("use-after-free", used,
          fmt::format("It uses {}, which was freed before.{}", position_in_block(fault), consequence));
      add_branch("use-after-free", fmt::format("Which way it goes depends on what {} holds, which was freed before.{}",
                                               position_in_block(fault), consequence));
      break;
    case HeapError::kFreedTwice:
      add("double-free", used,
          fmt::format("It frees {}, which was freed before.{}", position_in_block(fault), consequence));
      break;
    case HeapError::kFreedInside:
      add("invalid-free", used,
          fmt::format("It frees {}, which is not where the block begins.{}", position_in_block(fault), consequence));
      break;
    case HeapError::kUsedAfterReturn:
      break;  // is of a variable
    case HeapError::kUninitialised:
      add_branch(
          "uninitialised-read",
          fmt::format(
              "Which way it goes depends on what fresh memory happens to hold: {} was read before it was written.{}",
              position_in_block(fault), consequence));
      break;
  }
  if (!fault.freed.empty()) {
    const uint32_t in_the_end = own_statement(model, fault.freed);
    const uint32_t freed = release_to_blame(model, fault);
    const report::SourcePlace place = place_of_statement(model, in_the_end);
    add("freed-here", freed,
        freed == in_the_end || place.line == 0
            ? "The block was freed here."
            : fmt::format("By this call the block was freed, at {} in {}.", file_and_line(place), place.function));
  }
  add("allocated-here", own_statement(model, fault.allocated),
      fault.block == 0 ? "The block was allocated here."
                       : fmt::format("The block, the {} of the run, was allocated here.", ordinal(fault.block)));
}

namespace {

const char* word_of(Origin how) {
  switch (how) {
    case Origin::kComputed:
      return "computed";
    case Origin::kConstant:
      return "constant";
    case Origin::kInitial:
      return "initial";
    case Origin::kUnwritten:
      return "unwritten";
    case Origin::kInput:
      return "input";
    case Origin::kLibrary:
      return "library";
    case Origin::kUnknown:
      break;
  }
  return "";
}

}  // namespace

void add_path(const program::ProgramModel& model, const FailureSlice& slice, report::Failure& failure) {
  if (!slice.origin) return;
  if (slice.origin->how != Origin::kUnknown) {
    const ValueOrigin& origin = *slice.origin;
    failure.origin = {
        .place = origin.how == Origin::kUnwritten
                     ? place_of_declaration(model, origin.variable, model.function_of_statement(origin.statement))
                     : place_of_statement(model, origin.statement),
        .how = word_of(origin.how)};
  }
  for (const PathStep& step : slice.path) {
    const report::SourcePlace place = place_of_statement(model, step.statement);
    const bool same_line = !failure.path.empty() && failure.path.back().place.line == place.line &&
                           failure.path.back().place.file == place.file;
    if (!same_line) failure.path.push_back({.place = place, .how = "passed"});
    if (step.formats) failure.path.back().how = "formatted";
  }
}

namespace {

constexpr size_t kMostTested = 2;

}  // namespace

void add_decision(const program::ProgramModel& model, const FailureSlice& slice, report::Failure& failure) {
  if (failure.path.empty()) return;
  size_t steps = 0;
  for (const uint32_t statement : slice.origin_decided_by) {
    const report::SourcePlace place = place_of_statement(model, statement);
    if (!is_own_statement(model, statement) || steps > kMostTested) return;
    const char* how = steps++ == 0 ? "decided" : "tested";
    if (place.line != failure.path.back().place.line || place.file != failure.path.back().place.file) {
      failure.path.push_back({.place = place, .how = how});
    }
  }
}

namespace {

constexpr size_t kMostOfWay = 12;  // even: half of them from either end

}  // namespace

report::Finding finding_of(const program::ProgramModel& model, const UnwrittenVariable& unwritten) {
  return {.kind = "never-written",
          .place = place_of_declaration(
              model, unwritten.variable,
              model.function_of_statement(model.operation(unwritten.begins.operation()).statement)),
          .instance = 0,
          .evidence = fmt::format("Nothing had been written into {}, declared here, when it was read{}.",
                                  model.text(model.variable(unwritten.variable).name),
                                  unwritten.is_bad_value ? ", and that is the value which the failing statement uses"
                                                         : ", and the failure depends on what it happened to hold"),
          .proved = true};
}

std::optional<report::Finding> value_origin(const program::ProgramModel& model, const FailureSlice& slice) {
  std::vector<uint32_t> lines;
  std::vector<std::string> way;
  for (const uint32_t statement : slice.value_chain) {
    const report::SourcePlace place = place_of_statement(model, statement);
    if (place.line == 0 || (!lines.empty() && lines.back() == place.line)) continue;
    lines.push_back(place.line);
    way.push_back(file_and_line(place));
  }
  if (lines.empty()) return std::nullopt;
  if (way.size() > kMostOfWay) {
    const size_t left_out = way.size() - kMostOfWay;
    way.erase(way.begin() + kMostOfWay / 2, way.end() - kMostOfWay / 2);
    way.insert(way.begin() + kMostOfWay / 2, fmt::format("… {} more …", left_out));
  }
  const uint32_t origin = slice.value_chain.back();
  if (!slice.unwritten.empty() && slice.unwritten.front().is_bad_value) return std::nullopt;
  const report::SourcePlace test = place_of_statement(model, slice.thrown_by.value_or(program::kNone));
  std::string evidence = fmt::format(
      "The value that the failing statement uses was {} here, and came there by copies only "
      "(backwards: {}).",
      slice.value_is_input ? "read" : "made", fmt::join(way, ", "));
  if (slice.thrown_by) {
    evidence = fmt::format("The value was {} here because of which {} decided that {}.",
                           slice.value_is_input ? "read" : "made", file_and_line(test),
                           slice.message ? "this is said" : "the exception is thrown");
  }
  return report::Finding{.kind = "value-origin",
                         .place = place_of_statement(model, origin),
                         .instance = 0,
                         .evidence = std::move(evidence),
                         .proved = true};
}

}  // namespace culprit
