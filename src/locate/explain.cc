#include "locate/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "locate/array_bounds.h"
#include "locate/endless_run.h"
#include "locate/finding_routes.h"
#include "locate/findings.h"
#include "locate/heap_experiments.h"
#include "locate/observe.h"
#include "locate/own_failure.h"
#include "locate/own_statements.h"
#include "locate/passed_failure.h"
#include "locate/repeated_runs.h"
#include "locate/suspects.h"

namespace culprit {
namespace {

constexpr std::chrono::milliseconds kHangPrefix{200};
constexpr size_t kMostWithVariables = 2;        // activations that are told
constexpr size_t kMostUnwritten = 3;            // told of variables that were never written
constexpr uint64_t kNoByte = ~uint64_t{0} - 1;  // of the output: the run stops when it ends

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
  return oracle;
}

/// The byte of the output whose writer is to be looked at. Where the rest of a line is right and only bytes before it
/// are missing, that is the last right byte: what was written there ended too early.
uint64_t byte_to_look_at(const std::string& output, const std::string& expected) {
  const uint64_t first_wrong = first_wrong_byte(output, expected);
  const auto rest_of_line = [first_wrong](const std::string& text) {
    return std::string_view(text).substr(first_wrong, text.find('\n', first_wrong) - first_wrong + 1);
  };
  if (first_wrong == 0 || first_wrong >= output.size() || first_wrong >= expected.size()) return first_wrong;
  const std::string_view rest = rest_of_line(output), wanted = rest_of_line(expected);
  return rest.size() < wanted.size() && wanted.ends_with(rest) ? first_wrong - 1 : first_wrong;
}

/// The program did not stop where it failed.
bool is_silent(const report::Failure& failure) {
  return failure.kind == "wrong-output" || failure.kind == "exit-status" || failure.kind == "predicate";
}

/// A wrong result shows late; where a wrong use of the heap was caught, the failure is there.
void move_failure_to(const program::ProgramModel& model, const HeapFault& fault, report::Failure& failure) {
  const uint32_t used = own_statement(model, statements_of(fault.access));
  if (used < model.statements().size()) {
    failure.place = place_of_statement(model, used);
  } else if (fault.first_different_branch) {
    failure.place = place_of_branch(model, *fault.first_different_branch);
  }
}

/// What is not at the failure itself.
void forget_innermost(size_t activations, ObservedRun& run) {
  const auto forget = [activations](auto& all) {
    all.erase(all.begin(), all.begin() + static_cast<long>(std::min(activations, all.size())));
  };
  forget(run.end.frames);
  forget(run.variables);
}

/// Where a run that does not end was stopped is chance.
void move_failure_to(const program::ProgramModel& model, const EndlessLoop& loop, ObservedRun& failing,
                     report::Failure& failure) {
  forget_innermost(loop.activation, failing);
  failure.place = place_of_branch(model, model.headers_of(loop.loop).front().block);
}

/// A byte that lay in a stream's buffer leaves the program when that is emptied, at the program's end perhaps. Whether
/// it was put there before; then `at_output` is where that was. What its variables were then is not known.
bool was_put_out_before(const FailureSlice& slice, ObservedRun& at_output) {
  if (slice.put_out_at.empty()) return false;
  const auto is_call = [&](const Frame& each) { return each.statement == slice.put_out_at.front(); };
  if (std::any_of(at_output.end.frames.begin(), at_output.end.frames.end(), is_call)) return false;
  at_output.end.frames.clear();
  for (const uint32_t statement : slice.put_out_at) at_output.end.frames.push_back({.statement = statement});
  at_output.variables.clear();
  return true;
}

/// Functions that hand on a text which they were given do not decide what is written.
void move_failure_to_writer(const program::ProgramModel& model, const FailureSlice& slice, ObservedRun& at_output,
                            report::Failure& failure) {
  if (!slice.writer) return;
  const std::vector<Frame>& frames = at_output.end.frames;
  const auto writes =
      std::find_if(frames.begin(), frames.end(), [&](const Frame& each) { return each.statement == *slice.writer; });
  if (writes == frames.end() || writes == frames.begin()) return;
  forget_innermost(static_cast<size_t>(writes - frames.begin()), at_output);
  failure.place = place_of_statement(model, *slice.writer);
}

}  // namespace

