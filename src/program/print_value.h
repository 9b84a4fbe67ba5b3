// A variable's value as a programmer would write it, from its bytes and its type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/program_model.h"

namespace culprit::program {

/// Reads memory of the program; nothing when some of it cannot be read.
using MemoryReader = std::function<std::optional<std::vector<std::byte>>(uint64_t address, size_t bytes)>;

struct ValueStyle {
  size_t most_elements = 16;    ///< of an array or a container; more are shown as "…"
  size_t most_characters = 80;  ///< of a string
  int deepest = 3;              ///< structures within structures
  bool tells_unwritten =
      false;  ///< variables of observed bodies: what still holds format::kUnwrittenByte is said to be
};

/// "-3", "'a'", "0x7ffe4", "0x7ffe4 \"text\"", "GREEN", "{x = 1, next = 0x0}", "{1, 2, 3}", a std::string as "\"text\""
/// and a std::vector as "{1, 2}". `bytes` shorter than the type give "?". Without `memory` nothing behind pointers is
/// shown. What was never written is "never written", and with "(or 43690)" where a program may well have that number.
std::string print_value(const ProgramModel& model, uint32_t type, std::span<const std::byte> bytes,
                        const MemoryReader& memory = {}, const ValueStyle& style = {});

/// A field by name, in the type itself or its base classes and structures inside; the first in order of declaration.
struct FoundField {
  uint32_t type;
  uint64_t offset;         ///< bytes
  uint64_t first_bit = 0;  ///< of a bit-field, from the byte at `offset`
  uint64_t bits = 0;       ///< of a bit-field; 0: none

  bool operator==(const FoundField&) const = default;
};
std::optional<FoundField> find_field(const ProgramModel& model, uint32_t type, std::string_view name);

}  // namespace culprit::program
