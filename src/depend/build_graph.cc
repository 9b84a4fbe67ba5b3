// Within a block dependences are static; the pass finds those that come from outside of it and files them in the slots
// of the block's execution (block_layout.h). Variables in registers are cells of their activation, other memory is
// tracked by the byte.
//
// Control dependence is found online (Xin, Zhang: Efficient online detection of dynamic control dependence, ISSTA
// 2007): every activation has a stack of branches whose immediate post-dominator has not been reached; its top decides
// what runs next. A branch with the post-dominator of the top replaces it, so that loops do not grow the stack.
// Unwinding and longjmp need no repair of the stack beyond what post-dominators over unwinding edges give; a second
// return takes the stack back to what it was at the first.
//
// Which of its operands a phi takes depends on the branch that control came by, though that is no branch whose region
// is open.
//
// A copy (memcpy, assignment of a structure) is not the origin of the bytes: its reader depends on the copy and on
// whatever defined exactly these bytes before (CopyTable).
#include "depend/build_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "depend/access_watch.h"
#include "depend/activation.h"
#include "depend/active_operations.h"
#include "depend/call_arguments.h"
#include "depend/definitions.h"
#include "depend/graph_writer.h"
#include "depend/input_log.h"
#include "depend/native_effects.h"
#include "depend/stack_variables.h"
#include "depend/unwritten_values.h"
#include "trace/control_stream.h"

namespace culprit::depend {
using namespace format;
using trace::Step;
using trace::StepKind;

class GraphBuilder final : public DefinitionQuery {
 public:
  GraphBuilder(const trace::TraceFile& trace, const std::filesystem::path& file)
      : model_(trace.model()),
        sections_(model_.sections()),
        layout_(model_),
        active_(model_, layout_),
        writer_(trace, layout_, file),
        stream_(trace),
        variables_(model_),
        unwritten_(model_),
        definitions_(sections_, trace.anchors(), variables_),
        inputs_(trace, definitions_),
        arguments_(model_, writer_, definitions_),
        native_(trace, writer_, definitions_, outputs_, inputs_),
        watch_(trace, definitions_, variables_) {
    threads_.resize(trace.threads());
  }

  void build() {
    while (true) {
      const Step& step = stream_.next();
      if (step.kind == StepKind::kEnd) break;
      take(step);
    }
    writer_.finish(last_, outputs_, inputs_, {unwritten_.reads(), watch_.races(), watch_.misuses(), watch_.waits()},
                   unknown_calls_);
  }

  void ask_before(Node node, const std::function<void(DefinitionQuery&)>& ask) {
    asked_ = node;
    ask_ = &ask;
    while (ask_) {
      const Step& step = stream_.next();
      if (step.kind == StepKind::kEnd) return;
      take(step);
    }
  }

  std::vector<NodeNumber> memory(uint64_t address, uint64_t bytes) override {
    sources_.clear();
    definitions_.add_sources(address, bytes, sources_);
    return sources_;
  }

  std::vector<NodeNumber> cells(uint32_t frame, uint32_t offset, uint32_t bytes) override {
    sources_.clear();
    if (const Activation* activation = find(frame)) {
      definitions_.add_cell_sources(*activation, offset, bytes, sources_);
    }
    return sources_;
  }

  uint64_t base(uint32_t frame, uint32_t number) override {
    const Activation* activation = find(frame);
    return activation && number < activation->bases.size() ? activation->bases[number] : 0;
  }

 private:
  void take(const Step& step) {
    if (step.thread >= threads_.size()) threads_.resize(step.thread + 1);
    definitions_.set_sites(stream_.sites());
    if (stack_ != &threads_[step.thread]) watch_.set_thread(step.thread);
    stack_ = &threads_[step.thread];
    thread_ = step.thread;
    switch (step.kind) {
      case StepKind::kEnter:
        return enter(step);
      case StepKind::kRun:
        return run(step);
      case StepKind::kReturned:
        return returned(step);
      case StepKind::kLeave:
        return leave(step);
      case StepKind::kUnwound:
        return unwound();
      case StepKind::kHeap:
        return watch_.heap_changed(step.heap, stack_->empty() ? nullptr : &stack_->back(), writer_);
      case StepKind::kEnd:
        return;
    }
  }

