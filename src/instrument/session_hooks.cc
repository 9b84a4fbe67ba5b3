#include "instrument/session_hooks.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "format/model_format.h"
#include "format/replay_control.h"
#include "format/runtime_abi.h"
#include "format/session_abi.h"
#include "instrument/alterable_operations.h"
#include "instrument/metadata.h"
#include "instrument/model_ids.h"
#include "instrument/native_functions.h"
#include "instrument/statement_pieces.h"
#include "instrument/thread_state.h"
#include "instrument/user_stack.h"

namespace culprit {
namespace {

/// Inserts the hooks of one body.
class Hooks {
 public:
  explicit Hooks(llvm::Function& body) : body_(body), module_(*body.getParent()), context_(body.getContext()) {}

  void insert(bool alterable) {
    const std::optional<uint32_t> entry_block = entry_block_number(body_);
    if (!entry_block) return;  // made by a pass after the model was taken
    const std::vector<llvm::Instruction*> branches = branch_instructions();
    const std::vector<StatementPiece> pieces = statement_pieces(body_);
    if (alterable) find_alterable();
    push_record(*entry_block);
    publish_again_where_control_arrives();
    pop_record_at_exits();
    for (const StatementPiece& piece : pieces) mark_statement(piece);
    if (alterable) let_statements_be_altered();
    for (llvm::Instruction* branch : branches) count_branch(*branch);
  }

 private:
  llvm::Constant* frames() const { return thread_state_address(module_, offsetof(format::ThreadState, frames)); }

  llvm::Value* member(llvm::IRBuilderBase& builder, size_t offset) const {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), record_, offset);
  }

  std::vector<llvm::Instruction*> branch_instructions() const {
    std::vector<llvm::Instruction*> branches;
    for (llvm::BasicBlock& block : body_) {
      llvm::Instruction* last = block.getTerminator();
      if (!last->getMetadata(metadata::kBlock)) continue;
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(last);
      const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(last);
      if ((branch && branch->isConditional()) || (choice && choice->getNumCases() > 0)) branches.push_back(last);
    }
    return branches;
  }

  void find_alterable() {
    for (llvm::BasicBlock& block : body_) {
      for (llvm::Instruction& instruction : block) {
        const std::optional<uint32_t> statement = number_in(instruction, metadata::kStatement);
        if (!statement || instruction.hasMetadata(metadata::kInternal) || !is_alterable(instruction)) continue;
        alterable_.emplace_back(&instruction, *statement);
        actions_.try_emplace(*statement, nullptr);
      }
    }
  }

  /// Where a statement's test does not come before each of its operations, as behind what a pass put in between, these
  /// do what they always do.
  void let_statements_be_altered() {
    const llvm::DominatorTree dominators(body_);
    std::erase_if(alterable_, [&](const auto& each) {
      llvm::CallInst* action = actions_.lookup(each.second);
      return !action || !dominators.dominates(action, each.first);
    });
    for (const auto& [instruction, statement] : alterable_) obey_action(*instruction, *actions_.lookup(statement));
  }

