#include "instrument/widen_indices.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>

namespace culprit {
namespace {

/// An expression with more operators than that is extended as a whole.
constexpr unsigned kDeepest = 8;
/// Extensions that an expression may need inside of its loop: one that had one before may have one after.
constexpr unsigned kMostExtensions = 1;

bool is_int(const llvm::Value& value) {
  return value.getType()->isIntegerTy(32);
}

/// Arithmetic whose 64-bit result is the extension of its 32-bit result, by the promise that the latter does not wrap.
const llvm::BinaryOperator* exact_arithmetic(const llvm::Value& value) {
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&value);
  if (!operation || !is_int(*operation)) return nullptr;
  switch (operation->getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
      return operation->hasNoSignedWrap() ? operation : nullptr;
    default:
      return nullptr;
  }
}

const llvm::AllocaInst* variable_read_by(const llvm::Value& value) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value);
  return load ? llvm::dyn_cast<llvm::AllocaInst>(load->getPointerOperand()) : nullptr;
}

/// An int variable that is read and written as such and nothing else.
bool is_plain_variable(const llvm::AllocaInst& variable) {
  if (!variable.isStaticAlloca() || variable.isArrayAllocation() || !variable.getAllocatedType()->isIntegerTy(32)) {
    return false;
  }
  return llvm::all_of(variable.users(), [&](const llvm::User* user) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) return load->isSimple() && is_int(*load);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      return store->isSimple() && store->getPointerOperand() == &variable && is_int(*store->getValueOperand());
    }
    auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    return intrinsic && intrinsic->isLifetimeStartOrEnd();
  });
}

bool reads_variable(const llvm::Value& value, const llvm::AllocaInst& variable, unsigned depth = 0) {
  if (variable_read_by(value) == &variable) return true;
  const llvm::BinaryOperator* operation = exact_arithmetic(value);
  return operation && depth < kDeepest && llvm::any_of(operation->operands(), [&](const llvm::Use& operand) {
           return reads_variable(*operand, variable, depth + 1);
         });
}

/// Counts up or down in a loop.
bool counts_in_loop(const llvm::AllocaInst& variable, const llvm::LoopInfo& loops) {
  return llvm::any_of(variable.users(), [&](const llvm::User* user) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (!store || !loops.getLoopFor(store->getParent())) return false;
    const llvm::BinaryOperator* step = exact_arithmetic(*store->getValueOperand());
    return step && step->getOpcode() != llvm::Instruction::Mul && reads_variable(*step, variable);
  });
}

/// Is an index, or is compared in a way that leaves the loop's end open if the variable could wrap.
bool gains_by_width(const llvm::Value& value, unsigned depth = 0) {
  return llvm::any_of(value.users(), [&](const llvm::User* user) {
    if (llvm::isa<llvm::SExtInst>(user)) return user->getType()->isIntegerTy(64);
    if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(user)) return compare->isSigned();
    return exact_arithmetic(*user) && depth < kDeepest && gains_by_width(*user, depth + 1);
  });
}

class FunctionIndices {
 public:
  FunctionIndices(llvm::Function& function, WidenedIndices& widened)
      : function_(function), widened_(widened), dominators_(function), loops_(dominators_) {}