namespace {

void add_activations(const program::ProgramModel& model, const Evidence& evidence, report::Explanation& explanation) {
  for (size_t i = 0; i < evidence.frames->size(); ++i) {
    report::Activation activation{.place = place_of_statement(model, (*evidence.frames)[i].statement), .variables = {}};
    if (i < evidence.variables->size() && i < kMostWithVariables) {
      for (const VariableValue& each : (*evidence.variables)[i])
        activation.variables.push_back({each.name, each.value});
    }
    explanation.activations.push_back(std::move(activation));
  }
}

/// Runs of equal input end differently: what only the failing ones do is told; altering them would prove nothing, since
/// an altered run may succeed by itself.
void explain_intermittent(const program::ProgramModel& model, const RepeatedRuns& runs, Evidence& evidence,
                          report::Explanation& explanation) {
  report::Failure& failure = *explanation.failure;
  failure.message = fmt::format("In {} of {} runs: {}", runs.failed, runs.runs, failure.message);
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

}  // namespace

namespace {

constexpr uint64_t kMostTracedBranches = 30'000'000;

/// Where the last line with text begins.
std::optional<uint64_t> last_line_of(const std::string& text) {
  const size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return std::nullopt;
  const size_t before = text.rfind('\n', end);
  return before == std::string::npos ? 0 : before + 1;
}

/// Where the failure is to be looked for in a trace: at the run's end when it crashed, else where the output went
/// wrong.
std::optional<FailureSlice> slice_of_failure(const ExplainRequest& request, const TracedProgram& traced,
                                             const Launch& launch, const ObservedRun& failing,
                                             const ObservedRun& at_output, const std::optional<ChildOutput>& child,
                                             report::Explanation& explanation) {
  const char* const what = "finding what the failure depended on: ";
  std::string why_not;
  std::optional<FailureSlice> slice;
  const ObservedEnd& end = at_output.end.frames.empty() ? failing.end : at_output.end;
  const bool output = explanation.failure->kind == "wrong-output";
  if (end.frames.empty() && !output) return std::nullopt;
  FailureMoment moment{.statement = child || end.frames.empty() ? program::kNone : end.frames.front().statement,
                       .branches = end.stop.branches,
                       .child = child};
  if (output) {
    moment.output_byte = byte_to_look_at(failing.end.output, *request.expectation.output);
    // What is missing was put out by nobody. A program that gave up said why.
    if (*moment.output_byte >= failing.end.output.size()) {
      if (const auto message = last_line_of(failing.end.error)) {
        moment.output_byte = *message;
        moment.stream = depend::OutputStream::kStandardError;
      }
    }
  }
  if (failing.log.first_instance + failing.log.entries.size() > kMostTracedBranches) {
    why_not = "the run is too long";
  } else {
    slice = slice_failure(launch, traced, failing, moment, why_not);
  }
  if (!slice) explanation.limits.push_back(what + why_not);
  return slice;
}

}  // namespace

namespace {

/// Why the endless loop is not left.
void add_exits(const ExplainRequest& request, const program::ProgramModel& model, Evidence& evidence,
               report::Explanation& explanation) {
  if (!request.traced || evidence.endless->exits.empty()) return;
  try {
    evidence.exits = examine_exits(request.launch, request.traced(), *evidence.endless);
    const std::vector<VariableValue> none;
    for (const LoopExit& each : evidence.exits) {
      explanation.findings.push_back(
          finding_of(model, each, evidence.variables->empty() ? none : evidence.variables->front()));
    }
  } catch (const UserError& error) {
    explanation.limits.push_back(std::string("tracing the loop: ") + error.what());
  } catch (const CorruptData& error) {
    explanation.limits.push_back(std::string("tracing the loop: ") + error.what());
  }
}

/// What may be meant by who asks why a run fails that does not.
void add_steps_without_failure(report::Explanation& explanation) {
  explanation.next_steps = {fmt::format("culprit why --expect GOOD_OUTPUT -- {}", explanation.command),
                            fmt::format("culprit record --chaos --until-failure -- {}", explanation.command)};
}

/// Commands with which the reader can look at what was found.
void add_next_steps(const std::string& recording, bool crashed, report::Explanation& explanation) {
  const auto at = [](const report::SourcePlace& place) {
    return fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
  };
  for (const report::Finding& finding : explanation.findings) {
    const bool branch = finding.kind.ends_with("-branch");
    const bool left_out = finding.kind.ends_with("-call") || finding.kind.ends_with("-write");
    if ((!branch && !left_out && !finding.instead) || !finding.proved || finding.instance == 0) continue;
    const std::string value = finding.instead ? fmt::format(" --value {}", *finding.instead) : "";
    explanation.next_steps.push_back(fmt::format("culprit {} --at {}:{}#{}{} -- {}", branch ? "switch" : "suppress",
                                                 at(finding.place), finding.place.column, finding.instance, value,
                                                 recording.empty() ? explanation.command : recording));
    break;
  }
  const report::SourcePlace& failed = explanation.failure->place;
  if (failed.line == 0) return;
  if (!recording.empty()) {
    explanation.next_steps.push_back(fmt::format("culprit slice {} --at {}", recording, at(failed)));
    explanation.next_steps.push_back(
        fmt::format("culprit replay {} --to {}", recording, crashed ? "crash" : at(failed)));
    return;
  }
  explanation.next_steps.push_back(fmt::format("culprit slice --at {} -- {}", at(failed), explanation.command));
  explanation.next_steps.push_back(fmt::format("culprit record -o recording -- {}; culprit replay recording --to {}",
                                               explanation.command, crashed ? "crash" : at(failed)));
}

}  // namespace

namespace {

/// Makes the failing run a recorded one, and `runs.failing` a replay of it.
std::optional<RecordedFailure> record(const ExplainRequest& request, const program::ProgramModel& model,
                                      RepeatedRuns& runs, report::Explanation& explanation) {
  if (!request.recordable || runs.failing.end.timed_out) return std::nullopt;
  std::string why_not;
  std::optional<RecordedFailure> recorded =
      record_failure(request.launch, request.recordable(), model, request.expectation, *runs.failure,
                     runs.is_deterministic(), request.time_limit, why_not);
  if (recorded) {
    runs.failing = std::move(recorded->run);
  } else {
    explanation.limits.push_back("recording the failing run, so the program itself was run again and again: " +
                                 why_not);
  }
  return recorded;
}

}  // namespace

report::Explanation explain(const ExplainRequest& request, const program::ProgramModel& model,
                            const ExplainProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  report::Explanation explanation;
  explanation.command = request.command;

  // See how the run fails, and where.
  progress("running the program", 0, 0);
  RepeatedRuns runs =
      run_until_failure(request.launch, model, request.expectation,
                        {.tries = request.tries, .run = request.time_limit, .all = request.try_time},
                        [&progress](uint32_t done) { return progress("running the program again", done, 0); });
  explanation.runs = runs.runs;
  explanation.failure = runs.failure;
  if (!explanation.failure) {
    explain_own_failure(request, model, progress, explanation);
    explanation.effort.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!explanation.failure) add_steps_without_failure(explanation);
    return explanation;
  }
  // From here on everything is done to one execution, if it can be recorded.
  Launch launch = request.launch;
  const std::optional<RecordedFailure> recorded = record(request, model, runs, explanation);
  if (recorded) launch = recorded->launch;
  ObservedRun& failing = runs.failing;
  Evidence evidence{.failure = &*explanation.failure,
                    .run = &failing,
                    .frames = &failing.end.frames,
                    .variables = &failing.variables,
                    .critical = {},
                    .expected_output = request.expectation.output.has_value() || request.expectation.fails_if,
                    .heap = {}};
  const Oracle oracle = oracle_for(request, failing.end);
  if (!runs.is_deterministic()) explain_intermittent(model, runs, evidence, explanation);
  if (!runs.is_deterministic() && !recorded) {
    explanation.limits.push_back(
        "altering runs: equal runs of this program end differently, perhaps by a race between threads or by memory "
        "that "
        "was never written");
    add_activations(model, evidence, explanation);
    explanation.suspects = rank_suspects(model, evidence);
    explanation.effort.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return explanation;
  }

