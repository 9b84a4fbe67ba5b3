// A statement is what one instruction with an effect (a call, a write, a jump) does, with the loads and arithmetic in
// the same block that only lead up to it. Clang gives each operator a column of its own, so grouping by position alone
// would tear `a = b + c` into four; by effect it is one, at the position of the `=`. Neighbouring writes at one
// position (an aggregate, a macro) are one statement; calls, branches and returns are always statements of their own,
// since they are what a user switches, suppresses or looks into. Values used in other blocks only (`a && b`) are
// expressions.
#include "instrument/block_statements.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <unordered_map>

#include "format/runtime_abi.h"
#include "instrument/metadata.h"

namespace culprit {
namespace {

using format::StatementKind;

/// Whether an address is one of the instrumentation's own: in the thread's state, or a variable marked internal.
bool is_internal_address(const llvm::Value* address) {
  while (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(address)) address = step->getPointerOperand();
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(address)) {
    if (intrinsic->getIntrinsicID() != llvm::Intrinsic::threadlocal_address) return false;
    address = intrinsic->getArgOperand(0);
  }
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(address))
    return variable->hasMetadata(metadata::kInternal);
  return llvm::isa<llvm::GlobalVariable>(address) && address->getName() == format::kThreadStateSymbol;
}

bool is_effect(const llvm::Instruction& instruction) {
  if (instruction.isTerminator() || llvm::isa<llvm::StoreInst>(instruction)) return true;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) return intrinsic->mayWriteToMemory();
  if (llvm::isa<llvm::CallBase>(instruction)) return true;
  return instruction.mayWriteToMemory() && !llvm::isa<llvm::LoadInst>(instruction);
}

StatementKind kind_of(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) {
    return StatementKind::kCall;
  }
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction)) {
    return branch->isConditional() ? StatementKind::kBranch : StatementKind::kJump;
  }
  if (llvm::isa<llvm::SwitchInst, llvm::IndirectBrInst>(instruction)) return StatementKind::kSwitch;
  if (llvm::isa<llvm::ReturnInst>(instruction)) return StatementKind::kReturn;
  if (llvm::isa<llvm::UnreachableInst>(instruction)) return StatementKind::kUnreachable;
  if (instruction.isTerminator()) return StatementKind::kUnwind;
  return is_effect(instruction) ? StatementKind::kAssignment : StatementKind::kExpression;
}

uint8_t flags_of(const llvm::Instruction& instruction) {
  using namespace format;
  if (llvm::isa<llvm::LoadInst>(instruction)) return kStatementLoads;
  if (llvm::isa<llvm::StoreInst>(instruction)) return kStatementStores;
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) return kStatementLoads | kStatementStores;
  if (llvm::isa<llvm::MemSetInst>(instruction)) return kStatementStores;
  if (llvm::isa<llvm::MemTransferInst>(instruction)) return kStatementLoads | kStatementStores;
  return 0;
}

bool same_position(const llvm::DILocation* one, const llvm::DILocation* other) {
  if (one == other) return true;
  if (!one || !other) return false;
  // The scope carries the discriminator and the file.
  return one->getLine() == other->getLine() && one->getColumn() == other->getColumn() &&
         one->getScope() == other->getScope() && one->getInlinedAt() == other->getInlinedAt();
}

bool is_elsewhere(const llvm::Instruction& one, const llvm::Instruction& other) {
  return one.getDebugLoc() && other.getDebugLoc() && one.getDebugLoc().getLine() != other.getDebugLoc().getLine();
}

class Grouping {
 public:
  explicit Grouping(llvm::BasicBlock& block) {
    for (llvm::Instruction& instruction : block) {
      if (is_silent(instruction)) continue;
      order_.emplace(&instruction, static_cast<unsigned>(instructions_.size()));
      instructions_.push_back(&instruction);
    }
    owner_.assign(instructions_.size(), kFree);
  }

