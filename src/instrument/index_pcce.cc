// Precise calling context encoding (EPID §II-A; Sumner et al., "Precise Calling Context Encoding"): a number names the
// path through the graph of direct calls from where it was started, with 0. A function's numbers are divided among its
// callers: the callee's number is the caller's plus a constant of the call. Calls that close a cycle, indirect calls
// and library functions that may call back start a number and leave the one so far, with the call, on the point stack.
// A number that is started goes on from the one so far, which is subtracted when it is read: so it is the same again when
// the call returns, and nothing has to be put back.
//
// The paper adds before a call and subtracts behind it. Here call_offsets.h decides where the number changes, so that
// neighbouring calls and loops around calls share additions. A function that cannot be where a number starts gives the
// offset 0 to the call that is estimated to run most often, which then costs nothing. Numbers stay below 2^31, so that
// an addition is one instruction; calls for which there is no room start a new number.
#include <algorithm>

#include "instrument/call_offsets.h"
#include "instrument/edges.h"
#include "instrument/index_kinds.h"
#include "instrument/point_changes.h"
#include "instrument/recursion.h"
#include "instrument/settle_points.h"
#include "instrument/user_stack.h"

namespace culprit {
namespace {

constexpr uint64_t kMostContexts = uint64_t{1} << 31;

bool hands_on(const llvm::Function& function) {
  return llvm::any_of(function, [](const llvm::BasicBlock& block) { return block.getTerminatingMustTailCall(); });
}

/// It may interrupt any function anywhere: it has a handler's type, and its address is taken.
bool may_handle_signals(const llvm::Function& function) {
  const llvm::FunctionType& type = *function.getFunctionType();
  const bool alike = type.getReturnType()->isVoidTy() && !type.isVarArg() &&
                     (type.getNumParams() == 1 || (type.getNumParams() == 3 && type.getParamType(1)->isPointerTy() &&
                                                   type.getParamType(2)->isPointerTy()));
  return alike && type.getParamType(0)->isIntegerTy(32) && function.hasAddressTaken();
}

/// The constants of the calls that continue a number.
class Numbering {
 public:
  Numbering(llvm::Module& module, const std::vector<PointFunction>& functions) {
    const CallGraphOrder order = order_call_graph(module);
    llvm::DenseMap<const llvm::Function*, size_t> finished;
    for (llvm::Function* function : order.callees_first) finished[function] = finished.size();
    llvm::DenseMap<const llvm::Function*, std::vector<Caller>> callers;
    llvm::DenseSet<const llvm::Function*> starts;
    for (const PointFunction& function : functions) {
      entry_block_[function.function] = function.entry_block;
      if (function.entered_from_outside) starts.insert(function.function);
      const CallFrequencies frequencies(*function.function);
      for (const PointCallSite& call : function.calls) {
        if (call.role != CallRole::kDirect) continue;
        const bool continues = finished.lookup(call.callee) < finished.lookup(function.function) &&
                               !hands_on(*call.callee) && !may_handle_signals(*call.callee);
        if (continues) {
          callers[call.callee].push_back({function.function, &call, frequencies.of(*call.call->getParent())});
        } else {
          starts.insert(call.callee);
        }
      }
    }
    for (const PointFunction& function : functions) {
      hands_on_from_outside_ |= function.entered_from_outside && hands_on(*function.function);
    }
    for (llvm::Function* callee : llvm::reverse(order.callees_first)) {
      if (entry_block_.contains(callee)) divide(callee, callers[callee], starts.contains(callee));
    }
  }

  /// Null when the call starts a new number.
  const uint64_t* offset(const PointCallSite& call) const {
    const auto found = offsets_.find(call.call);
    return found == offsets_.end() ? nullptr : &found->second;
  }
  /// A function that ends by a tail call returns with the number of what it called.
  bool may_return_another(const PointCallSite& call) const {
    return call.callee ? hands_on(*call.callee) : hands_on_from_outside_;
  }
  uint32_t entry_block(const llvm::Function* function) const { return entry_block_.lookup(function); }

 private:
  struct Caller {
    const llvm::Function* function;
    const PointCallSite* call;
    double frequency;
  };

  /// Callers' numbers are known. Calls that run often come first: where there is no room for all, these have some.
  void divide(const llvm::Function* callee, std::vector<Caller>& callers, bool starts) {
    std::ranges::stable_sort(callers, std::greater<>(), &Caller::frequency);
    uint64_t all = 0;
    for (const Caller& caller : callers) all += contexts_[caller.function];
    uint64_t contexts = starts || all >= kMostContexts ? 1 : 0;
    for (const Caller& caller : callers) {
      const uint64_t more = contexts_[caller.function];
      if (more >= kMostContexts - contexts) continue;
      offsets_[caller.call->call] = contexts;
      contexts += more;
    }
    contexts_[callee] = std::max<uint64_t>(contexts, 1);
  }

  llvm::DenseMap<const llvm::Function*, uint32_t> entry_block_;
  llvm::DenseMap<const llvm::Function*, uint64_t> contexts_;
  llvm::DenseMap<const llvm::CallBase*, uint64_t> offsets_;
  bool hands_on_from_outside_ = false;
};

class ContextNumbers {
 public:
  ContextNumbers(llvm::Module& module, const PointFunction& function, const Numbering& numbering, PointTables& tables)
      : module_(module),
        function_(function),
        numbering_(numbering),
        tables_(tables) {}