  // A wrong output fails where its first wrong byte leaves the program; what comes later does not matter.
  ObservedRun at_output;
  std::optional<ChildOutput> child;
  if (explanation.failure->kind == "wrong-output") {
    progress("looking for the first wrong byte", 0, 0);
    at_output = observe_output(launch, model, byte_to_look_at(failing.end.output, *oracle.output), request.time_limit);
    if (launch.recording) {
      child = written_by_child(*launch.recording, byte_to_look_at(failing.end.output, *oracle.output));
    }
    if (child) {
      at_output = {};  // where a run that can start no process ends
    } else if (at_output.end.wait_status != failing.end.wait_status) {
      explanation.limits.push_back(
          "finding where the wrong byte is written: cut off from the outside the run ends otherwise, perhaps because "
          "another process writes it");
    } else if (!at_output.end.frames.empty()) {
      evidence.frames = &at_output.end.frames;
      evidence.variables = &at_output.variables;
      explanation.failure->place = place_of_failure(model, at_output.end.frames);
      const uint64_t before = at_output.end.stop.branches;
      if (before >= failing.log.first_instance && before < failing.log.first_instance + failing.log.entries.size()) {
        failing.log.entries.resize(before - failing.log.first_instance + 1);
      }
    }
  }
  // A program that ends itself with a wrong status fails where it decides to end.
  if (explanation.failure->kind != "wrong-output" && failing.end.frames.empty() && !failing.end.timed_out) {
    at_output = observe_output(launch, model, kNoByte, request.time_limit);
    if (!at_output.end.frames.empty()) {
      evidence.frames = &at_output.end.frames;
      evidence.variables = &at_output.variables;
      explanation.failure->place = place_of_failure(model, at_output.end.frames);
    }
  }
  // Find out whether an array was left by its index.
  if (evidence.bounds = examine_bounds(launch, model, failing.bounds, oracle, request.time_limit); evidence.bounds) {
    explanation.effort.experiments += 2;
    explanation.findings.push_back(finding_of(model, *evidence.bounds));
    // A wrong result shows late. The failure is at the access where keeping the index inside repairs the run, where
    // nothing else is known, and where the program itself gave up afterwards: what it did by then C leaves open.
    const ObservedRun& access = evidence.bounds->access;
    report::Failure& failure = *explanation.failure;
    if (is_silent(failure) && (evidence.bounds->repairs || failure.place.line == 0 || failure.kind == "exit-status") &&
        !access.end.frames.empty()) {
      evidence.frames = &access.end.frames;
      evidence.variables = &access.variables;
      failure.place = place_of_statement(model, evidence.bounds->statement);
      failure.kind = "buffer-overflow";
      failure.message = fmt::format("The program left an array by its index, and went on. {}", failure.message);
    }
  }

