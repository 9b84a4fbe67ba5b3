// What the failure depended on: a trace of the failing run, and how far back from the failure each statement lies in it
// (ED §3.1 for value chains, §5.2 for slices).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "depend/dependence_graph.h"
#include "locate/child_output.h"
#include "locate/failure_route.h"
#include "locate/measured_slice.h"
#include "locate/observe.h"
#include "locate/thin_slice.h"
#include "locate/traced_program.h"
#include "locate/value_path.h"
#include "program/program_model.h"
#include "session/controlled_run.h"

namespace culprit {

/// The whole trace of a failing run, for questions that come up later.
class RunDependences {
 public:
  virtual ~RunDependences() = default;
  virtual const depend::DependenceGraph& graph() const = 0;
  virtual const trace::TraceFile& trace() const = 0;  ///< with values
  /// A branch instance of the log, from 1; kNoNode when it is not there.
  virtual depend::Node branch(uint64_t instance) const = 0;
  /// The statements that made the values which a branch instance (from 1) tested, other than the
  /// branch's own line and other than reads of input; nearest first.
  virtual std::vector<uint32_t> origins_of_condition(uint64_t instance) const = 0;
};

/// The measured slice is that of the failure.
struct FailureSlice : MeasuredSlice {
  /// How the bad value came to the failure by copies only, from there back to the statement that made it; empty when
  /// the failure is not about a value that was copied.
  std::vector<uint32_t> value_chain;
  /// The same, gone on with through the formatting of a number, and in the words of the calls that it went between; no
  /// steps when `value_chain` is empty.
  std::vector<PathStep> path;
  std::optional<ValueOrigin> origin;  ///< where the path ends
  /// Why the value was made there: the branch that decided it, and what made the values that the branch tested, nearest
  /// first.
  std::vector<uint32_t> origin_decided_by;
  /// Of a wrong output: the statement that put the byte out, or that gave it to functions which only hand on.
  std::optional<uint32_t> writer;
  /// And the statements that were active when the byte was put into its stream, which may leave the program much later;
  /// innermost first.
  std::vector<uint32_t> put_out_at;
  /// Of a wrong output that a process put out which the program started: the program when it did.
  std::optional<ParentAtStart> parent;
  /// The value is a number of bytes to copy or fill, and negative.
  std::optional<int64_t> negative_length;
  /// Of an output that is missing, or of a wrong exit status: what was followed is the message that the program gave,
  /// and it begins here in standard error.
  std::optional<uint64_t> message = std::nullopt;
  /// Of a wrong exit status that `main` returned, without a word: where.
  std::optional<uint32_t> returned_at = std::nullopt;
  /// Of an exception that nobody caught: the branch that decided to throw it; what it tested is the bad value.
  std::optional<uint32_t> thrown_by;
  bool value_is_length = false;  ///< the number of bytes that were put out; the bytes themselves are right
  bool value_is_input = false;   ///< nothing in the program made it: the chain ends where it was read
  /// The statements that made the values which the branch tested that decided that the failing statement is executed;
  /// nearest first.
  std::vector<uint32_t> decided_on;
  /// The branches, by the blocks that end in them, that tested the bad value in the failing activation and let it come
  /// to the failing statement; nearest first.
  std::vector<uint32_t> let_through;
  /// That branch's function was called when all those values had been made.
  bool decided_by_caller = false;
  /// The nearest branches' instances (from 1), with their own distances.
  std::unordered_map<uint64_t, uint32_t> near_instances;
  std::vector<ComputingStatement> computed_from;  ///< what the bad value was computed from
  std::shared_ptr<const RunDependences> run;
  RouteEnd failed;            ///< in that run
  depend::Node value_made{};  ///< the end of `value_chain`, if that is not empty
};

struct FailureMoment {
  uint32_t statement = 0;                              ///< innermost active one
  uint32_t thread = 0;                                 ///< whose it is; 0: the main thread
  uint64_t branches = 0;                               ///< branch instances that this thread had executed
  std::optional<uint64_t> output_byte = std::nullopt;  ///< of standard output, when that is what is wrong
  bool wrong_length = false;                           ///< too much was put out there, or too little
  depend::OutputStream stream = depend::OutputStream::kStandardOutput;  ///< or that the byte is of
  /// Where text is missing before a byte of standard output: that byte, and where the lines of standard error begin,
  /// the last first. One that was said between that byte and the one before it, `output_byte`, was said instead.
  std::optional<uint64_t> after_missing = std::nullopt;
  std::vector<uint64_t> messages{};
  std::optional<ChildOutput> child = std::nullopt;  ///< put that byte out; no other member matters then
  uint64_t branch = 0;      ///< instance (from 1) that is looked at instead of a statement; 0: none
  bool divided = false;     ///< an integer division of the statement trapped
  bool threw = false;       ///< the statement threw an exception that nobody caught
  bool in_library = false;  ///< the statement called what failed (is_in_library)
  bool no_value = false;    ///< nothing is wrong with its values (is_about_no_value), or nothing is known of which
  bool gave_up = false;     ///< the statement ended the program with a status
};

/// Runs the traced program once; nothing when that run ends otherwise than `failing`, with the reason in `why_not`.
/// `only_end`: of a recorded run of one thread only the last part is traced, of a length that does not depend on the
/// run's.
std::optional<FailureSlice> slice_failure(const Launch& launch, const TracedProgram& traced, const ObservedRun& failing,
                                          const FailureMoment& moment, bool only_end, std::string& why_not);

}  // namespace culprit
