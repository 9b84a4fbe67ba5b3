#include "locate/explanation_parts.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "locate/attempt.h"
#include "locate/failure_place.h"
#include "locate/findings.h"
#include "locate/heap_misuse.h"
#include "locate/own_statements.h"
#include "program/external_roles.h"

namespace culprit {
namespace {

constexpr uint64_t kMostTracedBranches = 30'000'000;      // as a whole
constexpr uint64_t kMostSkippedBranches = 2'000'000'000;  // of a run whose end alone is traced
constexpr uint64_t kMostTracedAgain = 3'000'000;
constexpr int kMostStretch = 3;
constexpr size_t kMostWithVariables = 2;  // activations that are told
constexpr size_t kMostMessages = 100;     // of which one may have been said instead of what is missing

/// Where the last line with text before `end` begins.
std::optional<uint64_t> last_line_of(const std::string& text, size_t end = std::string::npos) {
  if (end == 0) return std::nullopt;
  const size_t last = text.find_last_not_of(" \t\r\n", end - 1);
  if (last == std::string::npos) return std::nullopt;
  const size_t before = text.rfind('\n', last);
  return before == std::string::npos ? 0 : before + 1;
}

/// Where the lines with text begin, the last first.
std::vector<uint64_t> last_lines_of(const std::string& text) {
  std::vector<uint64_t> lines;
  auto line = last_line_of(text);
  for (; line && lines.size() < kMostMessages; line = last_line_of(text, *line)) lines.push_back(*line);
  return lines;
}

}  // namespace

Oracle oracle_for(const ExplainRequest& request, const ObservedEnd& end) {
  Oracle oracle;
  oracle.exit_status = request.expectation.exit_status;
  oracle.output = request.expectation.output;
  if (const auto& predicate = request.expectation.fails_if) {
    oracle.good = [predicate](std::string_view output, int status) { return !predicate->fails(output, status); };
  }
  if (oracle.output) {
    oracle.unaltered_output = end.output;
    oracle.right_bytes = first_wrong_byte(end.output, *oracle.output);
  } else {
    oracle.output_prefix = end.output;
  }
  oracle.only_status = !end.timed_out && WIFEXITED(end.wait_status) && (!oracle.output || end.output == *oracle.output);
  return oracle;
}

std::string first_step(const ExplainRequest& request) {
  constexpr std::chrono::milliseconds kSoon{300};
  constexpr int kLogged = 30;  // times as long as the run itself, about
  if (!request.first_run || request.first_run->took < kSoon) return "running the program";
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(kLogged * request.first_run->took);
  return fmt::format("replaying the run, for about {} s", seconds.count());
}

std::chrono::milliseconds stretched(std::chrono::milliseconds time, const ExplainRequest& request,
                                    const ObservedEnd& failing) {
  if (!request.stretches || failing.timed_out) return time;
  return time * std::clamp(static_cast<int>(failing.cpu_seconds), 1, kMostStretch);
}

namespace {

/// `last`: the instance that is kept last; a log that does not have it stays.
void end_log(BranchLog& log, uint64_t last) {
  if (last >= log.first_instance && last < log.first_instance + log.entries.size()) {
    log.entries.resize(last - log.first_instance + 1);
  }
}

/// The last of a log's instances that was executed before the stop of another run; nothing when it is not known.
std::optional<uint64_t> last_before_stop(const BranchLog& log, const ObservedRun& stopped) {
  const auto& other = stopped.log;
  const format::StopRecord& stop = stopped.end.stop;
  const auto is_same = [](const format::BranchEntry& one, const format::BranchEntry& two) {
    return one.block == two.block && one.way == two.way;
  };
  const uint64_t same_count = log.instance_of({.thread = stop.thread, .own = stop.branches});
  if (other.entries.empty() || other.first_instance != 1 || log.first_instance != 1) return same_count;
  const uint64_t before = other.instance_of({.thread = stop.thread, .own = stop.branches});
  const auto parts =
      std::mismatch(log.entries.begin(), log.entries.end(), other.entries.begin(), other.entries.end(), is_same);
  if (static_cast<uint64_t>(parts.second - other.entries.begin()) >= before) return before;
  const auto from_end =
      std::mismatch(log.entries.rbegin(), log.entries.rend(), other.entries.rbegin(), other.entries.rend(), is_same);
  const uint64_t rest = other.entries.size() - std::min<uint64_t>(before, other.entries.size());
  if (static_cast<uint64_t>(from_end.second - other.entries.rbegin()) < rest) return std::nullopt;
  return log.entries.size() - rest;
}

}  // namespace

void end_log(BranchLog& log, const ObservedRun& stopped) {
  if (const auto before = last_before_stop(log, stopped)) end_log(log, *before);
}

void leave_out_handler(const report::Failure& failure, ObservedRun& failing) {
  // A wrong output may come long after a signal that the program got over.
  const bool by_output = failure.kind == "wrong-output" || failure.kind == "predicate";
  if (failing.end.stop.reason == format::StopReason::kFatalSignal && !by_output) {
    const format::StopRecord& stop = failing.end.stop;
    end_log(failing.log, failing.log.instance_of({.thread = stop.thread, .own = stop.branches}));
  }
}

void add_activations(const program::ProgramModel& model, const Evidence& evidence, report::Explanation& explanation) {
  const std::vector<Frame>& frames = *evidence.frames;
  const auto is_own = [&](const Frame& each) { return is_own_statement(model, each.statement); };
  // Those of a library's headers inside of the program's say nothing to who calls them.
  const auto first_own = std::find_if(frames.begin(), frames.end(), is_own);
  const size_t first = first_own == frames.end() ? 0 : static_cast<size_t>(first_own - frames.begin());
  for (size_t i = first; i < frames.size(); ++i) {
    report::Activation activation{.place = place_of_statement(model, frames[i].statement), .variables = {}};
    if (i < evidence.variables->size() && i < first + kMostWithVariables) {
      for (const VariableValue& each : (*evidence.variables)[i])
        activation.variables.push_back({each.name, each.value});
    }
    explanation.activations.push_back(std::move(activation));
  }
}

void explain_intermittent(const program::ProgramModel& model, const RepeatedRuns& runs, Evidence& evidence,
                          report::Explanation& explanation) {
  report::Failure& failure = *explanation.failure;
  failure.message = fmt::format("In {} of {} runs{}: {}", runs.failed, runs.runs,
                                runs.scheduled ? ", under random schedules of its threads" : "", failure.message);
  for (const IntermittentBranch& branch : runs.only_when_failing) {
    explanation.findings.push_back(
        {.kind = "intermittent-branch",
         .place = place_of_branch(model, branch.block),
         .instance = 0,
         .evidence = fmt::format("Only runs that fail took it to {}.", way_text(model, branch.block, branch.way)),
         .proved = false});
  }
  evidence.intermittent = runs.only_when_failing;
  for (const IntermittentBranch& branch : runs.only_when_failing) {
    if (failure.place.line == 0) failure.place = place_of_branch(model, branch.block);
  }
}

bool repeats_another(const CriticalBranch& branch, const std::vector<CriticalBranch>& critical, const BranchLog& log) {
  if (branch.scope != format::SwitchScope::kEachInverted) return false;
  const bool helps_alone = std::any_of(critical.begin(), critical.end(), [&](const CriticalBranch& each) {
    return each.block == branch.block && each.scope == format::SwitchScope::kInstance && each.verified &&
           each.repair == branch.repair;
  });
  const auto is_its = [&](const format::BranchEntry& entry) { return entry.block == branch.block; };
  const auto& entries = log.entries;
  const auto first = std::find_if(entries.begin(), entries.end(), is_its);
  return helps_alone && first != entries.end() && std::find_if(first + 1, entries.end(), is_its) == entries.end();
}

void tell_other_end(const RepeatedRuns& runs, report::Failure& failure) {
  if (!runs.otherwise) return;
  failure.message +=
      fmt::format(" (Run again, it failed otherwise: {} What is told here is of its first run.)", *runs.otherwise);
}

std::optional<FailureSlice> slice_of_failure(const ExplainRequest& request, const TracedProgram& traced,
                                             const Launch& launch, const ObservedRun& failing,
                                             const ObservedRun& at_output, const std::optional<ChildOutput>& child,
                                             std::optional<uint64_t> branch, report::Explanation& explanation) {
  const char* const what = "finding what the failure depended on: ";
  std::string why_not;
  std::optional<FailureSlice> slice;
  const ObservedEnd& end = at_output.end.frames.empty() ? failing.end : at_output.end;
  const bool output = explanation.failure->kind == "wrong-output";
  // What is wrong with a program that ends with a status it says itself.
  const bool only_status = explanation.failure->kind == "exit-status" && !branch;
  const auto message = only_status ? last_line_of(failing.end.error) : std::nullopt;
  if (end.frames.empty() && !output && !branch && !only_status) return std::nullopt;
  FailureMoment moment{.statement = child || end.frames.empty() ? program::kNone : end.frames.front().statement,
                       .thread = end.stop.thread,
                       .branches = end.stop.branches,
                       .child = child,
                       .branch = branch.value_or(0),
                       .divided = end.stop.signal == SIGFPE && end.stop.signal_code == FPE_INTDIV,
                       .threw = explanation.failure->kind == "uncaught-exception",
                       .in_library = is_in_library(end),
                       .no_value = is_in_unknown_code(end) || is_about_no_value(*explanation.failure),
                       .gave_up = explanation.failure->kind == "exit-status"};
  if (message) {
    moment.output_byte = *message;
    moment.stream = depend::OutputStream::kStandardError;
  }
  if (output) {
    moment.output_byte = byte_to_look_at(failing.end.output, *request.expectation.output);
    moment.wrong_length = has_wrong_length(failing.end.output, *request.expectation.output);
    // What is missing was put out by nobody. A program that gave up said why.
    if (*moment.output_byte >= failing.end.output.size()) {
      if (const auto message = last_line_of(failing.end.error)) {
        moment.output_byte = *message;
        moment.stream = depend::OutputStream::kStandardError;
      }
    } else if (text_is_missing(failing.end.output, *request.expectation.output)) {
      moment.after_missing = first_wrong_byte(failing.end.output, *request.expectation.output);
      moment.messages = last_lines_of(failing.end.error);
    }
  }
  // The end alone takes state that only a replay has twice, and is known of one thread.
  const bool is_long = failing.branches > kMostTracedBranches;
  const bool has_end = launch.recording && failing.log.turns.empty() && failing.branches < kMostSkippedBranches;
  if (is_long && !has_end) {
    why_not = "the run is too long";
  } else {
    slice = slice_failure(launch, traced, failing, moment, is_long, why_not);
  }
  if (slice && slice->run->graph().begins_late()) {
    explanation.limits.push_back(
        fmt::format("looking at what the failure depended on before the last {} of the run's {} branch instances",
                    failing.branches - slice->run->graph().branches_before(), failing.branches));
  }
  if (slice && slice->returned_at)
    explanation.failure->place = place_of_statement(slice->run->graph().model(), *slice->returned_at);
  if (!slice) explanation.limits.push_back(what + why_not);
  return slice;
}

namespace {

/// Not of a long run: it is traced once more. Nor of one that is there as a recording only.
std::vector<HeapFault> misuses_where_freed_blocks_stay(const ExplainRequest& request, const TracedProgram& traced,
                                                       const Evidence& evidence, report::Explanation& explanation) {
  std::vector<HeapFault> misuses;
  if (request.launch.recording || evidence.run->branches > kMostTracedAgain || evidence.run->end.timed_out) return {};
  attempt("looking for uses of memory that was given out again", explanation, [&] {
    look_at_run(
        traced, request.launch, [&](const auto& graph, const auto& trace) { misuses = heap_misuses(graph, trace, {}); },
        FreedBlocks::kStay);
  });
  return misuses;
}

}  // namespace

void tell_heap(const ExplainRequest& request, const program::ProgramModel& model,
               const std::optional<TracedProgram>& traced, Evidence& evidence, report::Explanation& explanation) {
  std::vector<HeapFault>& heap = evidence.heap;
  if (evidence.slice) {
    const RunDependences& run = *evidence.slice->run;
    const std::vector<HeapFault> seen = heap_misuses(run.graph(), run.trace(), heap);
    std::erase_if(heap, [&](const HeapFault& each) { return is_hit_by(model, each, seen); });
    heap.insert(heap.end(), seen.begin(), seen.end());
  }
  if (heap.empty() && !evidence.bounds && traced) {
    heap = misuses_where_freed_blocks_stay(request, *traced, evidence, explanation);
  }
  for (const HeapFault& fault : heap) add_findings_of(model, fault, explanation.findings);
  if (heap.empty()) return;
  if (!is_silent(*explanation.failure)) return tell_misuse(model, heap.front(), *explanation.failure);
  // That the output is wrong because of what was seen is not known.
  if (heap.front().was_seen) return;
  move_failure_to(model, heap.front(), *explanation.failure);
  explanation.failure->origin_is_of_output = explanation.failure->kind == "wrong-output";
}

std::vector<RacingAccesses> races_of_another_run(const ExplainRequest& request, const TracedProgram& traced,
                                                 const std::vector<DependentStatement>& slice,
                                                 report::Explanation& explanation) {
  std::vector<RacingAccesses> races;
  attempt("looking for races in another run", explanation, [&] {
    look_at_run(traced, request.launch, [&](const auto& graph, const auto&) { races = racing_accesses(graph, slice); });
  });
  return races;
}

void add_exits(const ExplainRequest& request, const program::ProgramModel& model, Evidence& evidence,
               report::Explanation& explanation) {
  if (!request.traced || evidence.endless->exits.empty()) return;
  attempt("tracing the loop", explanation, [&] {
    evidence.turns = examine_exits(request.launch, request.traced(), *evidence.endless);
    const std::vector<VariableValue> none;
    for (const LoopExit& each : evidence.turns.exits) {
      explanation.findings.push_back(
          finding_of(model, each, evidence.variables->empty() ? none : evidence.variables->front()));
    }
  });
}

namespace {

bool makes_threads(const program::ProgramModel& model) {
  const auto functions = model.functions();
  return std::any_of(functions.begin(), functions.end(), [&](uint32_t each) {
    return program::makes_thread(model.text(model.function(each).linkage_name));
  });
}

}  // namespace

std::optional<RecordedFailure> record(const ExplainRequest& request, const program::ProgramModel& model,
                                      RepeatedRuns& runs, report::Explanation& explanation) {
  const bool hangs = runs.failing.end.timed_out;
  if (!request.recordable || (hangs && !makes_threads(model))) return std::nullopt;
  std::string why_not;
  std::optional<RecordedFailure> recorded =
      record_failure(request.launch, request.recordable(), model, request.expectation, *runs.failure,
                     runs.is_deterministic(), request.time_limit, why_not);
  if (recorded) {
    runs.failing = std::move(recorded->run);
    if (hangs) explanation.failure = recognise_failure(model, runs.failing.end, request.expectation);
  } else if (!hangs) {
    explanation.limits.push_back("recording the failing run, so the program itself was run again and again: " +
                                 why_not);
  }
  return recorded;
}

std::optional<RecordedFailure> record_under_schedules(const ExplainRequest& request, const program::ProgramModel& model,
                                                      const std::function<bool(uint32_t done)>& progress,
                                                      RunComparison& runs, report::Explanation& explanation) {
  // A program of one thread has one schedule, and need not be built for that.
  if (!request.recordable || !makes_threads(model)) return std::nullopt;
  std::optional<RecordedFailure> recorded;
  attempt("trying other schedules of its threads", explanation, [&] {
    recorded = record_under_schedules(request.launch, request.recordable(), model, {.run = request.time_limit},
                                      progress, runs);
  });
  return recorded;
}

}  // namespace culprit
