// Software instruction counters (EPID §II-B; Mellor-Crummey and LeBlanc): the pair of a count and a statement. The
// counter of the paper counts calls and loop iterations. What it has to tell apart are points, and between two of them
// nothing can be asked; so here the points count, and calls that may lead to points unseen (by a pointer, through a
// library). Iterations and direct calls cost nothing.
#include "instrument/index_kinds.h"

namespace culprit {

PointTables insert_instruction_counter(llvm::Module& module, const std::vector<PointFunction>& functions) {
  PointTables tables;
  llvm::Constant* number = thread_points_address(module, offsetof(format::ThreadPoints, number));
  llvm::Constant* site = thread_points_address(module, offsetof(format::ThreadPoints, site));
  for (const PointFunction& function : functions) {
    for (const PointCallSite& call : function.calls) {
      tables.sites.push_back({call.site, function.entry_block, 0, 0});
      if (call.role == CallRole::kDirect) continue;
      llvm::IRBuilder<> builder(call.call);
      llvm::Value* count = builder.CreateLoad(builder.getInt64Ty(), number);
      builder.CreateStore(builder.CreateAdd(count, builder.getInt64(1)), number);
      builder.CreateStore(builder.getInt32(call.site), site);
    }
  }
  return tables;
}

}  // namespace culprit