  void insert() {
    for (const PointCallSite& call : function_.calls) {
      tables_.sites.push_back({call.site, function_.entry_block, 0, 0});
      const uint64_t* offset = numbering_.offset(call);
      if (offset) tables_.calls.push_back({numbering_.entry_block(call.callee), call.site, *offset});
    }
    change_during_calls(kNumber, [&](const PointCallSite& call) {
      const uint64_t* offset = numbering_.offset(call);
      return offset ? *offset : 0;
    });
    change_during_calls(kTop, [&](const PointCallSite& call) {
      return leaves_number(call) && !call.call->isMustTailCall() ? kWordBytes : 0;
    });
    for (const PointCallSite& call : function_.calls) {
      if (call.is_point) name_point(call);
      if (!leaves_number(call)) continue;
      if (call.call->isMustTailCall()) {
        llvm::IRBuilder<> builder(call.call);
        start_anew(builder);
      } else {
        write_words(call);
      }
    }
    if (may_handle_signals(*function_.function)) keep_interrupted_number();
  }

 private:
  static constexpr uint64_t kWordBytes = 2 * sizeof(uint64_t);
  static constexpr size_t kTop = offsetof(format::ThreadPoints, top);
  static constexpr size_t kNumber = offsetof(format::ThreadPoints, number);

  static llvm::Value* read_number(llvm::IRBuilderBase& builder) {
    return read_point_word(builder, kNumber, builder.getInt64Ty());
  }

  bool leaves_number(const PointCallSite& call) const {
    return call.role == CallRole::kOpen || (call.role == CallRole::kDirect && !numbering_.offset(call));
  }

  template <typename Offset>
  void change_during_calls(size_t word, Offset offset) const {
    const FunctionFlow flow = flow_of(*function_.function);
    const program::LoopForest forest = program::loop_forest(flow.graph);
    const CallFrequencies frequencies(*function_.function);
    CallOffsets offsets(function_, flow, forest, frequencies, word);
    for (const PointCallSite& call : function_.calls) offsets.want(*call.call, offset(call));
    offsets.insert();
  }

  void name_point(const PointCallSite& call) const {
    llvm::IRBuilder<> builder(call.call);
    builder.CreateStore(builder.getInt32(call.site),
                        thread_points_address(module_, offsetof(format::ThreadPoints, site)));
  }

  static llvm::Value* before_top(llvm::IRBuilderBase& builder, uint64_t bytes) {
    llvm::Value* end = read_point_word(builder, kTop, builder.getPtrTy());
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), end, -bytes);
  }

  void write_words(const PointCallSite& call) const {
    llvm::IRBuilder<> builder(call.call);
    llvm::Value* so_far = read_number(builder);
    llvm::Value* site_word = before_top(builder, sizeof(uint64_t));
    builder.CreateStore(so_far, builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), site_word, -1ULL));
    builder.CreateStore(builder.getInt64(call.site), site_word);
    if (!numbering_.may_return_another(call) || call.call->doesNotReturn()) return;
    mark_changed_by(*call.call);
    llvm::IRBuilder<> behind(place_behind(*call.call));
    set_point_word(behind, kNumber, so_far);
  }

  static llvm::Instruction* place_behind(llvm::CallBase& call) {
    auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
    if (!invoke) return call.getNextNode();
    llvm::BasicBlock* next = invoke->getNormalDest();
    if (!next->getSinglePredecessor()) next = split_edge(*invoke->getParent(), *next);
    return &*next->getFirstInsertionPt();
  }

  /// The number is the last one left on the stack again: the way since is forgotten. So it is where a handler interrupts,
  /// and by tail calls, whose callees take their caller's place.
  void start_anew(llvm::IRBuilderBase& builder) const {
    llvm::Value* left = before_top(builder, 2 * sizeof(uint64_t));
    set_point_word(builder, kNumber, builder.CreateLoad(builder.getInt64Ty(), left));
  }

  /// Whoever is interrupted goes on with its number.
  void keep_interrupted_number() const {
    llvm::BasicBlock& entry = function_.function->getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.begin());
    llvm::Value* interrupted = read_number(builder);
    start_anew(builder);
    for (llvm::BasicBlock& block : *function_.function) {
      if (llvm::isa<llvm::ReturnInst>(block.getTerminator()) && !block.getTerminatingMustTailCall()) {
        llvm::IRBuilder<> at_return(block.getTerminator());
        set_point_word(at_return, kNumber, interrupted);
      }
    }
  }

  llvm::Module& module_;
  const PointFunction& function_;
  const Numbering& numbering_;
  PointTables& tables_;
};

}  // namespace

PointTables insert_context_numbers(llvm::Module& module, const std::vector<PointFunction>& functions) {
  const Numbering numbering(module, functions);
  PointTables tables;
  for (const PointFunction& function : functions) ContextNumbers(module, function, numbering, tables).insert();
  return tables;
}

}  // namespace culprit
