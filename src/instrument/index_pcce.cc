// Precise calling context encoding (EPID §II-A; Sumner et al., "Precise Calling Context Encoding"): a number names the
// path through the graph of direct calls from where it was entered from outside. A function's numbers are divided among
// its callers: the callee's number is the caller's plus a constant of the call. Calls that close a cycle, indirect
// calls and library functions that may call back start a new number and leave the old one, with the call, on the point
// stack.
//
// The paper adds before a call and subtracts behind it. Here an activation keeps its own number in a register and
// writes the callee's before each call, so returns and exceptions need nothing. Only calls that left words on the stack
// put its top back.
#include <algorithm>

#include "instrument/index_kinds.h"
#include "instrument/recursion.h"

namespace culprit {
namespace {

/// More contexts than that are not numbered: the call starts a new number.
constexpr uint64_t kMostContexts = uint64_t{1} << 62;

/// The constants of the calls that continue a number.
class Numbering {
 public:
  Numbering(llvm::Module& module, const std::vector<PointFunction>& functions) {
    for (const PointFunction& function : functions) known_[function.function] = &function;
    const CallGraphOrder order = order_call_graph(module);
    llvm::DenseMap<const llvm::Function*, size_t> finished;
    for (llvm::Function* function : order.callees_first) finished[function] = finished.size();
    // Everybody may be where a number starts: number 0.
    for (const PointFunction& function : functions) contexts_[function.function] = 1;
    for (llvm::Function* caller : llvm::reverse(order.callees_first)) {
      const auto found = known_.find(caller);
      if (found == known_.end()) continue;
      for (const PointCallSite& call : found->second->calls) {
        if (call.role != CallRole::kDirect || finished[call.callee] >= finished[caller]) continue;
        uint64_t& contexts = contexts_[call.callee];
        if (contexts_[caller] > kMostContexts - contexts) continue;
        offsets_[call.call] = contexts;
        contexts += contexts_[caller];
      }
    }
  }

  /// Null when the call starts a new number.
  const uint64_t* offset(const PointCallSite& call) const {
    const auto found = offsets_.find(call.call);
    return found == offsets_.end() ? nullptr : &found->second;
  }
  uint32_t entry_block(const llvm::Function* function) const { return known_.lookup(function)->entry_block; }

 private:
  llvm::DenseMap<const llvm::Function*, const PointFunction*> known_;
  llvm::DenseMap<const llvm::Function*, uint64_t> contexts_;
  llvm::DenseMap<const llvm::CallBase*, uint64_t> offsets_;
};

class ContextNumbers {
 public:
  ContextNumbers(llvm::Module& module, const PointFunction& function, const Numbering& numbering, PointTables& tables)
      : module_(module), function_(function), numbering_(numbering), tables_(tables) {}

  void insert() {
    llvm::BasicBlock& entry = function_.function->getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.begin());
    number_ = builder.CreateLoad(builder.getInt64Ty(), member(offsetof(format::ThreadPoints, number)));
    top_ = builder.CreateLoad(builder.getPtrTy(), member(offsetof(format::ThreadPoints, top)));
    if (function_.reentered) put_top_back_where_control_arrives();
    for (const PointCallSite& call : function_.calls) {
      tables_.sites.push_back({call.site, function_.entry_block, 0, 0});
      if (call.is_point) name_point(call);
      if (call.role == CallRole::kDirect) enter_directly(call);
      if (call.role == CallRole::kOpen) start_number(call);
    }
  }

 private:
  llvm::Constant* member(size_t offset) const { return thread_points_address(module_, offset); }

  void put_top_back(llvm::Instruction& place) const {
    llvm::IRBuilder<>(&place).CreateStore(top_, member(offsetof(format::ThreadPoints, top)));
  }

  void put_top_back_where_control_arrives() const {
    std::vector<llvm::Instruction*> arrivals;
    for (llvm::BasicBlock& block : *function_.function) {
      if (block.isLandingPad()) arrivals.push_back(&*block.getFirstInsertionPt());
      for (llvm::Instruction& instruction : block) {
        const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        if (call && call->canReturnTwice()) arrivals.push_back(instruction.getNextNode());
      }
    }
    for (llvm::Instruction* arrival : arrivals) put_top_back(*arrival);
  }

  void name_point(const PointCallSite& call) const {
    llvm::IRBuilder<> builder(call.call);
    builder.CreateStore(number_, member(offsetof(format::ThreadPoints, number)));
    builder.CreateStore(builder.getInt32(call.site), member(offsetof(format::ThreadPoints, site)));
  }

  void enter_directly(const PointCallSite& call) {
    llvm::IRBuilder<> builder(call.call);
    const uint64_t* offset = numbering_.offset(call);
    if (offset) {
      tables_.calls.push_back({numbering_.entry_block(call.callee), call.site, *offset});
      builder.CreateStore(builder.CreateAdd(number_, builder.getInt64(*offset)),
                          member(offsetof(format::ThreadPoints, number)));
    } else {
      start_number(call);
      builder.CreateStore(builder.getInt64(0), member(offsetof(format::ThreadPoints, number)));
    }
  }

  /// The callee is in the place of its caller after a tail call, which cannot put the top back: it forgets its caller.
  void start_number(const PointCallSite& call) const {
    if (call.call->isMustTailCall()) return;
    llvm::IRBuilder<> builder(call.call);
    const auto word = [&](uint64_t bytes) {
      return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), top_, bytes);
    };
    builder.CreateStore(number_, top_);
    builder.CreateStore(builder.getInt64(call.site), word(8));
    builder.CreateStore(word(16), member(offsetof(format::ThreadPoints, top)));
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(call.call)) {
      put_top_back(*invoke->getNormalDest()->getFirstInsertionPt());
    } else if (!call.call->doesNotReturn()) {
      put_top_back(*call.call->getNextNode());
    }
  }

  llvm::Module& module_;
  const PointFunction& function_;
  const Numbering& numbering_;
  PointTables& tables_;
  llvm::Value* number_ = nullptr;
  llvm::Value* top_ = nullptr;
};

}  // namespace

PointTables insert_context_numbers(llvm::Module& module, const std::vector<PointFunction>& functions) {
  const Numbering numbering(module, functions);
  PointTables tables;
  for (const PointFunction& function : functions) ContextNumbers(module, function, numbering, tables).insert();
  return tables;
}

}  // namespace culprit
