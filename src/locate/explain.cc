#include "locate/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "locate/array_bounds.h"
#include "locate/attempt.h"
#include "locate/endless_run.h"
#include "locate/explain_deadlock.h"
#include "locate/explanation_parts.h"
#include "locate/failure_place.h"
#include "locate/finding_routes.h"
#include "locate/findings.h"
#include "locate/heap_experiments.h"
#include "locate/next_steps.h"
#include "locate/own_failure.h"
#include "locate/own_statements.h"
#include "locate/passed_failure.h"

namespace culprit {
namespace {

constexpr std::chrono::milliseconds kHangPrefix{200};
constexpr size_t kMostRaces = 2;      // that are told of
constexpr size_t kMostUnwritten = 3;  // told of variables that were never written

/// One failing run, looked at from all sides; each step goes on from what those before it found.
class Investigation {
 public:
  /// The references must outlive it.
  Investigation(const ExplainRequest& request, const program::ProgramModel& model, const ExplainProgress& progress)
      : request_(request), model_(model), progress_(progress), budget_(request.switching) {
    explanation_.command = request.command;
  }

  report::Explanation run() {
    if (!see_failure()) return finish();
    evidence_.differs = !runs_.is_deterministic();
    if (!runs_.is_deterministic()) explain_intermittent(model_, runs_, evidence_, explanation_);
    if (!failing_.end.deadlock.empty()) {
      explain_deadlock(request_, model_, launch_, failing_.end.deadlock, evidence_, explanation_);
      return finish();
    }
    if (!runs_.is_deterministic() && !recorded_) {
      explanation_.limits.push_back(
          "altering runs: equal runs of this program end differently, perhaps by a race between threads or by memory "
          "that was never written");
      add_activations(model_, evidence_, explanation_);
      explanation_.suspects = rank_suspects(model_, evidence_);
      return finish();
    }
    find_where_it_parts();
    find_wrong_byte();
    find_missing_output();
    if (!fails_at_) find_end();
    examine_array_bounds();
    tell_failure();
    failing_.end.timed_out ? examine_endless_loop() : examine_heap();
    trace();
    tell_heap(request_, model_, traced_, evidence_, explanation_);
    follow_dependences();
    report::SourcePlace& place = explanation_.failure->place;
    if (place.line == 0 && !evidence_.omitted.empty()) place = place_of_branch(model_, evidence_.omitted[0].block);
    switch_branches();
    alter_statements();
    tell_what_was_found();
    explanation_.suspects = rank_suspects(model_, evidence_);
    const bool crashed = failing_.end.stop.reason == format::StopReason::kFatalSignal;
    const bool is_long = slice_ && slice_->run->graph().begins_late();
    add_next_steps({request_.recording, crashed, runs_.scheduled, is_long}, explanation_);
    return finish();
  }

 private:
  /// How the run fails; false when it does not. From then on everything is done to one execution, if it can be
  /// recorded.
  bool see_failure() {
    progress_(first_step(request_), 0, 0);
    RunComparison runs(model_, request_.expectation);
    if (request_.first_run) {
      attempt("replaying the first run", explanation_,
              [&] { recorded_ = replay_first_run(*request_.first_run, request_.launch, model_, request_.time_limit); });
    }
    if (recorded_ && !runs.add(std::move(recorded_->run))) recorded_.reset();
    if (!fails_again(request_, runs)) {
      run_until_failure(
          request_.launch, model_, {.tries = request_.tries, .run = request_.time_limit, .all = request_.try_time},
          [this](uint32_t done) { return go_on("running the program again", done); }, runs);
    }
    const bool scheduled = !runs.so_far().failure;
    if (scheduled) {
      recorded_ = record_under_schedules(
          request_, model_, [this](uint32_t done) { return go_on("trying other schedules of its threads", done); },
          runs, explanation_);
    }
    runs_ = std::move(runs).finish();
    runs_.scheduled = scheduled && recorded_;
    explanation_.runs = runs_.runs;
    explanation_.failure = runs_.failure;
    if (!explanation_.failure) {
      explain_own_failure(request_, model_, progress_, explanation_);
      if (explanation_.failure) return false;
      explain_passing_run(request_, model_, progress_, explanation_);
      add_steps_without_failure(explanation_);
      return false;
    }
    if (!recorded_) recorded_ = record(request_, model_, runs_, explanation_);
    tell_other_end(runs_, *explanation_.failure);
    launch_ = recorded_ ? recorded_->launch : request_.launch;
    evidence_.failure = &*explanation_.failure;
    evidence_.run = &failing_;
    evidence_.frames = &failing_.end.frames;
    evidence_.variables = &failing_.variables;
    evidence_.expected_output = request_.expectation.output.has_value() || request_.expectation.fails_if;
    oracle_ = oracle_for(request_, failing_.end);
    leave_out_handler(*explanation_.failure, failing_);
    return true;
  }