  const Activation* find(uint32_t frame) const {
    for (const ActivationStack& stack : threads_) {
      for (const Activation& each : stack) {
        if (each.frame == frame) return &each;
      }
    }
    return nullptr;
  }

  NodeNumber number(const Activation& activation, uint32_t operation) const {
    return writer_.number(activation.current, operation);
  }
  NodeNumber pending_call(const Activation& activation) const {
    return activation.call == kNone ? kNoNumber : number(activation, activation.call);
  }

  // Activations.

  void enter(const Step& step) {
    const FunctionRecord& function = sections_.functions[step.function];
    Activation* const caller = stack_->empty() ? nullptr : &stack_->back();
    Activation& activation = stack_->push();
    activation.frame = step.frame;
    activation.function = step.function;
    activation.first_cell = function.first_cell;
    activation.first_base = function.first_base;
    activation.by_native = step.by_native;
    activation.exports.assign(layout_.exports[step.function], kGraphNoNumber);
    activation.cells.assign(sections_.functions[step.function + 1].first_cell - function.first_cell,
                            ShadowMemory::kUndefined);
    for (const BaseRecord& base : model_.bases_of(step.function)) {
      activation.bases.push_back(base.site == kNone ? 0 : definitions_.site(base.site));
    }
    if (step.begun) activation.bases = step.begun->bases;
    if (caller) {
      activation.entered_by = pending_call(*caller);
      if (!step.by_native && caller->call != kNone) {
        caller->called_body = true;
        arguments_.pass(*caller, activation);
        unwritten_.pass(*caller, activation);
        activation.entered_by = activation.entered_by.as_transfer();
      }
    } else {
      activation.entered_by = watch_.thread_begins(thread_, stream_.handle(thread_));
    }
    CULPRIT_ASSERT(step.frame == writer_.frames(), "frames are numbered in order");
    writer_.add_frame(step.function, step.thread, step.by_native, activation.entered_by);
    watch_.enter(activation, step.begun ? std::nullopt : std::optional(writer_.next_number()));
  }

  void leave(const Step& step) {
    const Activation& callee = pop();
    if (stack_->empty()) return;
    Activation& caller = stack_->back();
    if (caller.call == kNone) return;
    if (callee.by_native) {
      if (!model_.operands_of(step.operation).empty()) caller.call_back_gave(number(callee, step.operation));
      return;
    }
    give_back(callee, step.operation, caller);
    writer_.set_return(caller.current, layout_.memory_slot[caller.call], number(callee, step.operation));
    if (sections_.operations[caller.call].flags & kOperationEnters) caller.call = kNone;
  }

  void give_back(const Activation& callee, uint32_t exit, Activation& caller) {
    if (!callee.has_unwritten() || model_.operands_of(exit).empty()) return;
    const auto variable = unwritten_.value_of(callee, sections_.operations[exit].first_operand);
    if (variable) unwritten_.yield(caller, caller.call, number(caller, caller.call), *variable);
  }

  void unwound() {
    if (unwinding_ == kNoNumber) unwinding_ = pending_call(stack_->back());
    pop();
  }

  /// What it returns can be read until the next one is entered.
  const Activation& pop() {
    const Activation& ended = stack_->back();
    stack_->pop();
    watch_.leave(ended);
    if (stack_->empty()) watch_.thread_ends(thread_);
    return ended;
  }

  // Runs.

  void run(const Step& step) {
    Activation& activation = stack_->back();
    if (step.starts) {
      begin_block(step, activation);
    } else if (activation.current.execution == kNoExecution || activation.current.block != step.block) {
      CULPRIT_ASSERT(false, fmt::format("block {} goes on without having begun", step.block));
    }
    activation.call = kNone;
    bool exported = !step.starts;
    const uint32_t exported_as = layout_.export_number[step.block];
    const bool is_asked = ask_ && activation.current.execution == asked_.execution() &&
                          asked_.operation() >= step.first && asked_.operation() < step.end;
    for (const ActiveOperation& each : active_.among(step.first, is_asked ? asked_.operation() : step.end)) {
      if (!exported && each.kind != OperationKind::kPhi) {
        exported = true;
        if (exported_as != kNoSlot) activation.exports[exported_as] = activation.current.first_number;
      }
      execute(activation, step, each);
    }
    if (is_asked) {
      (*ask_)(*this);
      ask_ = nullptr;
      return;
    }
    if (!exported && exported_as != kNoSlot) activation.exports[exported_as] = activation.current.first_number;
    if (step.end > step.first) last_ = number(activation, step.end - 1);
  }