  add_activations(model, evidence, explanation);
  if (evidence.recursion = failing.recursion; evidence.recursion) {
    explanation.findings.push_back(finding_of(model, *evidence.recursion));
  }

  if (!oracle.output && !oracle.good) {
    explanation.limits.push_back(
        "comparing with a good run's output: give --expect FILE; without it a run counts as good when it prints the "
        "same up to the failure and ends with exit status 0, which is weak evidence");
  }
  if (failing.end.timed_out) {
    evidence.endless = endless_loop(model, failing.end.frames, failing.log);
    if (evidence.endless) {
      explanation.findings.push_back(finding_of(model, *evidence.endless));
      move_failure_to(model, *evidence.endless, failing, *explanation.failure);
      progress("looking at the loop's exits", 0, 0);
      add_exits(request, model, evidence, explanation);
    }
    // The turns of its loop are all alike, so its beginning is enough. When that has left the log, it is run again.
    if (failing.log.first_instance != 1) {
      progress("running the program", 0, 0);
      failing.log = observe_failure(launch, model, kHangPrefix).log;
    }
    failing.log = first_turns(model, failing.log);
  } else {
    // Find out whether the heap is used wrongly.
    const HeapSearch heap = search_heap(launch, failing.end, oracle, request.heap_time,
                                        [&] { return progress("altering the heap", 0, 0); });
    explanation.effort.experiments += heap.runs;
    if (!heap.reproduced) {
      explanation.limits.push_back("altering the heap: the run ends otherwise when it is cut off from the outside");
    }
    evidence.heap = heap.faults;
    for (const HeapFault& fault : heap.faults) add_findings_of(model, fault, explanation.findings);
    if (!heap.faults.empty() && is_silent(*explanation.failure)) {
      move_failure_to(model, heap.faults.front(), *explanation.failure);
    }
  }

