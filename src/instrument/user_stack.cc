// A frame costs one load and two stores of the thread's stack pointer. The pointer is loaded, so LLVM knows nothing of
// what memory it addresses; the frames of inlined callees lie at constant offsets of one base and merge with the
// caller's.
//
// The store that publishes the frame is volatile: a signal handler may run at any instruction and puts its frames below
// the published pointer, so publishing must be neither deleted nor delayed, as it otherwise is in functions without
// calls.
#include "instrument/user_stack.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "format/runtime_abi.h"
#include "instrument/metadata.h"
#include "instrument/thread_state.h"
#include "instrument/variable_class.h"

namespace culprit {
namespace {

constexpr uint64_t kStackAlignment = 16;

bool switches_context(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && callee->getName() == "swapcontext";
}

bool returns_twice(const llvm::CallBase& call) {
  return call.hasFnAttr(llvm::Attribute::ReturnsTwice);
}

llvm::MDNode* numbers(llvm::LLVMContext& context, std::initializer_list<uint64_t> values) {
  llvm::SmallVector<llvm::Metadata*, 4> operands;
  for (uint64_t value : values) {
    operands.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value)));
  }
  return llvm::MDNode::get(context, operands);
}

class FrameBuilder {
 public:
  FrameBuilder(llvm::Function& function, FrameStack stack, const FrameLayout& layout)
      : function_(function), context_(function.getContext()), stack_(stack), layout_(layout) {}

  void build(const std::vector<llvm::AllocaInst*>& dynamic) {
    has_dynamic_ = !dynamic.empty();
    if (has_dynamic_ && stack_ == FrameStack::kUser) function_.addFnAttr(metadata::kGrowingFrame);
    collect_places();
    push();
    for (const FrameVariable& placed : layout_.variables) replace_fixed(placed);
    for (llvm::AllocaInst* variable : dynamic) replace_dynamic(*variable);
    if (has_dynamic_) replace_saves();
    for (llvm::Instruction* exit : exits_) pop(*exit);
    for (llvm::LandingPadInst* pad : landing_pads_) republish_after(*pad);
    for (llvm::CallBase* call : reentering_calls_) republish_after_call(*call);
  }

 private:
  bool has_frame() const { return layout_.bytes > 0 || has_dynamic_; }

