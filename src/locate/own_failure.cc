#include "locate/own_failure.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include "base/shell_command.h"
#include "locate/array_bounds.h"
#include "locate/attempt.h"
#include "locate/failure.h"
#include "locate/findings.h"
#include "locate/heap_experiments.h"
#include "locate/heap_misuse.h"
#include "locate/observe.h"
#include "locate/racing_accesses.h"
#include "locate/suspects.h"
#include "locate/uninitialised_reads.h"

namespace culprit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kRuns = 20;
constexpr uint32_t kEnoughRuns = 3;  // when all of them fail
constexpr std::chrono::milliseconds kTime{2'000};
constexpr double kSlow = 2;  // seconds

struct OwnFailure {
  report::Failure failure;
  uint32_t runs = 0, failed = 0;
};

ObservedEnd run_once(const std::filesystem::path& executable, const Launch& launch, std::chrono::milliseconds limit) {
  const Clock::time_point over = Clock::now() + limit;
  const CommandResult ended = run_captured({.executable = executable,
                                            .words = launch.arguments,
                                            .input = launch.standard_input,
                                            .environment = {},
                                            .enough = [over] { return Clock::now() >= over; }});
  ObservedEnd end;
  end.wait_status = ended.end.signal != 0 ? ended.end.signal : W_EXITCODE(ended.end.exit_status, 0);
  end.timed_out = ended.stopped;
  end.output = ended.output;
  return end;
}

/// Nothing when it does not fail.
std::optional<OwnFailure> run_own_program(const ExplainRequest& request, const program::ProgramModel& model) {
  OwnFailure result;
  const Clock::time_point over = Clock::now() + kTime;
  while (result.runs < kRuns && (result.runs == 0 || Clock::now() < over)) {
    const ObservedEnd end = run_once(request.own_program, request.launch, request.time_limit);
    const std::optional<report::Failure> failure = recognise_failure(model, end, request.expectation);
    ++result.runs;
    if (failure && ++result.failed == 1) result.failure = *failure;
    if (result.failed == kEnoughRuns && result.runs == kEnoughRuns) break;
  }
  return result.failed == 0 ? std::nullopt : std::optional(result);
}

/// What a run that does not fail does that C leaves open.
void find_what_is_left_open(const ExplainRequest& request, const program::ProgramModel& model,
                            const ExplainProgress& progress, report::Explanation& explanation) {
  const Oracle oracle;  // both kinds of run succeed
  const ObservedRun nowhere;
  Evidence evidence{.failure = &*explanation.failure,
                    .run = &nowhere,
                    .frames = &nowhere.end.frames,
                    .variables = &nowhere.variables,
                    .critical = {},
                    .heap = {}};

  std::vector<UninitialisedRead> reads;
  if (request.traced && progress("tracing the run", 0, 0)) {
    attempt("tracing the run", explanation, [&] {
      look_at_run(
          request.traced(), request.launch,
          [&](const auto& graph, const auto& trace) {
            reads = uninitialised_reads(graph, {});
            evidence.heap = heap_misuses(graph, trace, {});
          },
          FreedBlocks::kStay);
    });
  }
  for (const UninitialisedRead& read : reads) explanation.findings.push_back(finding_of(model, read));
  evidence.uninitialised = &reads;

  progress("running the program", 0, 0);
  const ObservedRun passing = observe_failure(request.launch, model, request.time_limit);
  evidence.bounds = examine_bounds(request.launch, model, passing.bounds, oracle, request.time_limit);
  // The run does not fail with it either, so that it succeeds without it says nothing.
  if (evidence.bounds) evidence.bounds->repairs = false;
  if (evidence.bounds) explanation.findings.push_back(finding_of(model, *evidence.bounds));

  const HeapSearch heap = search_heap(request.launch, passing.end, oracle, request.heap_time,
                                      [&] { return progress("altering the heap", 0, 0); });
  explanation.effort.experiments += heap.runs;
  // What was seen is told last.
  evidence.heap.insert(evidence.heap.begin(), heap.faults.begin(), heap.faults.end());
  for (HeapFault& fault : evidence.heap) fault.repairs = false;
  for (const HeapFault& fault : evidence.heap) add_findings_of(model, fault, explanation.findings);

  explanation.suspects = rank_suspects(model, evidence);
}

}  // namespace

void explain_own_failure(const ExplainRequest& request, const program::ProgramModel& model,
                         const ExplainProgress& progress, report::Explanation& explanation) {
  if (request.own_program.empty()) return;
  progress("running the program's own executable", 0, 0);
  const std::optional<OwnFailure> own = run_own_program(request, model);
  if (!own) return;
  explanation.failure = own->failure;
  explanation.failure->only_own_program = true;
  explanation.failure->message = fmt::format(
      "Only the program's own executable fails, in {} of {} runs: {} As Culprit builds it, it did not fail in {} "
      "{}. So the failure probably depends on what the program does that C leaves open{}, and it cannot be looked at "
      "itself.",
      own->failed, own->runs, own->failure.message, explanation.runs, explanation.runs == 1 ? "run" : "runs",
      own->failed < own->runs ? ", or on timing" : "");
  find_what_is_left_open(request, model, progress, explanation);
  if (explanation.findings.empty()) {
    explanation.limits.push_back(
        "finding the cause: no variable was found to be read before it has a value, no heap block to be used wrongly, "
        "no array to be left by its index, no variable to be used whose function has returned. What remains are reads "
        "through wrong pointers, and promises that the compiler makes use of: try -fsanitize=address,undefined");
  }
}

void explain_passing_run(const ExplainRequest& request, const program::ProgramModel& model,
                         const ExplainProgress& progress, report::Explanation& explanation) {
  if (!request.traced || !progress("looking at what the run does that may show elsewhere", 0, 0)) return;
  const ObservedRun passing = observe_failure(request.launch, model, request.time_limit);
  if (auto bounds = examine_bounds(request.launch, model, passing.bounds, Oracle(), request.time_limit)) {
    bounds->repairs = false;  // it succeeds with it, too
    explanation.findings.push_back(finding_of(model, *bounds));
  }
  attempt("tracing the run", explanation, [&] {
    look_at_run(
        request.traced(), request.launch,
        [&](const auto& graph, const auto& trace) {
          for (const HeapFault& each : heap_misuses(graph, trace, {}))
            add_findings_of(model, each, explanation.findings);
          for (const UninitialisedRead& each : uninitialised_reads(graph, {})) {
            explanation.findings.push_back(finding_of(model, each));
          }
          for (const RacingAccesses& each : racing_accesses(graph, {})) {
            explanation.findings.push_back(finding_of(model, each));
          }
        },
        FreedBlocks::kStay);
  });
}

bool fails_again(const ExplainRequest& request, RunComparison& runs) {
  // As it is, it would take the time limit each time.
  if (!runs.so_far().failing.end.deadlock.empty()) return true;
  const bool is_slow = runs.so_far().failure && runs.so_far().failing.end.cpu_seconds > kSlow;
  if (!is_slow || request.own_program.empty()) return false;
  ObservedRun again;
  again.end = run_once(request.own_program, request.launch, request.time_limit);
  runs.add(std::move(again));
  return runs.so_far().is_deterministic();
}

}  // namespace culprit
