#include "depend/definitions.h"

namespace culprit::depend {

using namespace format;

uint64_t Definitions::indexed_address(const Activation& activation, const IndexedRecord& place) const {
  const uint64_t start =
      place.place == PlaceKind::kFrame ? activation.bases[place.value - activation.first_base] : anchors_[place.value];
  uint64_t index = activation.bases[place.index - activation.first_base] + static_cast<uint64_t>(int64_t{place.addend});
  if (place.flags & kIndexIs32Bits) {
    const auto narrow = static_cast<uint32_t>(index);
    index = place.flags & kIndexUnsigned ? narrow : static_cast<uint64_t>(int64_t{static_cast<int32_t>(narrow)});
  }
  return start + index * static_cast<uint64_t>(int64_t{place.scale});
}

uint64_t Definitions::address_of(const Activation& activation, const AccessRecord& access) const {
  const uint64_t offset = static_cast<uint64_t>(int64_t{access.offset});
  switch (access.place) {
    case PlaceKind::kFrame:
      return activation.bases[access.value - activation.first_base] + offset;
    case PlaceKind::kGlobal:
      return anchors_[access.value] + offset;
    case PlaceKind::kIndexed:
      return indexed_address(activation, sections_.indexed[access.value]) + offset;
    default:
      return site(access.value) + offset;
  }
}

uint64_t Definitions::bytes_of(std::span<const AccessRecord> accesses, size_t number) const {
  if (accesses[number].bytes != kNone) return accesses[number].bytes;
  for (const AccessRecord& each : accesses) {
    if (each.place == PlaceKind::kLength) return site(each.value);
  }
  return 0;
}

uint64_t Definitions::cell_at(const Activation& activation, const AccessRecord& access, uint64_t distance) const {
  const uint32_t offset = sections_.cells[access.value].offset + static_cast<uint32_t>(distance);
  for (uint32_t cell = access.value; cell < access.value + access.cells; ++cell) {
    const CellRecord& record = sections_.cells[cell];
    if (offset >= record.offset && offset < record.offset + record.bytes) {
      return activation.cells[cell - activation.first_cell];
    }
  }
  return ShadowMemory::kUndefined;
}

uint64_t Definitions::passed_at(const Activation& activation, const AccessRecord& access, uint64_t distance) const {
  const uint64_t at = distance + static_cast<uint64_t>(int64_t{access.offset});
  for (const PassedMemory& passed : activation.passed) {
    if (passed.argument == access.value && at < passed.definitions.size()) return passed.definitions[at];
  }
  return ShadowMemory::kUndefined;
}

uint64_t Definitions::definition_at(const Activation& activation, const AccessRecord& access, uint64_t distance) {
  switch (access.place) {
    case PlaceKind::kConstant:
    case PlaceKind::kLength:
    case PlaceKind::kSavedArguments:
    case PlaceKind::kStackArguments:
      return ShadowMemory::kUndefined;
    case PlaceKind::kCells:
      return cell_at(activation, access, distance);
    case PlaceKind::kArgument:
      return passed_at(activation, access, distance);
    default:
      return memory_.at(address_of(activation, access) + distance);
  }
}

void Definitions::add_sources(const Activation& activation, const AccessRecord& access,
                              std::vector<NodeNumber>& sources) {
  if (access.place == PlaceKind::kCells) {
    for (uint32_t each = 0; each < access.cells; ++each) {
      copies_.add_sources(activation.cells[access.value - activation.first_cell + each], sources);
    }
  } else if (access.place == PlaceKind::kArgument) {
    for (uint32_t each = 0; each < access.bytes; ++each) {
      copies_.add_sources(passed_at(activation, access, each), sources);
    }
  } else if (access.place != PlaceKind::kConstant) {
    add_sources(address_of(activation, access), access.bytes, sources);
  }
}

std::optional<NodeNumber> Definitions::only_source(const Activation& activation, const AccessRecord& access) {
  uint64_t definition = ShadowMemory::kUndefined;
  switch (access.place) {
    case PlaceKind::kConstant:
      return kNoNumber;
    case PlaceKind::kArgument:
      return std::nullopt;
    case PlaceKind::kCells:
      if (access.cells != 1) return std::nullopt;
      definition = activation.cells[access.value - activation.first_cell];
      break;
    default:
      if (access.bytes == 0 || !memory_.same(address_of(activation, access), access.bytes, definition)) {
        return std::nullopt;
      }
  }
  if (definition == ShadowMemory::kUndefined) return kNoNumber;
  if (!CopyTable::is_node(definition)) return std::nullopt;
  return NodeNumber{definition};
}

void Definitions::add_sources(uint64_t address, uint64_t bytes, std::vector<NodeNumber>& sources) {
  uint64_t before = ShadowMemory::kUndefined;
  for (uint64_t each = 0; each < bytes; ++each) {
    const uint64_t definition = memory_.at(address + each);
    if (definition != before) copies_.add_sources(definition, sources);
    before = definition;
  }
}

void Definitions::add_cell_sources(const Activation& activation, uint32_t offset, uint32_t bytes,
                                   std::vector<NodeNumber>& sources) const {
  for (size_t each = 0; each < activation.cells.size(); ++each) {
    const CellRecord& cell = sections_.cells[activation.first_cell + each];
    const bool inside = cell.offset < offset + bytes && offset < cell.offset + cell.bytes;
    if (inside) copies_.add_sources(activation.cells[each], sources);
  }
}

void Definitions::define(Activation& activation, const AccessRecord& access, uint64_t bytes, NodeNumber node) {
  if (access.place == PlaceKind::kCells) {
    for (uint32_t each = 0; each < access.cells; ++each) {
      activation.cells[access.value - activation.first_cell + each] = node.bits;
    }
  } else if (access.place != PlaceKind::kConstant && access.place != PlaceKind::kArgument) {
    memory_.define(address_of(activation, access), bytes, node.bits);
  }
}

void Definitions::copy(Activation& activation, std::span<const AccessRecord> accesses, NodeNumber copier) {
  const AccessRecord& to = accesses[0];
  const uint64_t bytes = bytes_of(accesses, 0);
  // All is read before anything is written: the two may overlap.
  copied_.clear();
  for (uint64_t each = 0; each < bytes; ++each) {
    copied_.push_back(copies_.copied(copier, definition_at(activation, accesses[1], each)));
  }
  if (to.place == PlaceKind::kCells) return copy_to_cells(activation, to);
  if (to.place == PlaceKind::kConstant || to.place == PlaceKind::kArgument) return;
  const uint64_t address = address_of(activation, to);
  for (uint64_t each = 0; each < bytes; ++each) memory_.define(address + each, 1, copied_[each]);
}

void Definitions::copy_to_cells(Activation& activation, const AccessRecord& to) const {
  const uint32_t start = sections_.cells[to.value].offset;
  for (uint32_t each = 0; each < to.cells; ++each) {
    const CellRecord& cell = sections_.cells[to.value + each];
    uint64_t definition = ShadowMemory::kUndefined;
    for (uint32_t byte = cell.offset - start; byte < cell.offset - start + cell.bytes; ++byte) {
      if (byte < copied_.size()) definition = copies_.joined(definition, copied_[byte]);
    }
    activation.cells[to.value - activation.first_cell + each] = definition;
  }
}

void Definitions::copy(uint64_t to, uint64_t from, uint64_t bytes, NodeNumber copier) {
  copied_.clear();
  for (uint64_t each = 0; each < bytes; ++each) copied_.push_back(copies_.copied(copier, memory_.at(from + each)));
  for (uint64_t each = 0; each < bytes; ++each) memory_.define(to + each, 1, copied_[each]);
}

uint64_t Definitions::same_bytes(uint64_t address, uint64_t most) {
  const uint64_t definition = memory_.at(address);
  uint64_t bytes = 1;
  while (bytes < most && memory_.at(address + bytes) == definition) ++bytes;
  return bytes;
}

void Definitions::define_from(uint64_t address, uint64_t bytes, NodeNumber maker, std::span<const NodeNumber> sources) {
  uint64_t definition = ShadowMemory::kUndefined;
  for (const NodeNumber source : sources) definition = copies_.joined(definition, source.bits);
  memory_.define(address, bytes, copies_.joined(definition, maker.bits));
}

}  // namespace culprit::depend
