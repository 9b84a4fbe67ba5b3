#include "depend/ordering_calls.h"

#include <algorithm>

#include "program/external_roles.h"

namespace culprit::depend {

OrderingCalls::OrderingCalls(const program::ProgramModel& model) {
  const program::ModelView& sections = model.sections();
  for (uint32_t operation = 0; operation + 1 < sections.operations.size(); ++operation) {
    const format::OperationRecord& record = sections.operations[operation];
    if (record.kind != format::OperationKind::kCall || record.detail == format::kNone) continue;
    const uint32_t callee = sections.calls[record.detail].callee;
    if (callee == format::kNone) continue;
    const std::string_view name = model.text(sections.functions[callee].linkage_name);
    const program::ExternalRole role = program::external_role(name);
    if (role.synchronises) ordering_.push_back(operation);
    if (role.releases) releasing_.push_back(operation);
    if (program::makes_thread(name)) makers_.push_back(operation);
  }
}

bool OrderingCalls::contains(uint32_t operation) const {
  return std::binary_search(ordering_.begin(), ordering_.end(), operation);
}

bool OrderingCalls::makes_thread(uint32_t operation) const {
  return std::binary_search(makers_.begin(), makers_.end(), operation);
}

bool OrderingCalls::releases(uint32_t operation) const {
  return std::binary_search(releasing_.begin(), releasing_.end(), operation);
}

}  // namespace culprit::depend
