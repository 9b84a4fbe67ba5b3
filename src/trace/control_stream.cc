#include "trace/control_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/trace_format.h"
#include "trace/event_bytes.h"
#include "trace/returned_call.h"
#include "trace/site_addresses.h"
#include "trace/walk_stops.h"
#include "trace/walked_activation.h"

namespace culprit::trace {

using namespace format;
using program::ProgramModel;

class ControlStream::Thread {
 public:
  Thread(const TraceFile& trace, size_t number, FrameId& next_frame, const std::vector<uint32_t>& stops)
      : model_(trace.model()),
        stops_(stops),
        operations_(model_.sections().operations),
        accesses_(model_.sections().accesses),
        events_(trace, number),
        number_(static_cast<uint32_t>(number)),
        next_frame_(next_frame),
        path_only_(trace.contents() == TraceContents::kPath),
        with_values_(trace.contents() == TraceContents::kValues) {
    if (path_only_) silent_calls_ = silent_calls(model_);
    if (number == 0 && trace.beginning()) {
      beginning_ = trace.beginning();
      sites_.begin(beginning_->sites);
      activations_ = beginning_->numbered;
    }
    if (events_.peek() != kTraceTurn) return;
    take_turn();
    handle_ = events_.number<uint64_t>();
  }

  uint64_t handle() const { return handle_; }

  uint64_t turn() const { return turn_; }
  bool ended() const { return ended_; }
  std::span<const uint64_t> sites() const { return sites_.all(); }
  std::span<const StoredValue> values() const { return values_; }

  /// False when another thread's turn comes first, or at the end.
  bool next(Step& step) {
    step = Step{};
    step.thread = number_;
    values_.clear();
    if (beginning_) return resume(step);
    while (!ended_) {
      if (unwind_to_ != kNone) return unwind(step);
      if (entering_) return enter(step);
      // How often a loop without events went round nobody knows.
      const bool waits = stack_.empty() || stack_.back().waiting != Waiting::kNo;
      if (waits || std::exchange(led_away_, false) || silent_.is_endless(events_.taken())) {
        if (events_.peek() == kTraceTurn) {
          take_turn();
          return false;
        }
        if (wait(step)) return true;
      } else if (run(step)) {
        return true;
      }
    }
    return false;
  }

 private:
  struct Entering {
    uint32_t function;
    uint32_t call;
    bool by_native;
  };

  bool is_silent(const OperationRecord& operation) const {
    return path_only_ && is_straight_call(operation.flags) && silent_calls_[operation.detail];
  }

  void take_turn() {
    events_.take();
    turn_ = events_.number<uint64_t>();
  }

  bool read_value(uint32_t operation) {
    values_.push_back({operation, 0});
    if (read_word(events_, values_.back().value)) return true;
    values_.pop_back();
    return false;
  }

  bool enter(Step& step) {
    const Entering entering = *entering_;
    entering_.reset();
    const FunctionRecord& function = model_.function(entering.function);
    WalkedActivation activation{.id = next_frame_++,
                                .function = entering.function,
                                .block = function.first_block,
                                .predecessor = kNone,
                                .next = model_.block(function.first_block).first_operation,
                                .number = 0};
    if (function.flags & kFunctionResumes) activation.number = ++activations_;
    step.kind = StepKind::kEnter;
    step.frame = activation.id;
    step.function = entering.function;
    step.operation = entering.call;
    step.by_native = entering.by_native;
    if (!stack_.empty()) step.caller = stack_.back().id;
    stack_.push_back(activation);
    for (const BaseRecord& base : model_.bases_of(entering.function)) {
      if (path_only_ || base.site == kNone || sites_.read(events_, base.site)) continue;
      if (events_.peek() != 0) events_.fail("a handler was entered before its activation's frame was known");
      ended_ = true;
    }
    return true;
  }

