#include "depend/definitions.h"

#include <algorithm>
#include <limits>

namespace culprit::depend {

using namespace format;

namespace {

constexpr uint64_t kMostCopiedAtOnce = 1 << 16;

}  // namespace

void Definitions::follow_variable(Activation& activation, std::span<const AccessRecord> accesses) const {
  for (const AccessRecord& each : accesses) {
    if (each.place != PlaceKind::kKept && each.place != PlaceKind::kMoved) continue;
    uint64_t value = 0;
    if (each.place == PlaceKind::kKept) {
      value = site(each.value);
    } else {
      if (each.value != kNone) value = activation.bases[each.value - activation.first_base];
      value += static_cast<uint64_t>(int64_t{each.offset});
    }
    activation.bases[each.bytes - activation.first_base] = value;
  }
}

uint64_t Definitions::bytes_of(std::span<const AccessRecord> accesses, size_t number) const {
  if (accesses[number].bytes != kNone) return accesses[number].bytes;
  for (const AccessRecord& each : accesses) {
    if (each.place == PlaceKind::kLength) return possible_length(site(each.value));
  }
  return 0;
}

uint64_t Definitions::cell_at(const Activation& activation, const AccessRecord& access, uint64_t distance) const {
  const uint32_t offset = sections_.cells[access.value].offset + static_cast<uint32_t>(distance);
  for (uint32_t cell = access.value; cell < access.value + access.cells; ++cell) {
    const CellRecord& record = sections_.cells[cell];
    if (offset >= record.offset && offset < record.offset + record.bytes) {
      return copies_.byte_at(activation.cells[cell - activation.first_cell], offset - record.offset);
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
  if (access.place == PlaceKind::kConstant) return;
  const bool memory = access.place != PlaceKind::kCells && access.place != PlaceKind::kArgument;
  const bool in_pieces = access.bytes <= kMostPieceBytes;
  if (memory) {
    const uint64_t address = address_of(activation, access);
    return in_pieces ? add_pieces(address, access.bytes, sources) : add_sources(address, access.bytes, sources);
  }
  copied_.clear();
  for (uint64_t each = 0; each < access.bytes; ++each) copied_.push_back(definition_at(activation, access, each));
  if (in_pieces) return copies_.add_pieces(copied_, sources, behind(activation, access));
  for (const uint64_t each : copied_) copies_.add_sources(each, sources);
}

void Definitions::add_pieces(uint64_t address, uint64_t bytes, std::vector<NodeNumber>& sources) {
  copied_.clear();
  for (uint64_t each = 0; each < bytes; ++each) copied_.push_back(memory_.at(address + each));
  copies_.add_pieces(copied_, sources, memory_.at(address + bytes));
}

uint64_t Definitions::behind(const Activation& activation, const AccessRecord& access) {
  if (access.place != PlaceKind::kCells) return definition_at(activation, access, access.bytes);
  const uint32_t offset = sections_.cells[access.value].offset + access.bytes;
  const size_t end = activation.first_cell + activation.cells.size();
  for (size_t cell = access.value; cell < end && sections_.cells[cell].offset <= offset; ++cell) {
    const CellRecord& record = sections_.cells[cell];
    if (offset < record.offset + record.bytes) {
      return copies_.byte_at(activation.cells[cell - activation.first_cell], offset - record.offset);
    }
  }
  return ShadowMemory::kUndefined;
}

bool Definitions::find_unwritten(uint64_t address, uint64_t bytes) {
  bool found = false;
  for (const uint64_t end = address + bytes; address < end;) {
    const std::optional<StackBytes> part = stack_.find(address, end - address);
    if (!part) break;
    for (uint64_t at = part->first; at < part->end; ++at) {
      const uint64_t definition = memory_.at(at);
      if (definition::is_unwritten(definition)) {
        if (definition::without_byte(definition) == part->variable) continue;
      } else if (const auto newest = copies_.newest(definition); !newest || *newest >= part->since) {
        continue;
      }
      memory_.define(at, 1, part->variable);
      found = true;
    }
    address = part->end;
  }
  return found;
}

bool Definitions::find_unwritten(const Activation& activation, const AccessRecord& access) {
  const bool memory =
      access.place == PlaceKind::kFrame || access.place == PlaceKind::kRecorded || access.place == PlaceKind::kIndexed;
  return memory && find_unwritten(address_of(activation, access), access.bytes);
}

std::optional<uint64_t> Definitions::unwritten(const Activation& activation, const AccessRecord& access) {
  std::optional<uint64_t> variable;
  for (uint64_t each = 0; each < access.bytes; ++each) {
    variable = copies_.unwritten(definition_at(activation, access, each));
    if (!variable) break;
  }
  return variable;
}

/// Whether of a value that begins with `first` only `bytes` are read, since the byte behind is another one of it.
static bool is_part(uint64_t first, uint64_t bytes, uint64_t behind) {
  return first != ShadowMemory::kUndefined && behind == definition::advanced(first, bytes) &&
         definition::byte_of(behind) != definition::kWhole;
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
      if (is_part(definition, access.bytes, behind(activation, access))) return std::nullopt;
      break;
    default:
      if (access.bytes == 0 || !memory_.same(address_of(activation, access), access.bytes, definition)) {
        return std::nullopt;
      }
      if (is_part(definition, access.bytes, memory_.at(address_of(activation, access) + access.bytes))) {
        return std::nullopt;
      }
  }
  if (definition == ShadowMemory::kUndefined) return kNoNumber;
  if (!CopyTable::is_node(definition)) return std::nullopt;
  return NodeNumber{definition};
}

void Definitions::add_sources(uint64_t address, uint64_t bytes, std::vector<NodeNumber>& sources) {
  bytes = possible_length(bytes);
  uint64_t before = ShadowMemory::kUndefined;
  for (uint64_t each = 0; each < bytes; ++each) {
    const uint64_t definition = definition::without_byte(memory_.at(address + each));
    if (definition != before) copies_.add_sources(definition, sources);
    before = definition;
  }
}

void Definitions::add_cell_sources(const Activation& activation, uint32_t offset, uint32_t bytes,
                                   std::vector<NodeNumber>& sources) const {
  for (size_t each = 0; each < activation.cells.size(); ++each) {
    const CellRecord& cell = sections_.cells[activation.first_cell + each];
    for (uint32_t byte = 0; byte < cell.bytes; ++byte) {
      const bool inside = cell.offset + byte >= offset && cell.offset + byte < offset + bytes;
      if (inside) copies_.add_sources(copies_.byte_at(activation.cells[each], byte), sources);
    }
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

void Definitions::define_value(Activation& activation, const AccessRecord& access, NodeNumber node) {
  if (access.place == PlaceKind::kCells) {
    const CellRecord& last = sections_.cells[access.value + access.cells - 1];
    const uint32_t start = sections_.cells[access.value].offset;
    if (last.offset + last.bytes - start > access.bytes) {
      copied_.clear();
      for (uint32_t each = 0; each < access.bytes; ++each) copied_.push_back(definition::advanced(node.bits, each));
      return copy_to_cells(activation, access);
    }
    for (uint32_t cell = access.value; cell < access.value + access.cells; ++cell) {
      activation.cells[cell - activation.first_cell] =
          definition::advanced(node.bits, sections_.cells[cell].offset - start);
    }
  } else if (access.place != PlaceKind::kConstant && access.place != PlaceKind::kArgument) {
    memory_.define_value(address_of(activation, access), access.bytes, node.bits);
  }
}

void Definitions::copy(Activation& activation, std::span<const AccessRecord> accesses, Copier copier) {
  const AccessRecord& to = accesses[0];
  const uint64_t bytes = bytes_of(accesses, 0);
  AccessRecord from = accesses[1];
  from.bytes = static_cast<uint32_t>(std::min<uint64_t>(bytes, std::numeric_limits<uint32_t>::max()));
  find_unwritten(activation, from);
  // All is read before anything is written: the two may overlap.
  copied_.clear();
  for (uint64_t each = 0; each < bytes; ++each) {
    copied_.push_back(copies_.copied(copier.node, copier.operation, definition_at(activation, accesses[1], each)));
  }
  if (to.place == PlaceKind::kCells) return copy_to_cells(activation, to);
  if (to.place == PlaceKind::kConstant || to.place == PlaceKind::kArgument) return;
  const uint64_t address = address_of(activation, to);
  for (uint64_t each = 0; each < bytes; ++each) memory_.define(address + each, 1, copied_[each]);
}

void Definitions::copy_to_cells(Activation& activation, const AccessRecord& to) const {
  const uint32_t start = sections_.cells[to.value].offset;
  for (uint32_t each = to.value; each < to.value + to.cells; ++each) {
    const CellRecord& cell = sections_.cells[each];
    uint64_t& definition = activation.cells[each - activation.first_cell];
    cell_.clear();
    for (uint32_t byte = 0; byte < cell.bytes; ++byte) {
      const size_t at = size_t{cell.offset} - start + byte;
      cell_.push_back(at < copied_.size() ? copied_[at] : copies_.byte_at(definition, byte));
    }
    definition = copies_.cell_of(cell_);
  }
}

void Definitions::find_copied(uint64_t from, uint64_t bytes, Copier copier, NodeNumber chosen_by,
                              std::vector<uint64_t>& copied) {
  bytes = possible_length(bytes);
  find_unwritten(from, bytes);
  const uint64_t choice = chosen_by == kNoNumber ? ShadowMemory::kUndefined : chosen_by.bits | definition::kWholeByte;
  copied.clear();
  for (uint64_t each = 0; each < bytes; ++each) {
    const uint64_t before = memory_.at(from + each);
    copied.push_back(
        copies_.copied(copier.node, copier.operation, before == ShadowMemory::kUndefined ? choice : before));
  }
}

std::vector<uint64_t> Definitions::copied(uint64_t from, uint64_t bytes, Copier copier, NodeNumber chosen_by) {
  std::vector<uint64_t> copied;
  find_copied(from, bytes, copier, chosen_by, copied);
  return copied;
}

void Definitions::copy(uint64_t to, uint64_t from, uint64_t bytes, Copier copier, NodeNumber chosen_by) {
  bytes = possible_length(bytes);
  // What overlaps is read before anything is written, else the list is kept short.
  const bool apart = to + bytes <= from || from + bytes <= to;
  const uint64_t most = apart ? kMostCopiedAtOnce : bytes;
  for (uint64_t done = 0; done < bytes; done += most) {
    find_copied(from + done, std::min(most, bytes - done), copier, chosen_by, copied_);
    define_each(to + done, copied_);
  }
}

uint64_t Definitions::same_bytes(uint64_t address, uint64_t most) {
  const uint64_t definition = memory_.at(address);
  uint64_t bytes = 1;
  while (bytes < most && memory_.at(address + bytes) == definition) ++bytes;
  return bytes;
}

uint32_t Definitions::in_a_row(uint64_t address, uint64_t bytes) {
  bytes = possible_length(bytes);
  uint32_t most = 0;
  for (uint64_t each = 0; each < bytes; ++each) most = std::max(most, copies_.in_a_row(memory_.at(address + each)));
  return most;
}

void Definitions::define_from(uint64_t address, uint64_t bytes, NodeNumber maker, std::span<const NodeNumber> sources,
                              uint32_t in_a_row) {
  uint64_t definition = ShadowMemory::kUndefined;
  for (const NodeNumber source : sources) {
    definition = copies_.joined(definition, source.bits | definition::kWholeByte);
  }
  definition = copies_.joined(definition, maker.bits | definition::kWholeByte, in_a_row + 1);
  memory_.define(address, possible_length(bytes), definition);
}

}  // namespace culprit::depend