  // Find out what it depended on. Where nothing else is known, a wrong output fails where it was decided to write it.
  const bool failure_is_writing = explanation.failure->kind == "wrong-output" &&
                                  explanation.failure->place.line == place_of_failure(model, at_output.end.frames).line;
  std::optional<FailureSlice> slice;
  std::optional<report::Finding> origin;
  std::vector<LocatedFinding> found;
  SwitchingBudget switching_budget = request.switching;
  std::optional<TracedProgram> traced;
  if (request.traced && !failing.end.timed_out) {
    // Without it the answer knows less, and says so.
    try {
      traced = request.traced();
    } catch (const UserError& error) {
      explanation.limits.push_back(std::string("tracing the run: ") + error.what());
    }
  }
  if (traced) {
    progress("tracing the run", 0, 0);
    if (slice = slice_of_failure(request, *traced, launch, failing, at_output, child, explanation); slice) {
      // Where it was read says less than what else will be found.
      origin = value_origin(model, *slice);
      if (origin && !slice->value_is_input)
        found.push_back({.finding = *origin, .start = RouteStart{.nodes = {slice->value_made}}});
      for (const UnwrittenVariable& each : slice->unwritten) {
        if (found.size() == kMostUnwritten) break;
        found.push_back({.finding = finding_of(model, each), .start = RouteStart{.nodes = {each.begins}}});
      }
      if (explanation.failure->kind == "wild-pointer" && !slice->unwritten.empty() &&
          slice->unwritten.front().is_bad_value) {
        explanation.failure->message = "The program accessed memory through a pointer that was never written.";
      }
      evidence.slice = &*slice;
      evidence.uninitialised = &slice->uninitialised;
      for (const UninitialisedRead& read : slice->uninitialised) {
        found.push_back({.finding = finding_of(model, read), .start = RouteStart{.nodes = {read.node}}});
      }
      add_path(model, *slice, *explanation.failure);
      if (slice->negative_length) {
        explanation.failure->message += fmt::format(
            " It was to copy or fill {} bytes: a negative number, taken for a huge one.", *slice->negative_length);
      }
      if (slice->parent) {
        evidence.frames = &slice->parent->frames;
        evidence.variables = &slice->parent->variables;
        explanation.failure->place = place_of_failure(model, slice->parent->frames);
        explanation.failure->message +=
            fmt::format(" It was put out by a process that the program started: {}.", slice->parent->program);
        add_activations(model, evidence, explanation);
      }
      if (failure_is_writing && !slice->parent && was_put_out_before(*slice, at_output)) {
        evidence.frames = &at_output.end.frames;
        evidence.variables = &at_output.variables;
        explanation.failure->place = place_of_failure(model, at_output.end.frames);
        explanation.activations.clear();
        add_activations(model, evidence, explanation);
      }
      if (failure_is_writing) move_failure_to_writer(model, *slice, at_output, *explanation.failure);
      switching_budget.distance = slice->branch_distance;
    }
  }

