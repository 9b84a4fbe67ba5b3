// Who defined what memory and which cells last, at one moment of the pass over a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "depend/activation.h"
#include "depend/copy_table.h"
#include "depend/shadow_memory.h"
#include "depend/stack_variables.h"
#include "program/program_model.h"

namespace culprit::depend {

/// A program may ask for more bytes than there can be: a negative length, or one that was never written. Where it goes
/// on nevertheless, what it did to memory is not what its words say: of a negative length nothing is taken as done, of
/// others what a program that can be traced has room for.
constexpr uint64_t possible_length(uint64_t bytes) {
  constexpr uint64_t kAddresses = uint64_t{1} << 47, kMost = uint64_t{1} << 27;
  return bytes >= kAddresses ? 0 : bytes < kMost ? bytes : kMost;
}

class Definitions {
 public:
  /// All must stay.
  Definitions(const program::ModelView& sections, const std::vector<uint64_t>& anchors, const StackVariables& stack)
      : sections_(sections), anchors_(anchors), stack_(stack) {}

  /// The addresses that the thread which runs has recorded last, by site.
  void set_sites(std::span<const uint64_t> sites) { sites_ = sites; }
  uint64_t site(uint32_t number) const { return number < sites_.size() ? sites_[number] : 0; }

  // Accesses of operations.
  /// The address of an access to memory; nothing of cells, arguments and constants.
  std::optional<uint64_t> address(const Activation& activation, const format::AccessRecord& access) const;
  uint64_t bytes_of(std::span<const format::AccessRecord> accesses, size_t number) const;
  /// The definition of the byte at `distance` of an access.
  uint64_t definition_at(const Activation& activation, const format::AccessRecord& access, uint64_t distance);
  /// Adds the nodes that defined what an access reads, and which of its bytes (byte_range.h) when these are few.
  void add_sources(const Activation& activation, const format::AccessRecord& access, std::vector<NodeNumber>& sources);
  /// The node that defined all of what an access reads, kNoNumber for constants and what nothing defined; nothing when
  /// there are several, or perhaps: add_sources tells.
  std::optional<NodeNumber> only_source(const Activation& activation, const format::AccessRecord& access);
  void define(Activation& activation, const format::AccessRecord& access, uint64_t bytes, NodeNumber node);
  /// The new value of a variable that addresses are computed from.
  void follow_variable(Activation& activation, std::span<const format::AccessRecord> accesses) const;
  /// The same with the bytes of the node's value, in order.
  void define_value(Activation& activation, const format::AccessRecord& access, NodeNumber node);
  /// What an access reads of variables that nothing was written to since their activations began is made known to be
  /// that. Whether there was something of which this was not known.
  bool find_unwritten(const Activation& activation, const format::AccessRecord& access);
  /// The variable that all the bytes which an access reads are of, or were copied from, and that was never written
  /// (definition::unwritten), as far as that was found.
  std::optional<uint64_t> unwritten(const Activation& activation, const format::AccessRecord& access);
  /// An access becomes memory of `variable` that nothing was written to, whose pattern `node` stores; or gets the value
  /// of such by the store `node`.
  void begin_variable(Activation& activation, const format::AccessRecord& access, uint64_t bytes, NodeNumber node,
                      uint64_t variable) {
    define(activation, access, bytes, NodeNumber{copies_.copied(node, format::kNone, variable)});
  }
  void define_unwritten(Activation& activation, const format::AccessRecord& access, NodeNumber node,
                        uint64_t variable) {
    define(activation, access, access.bytes, NodeNumber{copies_.copied(node, format::kNone, variable)});
  }
  /// A copy: the node, and its operation.
  struct Copier {
    NodeNumber node;
    uint32_t operation;
  };
  /// access 0 gets the bytes of access 1.
  void copy(Activation& activation, std::span<const format::AccessRecord> accesses, Copier copier);