  std::vector<BlockStatement> group() {
    // Effects claim what leads up to them; the rest is claimed by the last in each tree of it.
    for (unsigned at = 0; at < instructions_.size(); ++at) {
      if (is_effect(*instructions_[at])) claim(at);
    }
    for (unsigned at = static_cast<unsigned>(instructions_.size()); at-- > 0;) {
      if (owner_[at] == kFree) claim(at);
    }
    std::vector<std::vector<llvm::Instruction*>> members(instructions_.size());
    for (unsigned at = 0; at < instructions_.size(); ++at) members[owner_[at]].push_back(instructions_[at]);
    std::vector<BlockStatement> statements;
    for (unsigned at = 0; at < instructions_.size(); ++at) {
      if (owner_[at] == at) add(statements, *instructions_[at], std::move(members[at]));
    }
    return statements;
  }

 private:
  static constexpr unsigned kFree = ~0u;

  void claim(unsigned root) {
    owner_[root] = root;
    std::vector<unsigned> open{root};
    while (!open.empty()) {
      const llvm::Instruction* user = instructions_[open.back()];
      open.pop_back();
      for (const llvm::Value* operand : user->operands()) {
        const auto* instruction = llvm::dyn_cast<llvm::Instruction>(operand);
        const auto at = instruction ? order_.find(instruction) : order_.end();
        if (at == order_.end() || at->second >= root || owner_[at->second] != kFree || is_effect(*instruction))
          continue;
        // When variables have to be cleaned up, the return itself stands at the closing brace.
        if (llvm::isa<llvm::ReturnInst>(instructions_[root]) && is_elsewhere(*instruction, *instructions_[root]))
          continue;
        owner_[at->second] = root;
        open.push_back(at->second);
      }
    }
  }

  static void add(std::vector<BlockStatement>& statements, llvm::Instruction& root,
                  std::vector<llvm::Instruction*> members) {
    BlockStatement next{.kind = kind_of(root), .position = root.getDebugLoc().get(), .root = &root, .instructions = {}};
    // A write or value without a position takes that of its parts, if they have one.
    for (const llvm::Instruction* member : members) {
      if (!next.position) next.position = member->getDebugLoc().get();
      next.flags |= flags_of(*member);
    }
    next.instructions = std::move(members);
    if (!statements.empty() && joins(statements.back(), next)) {
      BlockStatement& last = statements.back();
      if (next.kind == StatementKind::kAssignment && same_position(last.position, next.position)) {
        last.kind = next.kind;
        last.root = next.root;
      }
      last.flags |= next.flags;
      last.instructions.insert(last.instructions.end(), next.instructions.begin(), next.instructions.end());
      return;
    }
    statements.push_back(std::move(next));
  }

  static bool joins(const BlockStatement& last, const BlockStatement& next) {
    if (next.kind == StatementKind::kJump) {
      // The end of a block as the compiler made it, as against a `break` on a line of its own.
      return !next.position || (last.position && last.position->getLine() == next.position->getLine());
    }
    const auto may_join = [](StatementKind kind) {
      return kind == StatementKind::kAssignment || kind == StatementKind::kExpression;
    };
    // Where the compiler gives no place, what it does (the cleanup of variables) belongs to what came before.
    const bool placed = next.position && next.position->getLine() != 0;
    return may_join(last.kind) && may_join(next.kind) && (!placed || same_position(last.position, next.position));
  }

  std::vector<llvm::Instruction*> instructions_;
  std::unordered_map<const llvm::Instruction*, unsigned> order_;
  std::vector<unsigned> owner_;  ///< per instruction the number of its statement's root
};

}  // namespace

bool is_silent(const llvm::Instruction& instruction) {
  if (instruction.isDebugOrPseudoInst() || llvm::isa<llvm::AllocaInst>(instruction)) return true;
  if (instruction.hasMetadata(metadata::kFrameBase) || instruction.hasMetadata(metadata::kInternal)) return true;
  if (const llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction)) return is_internal_address(address);
  if (llvm::isa<llvm::GetElementPtrInst>(instruction)) return is_internal_address(&instruction);
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!intrinsic) return false;
  if (intrinsic->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) return is_internal_address(intrinsic);
  return intrinsic->isAssumeLikeIntrinsic() || intrinsic->getIntrinsicID() == llvm::Intrinsic::stacksave ||
         intrinsic->getIntrinsicID() == llvm::Intrinsic::stackrestore;
}

std::vector<BlockStatement> block_statements(llvm::BasicBlock& block) {
  return Grouping(block).group();
}

}  // namespace culprit