  /// A wrong output fails where its first wrong byte leaves the program; what comes later does not matter.
  void find_wrong_byte() {
    if (explanation_.failure->kind != "wrong-output") return;
    progress_("looking for the first wrong byte", 0, 0);
    const uint64_t looked_at = byte_to_look_at(failing_.end.output, *oracle_.output);
    at_output_ = observe_byte(looked_at);
    if (launch_.recording) child_ = written_by_child(*launch_.recording, looked_at);
    if (child_) {
      at_output_ = {};  // where a run that can start no process ends
    } else if (at_output_.end.wait_status != failing_.end.wait_status) {
      explanation_.limits.push_back(
          "finding where the wrong byte is written: cut off from the outside the run ends otherwise, perhaps because "
          "another process writes it");
    } else if (!at_output_.end.frames.empty()) {
      evidence_.frames = &at_output_.end.frames;
      evidence_.variables = &at_output_.variables;
      explanation_.failure->place = place_of_failure(model_, at_output_.end.frames);
      // What left a text out comes after the last right byte.
      const uint64_t first_wrong = first_wrong_byte(failing_.end.output, *oracle_.output);
      end_log(failing_.log, looked_at == first_wrong ? at_output_ : observe_byte(first_wrong));
    }
  }

  /// What is missing at the end it last went past.
  void find_missing_output() {
    const bool ends = explanation_.failure->kind == "wrong-output" && !child_ &&
                      first_wrong_byte(failing_.end.output, *oracle_.output) == failing_.end.output.size();
    if (!ends) return;
    evidence_.omitted = omitted_outputs(model_, failing_.log);
    add_findings_of(model_, evidence_.omitted, explanation_.findings);
    const bool nowhere = explanation_.failure->place.line == 0;
    if (nowhere && !evidence_.omitted.empty()) fails_at_ = evidence_.omitted.front().instance;
  }

  /// What is missing at the end is put out nowhere: then the end, which of a replay is looked at without cutting it
  /// off.
  ObservedRun observe_byte(uint64_t byte) const {
    return byte < failing_.end.output.size()
               ? observe_output(launch_, model_, byte, failing_.branches, request_.time_limit)
               : observe_end(launch_, model_, request_.time_limit);
  }

  /// Of a run that only fails now and then, and does not say where: by its first branch that passing runs do not take.
  void find_where_it_parts() {
    if (evidence_.differs) parts_at_ = first_only_when_failing(runs_);
    if (!parts_at_ || !failing_.end.frames.empty() || explanation_.failure->kind == "wrong-output") return;
    fails_at_ = parts_at_;
    const auto& entry = failing_.log.entries[*parts_at_ - failing_.log.first_instance];
    explanation_.failure->place = place_of_branch(model_, entry.block);
  }

  /// A program that ends itself with a wrong status fails where it decides to end.
  void find_end() {
    if (explanation_.failure->kind != "wrong-output" && failing_.end.frames.empty() && !failing_.end.timed_out) {
      at_output_ = observe_end(launch_, model_, request_.time_limit);
      if (!at_output_.end.frames.empty()) {
        evidence_.frames = &at_output_.end.frames;
        evidence_.variables = &at_output_.variables;
        explanation_.failure->place = place_of_failure(model_, at_output_.end.frames);
      }
    }
  }

  /// Find out whether an array was left by its index.
  void examine_array_bounds() {
    if (evidence_.bounds = examine_bounds(launch_, model_, failing_.bounds, oracle_, request_.time_limit);
        evidence_.bounds) {
      explanation_.effort.experiments += 2;
      explanation_.findings.push_back(finding_of(model_, *evidence_.bounds));
      // A wrong result shows late. The failure is at the access where keeping the index inside repairs the run, where
      // nothing else is known, and where the program itself gave up afterwards: what it did by then C leaves open.
      const ObservedRun& access = evidence_.bounds->access;
      report::Failure& failure = *explanation_.failure;
      if (is_silent(failure) &&
          (evidence_.bounds->repairs || failure.place.line == 0 || failure.kind == "exit-status") &&
          !access.end.frames.empty()) {
        evidence_.frames = &access.end.frames;
        evidence_.variables = &access.variables;
        failure.place = place_of_statement(model_, evidence_.bounds->statement);
        failure.kind = "buffer-overflow";
        failure.message = fmt::format("The program left the bounds of an array, and went on. {}", failure.message);
      }
    }
  }

