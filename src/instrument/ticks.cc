#include "instrument/ticks.h"

#include <fmt/format.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <map>

#include "format/runtime_abi.h"
#include "instrument/counted_loops.h"
#include "instrument/edges.h"
#include "instrument/metadata.h"
#include "instrument/native_functions.h"
#include "instrument/recursion.h"
#include "instrument/thread_state.h"

namespace culprit {
namespace {

using Block = llvm::BasicBlock;

struct Edge {
  Block* from;
  Block* to;
  bool operator==(const Edge&) const = default;
};

constexpr size_t kBudgetOffset = offsetof(format::ThreadState, budget);

/// What is known of the program before the first tick is placed.
struct Placement {
  llvm::DenseSet<const Block*> counted;
  CallGraphOrder calls;
  /// Functions that neither tick nor call anything that could, so that a call to them leaves the budget as it is.
  llvm::DenseSet<const llvm::Function*> quiet;
  bool fine;
};

bool may_be_shared(const llvm::Value* address) {
  const llvm::Value* object = llvm::getUnderlyingObject(address);
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
    return !global->isConstant() && !global->isThreadLocal();
  }
  return !llvm::isa<llvm::AllocaInst>(object);
}

/// Whether other threads may see what the instruction does, or it sees what they do.
bool touches_shared_memory(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return may_be_shared(load->getPointerOperand());
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return may_be_shared(store->getPointerOperand());
  }
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::MemIntrinsic>(instruction)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || llvm::isa<llvm::IntrinsicInst>(call) || call->isInlineAsm()) return false;
  const llvm::Function* callee = direct_callee(*call);
  return callee == nullptr || !is_instrumented(*callee);
}

void add_once(std::vector<Edge>& edges, const Edge& edge) {
  if (llvm::find(edges, edge) == edges.end()) edges.push_back(edge);
}

/// The retreating edges of a depth-first walk, without which nothing in the function could repeat, but for those of
/// counted loops.
std::vector<Edge> ticking_edges(llvm::Function& function, const llvm::DenseSet<const Block*>& counted) {
  llvm::SmallVector<std::pair<const Block*, const Block*>, 8> retreating;
  llvm::FindFunctionBackedges(function, retreating);
  std::vector<Edge> edges;
  if (retreating.empty()) return edges;
  const llvm::DominatorTree dominators(function);
  for (const auto& [from, to] : retreating) {
    if (counted.contains(to) && dominators.dominates(to, from)) continue;
    add_once(edges, {const_cast<Block*>(from), const_cast<Block*>(to)});
  }
  return edges;
}

bool may_observe(const llvm::Instruction& instruction, const llvm::DenseSet<const llvm::Function*>& quiet) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || llvm::isa<llvm::IntrinsicInst>(call)) return false;
  if (!llvm::isa<llvm::CallInst>(call)) return true;
  return !quiet.contains(direct_callee(*call));
}

Placement plan_placement(llvm::Module& module, bool fine) {
  Placement placement{
      .counted = find_counted_loops(module), .calls = order_call_graph(module), .quiet = {}, .fine = fine};
  if (fine) return placement;
  for (llvm::Function* function : placement.calls.callees_first) {
    if (placement.calls.recursion_heads.contains(function)) continue;
    if (!ticking_edges(*function, placement.counted).empty()) continue;
    const bool observes = llvm::any_of(*function, [&](const Block& block) {
      return llvm::any_of(block, [&](const auto& instruction) { return may_observe(instruction, placement.quiet); });
    });
    if (!observes) placement.quiet.insert(function);
  }
  return placement;
}

/// The outermost loops that can keep the budget in a register: nothing in them could look at it, and control enters and
/// leaves them by ordinary branches.
void collect_register_loops(const llvm::Loop& loop, const std::vector<Edge>& ticking,
                            const llvm::DenseSet<const llvm::Function*>& quiet,
                            std::vector<const llvm::Loop*>& register_loops) {
  const bool ticks =
      llvm::any_of(ticking, [&](const Edge& edge) { return loop.contains(edge.from) && loop.contains(edge.to); });
  if (!ticks) return;
  const bool suits = llvm::all_of(loop.blocks(), [&](const Block* block) {
    if (block->isEHPad() || !llvm::isa<llvm::BranchInst, llvm::SwitchInst>(block->getTerminator())) return false;
    return llvm::none_of(*block, [&](const auto& instruction) { return may_observe(instruction, quiet); });
  });
  const bool entered_by_branches = llvm::all_of(llvm::predecessors(loop.getHeader()), [](const Block* block) {
    return llvm::isa<llvm::BranchInst, llvm::SwitchInst>(block->getTerminator());
  });
  if (suits && entered_by_branches) {
    register_loops.push_back(&loop);
    return;
  }
  for (const llvm::Loop* inner : loop.getSubLoops()) collect_register_loops(*inner, ticking, quiet, register_loops);
}