  // Find the branches that the failure went through.
  const uint64_t failing_branches = failing.log.first_instance + failing.log.entries.size() - 1;
  switching_budget.limits = usual_limits(failing.end, failing_branches);
  bool interrupted = false;
  const auto switching_progress = [&](uint64_t done, uint64_t planned) {
    interrupted = interrupted || !progress("switching branches", done, planned);
    return !interrupted;
  };
  if (!is_silent(*explanation.failure)) {
    switching_budget.counted = statement_to_pass(model, *explanation.failure, failing);
  }
  SwitchingResult switching = (failing.end.timed_out ? switch_in_endless_run : switch_predicates)(
      launch, model, failing.log, oracle, switching_budget, switching_progress);
  const auto go_on = [&](const char* step, uint64_t done) { return !interrupted && progress(step, done, 0); };
  if (slice && switching_budget.counted.statement != format::kNoStatement) {
    const StatementToPass to_pass(slice->run->graph(), failing.log, switching_budget.counted);
    for (CriticalBranch& each : switching.critical) each.passes_failure = to_pass.is_passed(each);
    if (!evidence.expected_output) put_passing_first(switching.critical);
  }
  // An assertion's own test comes last: skipped, it repairs every run.
  std::vector<LocatedFinding> of_assertion;
  for (const CriticalBranch& branch : switching.critical) {
    LocatedFinding located{.finding = finding_of(model, branch, oracle),
                           .start = slice ? start_of(*slice, branch) : std::nullopt};
    if (branch.repair == Repair::kRepairs && !evidence.expected_output) {
      located.finding.evidence += passed_text(*explanation.failure, branch.passes_failure);
    }
    const bool own = explanation.failure->kind == "assertion" &&
                     located.finding.place.line == explanation.failure->place.line &&
                     located.finding.place.file == explanation.failure->place.file;
    (own ? of_assertion : found).push_back(std::move(located));
  }
  found.insert(found.end(), of_assertion.begin(), of_assertion.end());
  if (origin && slice->value_is_input)
    found.push_back({.finding = *origin, .start = RouteStart{.nodes = {slice->value_made}}});
  evidence.critical = switching.critical;
  explanation.effort.experiments += switching.experiments;
  explanation.effort.complete = switching.complete;
  explanation.effort.enough = switching.enough;

  // Where no branch repairs the run, perhaps leaving something out does.
  const bool repaired = std::any_of(switching.critical.begin(), switching.critical.end(),
                                    [](const auto& each) { return each.verified && each.repair == Repair::kRepairs; });
  if (!repaired && slice && request.alterable && go_on("altering statements", 0)) {
    Launch alterable = launch;
    alterable.executable = request.alterable();
    // Any value that avoids a crash would do, so nothing is learnt from one that does.
    if (evidence.expected_output) {
      ReplacementBudget replacing = request.replacement;
      replacing.limits = switching_budget.limits;
      const ReplacementResult replacement =
          replace_values(alterable, *slice, failing_branches, oracle, replacing,
                         [&](uint64_t done) { return go_on("replacing values", done); });
      for (const CriticalValue& each : replacement.critical) {
        found.push_back({.finding = finding_of(model, each, oracle), .start = start_of(each)});
      }
      evidence.replaced = replacement.critical;
      explanation.effort.experiments += replacement.experiments;
      explanation.effort.complete = explanation.effort.complete && replacement.complete;
    }
    SuppressionBudget budget = request.suppression;
    budget.limits = switching_budget.limits;
    const SuppressionResult suppression =
        suppress_statements(alterable, *slice, failing_branches, oracle, budget,
                            [&](uint64_t done) { return go_on("leaving statements out", done); });
    for (const CriticalStatement& each : suppression.critical) {
      found.push_back({.finding = finding_of(model, each, oracle), .start = start_of(*slice, each)});
    }
    evidence.suppressed = suppression.critical;
    explanation.effort.experiments += suppression.experiments;
    explanation.effort.complete = explanation.effort.complete && suppression.complete;
  }

  // Tell how it travelled from there to the failure, or, where nothing is proved, what decided that the value was made.
  if (slice) {
    progress("following what was found to the failure", 0, 0);
    add_routes(model, *slice, found);
    if (switching.critical.empty() && evidence.suppressed.empty() && evidence.replaced.empty())
      add_decision(model, *slice, *explanation.failure);
  }
  // Those that the reader can look up come first.
  std::stable_partition(found.begin(), found.end(), [](const auto& each) { return each.finding.place.line != 0; });
  for (LocatedFinding& each : found) explanation.findings.push_back(std::move(each.finding));

  explanation.suspects = rank_suspects(model, evidence);
  add_next_steps(request.recording, failing.end.stop.reason == format::StopReason::kFatalSignal, explanation);
  explanation.effort.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return explanation;
}

}  // namespace culprit
