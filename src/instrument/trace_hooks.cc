// Room in the buffer is checked at entry, in the heads of loops and after calls of bodies; what is written between two
// checks is bounded by kTraceSlackBytes, else every block checks. All hooks stand before the optimiser: it may put
// bodies into each other and drop, copy or move what a body computes, but the events stay in order, since each depends
// on the position that the one before it left.
#include "instrument/trace_hooks.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "format/operation_format.h"
#include "format/runtime_abi.h"
#include "format/trace_format.h"
#include "instrument/extract_operations.h"
#include "instrument/metadata.h"
#include "instrument/model_ids.h"
#include "instrument/native_functions.h"
#include "instrument/recursion.h"
#include "instrument/thread_state.h"
#include "instrument/trace_frames.h"
#include "instrument/trace_native_calls.h"
#include "instrument/trace_writer.h"
#include "program/external_effects.h"

namespace culprit {
namespace {

using format::kNone;
using format::ThreadState;
using format::TraceContents;

constexpr uint64_t kMostBytesOfAddress = 9;
constexpr uint64_t kMostBytesOfValue = 9;
constexpr uint64_t kMostBytesOfBranch = 5;

struct Site {
  uint32_t operand;  ///< or as metadata::kOwnSite
  uint32_t number;
};

std::vector<Site> sites_of(const llvm::Instruction& instruction) {
  std::vector<Site> sites;
  const llvm::MDNode* node = instruction.getMetadata(metadata::kSites);
  for (unsigned at = 0; node && at + 1 < node->getNumOperands(); at += 2) {
    sites.push_back({*number_in(instruction, metadata::kSites, at), *number_in(instruction, metadata::kSites, at + 1)});
  }
  return sites;
}

/// Blocks that a depth-first walk comes back to: every cycle passes one.
llvm::DenseSet<llvm::BasicBlock*> loop_heads(llvm::Function& body) {
  llvm::DenseMap<llvm::BasicBlock*, unsigned> order;
  unsigned next = 0;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::Function*>(&body)) order[block] = next++;
  llvm::DenseSet<llvm::BasicBlock*> heads;
  for (const auto& [block, place] : order) {
    for (llvm::BasicBlock* successor : llvm::successors(block)) {
      if (order[successor] <= place) heads.insert(successor);
    }
  }
  return heads;
}

class TraceHooks {
 public:
  TraceHooks(llvm::Function& body, TraceContents contents)
      : body_(body), module_(*body.getParent()), contents_(contents) {}

  void insert() {
    collect();
    const bool loops = !heads_.empty() && !heads_.contains(&body_.getEntryBlock());
    writer_.emplace(body_, loops);
    native_calls_.emplace(body_);
    const bool check_everywhere = most_bytes_ > format::kTraceSlackBytes / 2;
    number_activation();
    if (contents_ == TraceContents::kValues) {
      frames_.emplace(body_, *entry_block_number(body_), activation_, !calls_.empty());
    }
    for (llvm::Instruction* access : accesses_) write_addresses(*access);
    for (llvm::Instruction* each : valued_) {
      llvm::IRBuilder<> builder(each);
      writer_->write_value(builder, valued_word(*each));
    }
    for (llvm::Instruction* branch : branches_) write_branch(*branch);
    for (llvm::CallBase* call : calls_) surround(*call);
    for (llvm::Instruction* tick : ticks_) {
      llvm::IRBuilder<> before(tick), after(tick->getNextNode());
      writer_->hand_over(before);
      writer_->take_back(after);
    }
    for (llvm::Instruction* exit : exits_) {
      llvm::IRBuilder<> builder(exit);
      writer_->hand_over(builder);
      if (frames_) frames_->leave(builder);
    }
    for (llvm::LandingPadInst* pad : pads_) write_landing(*pad);
    write_bases();
    for (llvm::BasicBlock& block : body_) {
      // The position's own variable is made in the entry; the blocks behind it check.
      if (&block == &body_.getEntryBlock()) continue;
      if (!check_everywhere && (most_bytes_ == 0 || !heads_.contains(&block))) continue;
      const auto number = numbers_.find(&block);
      const uint32_t begins = number == numbers_.end() ? kNone : number->second;
      if (block.getFirstInsertionPt() != block.end()) checks_.emplace_back(&*block.getFirstInsertionPt(), begins);
    }
    for (const auto& [place, block] : checks_) check_room(*place, block);
    writer_->separate(body_);
  }

