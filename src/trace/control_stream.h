// Reading a trace: the walk of every thread through the program's blocks, merged into one order.
//
// A trace holds only what the program model cannot tell, so reading it is walking the model's blocks and asking the
// trace wherever there is a choice. The walk is given in steps, which are all that control dependence, alignment and
// dependences need; between two steps nothing is decided.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/operation_format.h"
#include "format/trace_format.h"
#include "trace/trace_file.h"

namespace culprit::trace {

using FrameId = uint32_t;
inline constexpr FrameId kNoFrame = 0xffffffff;

enum class StepKind : uint8_t {
  kEnter,     ///< an activation begins: frame, function, caller, operation (the call, kNone: entered by native code)
  kRun,       ///< operations first … end - 1 of a block are executed; `starts` when the block begins here
  kReturned,  ///< a call that entered no body directly came back: operation, `returned`
  kLeave,     ///< an activation ends by a return: operation
  kUnwound,   ///< an activation ends without one: by an exception or longjmp
  kHeap,      ///< native code got or gave back a block: `heap`; the innermost activation waits for it
  kEnd,
};

/// What came back from a call to native code.
struct ReturnedCall {
  uint64_t result = 0;
  uint32_t count = 0;
  uint64_t arguments[format::kTraceMostArguments] = {};
  uint32_t strings = 0;                                ///< which arguments are strings, as bits
  uint32_t lengths[format::kTraceMostArguments] = {};  ///< of those, without the zero byte
  std::vector<format::TraceWord> words;                ///< of a va_list and the arguments in it
};

/// What a store stored or a return returned: an integer or pointer with its sign, or the bits of a floating-point
/// number.
struct StoredValue {
  uint32_t operation;
  uint64_t value;
};

struct Step {
  StepKind kind = StepKind::kEnd;
  uint32_t thread = 0;
  FrameId frame = kNoFrame;   ///< numbered from 0 in the order of their beginnings
  FrameId caller = kNoFrame;  ///< kEnter: the frame that waits for it
  uint32_t function = format::kNone;
  uint32_t operation = format::kNone;
  uint32_t block = format::kNone;
  uint32_t predecessor = format::kNone;  ///< kRun that starts: the block that control came from in this frame
  uint32_t first = 0, end = 0;
  bool starts = false;
  bool by_native = false;                  ///< kEnter: not by the call itself (a callback, a handler, a thread's start)
  bool cut = false;                        ///< kRun: the trace ends here; what follows was not executed, or not seen
  const ReturnedCall* returned = nullptr;  ///< kReturned: until the next step
  format::TraceHeapChange heap{};
  /// kEnter: of an activation that had begun before the trace: what it knows already. The run that follows is of the
  /// call that it was in, as if its block began there, or of the block that begins.
  const BegunActivation* begun = nullptr;
};

class ControlStream {
 public:
  explicit ControlStream(const TraceFile& trace);
  ~ControlStream();

  /// The next step; kEnd for ever at the end. Throws CorruptData when trace and program do not agree.
  const Step& next();

  /// Of the last step, a run: what its stores stored and its return returned, in order, if the trace has values. Until
  /// the next step.
  std::span<const StoredValue> values() const;

  /// What who made a thread got as its handle (pthread_t).
  uint64_t handle(uint32_t thread) const;

  /// The latest address of every site in the thread of the last step (AccessRecord, BaseRecord).
  std::span<const uint64_t> sites() const;

 private:
  class Thread;
  const TraceFile& trace_;
  std::vector<uint32_t> stops_;  ///< per operation
  std::vector<std::unique_ptr<Thread>> threads_;
  Thread* current_ = nullptr;
  FrameId next_frame_ = 0;
  Step step_;
};

}  // namespace culprit::trace
