#include "trace/walk_stops.h"

#include "program/external_effects.h"

namespace culprit::trace {

using namespace format;

bool is_valued(const OperationRecord& operation) {
  return (operation.kind == OperationKind::kStore || operation.kind == OperationKind::kReturn) &&
         (operation.flags & kOperationValued) != 0;
}

std::vector<uint32_t> find_stops(const program::ProgramModel& model, bool path_only) {
  const auto operations = model.sections().operations;
  const auto accesses = model.sections().accesses;
  std::vector<uint32_t> stops(operations.size());
  uint32_t next = kNone;
  for (auto each = static_cast<uint32_t>(operations.size()); each-- > 0;) {
    const OperationRecord& operation = operations[each];
    bool stops_here = operation.kind == OperationKind::kCall || operation.kind == OperationKind::kBranch ||
                      operation.kind == OperationKind::kReturn || operation.kind == OperationKind::kUnwind ||
                      is_valued(operation);
    if (!path_only && each + 1 < operations.size()) {
      for (uint32_t access = operation.first_access; access < operations[each + 1].first_access; ++access) {
        stops_here = stops_here || (accesses[access].flags & kAccessRecorded) != 0;
      }
    }
    if (stops_here) next = each;
    stops[each] = next;
  }
  return stops;
}

std::vector<bool> silent_calls(const program::ProgramModel& model) {
  std::vector<bool> silent;
  for (const format::CallRecord& call : model.sections().calls) {
    const std::string_view name =
        call.callee == format::kNone ? std::string_view() : model.text(model.function(call.callee).linkage_name);
    silent.push_back(program::returns_straight(name));
  }
  return silent;
}

}  // namespace culprit::trace