 private:
  /// `place`: where a trace can begin (format::TraceStart), or kNone.
  void check_room(llvm::Instruction& before, uint32_t place) {
    if (!frames_) return writer_->check_room(before);
    writer_->check_room(before, [&](llvm::IRBuilderBase& builder, llvm::Value* position) {
      return frames_->full(builder, position, place);
    });
  }

  void collect() {
    heads_ = loop_heads(body_);
    for (llvm::BasicBlock& block : body_) {
      if (const auto number = number_in(*block.getTerminator(), metadata::kBlock)) numbers_[&block] = *number;
      uint64_t bytes = 0;
      for (llvm::Instruction& instruction : block) {
        const std::vector<Site> sites = contents_ == TraceContents::kPath ? std::vector<Site>() : sites_of(instruction);
        if (!sites.empty()) (sites[0].operand == metadata::kOwnSite ? bases_ : accesses_).push_back(&instruction);
        bytes += sites.size() * kMostBytesOfAddress;
        if (contents_ == TraceContents::kValues && valued_word(instruction)) {
          valued_.push_back(&instruction);
          bytes += kMostBytesOfValue;
        }
        if (auto* pad = llvm::dyn_cast<llvm::LandingPadInst>(&instruction)) pads_.push_back(pad);
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        const bool called = call && !llvm::isa<llvm::IntrinsicInst>(call) && !call->isInlineAsm();
        if (called && !is_silent(*call)) calls_.push_back(call);
        if (instruction.hasMetadata(metadata::kSlowTick)) ticks_.push_back(&instruction);
      }
      llvm::Instruction* last = block.getTerminator();
      const bool branches = last->getMetadata(metadata::kBlock) && last->getNumSuccessors() > 1 &&
                            llvm::isa<llvm::BranchInst, llvm::SwitchInst>(last);
      if (branches) branches_.push_back(last);
      if (branches) bytes += kMostBytesOfBranch;
      if (llvm::isa<llvm::ReturnInst, llvm::ResumeInst, llvm::UnreachableInst>(last) &&
          !block.getTerminatingMustTailCall()) {
        exits_.push_back(last);
      }
      most_bytes_ += bytes;
    }
  }

  /// Behind what lies at the front: variables and frames. A tick may have been put between the two.
  llvm::Instruction* after_frames() const {
    llvm::BasicBlock& entry = bases_.empty() ? body_.getEntryBlock() : *bases_.back()->getParent();
    llvm::Instruction* last = writer_->prepared();
    if (last && last->getParent() != &entry) last = nullptr;
    for (llvm::Instruction* base : bases_) {
      if (base->getParent() == &entry && (!last || last->comesBefore(base))) last = base;
    }
    llvm::Instruction* place = &*entry.getFirstNonPHIOrDbgOrAlloca();
    if (last && (place == last || place->comesBefore(last))) place = last->getNextNode();
    return place;
  }

  void write_bases() {
    llvm::Instruction* place = after_frames();
    llvm::IRBuilder<> builder(place);
    for (llvm::Instruction* base : bases_) writer_->write_address(builder, base, sites_of(*base)[0].number);
    if (frames_) frames_->note_bases(builder, bases_);
    if (most_bytes_ > 0) checks_.emplace_back(place, *entry_block_number(body_));
  }

  void number_activation() {
    if (!is_resumed(body_)) return;
    llvm::BasicBlock& entry = body_.getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    llvm::Constant* counter = thread_state_address(module_, offsetof(ThreadState, trace_activations));
    activation_ = builder.CreateAdd(builder.CreateLoad(builder.getInt32Ty(), counter), builder.getInt32(1));
    builder.CreateStore(activation_, counter);
  }

  void write_addresses(llvm::Instruction& access) {
    llvm::IRBuilder<> builder(&access);
    for (const Site& site : sites_of(access)) {
      if (site.operand == metadata::kSavedArgumentsSite || site.operand == metadata::kStackArgumentsSite) {
        write_variadic_area(access, site);
      } else {
        writer_->write_address(builder, access.getOperand(site.operand), site.number);
      }
    }
  }

  /// From the va_list that va_start has filled (System V ABI for AMD64, 3.5.7).
  void write_variadic_area(llvm::Instruction& start, const Site& site) {
    constexpr uint64_t kStackOffset = 8, kSavedOffset = 16;
    // Events stand in the order of their sites: each goes behind those before it.
    if (behind_start_.first != &start) behind_start_ = {&start, start.getNextNode()};
    llvm::IRBuilder<> builder(behind_start_.second);
    const uint64_t offset = site.operand == metadata::kStackArgumentsSite ? kStackOffset : kSavedOffset;
    llvm::Value* field = builder.CreateConstGEP1_64(builder.getInt8Ty(), start.getOperand(0), offset);
    writer_->write_address(builder, builder.CreateLoad(builder.getPtrTy(), field), site.number);
  }