  // Memory by address, and cells by their place in the private frame.
  void add_sources(uint64_t address, uint64_t bytes, std::vector<NodeNumber>& sources);
  /// With what is read of them; at most kMostPieceBytes.
  void add_pieces(uint64_t address, uint64_t bytes, std::vector<NodeNumber>& sources);
  void add_cell_sources(const Activation& activation, uint32_t offset, uint32_t bytes,
                        std::vector<NodeNumber>& sources) const;
  /// How many bytes from `address` on, `most` at the most, have the same definition.
  uint64_t same_bytes(uint64_t address, uint64_t most);
  void define(uint64_t address, uint64_t bytes, NodeNumber node) {
    memory_.define(address, possible_length(bytes), node.bits);
  }
  void define_value(uint64_t address, uint64_t bytes, NodeNumber node) {
    memory_.define_value(address, bytes, node.bits);
  }
  /// The bytes from `address` on get these definitions, as of definition_at.
  void define_each(uint64_t address, std::span<const uint64_t> definitions) {
    for (const uint64_t each : definitions) memory_.define(address++, 1, each);
  }
  /// What `bytes` from `from` on are once they were copied.
  std::vector<uint64_t> copied(uint64_t from, uint64_t bytes, Copier copier, NodeNumber chosen_by);
  /// `chosen_by`: who made the pointer to bytes that nothing defined, as their whole maker; kNoNumber: nobody is.
  void copy(uint64_t to, uint64_t from, uint64_t bytes, Copier copier, NodeNumber chosen_by);
  /// Of the bytes, the most that CopyTable::in_a_row says.
  uint32_t in_a_row(uint64_t address, uint64_t bytes);
  /// `maker` computed what is in the memory now from `sources`, which are so many copies in a row.
  void define_from(uint64_t address, uint64_t bytes, NodeNumber maker, std::span<const NodeNumber> sources,
                   uint32_t in_a_row);

 private:
  uint64_t indexed_address(const Activation& activation, const format::IndexedRecord& place) const;
  bool find_unwritten(uint64_t address, uint64_t bytes);
  void find_copied(uint64_t from, uint64_t bytes, Copier copier, NodeNumber chosen_by, std::vector<uint64_t>& copied);
  uint64_t address_of(const Activation& activation, const format::AccessRecord& access) const;
  uint64_t passed_at(const Activation& activation, const format::AccessRecord& access, uint64_t distance) const;
  uint64_t cell_at(const Activation& activation, const format::AccessRecord& access, uint64_t distance) const;
  /// The definition of the byte behind what an access reads.
  uint64_t behind(const Activation& activation, const format::AccessRecord& access);
  /// Cells get the definitions in `copied_`; bytes behind these keep theirs.
  void copy_to_cells(Activation& activation, const format::AccessRecord& to) const;

  const program::ModelView& sections_;
  const std::vector<uint64_t>& anchors_;
  const StackVariables& stack_;
  std::span<const uint64_t> sites_;
  ShadowMemory memory_;
  mutable CopyTable copies_;
  std::vector<uint64_t> copied_;
  mutable std::vector<uint64_t> cell_;  ///< bytes of one
};

inline uint64_t Definitions::indexed_address(const Activation& activation, const format::IndexedRecord& place) const {
  const uint64_t start = place.place == format::PlaceKind::kFrame
                             ? activation.bases[place.value - activation.first_base]
                             : anchors_[place.value];
  uint64_t index = activation.bases[place.index - activation.first_base] + static_cast<uint64_t>(int64_t{place.addend});
  if (place.flags & format::kIndexIs32Bits) {
    const auto narrow = static_cast<uint32_t>(index);
    index =
        place.flags & format::kIndexUnsigned ? narrow : static_cast<uint64_t>(int64_t{static_cast<int32_t>(narrow)});
  }
  return start + index * static_cast<uint64_t>(int64_t{place.scale});
}

inline uint64_t Definitions::address_of(const Activation& activation, const format::AccessRecord& access) const {
  const uint64_t offset = static_cast<uint64_t>(int64_t{access.offset});
  switch (access.place) {
    case format::PlaceKind::kFrame:
      return activation.bases[access.value - activation.first_base] + offset;
    case format::PlaceKind::kGlobal:
      return anchors_[access.value] + offset;
    case format::PlaceKind::kIndexed:
      return indexed_address(activation, sections_.indexed[access.value]) + offset;
    default:
      return site(access.value) + offset;
  }
}

inline std::optional<uint64_t> Definitions::address(const Activation& activation,
                                                    const format::AccessRecord& access) const {
  switch (access.place) {
    case format::PlaceKind::kFrame:
    case format::PlaceKind::kGlobal:
    case format::PlaceKind::kIndexed:
    case format::PlaceKind::kRecorded:
      return address_of(activation, access);
    default:
      return std::nullopt;
  }
}

}  // namespace culprit::depend