  /// The branch that ended the block that control comes from, else what decided that this block ran.
  NodeNumber decision_behind(const Activation& activation) const {
    const OpenExecution& before = activation.current;
    if (before.execution == kNoExecution) return activation.entered_by;
    const auto operations = model_.operations_of(before.block);
    if (!operations.empty() && sections_.operations[operations.back()].kind == OperationKind::kBranch) {
      return number(activation, operations.back());
    }
    const std::vector<NodeNumber> control = writer_.sources(before, kControlSlot);
    return control.empty() ? kNoNumber : control.front();
  }

  void begin_block(const Step& step, Activation& activation) {
    const bool chooses = step.first < step.end && sections_.operations[step.first].kind == OperationKind::kPhi;
    if (chooses) activation.came_by = decision_behind(activation);
    while (!activation.open.empty() && activation.open.back().post_dominator == step.block) activation.open.pop_back();
    NodeNumber decided_by = activation.open.empty() ? activation.entered_by : activation.open.back().branch;
    const OperationRecord& first = sections_.operations[step.first];
    if (step.first < step.end && first.kind == OperationKind::kLandingPad) {
      decided_by = unwinding_ != kNoNumber ? unwinding_ : pending_call(activation);
      unwinding_ = kNoNumber;
    }
    activation.unwritten.clear();
    begin_execution(activation, step.block);
    writer_.set(activation.current, kControlSlot, decided_by);
  }

  void begin_execution(Activation& activation, uint32_t block) {
    if (writer_.executions() + 1 == kNoExecution || !writer_.has_numbers()) {
      throw UserError("the trace is too long to be looked at as a whole",
                      "look at its end: culprit record, then culprit trace --last 200 RECORDING");
    }
    if (writer_.chunk_is_full()) {
      std::vector<OpenExecution*> open;
      for (ActivationStack& stack : threads_) {
        for (Activation& each : stack) open.push_back(&each.current);
      }
      writer_.write_chunk(open);
    }
    writer_.begin(activation.current, block, activation.frame);
  }

  void execute(Activation& activation, const Step& step, const ActiveOperation& operation) {
    find_operands(activation, step, operation);
    const NodeNumber node{activation.current.first_number + operation.place};
    const std::span<const AccessRecord> accesses = operation.accesses;
    watch_.executed(thread_, activation, operation, node);
    switch (operation.kind) {
      case OperationKind::kLoad:
        if (operation.simple != SimpleAccess::kNone && CopyTable::is_node(activation.cells[operation.cell])) {
          if (operation.simple == SimpleAccess::kKnownCell) break;
          writer_.set(activation.current, operation.memory_slot, NodeNumber{activation.cells[operation.cell]});
        } else if (!accesses.empty()) {
          load(activation, accesses[0], operation);
        }
        break;
      case OperationKind::kStore:
        if (operation.simple == SimpleAccess::kCell && !activation.has_unwritten()) {
          activation.cells[operation.cell] = node.bits;
          break;
        }
        if (!accesses.empty()) store(activation, accesses[0], operation.operation, node);
        definitions_.follow_variable(activation, accesses);
        break;
      case OperationKind::kSetMemory:
        if (!accesses.empty()) set_memory(activation, accesses, operation.operation, node);
        break;
      case OperationKind::kStartVariadic:
        if (accesses.empty()) break;
        definitions_.define(activation, accesses[0], accesses[0].bytes, node);
        arguments_.define_variadic(activation, operation.operation);
        break;
      case OperationKind::kUpdate:
        if (accesses.empty()) break;
        load(activation, accesses[0], operation);
        definitions_.define(activation, accesses[0], definitions_.bytes_of(accesses, 0), node);
        break;
      case OperationKind::kCopyMemory:
        if (accesses.size() >= 2) definitions_.copy(activation, accesses, {node, operation.operation});
        break;
      case OperationKind::kCall:
        activation.call = operation.operation;
        activation.called_body = false;
        activation.called_back.clear();
        break;
      case OperationKind::kBranch:
        open_branch(activation, step.block, node);
        break;
      default:
        break;
    }
  }