/// Places the ticks of one function.
class FunctionTicks {
 public:
  FunctionTicks(llvm::Function& function, const Placement& placement) : function_(function), placement_(placement) {}

  size_t place() {
    const std::vector<Edge> ticking = ticking_edges(function_, placement_.counted);
    std::vector<llvm::Instruction*> accesses;
    if (placement_.fine) accesses = shared_accesses();
    if (!ticking.empty()) {
      llvm::DominatorTree dominators(function_);
      const llvm::LoopInfo loops(dominators);
      place_in_loops(ticking, loops);
    }
    if (placement_.calls.recursion_heads.contains(&function_)) place_at_entry();
    if (placement_.fine) place_at_accesses(accesses);
    return ticks_;
  }

 private:
  std::vector<llvm::Instruction*> shared_accesses() {
    std::vector<llvm::Instruction*> accesses;
    // Variables of the frame must stay in the entry block.
    const llvm::Instruction* last_variable = nullptr;
    for (const llvm::Instruction& instruction : function_.getEntryBlock()) {
      if (llvm::isa<llvm::AllocaInst>(instruction)) last_variable = &instruction;
    }
    for (Block& block : function_) {
      for (llvm::Instruction& instruction : block) {
        const bool splits_frame = last_variable && block.isEntryBlock() && instruction.comesBefore(last_variable);
        if (!splits_frame && touches_shared_memory(instruction)) accesses.push_back(&instruction);
      }
    }
    return accesses;
  }

  void place_at_accesses(const std::vector<llvm::Instruction*>& accesses) {
    for (llvm::Instruction* access : accesses) tick_before(*access, false);
  }

  void place_in_loops(const std::vector<Edge>& ticking, const llvm::LoopInfo& loops) {
    std::vector<const llvm::Loop*> register_loops;
    if (!placement_.fine) {
      for (const llvm::Loop* loop : loops) collect_register_loops(*loop, ticking, placement_.quiet, register_loops);
    }
    // The edges are those of the function before ticks: collect all before the first is split.
    std::vector<Edge> entries;
    std::vector<Edge> exits;
    llvm::DenseMap<const Block*, const llvm::Loop*> in_register;
    for (const llvm::Loop* loop : register_loops) {
      for (Block* block : loop->blocks()) {
        in_register[block] = loop;
        for (Block* successor : llvm::successors(block)) {
          if (!loop->contains(successor)) add_once(exits, {block, successor});
        }
      }
      for (Block* predecessor : llvm::predecessors(loop->getHeader())) {
        if (!loop->contains(predecessor)) add_once(entries, {predecessor, loop->getHeader()});
      }
    }
    for (const Edge& edge : ticking) {
      const llvm::Loop* loop = in_register.lookup(edge.from);
      tick_on(edge, loop && loop == in_register.lookup(edge.to));
    }
    for (const Edge& edge : entries) load_budget(*split(edge).last->getTerminator());
    for (const Edge& edge : exits) store_budget(*split_before(edge)->getTerminator());
  }

  /// A block of its own on the edge, or the top of the edge's end where the edge cannot be split.
  void tick_on(const Edge& edge, bool in_register) {
    if (can_split_edge(*edge.from, *edge.to)) {
      EdgeCode& code = split(edge);
      llvm::Instruction* end = code.last->getTerminator();
      tick_before(*end, in_register);
      code.last = end->getParent();
    } else if (ticking_tops_.insert(edge.to).second) {
      tick_before(*edge.to->getFirstInsertionPt(), false);
    }
  }