  void write_branch(llvm::Instruction& branch) {
    if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&branch)) return write_cases(*choice);
    llvm::IRBuilder<> builder(&branch);
    llvm::Value* condition = llvm::cast<llvm::BranchInst>(branch).getCondition();
    writer_->write_byte(builder, builder.CreateSelect(condition, builder.getInt8(1), builder.getInt8(2)));
  }

  /// Written where the cases begin: asking for the case once more would cost a comparison each. Cases that lead to the
  /// same block share the number of the first of them.
  void write_cases(llvm::SwitchInst& choice) {
    llvm::DenseMap<llvm::BasicBlock*, uint32_t> first_edge;
    for (uint32_t edge = 0; edge < choice.getNumSuccessors(); ++edge) {
      first_edge.try_emplace(choice.getSuccessor(edge), edge);
    }
    std::vector<std::pair<uint32_t, llvm::BasicBlock*>> targets;
    for (const auto& [target, edge] : first_edge) targets.emplace_back(edge, target);
    std::sort(targets.begin(), targets.end());
    for (auto [edge, target] : targets) {
      if (target->getUniquePredecessor() != choice.getParent()) {
        target = llvm::SplitBlockPredecessors(target, {choice.getParent()}, ".case");
      }
      llvm::IRBuilder<> builder(target, target->getFirstInsertionPt());
      if (choice.getNumSuccessors() > format::kTraceMostEdges) {
        writer_->write_event(builder, format::kTraceWideEdge, {builder.getInt32(edge)});
      } else {
        writer_->write_byte(builder, builder.getInt8(static_cast<uint8_t>(edge + 1)));
      }
    }
  }

  /// Where control is after the call; null when it never is, or when nothing may stand there.
  static llvm::Instruction* place_after(llvm::CallBase& call) {
    if (call.isMustTailCall()) return nullptr;
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) {
      llvm::BasicBlock* target = invoke->getNormalDest();
      if (!target->getSinglePredecessor()) target = llvm::SplitEdge(invoke->getParent(), target);
      return &*target->getFirstInsertionPt();
    }
    return call.getNextNode();
  }

  void surround(llvm::CallBase& call) {
    const std::optional<uint32_t> operation = number_in(call, metadata::kOperation);
    const uint32_t flags = operation ? *number_in(call, metadata::kOperation, 1) : 0;
    llvm::IRBuilder<> before(&call);
    writer_->hand_over(before);
    if (frames_ && operation) frames_->before_call(before, call, *operation);
    if (flags & format::kOperationIndirect) {
      before.CreateStore(call.getCalledOperand(), thread_state_address(module_, offsetof(ThreadState, trace_target)));
    }
    llvm::Instruction* place = place_after(call);
    if (!place) return;
    llvm::IRBuilder<> after(place);
    after.SetCurrentDebugLocation(call.getDebugLoc());
    if (operation && (flags & format::kOperationEnters) == 0) write_return(after, call, *operation, flags);
    writer_->take_back(after);
    // Here and not later: what follows may hand the position over to the next call, and must hand over the new one.
    if (operation && (flags & format::kOperationEnters) != 0 && most_bytes_ > 0) {
      // Behind an invoke another block begins.
      check_room(*place, llvm::isa<llvm::InvokeInst>(call) ? kNone : *operation | format::kTraceBehindCall);
    }
  }

  void write_return(llvm::IRBuilderBase& builder, llvm::CallBase& call, uint32_t operation, uint32_t flags) {
    if ((flags & format::kOperationReturnsTwice) == 0) return write_native_return(builder, call, operation);
    llvm::Value* activation = activation_ ? activation_ : builder.getInt32(0);
    call_runtime(builder, format::kTraceReturnedTwiceSymbol, builder.getVoidTy(),
                 {activation, builder.getInt32(operation), word_of(builder, &call)});
  }

  void write_native_return(llvm::IRBuilderBase& builder, llvm::CallBase& call, uint32_t operation) {
    if (contents_ == TraceContents::kPath) return native_calls_->write_bare_return(builder, operation);
    native_calls_->write_return(builder, call, operation);
  }

  /// Whether the reader of a path knows without an event that control has come back.
  bool is_silent(const llvm::CallBase& call) const {
    if (contents_ != TraceContents::kPath || call.isMustTailCall()) return false;
    const std::optional<uint32_t> flags = number_in(call, metadata::kOperation, 1);
    const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    return flags && format::is_straight_call(static_cast<uint8_t>(*flags)) && callee &&
           program::returns_straight({callee->getName().data(), callee->getName().size()});
  }

  void write_landing(llvm::LandingPadInst& pad) {
    const std::optional<uint32_t> block = number_of_block(*pad.getParent());
    if (!block || !activation_) return;
    llvm::IRBuilder<> builder(pad.getParent(), pad.getParent()->getFirstInsertionPt());
    writer_->take_back(builder);
    writer_->write_event(builder, format::kTraceLanding, {activation_, builder.getInt32(*block)});
  }

  /// A block may have been split since it was numbered: its terminator went to the last part.
  static std::optional<uint32_t> number_of_block(const llvm::BasicBlock& block) {
    const llvm::BasicBlock* at = &block;
    for (int steps = 0; steps < 64; ++steps) {
      if (const auto number = number_in(*at->getTerminator(), metadata::kBlock)) return number;
      if (at->getTerminator()->getNumSuccessors() == 0) return std::nullopt;
      const unsigned last = at->getTerminator()->getNumSuccessors() - 1;
      at = at->getTerminator()->getSuccessor(last);
    }
    return std::nullopt;
  }

  llvm::Function& body_;
  llvm::Module& module_;
  TraceContents contents_;
  std::optional<TraceWriter> writer_;
  std::optional<TraceFrames> frames_;
  std::optional<NativeCallHooks> native_calls_;
  llvm::Value* activation_ = nullptr;
  llvm::DenseSet<llvm::BasicBlock*> heads_;
  std::vector<llvm::Instruction*> accesses_, valued_, bases_, branches_, exits_;
  std::vector<llvm::Instruction*> ticks_;                        ///< where handlers may be entered, which write events
  std::vector<std::pair<llvm::Instruction*, uint32_t>> checks_;  ///< where room is checked, and which block begins
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> numbers_;    ///< in the model
  std::pair<llvm::Instruction*, llvm::Instruction*> behind_start_;  ///< a va_start, and what followed it
  std::vector<llvm::CallBase*> calls_;
  std::vector<llvm::LandingPadInst*> pads_;
  uint64_t most_bytes_ = 0;
};