  void find_operands(Activation& activation, const Step& step, const ActiveOperation& operation) {
    const bool phi = operation.kind == OperationKind::kPhi;
    for (const OutsideOperand& operand : active_.operands_of(operation)) {
      if (phi && operand.from != step.predecessor) continue;
      NodeNumber source = kNoNumber;
      if (operand.exports != kNone) {
        const uint64_t from = activation.exports[operand.exports];
        if (from != kGraphNoNumber) source = {from + operand.value};
      } else if (operand.value != kNone) {
        source = operand.value < activation.arguments.size() ? activation.arguments[operand.value] : kNoNumber;
        if (activation.arguments.empty()) source = activation.entered_by;  // a callback's come from the call
      }
      writer_.set(activation.current, operand.slot, source);
    }
    if (phi) writer_.set(activation.current, operation.memory_slot, activation.came_by);
  }

  void open_branch(Activation& activation, uint32_t block, NodeNumber node) {
    const uint32_t end = sections_.blocks[block].immediate_post_dominator;
    if (!activation.open.empty() && activation.open.back().post_dominator == end) {
      activation.open.back().branch = node;
    } else {
      activation.open.push_back({node, end});
    }
  }

  void load(Activation& activation, const AccessRecord& access, const ActiveOperation& operation) {
    const uint32_t slot = operation.memory_slot;
    if (slot == kNoSlot && operation.simple != SimpleAccess::kKnownCell) return;
    std::optional<NodeNumber> source = definitions_.only_source(activation, access);
    const bool is_recent = source && *source != kNoNumber && source->bits >= variables_.latest_entry();
    if (!is_recent && definitions_.find_unwritten(activation, access)) {
      source = definitions_.only_source(activation, access);
    }
    if (source && *source != kNoNumber) return writer_.set(activation.current, slot, *source);
    if (const auto variable = definitions_.unwritten(activation, access)) {
      unwritten_.yield(activation, operation.operation, number(activation, operation.operation), *variable);
    }
    sources_.clear();
    definitions_.add_sources(activation, access, sources_);
    writer_.set(activation.current, slot, sources_);
  }

  void store(Activation& activation, const AccessRecord& access, uint32_t operation, NodeNumber node) {
    if (activation.has_unwritten()) {
      const auto variable = unwritten_.value_of(activation, sections_.operations[operation].first_operand);
      if (variable) return definitions_.define_unwritten(activation, access, node, *variable);
    }
    definitions_.define_value(activation, access, node);
  }

  void set_memory(Activation& activation, std::span<const AccessRecord> accesses, uint32_t operation, NodeNumber node) {
    const uint64_t bytes = definitions_.bytes_of(accesses, 0);
    if (sections_.operations[operation].flags & kOperationBeginsVariable) {
      const uint32_t variable = unwritten_.variable_begun_by(operation, activation.function);
      if (variable < definition::kMostUnwritten) {
        return definitions_.begin_variable(activation, accesses[0], bytes, node,
                                           definition::unwritten(variable, activation.frame));
      }
    }
    definitions_.define(activation, accesses[0], bytes, node);
  }

  // Calls to native code.

