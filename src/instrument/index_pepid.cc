// Precise execution-point ids (EPID §III): where a point lies in the program with all calls inlined and all loops
// unrolled, that is the calls that led there and the iteration of each loop around each of them.
//
// The iteration counter of a loop is a register (a variable that the optimiser promotes). It becomes a word of the id
// before a call that may lead to a point, or, in loops that make such calls most times, where the iteration begins; and
// only where the word may hold something else (held_words.h). The top of the point stack changes by known amounts
// (call_offsets.h). Loops without such calls have no counter. Loops are those of Steensgaard's forest: a counter goes
// up on the edges from inside the loop to its naturalising header, or, where it has none, to all its headers. By option
// it is then no count but a hash of the way through the headers, which tells different ways apart; the paper keeps
// those ways as a local structural index.
#include <llvm/IR/CFG.h>

#include <map>

#include "instrument/call_offsets.h"
#include "instrument/flow_of_function.h"
#include "instrument/held_words.h"
#include "instrument/index_kinds.h"
#include "instrument/metadata.h"
#include "instrument/point_changes.h"
#include "instrument/sink_words.h"
#include "instrument/user_stack.h"
#include "program/execution_order.h"
#include "program/loop_forest.h"

namespace culprit {
namespace {

/// Odd, so that multiplying loses nothing (Knuth, TAOCP 6.4).
constexpr uint64_t kWayMultiplier = 0x9e3779b97f4a7c15;

class PreciseIds {
 public:
  PreciseIds(const PointFunction& function, bool paths, PointTables& tables)
      : function_(function),
        paths_(paths),
        tables_(tables),
        flow_(flow_of(*function.function)),
        forest_(program::loop_forest(flow_.graph)),
        frequencies_(*function.function),
        offsets_(function, flow_, forest_, frequencies_, kTop),
        counters_(forest_.loops.size(), nullptr) {}

  void insert() {
    mark_loops_with_points();
    describe_sites();
    make_counters();
    for (const PointCallSite& call : function_.calls) offsets_.want(*call.call, bytes_at(call));
    offsets_.insert();
    count_entries();
    write_iterations_at_headers();
    const HeldWords held(function_, flow_, forest_, at_header_);
    for (const PointCallSite& call : function_.calls) {
      write_words(call, held.missing(*call.call));
      if (may_count_entries(call)) continue;
      call.call->addFnAttr(llvm::Attribute::get(call.call->getContext(), kKeepsCallWordAttribute));
    }
  }

 private:
  uint32_t loop_around(const PointCallSite& call) const {
    return forest_.innermost[flow_.number.lookup(call.call->getParent())];
  }

  void mark_loops_with_points() {
    counted_.assign(forest_.loops.size(), false);
    for (const PointCallSite& call : function_.calls) {
      for (uint32_t loop = loop_around(call); loop != program::kNoLoop; loop = forest_.loops[loop].parent) {
        counted_[loop] = true;
      }
    }
  }

  std::vector<uint32_t> loops_of(const PointCallSite& call) const {
    return loops_around(forest_, flow_.number.lookup(call.call->getParent()));
  }

  /// Positions within a block follow the order of its calls.
  void describe_sites() {
    const program::ExecutionOrder order = program::execution_order(flow_.graph, forest_);
    const llvm::BasicBlock* last = nullptr;
    uint32_t within = 0;
    const auto spread = [&](uint32_t position) { return position << kWithinBits; };
    for (const PointCallSite& call : function_.calls) {
      within = call.call->getParent() == last ? std::min(within + 1, (1u << kWithinBits) - 1) : 0;
      last = call.call->getParent();
      const std::vector<uint32_t> loops = loops_of(call);
      tables_.sites.push_back({call.site, function_.entry_block, static_cast<uint32_t>(tables_.positions.size()),
                               static_cast<uint32_t>(loops.size())});
      for (const uint32_t loop : loops) tables_.positions.push_back(spread(order.loop_position[loop]));
      tables_.positions.push_back(spread(order.block_position[flow_.number.lookup(last)]) + within);
    }
  }

  void make_counters() {
    for (uint32_t loop = 0; loop < counters_.size(); ++loop) {
      if (!counted_[loop]) continue;
      llvm::BasicBlock& entry = function_.function->getEntryBlock();
      llvm::IRBuilder<> builder(&entry, entry.begin());
      counters_[loop] = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "culprit.iteration");
      counters_[loop]->setMetadata(metadata::kInternal, llvm::MDNode::get(builder.getContext(), {}));
      for (const uint32_t header : forest_.loops[loop].headers) count_arrivals(loop, header);
    }
  }

  /// The counter's new value comes from where control comes from, so no edge needs code of its own.
  void count_arrivals(uint32_t loop, uint32_t header) {
    llvm::BasicBlock* block = flow_.blocks[header];
    const bool counts = program::begins_iteration(forest_, loop, header);
    const bool hashes = paths_ && !forest_.loops[loop].naturalising_header;
    llvm::IRBuilder<> at_header(block, block->begin());
    llvm::PHINode* iteration = at_header.CreatePHI(at_header.getInt64Ty(), 2);
    llvm::DenseMap<llvm::BasicBlock*, llvm::Value*> values;
    for (llvm::BasicBlock* from : llvm::predecessors(block)) {
      llvm::Value*& value = values[from];
      if (!value) value = value_from(loop, from, counts, hashes ? header + 1 : 0);
      iteration->addIncoming(value, from);
    }
    llvm::IRBuilder<> store(block, block->getFirstInsertionPt());
    store.CreateStore(iteration, counters_[loop], function_.returns_twice);
    iterations_[{loop, header}] = iteration;
  }