  /// The activations that had begun, from the outermost on, each with the call that it is in or comes from.
  bool resume(Step& step) {
    const BegunActivation& each = beginning_->activations[begun_];
    const bool innermost = begun_ + 1 == beginning_->activations.size();
    if (begun_ < stack_.size()) {
      WalkedActivation& top = stack_.back();
      top.next = each.call;
      top.begin_run(step);
      step.end = ++top.next;
      top.call = innermost ? kNone : each.call;
      top.waiting = innermost ? Waiting::kNo : Waiting::kForReturn;
      ++begun_;
      if (innermost) beginning_ = nullptr;
      return true;
    }
    step.kind = StepKind::kEnter;
    step.frame = next_frame_++;
    step.function = each.function;
    step.by_native = each.by_native;
    step.begun = &each;
    if (!stack_.empty()) step.caller = stack_.back().id;
    if (!each.by_native) step.operation = stack_.back().call;
    const uint32_t block = innermost ? beginning_->block : model_.block_of_operation(each.call);
    stack_.push_back({.id = step.frame,
                      .function = each.function,
                      .block = block,
                      .predecessor = kNone,
                      .next = model_.block(block).first_operation,
                      .number = each.number});
    if (each.call == kNone) beginning_ = nullptr;
    return true;
  }

  /// What happens while the innermost activation waits for a call, or there is none, or before it goes on.
  bool wait(Step& step) {
    const uint8_t event = events_.peek();
    WalkedActivation* top = stack_.empty() ? nullptr : &stack_.back();
    if (event == kTraceEnter || event == kTraceEnterCalled) {
      events_.take();
      prepare_entry(events_.number<uint32_t>(), event == kTraceEnterCalled && top ? top->call : kNone);
      return false;
    }
    if (event == kTraceHeap) {
      events_.take();
      step.kind = StepKind::kHeap;
      step.heap = events_.number<TraceHeapChange>();
      return true;
    }
    if (top && top->waiting == Waiting::kForTail) {
      top->waiting = Waiting::kNo;
      return false;
    }
    switch (event) {
      case 0:
        ended_ = true;
        return false;
      case kTraceReturned:
      case kTraceReturnedTwice:
        events_.take();
        return returned(step, event == kTraceReturnedTwice ? events_.number<uint32_t>() : kNone);
      case kTraceLanding:
        events_.take();
        land();
        return false;
      default:
        events_.fail(fmt::format("event {:#x} where control should come from elsewhere", event));
    }
  }

  void prepare_entry(uint32_t entry_block, uint32_t call) {
    if (entry_block >= model_.blocks().size()) events_.fail("entry of a block that does not exist");
    entering_ = {model_.function_of_block(entry_block), call, call == kNone};
  }

  bool returned(Step& step, uint32_t activation) {
    const uint32_t operation = events_.number<uint32_t>();
    read_returned(events_, returned_);
    step.returned = &returned_;
    // Frames above the one that the call is in were left by a jump.
    size_t depth = stack_.size();
    while (depth > 0) {
      const WalkedActivation& each = stack_[depth - 1];
      const bool named = activation == kNone || each.number == activation;
      if (named && (each.call == operation || (activation != kNone && holds(each, operation)))) break;
      --depth;
    }
    if (depth == 0) events_.fail(fmt::format("return of operation {}, for which nothing waits", operation));
    WalkedActivation& target = stack_[depth - 1];
    if (activation != kNone) {
      target.block = model_.block_of_operation(operation);
      target.next = operation + 1;
      target.starts = false;
    }
    target.waiting = Waiting::kNo;
    target.call = kNone;
    if (depth < stack_.size()) {
      unwind_to_ = static_cast<uint32_t>(depth);
      after_unwind_ = step;
      after_unwind_.kind = StepKind::kReturned;
      after_unwind_.frame = target.id;
      after_unwind_.operation = operation;
      return unwind(step);
    }
    step.kind = StepKind::kReturned;
    step.frame = target.id;
    step.function = target.function;
    step.operation = operation;
    return true;
  }

  bool holds(const WalkedActivation& activation, uint32_t operation) const {
    const auto blocks = model_.blocks_of(activation.function);
    return !blocks.empty() && operation >= model_.block(blocks.front()).first_operation &&
           operation < model_.block(blocks.back() + 1).first_operation;
  }