  void returned(const Step& step) {
    Activation& activation = stack_->back();
    const OperationRecord& operation = sections_.operations[step.operation];
    if (operation.flags & kOperationReturnsTwice) return returned_twice(activation, step.operation);
    activation.call = kNone;
    const uint32_t callee = sections_.calls[operation.detail].callee;
    if (callee == kNone) {
      if (!activation.called_body) variables_.note_unseen(*step.returned);
      return;
    }
    const std::string_view name = model_.text(sections_.functions[callee].linkage_name);
    sources_.clear();
    sources_.swap(activation.called_back);
    const bool is_known = native_.apply(name, *step.returned, activation.current, step.operation, sources_);
    watch_.returned(thread_, name, *step.returned, step.operation, number(activation, step.operation),
                    is_known ? &native_.effects() : nullptr);
    if (!is_known && (sections_.functions[callee].flags & kFunctionNative)) ++unknown_calls_[std::string(name)];
    if (is_known ? !native_.knew_writes() : !activation.called_body) variables_.note_unseen(*step.returned);
    if (!sources_.empty()) writer_.set(activation.current, layout_.memory_slot[step.operation], sources_);
  }

  void returned_twice(Activation& activation, uint32_t call) {
    const auto before = std::find_if(activation.first_returns.begin(), activation.first_returns.end(),
                                     [call](const FirstReturn& each) { return each.call == call; });
    const bool second = unwinding_ != kNoNumber || activation.call != call;
    const bool began_before = before == activation.first_returns.end();  // than the trace
    if (second && began_before && model_.block_of_operation(call) != activation.current.block) {
      return jumped_back(activation, call);
    }
    if (!second || began_before) {
      if (before != activation.first_returns.end()) activation.first_returns.erase(before);
      activation.first_returns.push_back(
          {call, activation.current.block, writer_.all_sources(activation.current), activation.open});
      activation.call = kNone;
      return;
    }
    const NodeNumber jumped = unwinding_ != kNoNumber ? unwinding_ : pending_call(activation);
    unwinding_ = kNoNumber;
    activation.open = before->open;
    // The rest of the block runs again, as an execution of its own that shares what came before the call.
    begin_execution(activation, before->block);
    for (uint32_t each = 0; each < before->slots.size(); ++each) {
      writer_.set(activation.current, each, before->slots[each]);
    }
    activation.call = kNone;
    const uint32_t number = layout_.export_number[before->block];
    if (number != kNoSlot) activation.exports[number] = activation.current.first_number;
    writer_.set(activation.current, kControlSlot, jumped);
    writer_.set(activation.current, layout_.memory_slot[call], jumped);
  }

  /// To a call whose first return nothing is known of.
  void jumped_back(Activation& activation, uint32_t call) {
    activation.open.clear();
    activation.call = kNone;
    begin_execution(activation, model_.block_of_operation(call));
    writer_.set(activation.current, kControlSlot, std::exchange(unwinding_, kNoNumber));
  }

  const program::ProgramModel& model_;
  const program::ModelView& sections_;
  BlockLayout layout_;
  ActiveOperations active_;
  GraphWriter writer_;
  OutputRuns outputs_[kGraphOutputs];
  UnknownCalls unknown_calls_;
  NodeNumber last_ = kNoNumber;
  trace::ControlStream stream_;
  StackVariables variables_;
  UnwrittenValues unwritten_;
  Definitions definitions_;
  InputLog inputs_;
  CallArguments arguments_;
  NativeEffects native_;
  AccessWatch watch_;
  std::vector<ActivationStack> threads_;
  ActivationStack* stack_ = nullptr;
  uint32_t thread_ = 0;               ///< whose stack that is
  NodeNumber unwinding_ = kNoNumber;  ///< the call from which control is on its way to where it lands
  std::vector<NodeNumber> sources_;
  const std::function<void(DefinitionQuery&)>* ask_ = nullptr;  ///< before `asked_`
  Node asked_ = kNoNode;
};

namespace {

void check_contents(const trace::TraceFile& trace) {
  if (trace.contents() != TraceContents::kPath) return;
  throw UserError(fmt::format("{} holds a path without addresses", trace.folder().string()),
                  "make a trace without --path");
}

}  // namespace

void write_graph(const trace::TraceFile& trace, const std::filesystem::path& file) {
  check_contents(trace);
  GraphBuilder(trace, file).build();
}

void ask_before(const trace::TraceFile& trace, Node node, const std::function<void(DefinitionQuery&)>& ask) {
  check_contents(trace);
  GraphBuilder(trace, {}).ask_before(node, ask);
}

}  // namespace culprit::depend