  void tell_failure() {
    add_activations(model_, evidence_, explanation_);
    if (evidence_.recursion = failing_.recursion; evidence_.recursion) {
      explanation_.findings.push_back(finding_of(model_, *evidence_.recursion));
    }
    if (!oracle_.output && !oracle_.good) {
      explanation_.limits.push_back(
          "comparing with a good run's output: give --expect FILE; without it a run counts as good when it prints the "
          "same up to the failure and ends with exit status 0, which is weak evidence");
    }
  }

  void examine_endless_loop() {
    evidence_.endless = endless_loop(model_, failing_.end.frames, failing_.log);
    if (evidence_.endless) {
      explanation_.findings.push_back(finding_of(model_, *evidence_.endless));
      move_failure_to(model_, *evidence_.endless, failing_, *explanation_.failure);
      progress_("looking at the loop's exits", 0, 0);
      add_exits(request_, model_, evidence_, explanation_);
    }
    // The turns of its loop are all alike, so its beginning is enough. When that has left the log, it is run again.
    if (failing_.log.first_instance != 1) {
      progress_("running the program", 0, 0);
      failing_.log = observe_failure(launch_, model_, kHangPrefix).log;
    }
    failing_.log = first_turns(model_, failing_.log);
  }

  /// Whether the heap is used wrongly.
  void examine_heap() {
    const HeapSearch heap = search_heap(launch_, failing_.end, oracle_, request_.heap_time,
                                        [&] { return progress_("altering the heap", 0, 0); });
    explanation_.effort.experiments += heap.runs;
    if (!heap.reproduced) {
      explanation_.limits.push_back("altering the heap: the run ends otherwise when it is cut off from the outside");
    }
    evidence_.heap = heap.faults;
  }

  /// The run's dependences, and how the failure lies in them.
  void trace() {
    if (request_.traced && !failing_.end.timed_out) {
      attempt("tracing the run", explanation_, [&] { traced_ = request_.traced(); });
    }
    if (!traced_) return;
    progress_("tracing the run", 0, 0);
    slice_ = slice_of_failure(request_, *traced_, launch_, failing_, at_output_, child_, fails_at_, explanation_);
    if (!slice_) return;
    evidence_.slice = &*slice_;
    budget_.distance = slice_->branch_distance;
    budget_.near = slice_->near_instances;
  }

  /// What it depended on. Where nothing else is known, a wrong output fails where it was decided to write it.
  void follow_dependences() {
    if (!slice_) return;
    find_races();
    find_values();
    // At its end that has been told.
    const bool is_missing =
        explanation_.failure->kind == "wrong-output" && text_is_missing(failing_.end.output, *oracle_.output);
    if (is_missing) tell_message(*slice_, failing_.end.error, *explanation_.failure);
    place_output();
  }

  /// The order in which threads came to what the failure depended on may be chance. The failing run itself may have
  /// ended before the other thread came there.
  void find_races() {
    const depend::DependenceGraph& graph = slice_->run->graph();
    std::vector<DependentStatement> statements = slice_->statements;
    const depend::Node parts = parts_at_ ? slice_->run->branch(*parts_at_) : depend::kNoNode;
    if (parts != depend::kNoNode) {
      statements = nearest_of(std::move(statements), measure_slice(graph, {parts}).statements);
    }
    evidence_.races = racing_accesses(graph, statements);
    if (evidence_.races.empty() && evidence_.differs) {
      progress_("looking for races", 0, 0);
      evidence_.races = races_of_another_run(request_, *traced_, statements, explanation_);
    }
    // What differs between runs comes first.
    auto at = evidence_.differs ? explanation_.findings.begin() : explanation_.findings.end();
    for (size_t each = 0; each < evidence_.races.size() && each < kMostRaces; ++each) {
      at = explanation_.findings.insert(at, finding_of(model_, evidence_.races[each])) + 1;
    }
  }