/// Takes the body's name: writes the event, forgets the pending call, and goes on to the body.
llvm::Function* make_entry(llvm::Function& body, llvm::StringRef thunk_symbol, uint32_t entry_block) {
  llvm::Module& module = *body.getParent();
  llvm::LLVMContext& context = module.getContext();
  const std::string name = body.getName().str();
  body.setName(name + format::kTracedSuffix);
  auto* entry = llvm::Function::Create(body.getFunctionType(), llvm::GlobalValue::ExternalLinkage, name, &module);
  entry->copyAttributesFrom(&body);
  entry->setPersonalityFn(nullptr);
  entry->setVisibility(llvm::GlobalValue::HiddenVisibility);
  entry->setDSOLocal(true);
  entry->removeFnAttr(llvm::Attribute::AlwaysInline);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", entry));
  llvm::Constant* target = thread_state_address(module, offsetof(ThreadState, trace_target));
  llvm::Value* tag = builder.getInt8(format::kTraceEnter);
  if (!thunk_symbol.empty()) {
    llvm::GlobalValue* thunk = module.getNamedValue(thunk_symbol);
    if (!thunk) {
      auto* declared =
          llvm::Function::Create(body.getFunctionType(), llvm::GlobalValue::ExternalLinkage, thunk_symbol, &module);
      thunk = declared;
    }
    llvm::Value* called = builder.CreateICmpEQ(builder.CreateLoad(builder.getPtrTy(), target), thunk);
    tag = builder.CreateSelect(called, builder.getInt8(format::kTraceEnterCalled), tag);
  }
  builder.CreateStore(llvm::ConstantPointerNull::get(builder.getPtrTy()), target);
  std::vector<llvm::Value*> arguments;
  for (llvm::Argument& argument : entry->args()) arguments.push_back(&argument);
  llvm::CallInst* call = builder.CreateCall(body.getFunctionType(), &body, arguments);
  call->setCallingConv(body.getCallingConv());
  call->setAttributes(llvm::AttributeList::get(context, llvm::AttributeSet(), body.getAttributes().getRetAttrs(), {}));
  for (unsigned each = 0; each < arguments.size(); ++each) {
    for (llvm::Attribute attribute : body.getAttributes().getParamAttrs(each)) call->addParamAttr(each, attribute);
  }
  // A forwarded argument in memory must not be a tail call's: LLVM 19 makes its copy over the saved registers.
  const bool in_memory = llvm::any_of(body.args(), [](const llvm::Argument& each) { return each.hasByValAttr(); });
  call->setTailCallKind(in_memory && !body.isVarArg() ? llvm::CallInst::TCK_NoTail : llvm::CallInst::TCK_MustTail);
  if (call->getType()->isVoidTy()) {
    builder.CreateRetVoid();
  } else {
    builder.CreateRet(call);
  }
  TraceWriter writer(*entry, false);
  llvm::IRBuilder<> before(call);
  llvm::Value* at =
      before.CreateLoad(before.getPtrTy(), thread_state_address(module, offsetof(ThreadState, trace_position)));
  before.CreateStore(tag, at);
  before.CreateAlignedStore(before.getInt32(entry_block), before.CreateConstGEP1_64(before.getInt8Ty(), at, 1),
                            llvm::Align(1));
  before.CreateStore(before.CreateConstGEP1_64(before.getInt8Ty(), at, 5),
                     thread_state_address(module, offsetof(ThreadState, trace_position)));
  writer.check_room(*llvm::cast<llvm::Instruction>(at));
  return entry;
}

}  // namespace