  void tick_before(llvm::Instruction& place, bool in_register) {
    ++ticks_;
    llvm::IRBuilder<> builder(&place);
    llvm::Value* left;
    if (in_register) {
      left = builder.CreateSub(builder.CreateLoad(builder.getInt64Ty(), budget()), builder.getInt64(1));
      builder.CreateStore(left, budget());
    } else {
      left = add_to_thread_state(builder, kBudgetOffset, -1);
    }
    llvm::Value* spent = builder.CreateICmpSLT(left, builder.getInt64(0));
    llvm::MDNode* rarely = llvm::MDBuilder(builder.getContext()).createUnlikelyBranchWeights();
    llvm::Instruction* slow = llvm::SplitBlockAndInsertIfThen(spent, &place, /*Unreachable=*/false, rarely);
    if (in_register) store_budget(*slow);
    call_slow_path(*slow);
    if (in_register) load_budget(*slow);
  }

  void call_slow_path(llvm::Instruction& place) {
    llvm::IRBuilder<> builder(&place);
    auto* type = llvm::FunctionType::get(builder.getVoidTy(), false);
    llvm::InlineAsm* slow = llvm::InlineAsm::get(
        type, tick_slow_assembly("1f") + "1:", "~{r11},~{memory},~{dirflag},~{fpsr},~{flags}", /*hasSideEffects=*/true);
    llvm::CallInst* call = builder.CreateCall(slow);
    call->addFnAttr(llvm::Attribute::Cold);
    call->setDoesNotThrow();
    call->setMetadata(metadata::kSlowTick, llvm::MDNode::get(builder.getContext(), {}));
  }

  void place_at_entry() {
    // Allocas that follow would no longer be the frame's own.
    llvm::Instruction* place = &*function_.getEntryBlock().getFirstInsertionPt();
    for (llvm::Instruction& instruction : function_.getEntryBlock()) {
      if (llvm::isa<llvm::AllocaInst>(instruction)) place = instruction.getNextNode();
    }
    tick_before(*place, false);
  }

  void load_budget(llvm::Instruction& place) {
    llvm::IRBuilder<> builder(&place);
    llvm::Constant* memory = thread_state_address(*function_.getParent(), kBudgetOffset);
    builder.CreateStore(builder.CreateLoad(builder.getInt64Ty(), memory), budget());
  }

  void store_budget(llvm::Instruction& place) {
    llvm::IRBuilder<> builder(&place);
    llvm::Constant* memory = thread_state_address(*function_.getParent(), kBudgetOffset);
    builder.CreateStore(builder.CreateLoad(builder.getInt64Ty(), budget()), memory);
  }

  /// The variable that becomes the register.
  llvm::AllocaInst* budget() {
    if (!budget_) {
      llvm::IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
      budget_ = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "culprit.budget");
      budget_->setMetadata(metadata::kInternal, llvm::MDNode::get(builder.getContext(), {}));
    }
    return budget_;
  }

  /// The blocks that an edge became.
  struct EdgeCode {
    Block* first = nullptr;
    Block* last = nullptr;
  };

  EdgeCode& split(const Edge& edge) {
    EdgeCode& code = splits_[{edge.from, edge.to}];
    if (!code.first) code.first = code.last = split_edge(*edge.from, *edge.to);
    return code;
  }

  /// A block before all others on the edge: what leaves one nest stores before the next one loads, or a tick looks.
  Block* split_before(const Edge& edge) {
    EdgeCode& code = splits_[{edge.from, edge.to}];
    Block* next = code.first ? code.first : edge.to;
    code.first = split_edge(*edge.from, *next);
    if (!code.last) code.last = code.first;
    return code.first;
  }

  llvm::Function& function_;
  const Placement& placement_;
  llvm::AllocaInst* budget_ = nullptr;
  std::map<std::pair<Block*, Block*>, EdgeCode> splits_;
  llvm::DenseSet<const Block*> ticking_tops_;
  size_t ticks_ = 0;
};

}  // namespace

std::string tick_slow_assembly(const std::string& resume) {
  return fmt::format("leaq {0}(%rip), %r11\n\tmovq %r11, %fs:{1}@tpoff+{2}\n\tjmp {3}\n", resume,
                     format::kThreadStateSymbol, offsetof(format::ThreadState, resume), format::kTickSlowSymbol);
}

TickPlaces place_ticks(llvm::Module& module, bool fine) {
  const Placement placement = plan_placement(module, fine);
  TickPlaces places{.counted_loops = placement.counted.size()};
  for (llvm::Function& function : module) {
    if (is_instrumented(function)) places.ticks += FunctionTicks(function, placement).place();
  }
  return places;
}

}  // namespace culprit
