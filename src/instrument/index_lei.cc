// Lightweight execution indexing (EPID §II-E; Joshi et al., PLDI 2009): for every depth of the call stack, how often
// each call was made there. The counters of a depth are a row; an activation finds its row from where its words lie on
// the point stack, so no depth is kept. A row is reserved for every depth there may be, and takes memory when used.
#include "instrument/index_kinds.h"

namespace culprit {

PointTables insert_lightweight_index(llvm::Module& module, const std::vector<PointFunction>& functions) {
  PointTables tables;
  uint64_t calls = 0;
  for (const PointFunction& function : functions) calls += function.calls.size();
  tables.row_bytes = (calls * sizeof(uint64_t) + format::kLightweightBytes - 1) / format::kLightweightBytes *
                     format::kLightweightBytes;
  uint64_t column = 0;
  for (const PointFunction& function : functions) {
    PointWords words(function);
    auto* first = llvm::cast<llvm::Instruction>(words.first());
    llvm::IRBuilder<> builder(first->getNextNode());
    const auto member = [&](size_t offset) {
      return builder.CreateLoad(builder.getPtrTy(), thread_points_address(module, offset));
    };
    llvm::Value* depth =
        builder.CreatePtrDiff(builder.getInt8Ty(), first, member(offsetof(format::ThreadPoints, base)));
    llvm::Value* row = builder.CreateGEP(
        builder.getInt8Ty(), member(offsetof(format::ThreadPoints, rows)),
        builder.CreateMul(depth, builder.getInt64(tables.row_bytes / format::kLightweightBytes)), "culprit.row");
    for (const PointCallSite& call : function.calls) {
      tables.sites.push_back({call.site, function.entry_block, 0, 0});
      llvm::IRBuilder<> before(call.call);
      llvm::Value* counter = before.CreateConstInBoundsGEP1_64(before.getInt64Ty(), row, column++);
      llvm::Value* times = before.CreateAdd(before.CreateLoad(before.getInt64Ty(), counter), before.getInt64(1));
      before.CreateStore(times, counter);
      if (!call.call->isMustTailCall()) before.CreateStore(times, words.first());
      words.publish(call, sizeof(uint64_t));
    }
  }
  return tables;
}

}  // namespace culprit
