// The trace of a failing run with its dependences, in the terms in which the failing run was looked at: the branch
// instances of its threads, activations, statements.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/temporary_directory.h"
#include "depend/dependence_graph.h"
#include "locate/failure_slice.h"
#include "session/control_block.h"
#include "trace/trace_file.h"

namespace culprit {

class TracedRun final : public RunDependences {
 public:
  /// Takes the folder's trace. `log`: of the failing run; it numbers the branch instances.
  TracedRun(std::unique_ptr<TemporaryDirectory> folder, const BranchLog& log);

  /// Of a trace that begins late: finds out which branch instances it has, by what the log says of them; the run had
  /// `branches` in all. False when none fit.
  bool find_first_branch(const BranchLog& log, uint64_t branches);

  const depend::DependenceGraph& graph() const override { return graph_; }
  const trace::TraceFile& trace() const override { return file_; }

  /// The first execution of an activation.
  depend::Execution entered(uint32_t frame) const { return entered_[frame]; }

  /// The operations of the failing statement; none when it is not in the trace.
  std::vector<depend::Node> criterion_of(const FailureMoment& moment) const;

  /// The first branch instance of the log at which the traced run was elsewhere; nothing when there is none.
  std::optional<uint64_t> parts_from(const BranchLog& log) const;

  /// By instance; those that are not in the log have none.
  std::unordered_map<uint64_t, uint32_t> instances_of(
      const std::unordered_map<depend::Execution, uint32_t>& near) const;

  depend::Node branch(uint64_t instance) const override;

  std::vector<uint32_t> origins_of_condition(uint64_t instance) const override;

  /// The branch that decided that `node` was executed, be it in a caller.
  std::optional<depend::Node> decided_by(depend::Node node) const;

  /// The same of a call that puts out a message, but for what a macro tests that nothing in the program has made, and
  /// what another branch of the function lets test constants only: how the program was set up to tell.
  std::optional<depend::Node> said_because_of(depend::Node said) const;

  /// What made the values that a branch tested, nearest first. What the branch's own line does only asks, and so does
  /// an equality that is tested later, a short function, or where `given` any function, that it calls; of what asks,
  /// the short functions come last, after the calls by which the branch's function got what others made. Reads of input
  /// make nothing; what put their values where they were tested does.
  std::vector<depend::Node> origins_of(depend::Node branch, bool given) const;

  /// The blocks of the branches that decided in its activation that `node` was executed, and that tested a copy of a
  /// value; nearest first. `value`: its chain.
  std::vector<uint32_t> tests_before(depend::Node node, const std::vector<depend::Node>& value) const;

  /// Each once.
  std::vector<uint32_t> statements_of(const std::vector<depend::Node>& nodes) const;

  /// Whether everything that a branch tested had been made when its activation began.
  bool tests_what_it_was_given(depend::Node branch) const;

 private:
  /// By which the program ended, alone; nothing when it ended otherwise.
  std::vector<depend::Node> return_of_main() const;

  /// The execution of the statement's block that was going on after so many branch instances of its thread. What began
  /// last need not be it: it may have returned. (A trace goes on behind a crash, up to where it would have told
  /// something, so the first that fits is taken.)
  std::optional<depend::Execution> execution_at(const FailureMoment& moment) const;

  /// Whether a branch's condition, as its own line computes it, is about a copy of a value (its chain).
  bool tests(depend::Node branch, const std::vector<depend::Node>& value) const;

  /// Of a thread, those that the trace does not have.
  uint64_t branches_before(uint32_t thread) const { return thread == 0 ? graph_.branches_before() : 0; }

  /// Whether it tests but constants that the program gave, whatever it was run with: how much it tells, for one.
  bool tests_setting(depend::Node branch) const;

  /// Other than for a call from the branch's line.
  depend::Node last_store(const std::vector<depend::Node>& chain, depend::Node branch) const;

  bool is_short(depend::Node node) const;

  uint32_t statement_of(depend::Node node) const { return graph_.model().operation(node.operation()).statement; }

  /// What a macro stands for has the place of its use.
  bool are_of_one_macro(depend::Node one, depend::Node other) const;

  /// Of one function, that is.
  bool are_of_one_line(depend::Node one, depend::Node other) const;

  /// Whether `node` was executed by a call from the line of `branch`.
  bool was_called_from(depend::Node branch, depend::Node node) const;

  static constexpr size_t kMostOfCondition = 32;
  static constexpr int kMostControlSteps = 8;
  std::unique_ptr<TemporaryDirectory> folder_;
  trace::TraceFile file_;
  depend::DependenceGraph graph_;
  /// Of one thread, by its own instances.
  struct Branches {
    std::vector<depend::Execution> executed;
    std::vector<depend::Execution> decided;  ///< what each led to
  };
  /// kNoExecution when it is not in the trace.
  depend::Execution execution_of(BranchLog::Place place) const;

  BranchLog numbers_;                       ///< without entries
  uint64_t logged_ = 0;                     ///< instances that the log numbers
  std::vector<depend::Execution> entered_;  ///< by frame, its first
  std::vector<Branches> branches_;          ///< by thread
};

}  // namespace culprit