  void collect_places() {
    for (llvm::BasicBlock& block : function_) {
      for (llvm::Instruction& instruction : block) {
        if (auto* pad = llvm::dyn_cast<llvm::LandingPadInst>(&instruction)) landing_pads_.push_back(pad);
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call && reenters(*call)) reentering_calls_.push_back(call);
      }
      llvm::Instruction* terminator = block.getTerminator();
      if (llvm::CallInst* tail = block.getTerminatingMustTailCall()) {
        exits_.push_back(tail);
      } else if (llvm::isa<llvm::ReturnInst, llvm::ResumeInst>(terminator)) {
        exits_.push_back(terminator);
      }
    }
  }

  llvm::Value* stack_pointer(llvm::IRBuilder<>& builder) const {
    const size_t member = stack_ == FrameStack::kUser ? offsetof(format::ThreadState, user_sp)
                                                      : offsetof(format::ThreadState, private_sp);
    return thread_state_member(builder, member);
  }

  void publish(llvm::IRBuilder<>& builder, llvm::Value* top) const {
    builder.CreateStore(top, stack_pointer(builder), /*isVolatile=*/true);
  }

  llvm::Value* lowered(llvm::IRBuilder<>& builder, llvm::Value* from, llvm::Value* bytes, uint64_t alignment) const {
    llvm::Value* top = builder.CreateGEP(builder.getInt8Ty(), from, builder.CreateNeg(bytes));
    if (alignment <= kStackAlignment) return top;
    return builder.CreateIntrinsic(llvm::Intrinsic::ptrmask, {top->getType(), builder.getInt64Ty()},
                                   {top, builder.getInt64(~(alignment - 1))});
  }

  void push() {
    llvm::BasicBlock& entry = function_.getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    builder.SetCurrentDebugLocation(llvm::DebugLoc());
    const char* name = stack_ == FrameStack::kUser ? "user" : "private";
    old_ = builder.CreateLoad(builder.getPtrTy(), stack_pointer(builder), llvm::Twine(name) + ".sp");
    base_ = old_;
    if (layout_.bytes > 0) {
      base_ = lowered(builder, old_, builder.getInt64(layout_.bytes), layout_.alignment);
      base_->setName(llvm::Twine(name) + ".frame");
      publish(builder, base_);
    }
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(base_)) {
      instruction->setMetadata(metadata::kFrameBase,
                               numbers(context_, {layout_.bytes, layout_.alignment, static_cast<uint64_t>(stack_)}));
    }
    if (has_dynamic_) {
      // mem2reg turns it into a value; the frame's base is no place for it, since only setjmp's rules apply to it.
      llvm::AllocaInst* top = new llvm::AllocaInst(builder.getPtrTy(), 0, "user.top", entry.begin());
      top->setMetadata(metadata::kInternal, llvm::MDNode::get(context_, {}));
      builder.CreateStore(base_, top);
      top_ = top;
    }
    first_ = &*builder.GetInsertPoint();
  }

  void replace_fixed(const FrameVariable& placed) {
    llvm::AllocaInst* variable = placed.variable;
    llvm::IRBuilder<> builder(first_);
    builder.SetCurrentDebugLocation(llvm::DebugLoc());
    // One address per variable, also at offset 0, so that its home is known.
    auto* address = llvm::GetElementPtrInst::Create(builder.getInt8Ty(), base_, {builder.getInt64(placed.offset)});
    builder.Insert(address);
    address->setMetadata(stack_ == FrameStack::kUser ? metadata::kUserHome : metadata::kPrivateHome,
                         numbers(context_, {placed.offset, fixed_bytes(*variable)}));
    address->takeName(variable);
    variable->replaceAllUsesWith(address);
    variable->eraseFromParent();
  }

  void replace_dynamic(llvm::AllocaInst& variable) {
    llvm::IRBuilder<> builder(&variable);
    const uint64_t unit = function_.getDataLayout().getTypeAllocSize(variable.getAllocatedType());
    llvm::Value* count = builder.CreateZExtOrTrunc(variable.getArraySize(), builder.getInt64Ty());
    llvm::Value* bytes = builder.CreateMul(count, builder.getInt64(unit));
    bytes = builder.CreateAnd(builder.CreateAdd(bytes, builder.getInt64(kStackAlignment - 1)),
                              builder.getInt64(~(kStackAlignment - 1)));
    llvm::Value* top =
        lowered(builder, builder.CreateLoad(builder.getPtrTy(), top_), bytes, variable.getAlign().value());
    builder.CreateStore(top, top_);
    publish(builder, top);
    top->takeName(&variable);
    variable.replaceAllUsesWith(top);
    variable.eraseFromParent();
  }

  void replace_saves() {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function_))) {
      auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!intrinsic) continue;
      llvm::IRBuilder<> builder(intrinsic);
      if (intrinsic->getIntrinsicID() == llvm::Intrinsic::stacksave) {
        intrinsic->replaceAllUsesWith(builder.CreateLoad(builder.getPtrTy(), top_));
        intrinsic->eraseFromParent();
      } else if (intrinsic->getIntrinsicID() == llvm::Intrinsic::stackrestore) {
        builder.CreateStore(intrinsic->getArgOperand(0), top_);
        publish(builder, intrinsic->getArgOperand(0));
        intrinsic->eraseFromParent();
      }
    }
  }

  void pop(llvm::Instruction& exit) const {
    if (!has_frame()) return;
    llvm::IRBuilder<> builder(&exit);
    builder.CreateStore(old_, stack_pointer(builder));
  }

  void republish_after(llvm::LandingPadInst& pad) const {
    llvm::BasicBlock* block = pad.getParent();
    llvm::IRBuilder<> builder(block, block->getFirstInsertionPt());
    publish(builder, has_dynamic_ ? builder.CreateLoad(builder.getPtrTy(), top_) : base_);
  }

  // After a second return the top is what it was before the call, not what callees or later code made of it.
  void republish_after_call(llvm::CallBase& call) const {
    llvm::Value* top = base_;
    if (has_dynamic_) {
      llvm::IRBuilder<> before(&call);
      top = before.CreateLoad(before.getPtrTy(), top_);
    }
    llvm::Instruction* next = call.getNextNode();
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) {
      next = &*llvm::SplitEdge(invoke->getParent(), invoke->getNormalDest())->getFirstInsertionPt();
    }
    llvm::IRBuilder<> builder(next);
    builder.SetCurrentDebugLocation(call.getDebugLoc());
    if (has_dynamic_) builder.CreateStore(top, top_);
    publish(builder, top);
  }

  llvm::Function& function_;
  llvm::LLVMContext& context_;
  FrameStack stack_;
  const FrameLayout& layout_;
  bool has_dynamic_ = false;
  llvm::Value* old_ = nullptr;
  llvm::Value* base_ = nullptr;
  llvm::AllocaInst* top_ = nullptr;
  llvm::Instruction* first_ = nullptr;
  std::vector<llvm::LandingPadInst*> landing_pads_;
  std::vector<llvm::CallBase*> reentering_calls_;
  std::vector<llvm::Instruction*> exits_;
};

template <typename Predicate>
bool any_call(const llvm::Function& function, Predicate predicate) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && predicate(*call)) return true;
  }
  return false;
}

}  // namespace

void FrameLayout::append(llvm::AllocaInst& variable) {
  const uint64_t own = variable.getAlign().value();
  const uint64_t offset = llvm::alignTo(bytes, own);
  variables.push_back({&variable, offset});
  bytes = offset + fixed_bytes(variable);
  alignment = std::max(alignment, own);
}

bool reenters(const llvm::CallBase& call) {
  return returns_twice(call) || switches_context(call);
}

bool calls_returns_twice(const llvm::Function& function) {
  return any_call(function, returns_twice);
}

bool is_reentered(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function) {
    if (block.isLandingPad()) return true;
  }
  return any_call(function, reenters);
}

void build_frame(llvm::Function& function, FrameStack stack, const FrameLayout& layout,
                 const std::vector<llvm::AllocaInst*>& dynamic) {
  if (layout.bytes == 0 && dynamic.empty() && !is_reentered(function)) return;
  FrameLayout rounded = layout;
  rounded.bytes = llvm::alignTo(layout.bytes, kStackAlignment);
  FrameBuilder(function, stack, rounded).build(dynamic);
}

}  // namespace culprit