  /// What is wrong with the value that failed, and where it was made.
  void find_values() {
    // Where it was read says less than what else will be found.
    origin_ = value_origin(model_, *slice_);
    if (origin_ && !slice_->value_is_input)
      found_.push_back({.finding = *origin_, .start = RouteStart{.nodes = {slice_->value_made}}});
    for (const UnwrittenVariable& each : slice_->unwritten) {
      if (found_.size() == kMostUnwritten) break;
      found_.push_back({.finding = finding_of(model_, each), .start = RouteStart{.nodes = {each.begins}}});
    }
    if (explanation_.failure->kind == "wild-pointer" && !slice_->unwritten.empty() &&
        slice_->unwritten.front().is_bad_value) {
      explanation_.failure->message = "The program accessed memory through a pointer that was never written.";
    }
    evidence_.uninitialised = &slice_->uninitialised;
    for (const UninitialisedRead& read : slice_->uninitialised) {
      found_.push_back({.finding = finding_of(model_, read), .start = RouteStart{.nodes = {read.node}}});
    }
    add_path(model_, *slice_, *explanation_.failure);
    explanation_.failure->origin_was_tested = slice_->thrown_by.has_value();
    if (slice_->value_is_length) {
      explanation_.failure->message += " Too much was put out, or too little: the value is the number of bytes.";
    }
    if (slice_->negative_length) {
      explanation_.failure->message += fmt::format(
          " It was to copy or fill {} bytes: a negative number, taken for a huge one.", *slice_->negative_length);
    }
  }

  /// A program that ends with a status may have said what is wrong long before.
  bool is_said_elsewhere() const {
    const report::Failure& failure = *explanation_.failure;
    return failure.kind == "exit-status" && slice_->writer &&
           place_of_statement(model_, *slice_->writer).function != failure.place.function;
  }

  /// What puts a wrong output out may only hand on what others decided.
  void place_output() {
    // Where nothing else is known of a wrong exit status, the failure is where the program said that something is
    // wrong.
    const bool failure_is_message = slice_->message && (explanation_.failure->place.line == 0 || is_said_elsewhere());
    const bool failure_is_writing = failure_is_message || (explanation_.failure->kind == "wrong-output" &&
                                                           explanation_.failure->place.line ==
                                                               place_of_failure(model_, at_output_.end.frames).line);
    if (slice_->parent) {
      evidence_.frames = &slice_->parent->frames;
      evidence_.variables = &slice_->parent->variables;
      explanation_.failure->place = place_of_failure(model_, slice_->parent->frames);
      explanation_.failure->message +=
          fmt::format(" It was put out by a process that the program started: {}.", slice_->parent->program);
      add_activations(model_, evidence_, explanation_);
    }
    if (failure_is_writing && !slice_->parent && was_put_out_before(*slice_, at_output_)) {
      evidence_.frames = &at_output_.end.frames;
      evidence_.variables = &at_output_.variables;
      explanation_.failure->place = place_of_failure(model_, at_output_.end.frames);
      explanation_.activations.clear();
      add_activations(model_, evidence_, explanation_);
    }
    if (failure_is_writing) move_failure_to_writer(model_, *slice_, at_output_, *explanation_.failure);
  }

  uint64_t failing_branches() const { return failing_.log.first_instance + failing_.log.entries.size() - 1; }

  bool go_on(const char* step, uint64_t done) { return !interrupted_ && progress_(step, done, 0); }

  /// Which branches the failure went through.
  void switch_branches() {
    budget_.limits = usual_limits(failing_.end, failing_branches());
    budget_.time = stretched(budget_.time, request_, failing_.end);
    const auto go_on_switching = [&](uint64_t done, uint64_t planned) {
      interrupted_ = interrupted_ || !progress_("switching branches", done, planned);
      return !interrupted_;
    };
    if (!is_silent(*explanation_.failure)) {
      budget_.counted = statement_to_pass(model_, *explanation_.failure, failing_);
    }
    SwitchingResult switching = (failing_.end.timed_out ? switch_in_endless_run : switch_predicates)(
        launch_, model_, failing_.log, oracle_, budget_, go_on_switching);
    if (slice_ && budget_.counted.statement != format::kNoStatement) {
      const StatementToPass to_pass(*slice_->run, failing_.log, budget_.counted);
      for (CriticalBranch& each : switching.critical) each.passes_failure = to_pass.is_passed(each);
      if (!evidence_.expected_output) put_passing_first(switching.critical);
    }
    evidence_.critical = std::move(switching.critical);
    explanation_.effort.experiments += switching.experiments;
    explanation_.effort.complete = switching.complete;
    explanation_.effort.enough = switching.enough;
    add_branches();
  }

  /// An assertion's own test comes last: skipped, it repairs every run.
  void add_branches() {
    std::vector<LocatedFinding> of_assertion;
    for (const CriticalBranch& branch : evidence_.critical) {
      if (repeats_another(branch, evidence_.critical, failing_.log)) continue;
      LocatedFinding located{.finding = finding_of(model_, branch, oracle_),
                             .start = slice_ ? start_of(*slice_, branch) : std::nullopt};
      if (branch.repair == Repair::kRepairs && !evidence_.expected_output) {
        located.finding.evidence += passed_text(*explanation_.failure, branch.passes_failure);
      }
      const bool own = explanation_.failure->kind == "assertion" &&
                       located.finding.place.line == explanation_.failure->place.line &&
                       located.finding.place.file == explanation_.failure->place.file;
      (own ? of_assertion : found_).push_back(std::move(located));
    }
    found_.insert(found_.end(), of_assertion.begin(), of_assertion.end());
    if (origin_ && slice_->value_is_input)
      found_.push_back({.finding = *origin_, .start = RouteStart{.nodes = {slice_->value_made}}});
  }