  void land() {
    const uint32_t number = events_.number<uint32_t>();
    const uint32_t block = events_.number<uint32_t>();
    size_t depth = stack_.size();
    while (depth > 0 && stack_[depth - 1].number != number) --depth;
    if (depth == 0) events_.fail(fmt::format("landing in activation {}, which does not exist", number));
    WalkedActivation& target = stack_[depth - 1];
    const auto blocks = model_.blocks_of(target.function);
    if (block < blocks.front() || block > blocks.back()) events_.fail("landing in a block of another function");
    target.waiting = Waiting::kNo;
    target.call = kNone;
    target.go_to(block, model_);
    unwind_to_ = static_cast<uint32_t>(depth);
    after_unwind_ = Step{};
  }

  bool unwind(Step& step) {
    if (stack_.size() > unwind_to_) {
      step = Step{};
      step.thread = number_;
      step.kind = StepKind::kUnwound;
      step.frame = stack_.back().id;
      step.function = stack_.back().function;
      stack_.pop_back();
      return true;
    }
    unwind_to_ = kNone;
    if (after_unwind_.kind == StepKind::kEnd) return next(step);
    step = after_unwind_;
    return true;
  }

  /// Runs the innermost activation up to the end of its block or to a call.
  bool run(Step& step) {
    WalkedActivation& top = stack_.back();
    top.begin_run(step);
    const uint32_t end = model_.block(top.block + 1).first_operation;
    uint32_t last_access = kNone;
    for (; top.next < end; ++top.next) {
      top.next = std::min(stops_[top.next], end);
      if (top.next == end) break;
      const OperationRecord& operation = operations_[top.next];
      const uint32_t accesses_end = operations_[top.next + 1].first_access;
      for (uint32_t each = operation.first_access; each < accesses_end; ++each) {
        if (path_only_ || (accesses_[each].flags & kAccessRecorded) == 0) continue;
        if (!sites_.read(events_, accesses_[each].value)) return stop(step, top, last_access);
        last_access = top.next;
      }
      if (with_values_ && is_valued(operation)) {
        if (!read_value(top.next)) return stop(step, top, last_access);
      }
      if (operation.kind == OperationKind::kCall && !is_silent(operation)) return call(step, top, operation);
      if (operation.kind == OperationKind::kBranch || operation.kind == OperationKind::kReturn ||
          operation.kind == OperationKind::kUnwind) {
        break;
      }
    }
    return end_block(step, top, end, last_access);
  }

  bool call(Step& step, WalkedActivation& top, const OperationRecord& operation) {
    top.call = top.next;
    step.end = ++top.next;
    if (operation.flags & kOperationEnters) {
      entering_ = {model_.call(operation.detail).callee, top.call, false};
      top.waiting = Waiting::kForReturn;
    } else {
      top.waiting = operation.flags & kOperationTail ? Waiting::kForTail : Waiting::kForReturn;
    }
    return true;
  }

  bool end_block(Step& step, WalkedActivation& top, uint32_t end, uint32_t last_access) {
    const bool ends_in_operation = top.next < end;
    const OperationKind kind = ends_in_operation ? operations_[top.next].kind : OperationKind::kCompute;
    step.end = ends_in_operation ? top.next + 1 : end;
    if (kind == OperationKind::kReturn) return leave(step, top);
    if (kind == OperationKind::kUnwind) {
      top.waiting = Waiting::kForLanding;
      return true;
    }
    const auto edges = model_.edges_of(top.block);
    if (kind == OperationKind::kBranch) {
      const uint8_t event = events_.peek();
      if (event == kTraceEnter || event == kTraceEnterCalled) {
        // A handler runs here; then the branch is asked again.
        events_.take();
        prepare_entry(events_.number<uint32_t>(), kNone);
        step.end = top.next;
        return true;
      }
      if (event == 0) return cut(step, last_access);
      events_.take();
      const uint32_t edge = event == kTraceWideEdge ? events_.number<uint32_t>() : event - 1u;
      if (edge >= edges.size() || (event > kTraceMostEdges && event != kTraceWideEdge)) {
        events_.fail(fmt::format("edge {} of a block that has {}", edge, edges.size()));
      }
      top.go_to(model_.edge(edges.front() + edge).target, model_);
      return true;
    }
    if (edges.empty()) {
      top.waiting = Waiting::kForLanding;  // control never gets past here
      return true;
    }
    top.go_to(model_.edge(edges.front()).target, model_);
    return true;
  }

