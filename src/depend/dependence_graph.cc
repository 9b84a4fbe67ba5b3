#include "depend/dependence_graph.h"

namespace culprit::depend {

bool DependenceGraph::enters_body(Node call) const {
  using namespace format;
  const auto& operations = model_.sections().operations;
  if (operations[call.operation()].flags & kOperationEnters) return true;
  bool returned = false;
  for_each_memory_source(
      call, [&](Node source) { returned = returned || operations[source.operation()].kind == OperationKind::kReturn; });
  return returned;
}

size_t DependenceGraph::bytes() const {
  return executions_.capacity() * sizeof(BlockExecution) + slots_.capacity() * sizeof(uint64_t) +
         lists_.capacity() * sizeof(uint64_t) + frames_.capacity() * sizeof(Frame);
}

}  // namespace culprit::depend
