// Precise execution-point ids (EPID §III): where a point lies in the program with all calls inlined and all loops
// unrolled, that is the calls that led there and the iteration of each loop around each of them.
//
// The iteration counter of a loop is a register (a variable that the optimiser promotes); it becomes a word of the id
// before a call that may lead to a point. Loops without such calls have no counter. Loops are those of Steensgaard's
// forest: a counter goes up on the edges from inside the loop to its naturalising header, or, where it has none, to all
// its headers. By option it is then no count but a hash of the way through the headers, which tells different ways
// apart; the paper keeps those ways as a local structural index.
#include <llvm/IR/CFG.h>

#include "instrument/flow_of_function.h"
#include "instrument/index_kinds.h"
#include "instrument/metadata.h"
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
        counters_(forest_.loops.size(), nullptr) {}

  void insert() {
    mark_loops_with_points();
    describe_sites();
    PointWords words(function_);
    make_counters();
    for (const PointCallSite& call : function_.calls) write_words(words, call);
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

  /// Outermost first.
  std::vector<uint32_t> loops_around(const PointCallSite& call) const {
    std::vector<uint32_t> loops;
    for (uint32_t loop = loop_around(call); loop != program::kNoLoop; loop = forest_.loops[loop].parent) {
      loops.insert(loops.begin(), loop);
    }
    return loops;
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
      const std::vector<uint32_t> loops = loops_around(call);
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

  void write_words(PointWords& words, const PointCallSite& call) {
    uint64_t bytes = 0;
    if (!call.call->isMustTailCall()) {
      llvm::IRBuilder<> builder(call.call);
      for (const uint32_t loop : loops_around(call)) {
        llvm::Value* iteration = builder.CreateLoad(builder.getInt64Ty(), counters_[loop], function_.returns_twice);
        builder.CreateStore(iteration, words.word(builder, bytes));
        bytes += sizeof(uint64_t);
      }
    }
    words.publish(call, bytes);
  }

  static constexpr uint32_t kWithinBits = 10;

  const PointFunction& function_;
  bool paths_;
  PointTables& tables_;
  FunctionFlow flow_;
  program::LoopForest forest_;
  std::vector<llvm::AllocaInst*> counters_;  ///< per loop; null where no point can be reached
  std::vector<bool> counted_;
};

}  // namespace

PointTables insert_precise_ids(llvm::Module&, const std::vector<PointFunction>& functions,
                               bool paths_in_irreducible_loops) {
  PointTables tables;
  for (const PointFunction& function : functions) PreciseIds(function, paths_in_irreducible_loops, tables).insert();
  return tables;
}

}  // namespace culprit