  /// A return is a step of its own after the run that ends in it.
  bool leave(Step& step, WalkedActivation& top) {
    pending_leave_ = true;
    leave_operation_ = top.next;
    leave_frame_ = top.id;
    leave_function_ = top.function;
    (void)step;
    return true;
  }

  /// Where there is another event than an operation has: at the end, or control went elsewhere first.
  bool stop(Step& step, const WalkedActivation& top, uint32_t last_access) {
    if (events_.peek() == 0) return cut(step, last_access);
    step.end = top.next;
    led_away_ = true;
    return true;
  }

  bool cut(Step& step, uint32_t last_access) {
    step.cut = true;
    step.end = last_access == kNone ? stack_.back().next : last_access + 1;
    ended_ = true;
    return true;
  }

 public:
  /// Whether the last step was a run that ends in a return.
  bool take_leave(Step& step) {
    if (!pending_leave_) return false;
    pending_leave_ = false;
    values_.clear();
    step = Step{};
    step.thread = number_;
    step.kind = StepKind::kLeave;
    step.frame = leave_frame_;
    step.function = leave_function_;
    step.operation = leave_operation_;
    stack_.pop_back();
    if (!stack_.empty()) {
      step.caller = stack_.back().id;
      WalkedActivation& caller = stack_.back();
      const bool entered = caller.call != kNone && (operations_[caller.call].flags & kOperationEnters) != 0;
      if (entered) {
        caller.waiting = Waiting::kNo;
        caller.call = kNone;
      }
    }
    return true;
  }

 private:
  const ProgramModel& model_;
  const std::vector<uint32_t>& stops_;
  std::span<const OperationRecord> operations_;
  std::span<const AccessRecord> accesses_;
  EventBytes events_;
  uint32_t number_;
  FrameId& next_frame_;
  bool path_only_;
  bool with_values_;
  std::vector<bool> silent_calls_;             ///< by call
  const TraceBeginning* beginning_ = nullptr;  ///< as long as not all of it has been told
  size_t begun_ = 0;                           ///< of its activations, those that are told with their calls
  SilentWalk silent_;
  bool led_away_ = false;  ///< the next event is none of the run that goes on
  uint64_t handle_ = 0;
  uint64_t turn_ = 0;
  bool ended_ = false;
  SiteAddresses sites_;
  std::vector<StoredValue> values_;  ///< of the last run
  std::vector<WalkedActivation> stack_;
  std::optional<Entering> entering_;
  uint32_t activations_ = 0;
  uint32_t unwind_to_ = kNone;
  Step after_unwind_;
  ReturnedCall returned_;
  bool pending_leave_ = false;
  uint32_t leave_operation_ = kNone;
  FrameId leave_frame_ = kNoFrame;
  uint32_t leave_function_ = kNone;
};

ControlStream::ControlStream(const TraceFile& trace)
    : trace_(trace), stops_(find_stops(trace.model(), trace.contents() == TraceContents::kPath)) {
  for (size_t thread = 0; thread < trace_.threads(); ++thread) {
    threads_.push_back(std::make_unique<Thread>(trace_, thread, next_frame_, stops_));
  }
}

ControlStream::~ControlStream() = default;

const Step& ControlStream::next() {
  if (current_ && current_->take_leave(step_)) return step_;
  while (true) {
    if (current_ && current_->next(step_)) return step_;
    // The thread whose turn it is next.
    current_ = nullptr;
    for (const std::unique_ptr<Thread>& thread : threads_) {
      if (!thread->ended() && (!current_ || thread->turn() < current_->turn())) current_ = thread.get();
    }
    if (!current_) break;
  }
  step_ = Step{};
  return step_;
}

uint64_t ControlStream::handle(uint32_t thread) const {
  return threads_[thread]->handle();
}

std::span<const uint64_t> ControlStream::sites() const {
  return current_ ? current_->sites() : std::span<const uint64_t>();
}

std::span<const StoredValue> ControlStream::values() const {
  return current_ ? current_->values() : std::span<const StoredValue>();
}

}  // namespace culprit::trace
