#include "depend/cell_accesses.h"

namespace culprit::depend {

using namespace format;

CellAccesses::CellAccesses(const program::ProgramModel& model)
    : model_(model), is_shared_(model.sections().cells.size()) {
  for (const AccessRecord& access : model.sections().accesses) {
    if (access.place != PlaceKind::kCells || access.cells < 2) continue;
    for (uint32_t each = 0; each < access.cells; ++each) is_shared_[access.value + each] = true;
  }
}

std::optional<uint32_t> CellAccesses::cell_of(uint32_t operation) const {
  const OperationKind kind = model_.operation(operation).kind;
  if (kind != OperationKind::kLoad && kind != OperationKind::kStore) return std::nullopt;
  const auto accesses = model_.accesses_of(operation);
  if (accesses.size() != 1) return std::nullopt;
  const AccessRecord& access = accesses.front();
  const bool is_whole = access.place == PlaceKind::kCells && access.cells == 1 && !is_shared_[access.value] &&
                        access.bytes == model_.sections().cells[access.value].bytes;
  return is_whole ? std::optional(access.value) : std::nullopt;
}

std::vector<uint32_t> CellAccesses::accesses_before() const {
  std::vector<uint32_t> latest(is_shared_.size(), kNone), before(model_.sections().operations.size(), kNone);
  for (const uint32_t block : model_.blocks()) find_before(block, latest, before);
  return before;
}

/// `latest`, per cell, is kNone before and after.
void CellAccesses::find_before(uint32_t block, std::vector<uint32_t>& latest, std::vector<uint32_t>& before) const {
  std::vector<uint32_t> known;
  for (const uint32_t operation : model_.operations_of(block)) {
    if (const std::optional<uint32_t> cell = cell_of(operation)) {
      if (model_.operation(operation).kind == OperationKind::kLoad) before[operation] = latest[*cell];
      if (before[operation] == kNone) latest[*cell] = operation;
      known.push_back(*cell);
      continue;
    }
    for (const AccessRecord& access : model_.accesses_of(operation)) {
      if (access.place != PlaceKind::kCells || (access.flags & kAccessWrites) == 0) continue;
      for (uint32_t each = 0; each < access.cells; ++each) latest[access.value + each] = kNone;
    }
  }
  for (const uint32_t cell : known) latest[cell] = kNone;
}

}  // namespace culprit::depend