  void widen() {
    if (loops_.empty()) return;
    collect_consumers();
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(function_.getEntryBlock())) {
      auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (!variable || !is_plain_variable(*variable) || !counts_in_loop(*variable, loops_)) continue;
      const bool gains = llvm::any_of(variable->users(), [](const llvm::User* user) {
        return llvm::isa<llvm::LoadInst>(user) && gains_by_width(*user);
      });
      if (gains) chosen_.push_back(variable);
    }
    for (llvm::AllocaInst* variable : chosen_) widen_variable(*variable);
    for (llvm::StoreInst* store : stores_) widen_store(*store);
    for (llvm::SExtInst* extension : extensions_) widen_extension(*extension);
    for (llvm::ICmpInst* comparison : comparisons_) widen_comparison(*comparison);
    for (const llvm::WeakTrackingVH& replaced : replaced_) {
      if (replaced) llvm::RecursivelyDeleteTriviallyDeadInstructions(llvm::cast<llvm::Instruction>(replaced));
    }
  }

 private:
  void collect_consumers() {
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      if (auto* extension = llvm::dyn_cast<llvm::SExtInst>(&instruction)) {
        if (extension->getType()->isIntegerTy(64) && is_int(*extension->getOperand(0)))
          extensions_.push_back(extension);
      } else if (auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
        if (is_int(*comparison->getOperand(0)) && !comparison->isUnsigned()) comparisons_.push_back(comparison);
      }
    }
  }

  void widen_variable(llvm::AllocaInst& variable) {
    llvm::IRBuilder<> builder(&variable);
    llvm::AllocaInst* wide = builder.CreateAlloca(builder.getInt64Ty());
    wide->takeName(&variable);
    wide->copyMetadata(variable);
    wide->setAlignment(std::max(variable.getAlign(), llvm::Align(8)));
    for (llvm::User* user : llvm::make_early_inc_range(variable.users())) {
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) stores_.push_back(store);
      auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
      if (!load) continue;
      builder.SetInsertPoint(load);
      llvm::LoadInst* wide_load = builder.CreateLoad(builder.getInt64Ty(), wide);
      llvm::Value* seen = builder.CreateTrunc(wide_load, builder.getInt32Ty());
      wide_of_[seen] = wide_load;
      replaced_.emplace_back(llvm::cast<llvm::Instruction>(seen));
      load->replaceAllUsesWith(seen);
      load->eraseFromParent();
    }
    variable.replaceAllUsesWith(wide);
    variable.eraseFromParent();
    ++widened_.variables;
  }

  void widen_store(llvm::StoreInst& store) {
    llvm::Value* value = store.getValueOperand();
    llvm::IRBuilder<> builder(&store);
    llvm::Value* wide = is_cheap(*value) ? extend(*value, builder) : builder.CreateSExt(value, builder.getInt64Ty());
    llvm::StoreInst* wide_store = builder.CreateStore(wide, store.getPointerOperand());
    wide_store->setDebugLoc(store.getDebugLoc());
    note_replaced(*value);
    store.eraseFromParent();
  }

  void widen_extension(llvm::SExtInst& extension) {
    llvm::Value* value = extension.getOperand(0);
    if (!wide_of_.contains(value) && (!exact_arithmetic(*value) || !is_cheap(*value))) return;
    llvm::IRBuilder<> builder(&extension);
    extension.replaceAllUsesWith(extend(*value, builder));
    note_replaced(*value);
    extension.eraseFromParent();
    ++widened_.extensions;
  }

  void widen_comparison(llvm::ICmpInst& comparison) {
    llvm::Value* left = comparison.getOperand(0);
    llvm::Value* right = comparison.getOperand(1);
    if (!reads_widened(*left) && !reads_widened(*right)) return;
    unsigned extensions = 0;
    if (!count_extensions(*left, extensions) || !count_extensions(*right, extensions)) return;
    if (extensions > kMostExtensions) return;
    llvm::IRBuilder<> builder(&comparison);
    llvm::Value* wide = builder.CreateICmp(comparison.getPredicate(), extend(*left, builder), extend(*right, builder));
    comparison.replaceAllUsesWith(wide);
    note_replaced(*left);
    note_replaced(*right);
    comparison.eraseFromParent();
    ++widened_.comparisons;
  }

  void note_replaced(llvm::Value& value) {
    if (llvm::isa<llvm::Instruction>(value)) replaced_.emplace_back(&value);
  }

  bool reads_widened(const llvm::Value& value, unsigned depth = 0) const {
    if (wide_of_.contains(&value)) return true;
    const llvm::BinaryOperator* operation = exact_arithmetic(value);
    return operation && depth < kDeepest && llvm::any_of(operation->operands(), [&](const llvm::Use& operand) {
             return reads_widened(*operand, depth + 1);
           });
  }

  /// Outside of loops, or a variable that its loop does not change.
  bool is_invariant(const llvm::Value& value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    const llvm::Loop* loop = instruction ? loops_.getLoopFor(instruction->getParent()) : nullptr;
    if (!loop) return true;
    const llvm::AllocaInst* variable = variable_read_by(value);
    return variable && is_plain_variable(*variable) && llvm::none_of(variable->users(), [&](const llvm::User* user) {
             auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
             return store && loop->contains(store->getParent());
           });
  }

  /// Adds the extensions that extending `value` takes in its loop; false when it is too deep.
  bool count_extensions(const llvm::Value& value, unsigned& extensions, unsigned depth = 0) const {
    if (wide_of_.contains(&value) || llvm::isa<llvm::ConstantInt>(value)) return true;
    if (const llvm::BinaryOperator* operation = exact_arithmetic(value)) {
      return depth < kDeepest && count_extensions(*operation->getOperand(0), extensions, depth + 1) &&
             count_extensions(*operation->getOperand(1), extensions, depth + 1);
    }
    extensions += !is_invariant(value);
    return true;
  }

  bool is_cheap(const llvm::Value& value) const {
    unsigned extensions = 0;
    return count_extensions(value, extensions) && extensions <= kMostExtensions;
  }

  /// `value` as 64 bits; new code goes where `builder` stands.
  llvm::Value* extend(llvm::Value& value, llvm::IRBuilder<>& builder) {
    if (llvm::Value* wide = wide_of_.lookup(&value)) return wide;
    if (const llvm::BinaryOperator* operation = exact_arithmetic(value)) {
      llvm::Value* left = extend(*operation->getOperand(0), builder);
      llvm::Value* right = extend(*operation->getOperand(1), builder);
      llvm::Value* wide = builder.CreateBinOp(operation->getOpcode(), left, right);
      if (auto* made = llvm::dyn_cast<llvm::Instruction>(wide)) made->setDebugLoc(operation->getDebugLoc());
      return wide;
    }
    return builder.CreateSExt(&value, builder.getInt64Ty());
  }

  llvm::Function& function_;
  WidenedIndices& widened_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  std::vector<llvm::AllocaInst*> chosen_;
  std::vector<llvm::StoreInst*> stores_;
  std::vector<llvm::SExtInst*> extensions_;
  std::vector<llvm::ICmpInst*> comparisons_;
  /// 64-bit value of what the program sees as 32.
  llvm::DenseMap<const llvm::Value*, llvm::Value*> wide_of_;
  llvm::SmallVector<llvm::WeakTrackingVH, 32> replaced_;
};

}  // namespace

WidenedIndices widen_indices(llvm::Module& module) {
  WidenedIndices widened;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) FunctionIndices(function, widened).widen();
  }
  return widened;
}

}  // namespace culprit