  void push_record(uint32_t entry_block) {
    llvm::BasicBlock& entry = body_.getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.begin());
    auto* type = llvm::ArrayType::get(builder.getInt8Ty(), sizeof(format::FrameRecord));
    record_ = builder.CreateAlloca(type, nullptr, "culprit.record");
    record_->setAlignment(llvm::Align(alignof(format::FrameRecord)));
    llvm::Constant* null = llvm::ConstantPointerNull::get(builder.getPtrTy());
    caller_ = builder.CreateLoad(builder.getPtrTy(), frames(), "culprit.caller");
    builder.CreateStore(caller_, member(builder, offsetof(format::FrameRecord, caller)));
    builder.CreateStore(builder.getInt32(entry_block), member(builder, offsetof(format::FrameRecord, entry_block)));
    builder.CreateStore(builder.getInt32(format::kNone), member(builder, offsetof(format::FrameRecord, statement)),
                        true);
    builder.CreateStore(null, member(builder, offsetof(format::FrameRecord, user_frame)), true);
    builder.CreateStore(null, member(builder, offsetof(format::FrameRecord, private_frame)), true);
    builder.CreateStore(record_, frames());
    for (llvm::Instruction& instruction : entry) {
      const std::optional<uint32_t> stack = number_in(instruction, metadata::kFrameBase, 2);
      if (!stack) continue;
      llvm::IRBuilder<> after(instruction.getNextNode());
      const size_t offset = *stack == static_cast<uint32_t>(FrameStack::kUser)
                                ? offsetof(format::FrameRecord, user_frame)
                                : offsetof(format::FrameRecord, private_frame);
      after.CreateStore(&instruction, member(after, offset), true);
    }
  }

  /// Control that comes back from callees that did not return left their records in the chain.
  void publish_again_where_control_arrives() {
    std::vector<llvm::Instruction*> arrivals;
    for (llvm::BasicBlock& block : body_) {
      if (block.isLandingPad()) arrivals.push_back(&*block.getFirstInsertionPt());
      for (llvm::Instruction& instruction : block) {
        const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        if (call && call->canReturnTwice()) arrivals.push_back(instruction.getNextNode());
      }
    }
    for (llvm::Instruction* arrival : arrivals) llvm::IRBuilder<>(arrival).CreateStore(record_, frames(), true);
  }

  void pop_record_at_exits() {
    for (llvm::BasicBlock& block : body_) {
      llvm::Instruction* exit = block.getTerminator();
      if (llvm::CallInst* tail_call = block.getTerminatingMustTailCall())
        exit = tail_call;
      else if (!llvm::isa<llvm::ReturnInst, llvm::ResumeInst>(exit))
        continue;
      llvm::IRBuilder<>(exit).CreateStore(caller_, frames());
    }
  }

  void mark_statement(const StatementPiece& piece) {
    llvm::IRBuilder<> builder(piece.start);
    builder.CreateStore(builder.getInt32(piece.statement), member(builder, offsetof(format::FrameRecord, statement)),
                        true);
    if (!piece.begins) return;
    const auto alterable = actions_.find(piece.statement);
    const bool answers = alterable != actions_.end();
    llvm::CallInst* test = test_statement(builder, piece.statement, answers);
    if (answers) alterable->second = test;
  }

  void count_branch(llvm::Instruction& branch) {
    const uint32_t block = *number_in(branch, metadata::kBlock);
    llvm::IRBuilder<> builder(&branch);
    llvm::Value* left = add_to_thread_state(builder, offsetof(format::ThreadState, branches_left), -1);
    llvm::Value* out = builder.CreateICmpSLT(left, builder.getInt64(0));
    llvm::Value* condition = llvm::isa<llvm::SwitchInst>(branch) ? llvm::cast<llvm::SwitchInst>(branch).getCondition()
                                                                 : llvm::cast<llvm::BranchInst>(branch).getCondition();
    llvm::MDNode* rarely = llvm::MDBuilder(context_).createUnlikelyBranchWeights();
    llvm::BasicBlock* before = branch.getParent();
    llvm::Instruction* asked = llvm::SplitBlockAndInsertIfThen(out, branch.getIterator(), false, rarely);
    llvm::IRBuilder<> ask(asked);
    llvm::Value* answer = llvm::isa<llvm::SwitchInst>(branch)
                              ? ask_at_switch(ask, block, llvm::cast<llvm::SwitchInst>(branch))
                              : ask_at_branch(ask, block, condition);
    llvm::IRBuilder<> join(&branch);
    llvm::PHINode* value = join.CreatePHI(condition->getType(), 2);
    value->addIncoming(condition, before);
    value->addIncoming(answer, asked->getParent());
    if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&branch)) {
      choice->setCondition(value);
    } else {
      llvm::cast<llvm::BranchInst>(branch).setCondition(value);
    }
  }

  llvm::Value* ask_agent(llvm::IRBuilderBase& builder, uint32_t block, llvm::Value* way) {
    llvm::FunctionCallee agent =
        module_.getOrInsertFunction("culprit_branch", builder.getInt32Ty(), builder.getInt32Ty(), builder.getInt32Ty());
    llvm::cast<llvm::Function>(agent.getCallee())->setDoesNotThrow();
    return builder.CreateCall(agent, {builder.getInt32(block), way});
  }

  /// Edge 0 is taken when the condition holds.
  llvm::Value* ask_at_branch(llvm::IRBuilderBase& builder, uint32_t block, llvm::Value* condition) {
    llvm::Value* way = builder.CreateZExt(builder.CreateNot(condition), builder.getInt32Ty());
    return builder.CreateICmpEQ(ask_agent(builder, block, way), builder.getInt32(0));
  }

  /// Edge 0 is the default, edge n the n-th case. The answer becomes a value that leads there.
  llvm::Value* ask_at_switch(llvm::IRBuilderBase& builder, uint32_t block, llvm::SwitchInst& choice) {
    llvm::Value* value = choice.getCondition();
    llvm::Value* way = builder.getInt32(0);
    uint32_t position = 0;
    for (const auto& each : choice.cases()) {
      way = builder.CreateSelect(builder.CreateICmpEQ(value, each.getCaseValue()), builder.getInt32(++position), way);
    }
    llvm::Value* answer = ask_agent(builder, block, way);
    llvm::Value* altered = value_for_default(choice);
    position = 0;
    for (const auto& each : choice.cases()) {
      llvm::Value* wanted = builder.CreateICmpEQ(answer, builder.getInt32(++position));
      altered = builder.CreateSelect(wanted, each.getCaseValue(), altered);
    }
    return builder.CreateSelect(builder.CreateICmpEQ(answer, way), value, altered);
  }

  /// A value that no case has. When there is none the default cannot be chosen, and any value will do.
  static llvm::Constant* value_for_default(llvm::SwitchInst& choice) {
    auto* type = llvm::cast<llvm::IntegerType>(choice.getCondition()->getType());
    for (uint64_t candidate = 0; candidate <= choice.getNumCases(); ++candidate) {
      auto* constant = llvm::ConstantInt::get(type, candidate);
      const bool used = std::any_of(choice.case_begin(), choice.case_end(),
                                    [constant](const auto& each) { return each.getCaseValue() == constant; });
      if (!used) return constant;
    }
    return llvm::ConstantInt::get(type, 0);
  }

  llvm::Function& body_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::AllocaInst* record_ = nullptr;
  llvm::Value* caller_ = nullptr;
  std::vector<std::pair<llvm::Instruction*, uint32_t>> alterable_;  ///< with its statement
  llvm::DenseMap<uint32_t, llvm::CallInst*> actions_;               ///< by statement: the test that says what to do
};

}  // namespace

void insert_session_hooks(llvm::Module& observed_half, bool alterable) {
  for (llvm::Function& function : observed_half) {
    if (is_instrumented(function)) Hooks(function).insert(alterable);
  }
}

}  // namespace culprit
