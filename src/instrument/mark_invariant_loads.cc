// The bodies hold their variables in memory, so this looks at a copy of the module with variables in registers. An
// address is known by a number, equal for expressions that are equal in a loop; loads of one number are one load.
#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <map>

#include "instrument/analyses.h"
#include "instrument/edges.h"
#include "instrument/invariant_loads.h"
#include "instrument/metadata.h"

namespace culprit {
namespace {

constexpr size_t kMostWrites = 200;  // in a loop that is looked at
constexpr unsigned kDeepest = 12;    // operations from a loop's inputs to an address

bool is_candidate(const llvm::Function& function) {
  // Labels as values change the shape of loops when they become numbers.
  const bool jumps = llvm::any_of(function, [](const llvm::BasicBlock& block) {
    return llvm::isa<llvm::IndirectBrInst, llvm::CallBrInst>(block.getTerminator());
  });
  return !jumps && has_cycles(function) && !function.hasFnAttribute(llvm::Attribute::OptimizeNone) &&
         !function.hasFnAttribute(llvm::Attribute::Naked) && !function.isPresplitCoroutine();
}

bool may_be_waited_for(const llvm::Instruction& instruction) {
  return instruction.isVolatile() || instruction.isAtomic();
}

/// The loads of one loop's own blocks (not those of inner loops).
class LoopLoads {
 public:
  LoopLoads(const llvm::Loop& loop, const llvm::LoopInfo& loops, llvm::AAResults& aliases)
      : loop_(loop), aliases_(aliases) {
    for (llvm::BasicBlock* block : loop.blocks()) {
      for (llvm::Instruction& instruction : *block) {
        if (may_be_waited_for(instruction)) suits_ = false;
        if (instruction.mayWriteToMemory()) writes_.push_back(&instruction);
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && loops.getLoopFor(block) == &loop) {
          loads_.push_back(load);
        }
      }
    }
    suits_ = suits_ && writes_.size() <= kMostWrites;
  }

  /// Invariant loads, with the number of what they load.
  std::vector<std::pair<const llvm::LoadInst*, unsigned>> invariant() {
    std::vector<std::pair<const llvm::LoadInst*, unsigned>> found;
    if (!suits_) return found;
    for (llvm::LoadInst* load : loads_) {
      if (const unsigned number = number_of(*load, 0)) found.emplace_back(load, number);
    }
    return found;
  }

 private:
  using Key = std::vector<uintptr_t>;

  bool is_unwritten(const llvm::LoadInst& load) {
    const llvm::MemoryLocation location = llvm::MemoryLocation::get(&load);
    return llvm::none_of(writes_, [&](const llvm::Instruction* write) {
      return llvm::isModSet(aliases_.getModRefInfo(write, location));
    });
  }

  static bool is_computation(const llvm::Instruction& instruction) {
    return llvm::isa<llvm::GetElementPtrInst, llvm::CastInst, llvm::BinaryOperator>(instruction);
  }

  /// Equal for values that are equal throughout the loop; 0 for what may vary.
  unsigned number_of(const llvm::Value& value, unsigned depth) {
    if (auto known = numbers_.find(&value); known != numbers_.end()) return known->second;
    const unsigned number = find_number(value, depth);
    numbers_[&value] = number;
    return number;
  }

  unsigned find_number(const llvm::Value& value, unsigned depth) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!instruction || !loop_.contains(instruction)) return number_of_key({reinterpret_cast<uintptr_t>(&value)});
    if (depth > kDeepest) return 0;
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction);
    if (!load && !is_computation(*instruction)) return 0;
    Key key{instruction->getOpcode(), reinterpret_cast<uintptr_t>(instruction->getType())};
    if (auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) {
      key.push_back(reinterpret_cast<uintptr_t>(element->getSourceElementType()));
    }
    for (const llvm::Use& operand : instruction->operands()) {
      const unsigned number = number_of(*operand, depth + 1);
      if (number == 0) return 0;
      key.push_back(number);
    }
    if (load && (!load->isSimple() || !load->getType()->isSingleValueType() || !is_unwritten(*load))) return 0;
    return number_of_key(key);
  }

  unsigned number_of_key(const Key& key) { return keys_.try_emplace(key, keys_.size() + 1).first->second; }

  const llvm::Loop& loop_;
  llvm::AAResults& aliases_;
  bool suits_ = true;
  std::vector<llvm::LoadInst*> loads_;
  std::vector<const llvm::Instruction*> writes_;
  llvm::DenseMap<const llvm::Value*, unsigned> numbers_;
  std::map<Key, unsigned> keys_;
};

}  // namespace

size_t mark_invariant_loads(llvm::Module& module) {
  if (llvm::none_of(module, is_candidate)) return 0;
  llvm::ValueToValueMapTy copy_of;
  const std::unique_ptr<llvm::Module> scratch = llvm::CloneModule(module, copy_of, [](const llvm::GlobalValue* value) {
    const auto* function = llvm::dyn_cast<llvm::Function>(value);
    return !function || is_candidate(*function);
  });
  llvm::StripDebugInfo(*scratch);
  // Copies of loads are known by a mark, since moving variables into registers removes some and makes others.
  llvm::IRBuilder<> numbers(module.getContext());
  auto mark = [&](llvm::LoadInst& load, uint64_t number) {
    auto* constant = llvm::ConstantAsMetadata::get(numbers.getInt64(number));
    load.setMetadata(metadata::kInvariant, llvm::MDNode::get(module.getContext(), {constant}));
  };
  std::vector<llvm::LoadInst*> originals;
  for (llvm::Function& function : module) {
    if (!is_candidate(function)) continue;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (!load || llvm::isa<llvm::AllocaInst>(load->getPointerOperand())) continue;
      mark(*llvm::cast<llvm::LoadInst>(copy_of.lookup(load)), originals.size());
      originals.push_back(load);
    }
  }

  llvm::PassBuilder builder;
  Analyses all;
  all.connect(builder);
  llvm::FunctionAnalysisManager& analyses = all.functions;
  llvm::FunctionPassManager to_registers;
  to_registers.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));

  size_t marked = 0;
  for (llvm::Function& function : *scratch) {
    if (!is_candidate(function) || analyses.getResult<llvm::LoopAnalysis>(function).empty()) continue;
    to_registers.run(function, analyses);
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
    const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    auto& aliases = analyses.getResult<llvm::AAManager>(function);
    for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
      for (const auto& [load, number] : LoopLoads(*loop, loops, aliases).invariant()) {
        const llvm::MDNode* copied = load->getMetadata(metadata::kInvariant);
        if (!copied) continue;
        mark(*originals[llvm::mdconst::extract<llvm::ConstantInt>(copied->getOperand(0))->getZExtValue()], number);
        ++marked;
      }
    }
    analyses.clear(function, function.getName());
  }
  return marked;
}

}  // namespace culprit