  /// Where no branch repairs the run, perhaps another value does, or leaving something out.
  void alter_statements() {
    const bool repaired = std::any_of(evidence_.critical.begin(), evidence_.critical.end(), [](const auto& each) {
      return each.verified && each.repair == Repair::kRepairs;
    });
    if (repaired || !slice_ || !request_.alterable || !go_on("altering statements", 0)) return;
    Launch alterable = launch_;
    alterable.executable = request_.alterable();
    // Any value that avoids a crash would do, so nothing is learnt from one that does.
    if (evidence_.expected_output) try_other_values(alterable);
    leave_out_statements(alterable);
  }

  void add_effort(uint64_t experiments, bool complete) {
    explanation_.effort.experiments += experiments;
    explanation_.effort.complete = explanation_.effort.complete && complete;
  }

  void try_other_values(const Launch& alterable) {
    ReplacementBudget replacing = request_.replacement;
    replacing.time = stretched(replacing.time, request_, failing_.end);
    replacing.limits = budget_.limits;
    const ReplacementResult replacement =
        replace_values(alterable, *slice_, failing_branches(), oracle_, replacing,
                       [&](uint64_t done) { return go_on("replacing values", done); });
    for (const CriticalValue& each : replacement.critical) {
      found_.push_back({.finding = finding_of(model_, each, oracle_), .start = start_of(each)});
    }
    evidence_.replaced = replacement.critical;
    add_effort(replacement.experiments, replacement.complete);
  }

  void leave_out_statements(const Launch& alterable) {
    SuppressionBudget budget = request_.suppression;
    budget.time = stretched(budget.time, request_, failing_.end);
    budget.limits = budget_.limits;
    const SuppressionResult suppression =
        suppress_statements(alterable, *slice_, failing_branches(), oracle_, budget,
                            [&](uint64_t done) { return go_on("leaving statements out", done); });
    for (const CriticalStatement& each : suppression.critical) {
      found_.push_back({.finding = finding_of(model_, each, oracle_), .start = start_of(*slice_, each)});
    }
    evidence_.suppressed = suppression.critical;
    add_effort(suppression.experiments, suppression.complete);
  }

  /// How it travelled from there to the failure, or, where nothing is proved, what decided that the value was made.
  void tell_what_was_found() {
    if (slice_) {
      progress_("following what was found to the failure", 0, 0);
      add_routes(model_, *slice_, found_);
      const bool none_proved = evidence_.critical.empty() && evidence_.suppressed.empty() && evidence_.replaced.empty();
      if (none_proved || explanation_.failure->origin_was_tested) add_decision(model_, *slice_, *explanation_.failure);
    }
    // Those that the reader can look up come first.
    std::stable_partition(found_.begin(), found_.end(), [](const auto& each) {
      return each.finding.place.line != 0 && !is_in_library(each.finding.place);
    });
    for (LocatedFinding& each : found_) explanation_.findings.push_back(std::move(each.finding));
  }

  report::Explanation finish() {
    explanation_.effort.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return std::move(explanation_);
  }

  const ExplainRequest& request_;
  const program::ProgramModel& model_;
  const ExplainProgress& progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  report::Explanation explanation_;
  RepeatedRuns runs_;
  ObservedRun& failing_ = runs_.failing;
  std::optional<RecordedFailure> recorded_;
  Launch launch_;
  Oracle oracle_;
  Evidence evidence_;
  std::optional<uint64_t> parts_at_;  ///< branch instance: the first that passing runs do not have
  std::optional<uint64_t> fails_at_;  ///< the same, where nothing else is known of where it fails
  ObservedRun at_output_;             ///< where the wrong byte, or the end, comes
  std::optional<ChildOutput> child_;
  std::optional<TracedProgram> traced_;
  std::optional<FailureSlice> slice_;
  std::optional<report::Finding> origin_;
  std::vector<LocatedFinding> found_;
  SwitchingBudget budget_;
  bool interrupted_ = false;
};

}  // namespace

report::Explanation explain(const ExplainRequest& request, const program::ProgramModel& model,
                            const ExplainProgress& progress) {
  return Investigation(request, model, progress).run();
}

}  // namespace culprit