void insert_trace_hooks(llvm::Module& observed_half, TraceContents contents) {
  for (llvm::Function& function : observed_half) {
    if (is_traced(function) && entry_block_number(function)) TraceHooks(function, contents).insert();
  }
}

void insert_trace_entries(llvm::Module& observed_half, const std::vector<Thunk>& thunks) {
  llvm::StringMap<std::string> thunk_of;
  for (const Thunk& thunk : thunks) {
    if (!thunk.fast_body.empty()) thunk_of.try_emplace(thunk.fast_body, thunk.symbol);
    if (!thunk.observed_body.empty()) thunk_of.try_emplace(thunk.observed_body, thunk.symbol);
  }
  std::vector<llvm::Function*> bodies;
  std::vector<llvm::Function*> untraced;
  for (llvm::Function& function : observed_half) {
    if (!is_instrumented(function) || !function.getName().ends_with(format::kObservedSuffix)) continue;
    (is_traced(function) ? bodies : untraced).push_back(&function);
  }
  llvm::DenseMap<llvm::Function*, llvm::Function*> entry_of;
  for (llvm::Function* body : bodies) {
    const std::optional<uint32_t> block = entry_block_number(*body);
    if (!block || body->hasLocalLinkage()) continue;
    const auto thunk = thunk_of.find(body->getName());
    entry_of[body] = make_entry(*body, thunk == thunk_of.end() ? "" : thunk->second, *block);
  }
  // What is not traced enters bodies like native code does.
  for (llvm::Function* function : untraced) {
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* callee = call ? direct_callee(*call) : nullptr;
      if (!callee || !is_traced(*callee)) continue;
      llvm::Function*& entry = entry_of[callee];
      const std::optional<uint32_t> block = entry_block_number(*callee);
      if (!entry && block) entry = make_entry(*callee, "", *block);
      if (entry) call->setCalledOperand(entry);
    }
  }
}

void define_trace_tables(llvm::Module& observed_half, const std::vector<std::string>& anchors) {
  uint32_t sites = 0;
  for (const llvm::Function& function : observed_half) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      for (const Site& site : sites_of(instruction)) sites = std::max(sites, site.number + 1);
    }
  }
  llvm::LLVMContext& context = observed_half.getContext();
  auto* pointer = llvm::PointerType::getUnqual(context);
  std::vector<llvm::Constant*> addresses;
  for (const std::string& anchor : anchors) {
    const llvm::GlobalValue* symbol = observed_half.getNamedValue(anchor);
    addresses.push_back(symbol ? const_cast<llvm::GlobalValue*>(symbol)
                               : static_cast<llvm::Constant*>(llvm::ConstantPointerNull::get(pointer)));
  }
  const auto define = [&](llvm::Constant* value, const char* symbol) {
    auto* variable = new llvm::GlobalVariable(observed_half, value->getType(), false,
                                              llvm::GlobalValue::ExternalLinkage, value, symbol);
    variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
    variable->setDSOLocal(true);
  };
  auto* number = llvm::Type::getInt32Ty(context);
  define(llvm::ConstantInt::get(number, sites), format::kTraceSiteCountSymbol);
  define(llvm::ConstantInt::get(number, anchors.size()), format::kTraceAnchorCountSymbol);
  define(llvm::ConstantArray::get(llvm::ArrayType::get(pointer, addresses.size()), addresses),
         format::kTraceAnchorsSymbol);
}

}  // namespace culprit