  llvm::Value* value_from(uint32_t loop, llvm::BasicBlock* from, bool counts, uint32_t way) {
    llvm::IRBuilder<> builder(from->getTerminator());
    const bool inside = program::contains(forest_, loop, flow_.number.lookup(from));
    if (!inside) return builder.getInt64(way);
    llvm::Value* iteration = builder.CreateLoad(builder.getInt64Ty(), counters_[loop], function_.returns_twice);
    if (!counts) return iteration;
    if (way == 0) return builder.CreateAdd(iteration, builder.getInt64(1));
    return builder.CreateAdd(builder.CreateMul(iteration, builder.getInt64(kWayMultiplier)), builder.getInt64(way));
  }

  static llvm::Value* word_before_top(llvm::IRBuilderBase& builder, uint64_t bytes) {
    llvm::Value* top = read_point_word(builder, kTop, builder.getPtrTy());
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), top, -bytes);
  }

  /// The words of the activation while the call is made. A tail call hands on the place of its activation.
  uint64_t bytes_at(const PointCallSite& call) const {
    return call.call->isMustTailCall() ? 0 : (loops_of(call).size() + 1) * sizeof(uint64_t);
  }

  /// In the call word by which the activation was entered: what it does from here on is done once more. A jump to a
  /// setjmp is a loop that the flow graph does not show: each return of such a call counts as an entry, too.
  void count_entries() const {
    for (const PointCallSite& call : function_.calls) {
      if (call.call->isMustTailCall()) {
        llvm::IRBuilder<> builder(call.call);
        count_entry(builder, read_point_word(builder, kTop, builder.getPtrTy()));
      }
    }
    if (!function_.returns_twice) return;
    for (llvm::CallInst* call : second_returns(*function_.function)) {
      llvm::IRBuilder<> builder(call->getNextNode());
      count_entry(builder, builder.CreateIntToPtr(offsets_.at_entry(), builder.getPtrTy()));
    }
  }

  /// Where a loop makes more calls than it has iterations. The words of such a loop lie below the top throughout.
  void write_iterations_at_headers() {
    at_header_.assign(forest_.loops.size(), false);
    if (function_.returns_twice) return;
    std::vector<double> calls(forest_.loops.size(), 0);
    for (const PointCallSite& call : function_.calls) {
      for (const uint32_t loop : loops_of(call)) calls[loop] += frequencies_.of(*call.call->getParent());
    }
    for (uint32_t loop = 0; loop < forest_.loops.size(); ++loop) {
      double iterations = 0;
      bool in_pads = false;
      for (const uint32_t header : forest_.loops[loop].headers) {
        iterations += frequencies_.of(*flow_.blocks[header]);
        in_pads |= flow_.blocks[header]->isLandingPad();
      }
      const uint64_t kept = offsets_.kept_in(loop);
      const uint64_t end = loops_around(forest_, forest_.loops[loop].headers.front()).size() * sizeof(uint64_t);
      if (!counted_[loop] || in_pads || kept < end || calls[loop] < iterations) continue;
      at_header_[loop] = true;
      for (const uint32_t header : forest_.loops[loop].headers) {
        llvm::BasicBlock* block = flow_.blocks[header];
        llvm::IRBuilder<> builder(block, block->getFirstInsertionPt());
        builder.CreateStore(iterations_[{loop, header}], word_before_top(builder, kept - end + sizeof(uint64_t)));
      }
    }
  }

  void write_words(const PointCallSite& call, const std::vector<bool>& missing) const {
    llvm::IRBuilder<> builder(call.call);
    const std::vector<uint32_t> loops = loops_of(call);
    for (size_t word = 0; word < missing.size(); ++word) {
      if (!missing[word]) continue;
      llvm::Value* value = word == loops.size() ? static_cast<llvm::Value*>(builder.getInt64(call.site))
                                                : builder.CreateLoad(builder.getInt64Ty(), counters_[loops[word]],
                                                                     function_.returns_twice);
      builder.CreateStore(value, word_before_top(builder, (missing.size() - word) * sizeof(uint64_t)));
    }
  }

  static constexpr uint32_t kWithinBits = 10;
  static constexpr size_t kTop = offsetof(format::ThreadPoints, top);

  const PointFunction& function_;
  bool paths_;
  PointTables& tables_;
  FunctionFlow flow_;
  program::LoopForest forest_;
  CallFrequencies frequencies_;
  CallOffsets offsets_;
  std::vector<llvm::AllocaInst*> counters_;  ///< per loop; null where no point can be reached
  std::vector<bool> counted_;
  std::vector<bool> at_header_;  ///< per loop: its iteration is written where it begins
  /// Of a loop, at a header.
  std::map<std::pair<uint32_t, uint32_t>, llvm::Value*> iterations_;
};

}  // namespace

PointTables insert_precise_ids(llvm::Module&, const std::vector<PointFunction>& functions,
                               bool paths_in_irreducible_loops) {
  PointTables tables;
  for (const PointFunction& function : functions) PreciseIds(function, paths_in_irreducible_loops, tables).insert();
  return tables;
}

}  // namespace culprit
