// Values of C expressions: what operators make of objects in a program's memory and of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "program/print_value.h"
#include "program/program_model.h"

namespace culprit::program {

/// A type of the model, or pointers to it that the model has no record of.
struct CType {
  uint32_t record = format::kNone;  ///< kNone: void
  uint32_t pointers = 0;
};

struct Number {
  bool is_real = false, is_unsigned = false;
  uint64_t integer = 0;
  double real = 0;
};

Number integer(uint64_t value, bool is_unsigned = false);
Number real(double value);
bool is_true(const Number& number);

/// Something in memory, or a pointer that was computed.
struct Thing {
  CType type;
  std::optional<uint64_t> address;
  std::vector<std::byte> bytes;      ///< fewer than the type's when they cannot be read
  uint64_t first_bit = 0, bits = 0;  ///< of a bit-field; 0: none
};

using Value = std::variant<Number, Thing>;

/// What an operator cannot do, in words.
struct CValueError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// All of it throws CValueError. Integers have 64 bits, real numbers double precision.
class CValues {
 public:
  /// Both must outlive it.
  CValues(const ProgramModel& model, const MemoryReader& memory) : model_(model), memory_(memory) {}

  /// What lies there; references are followed.
  Thing at_address(CType type, uint64_t address) const;
  Value dereferenced(const Value& value) const;
  Value address_of(const Value& value) const;
  Value field(const Value& value, std::string_view name) const;
  Value converted(const Value& value, CType type) const;
  /// Of a binary operator that changes nothing, by its sign.
  Value apply(std::string_view operation, const Value& left, const Value& right) const;
  Number number_of(const Value& value) const;
  std::string text_of(const Value& value, const ValueStyle& style) const;

  /// The model's own record where it has one: its values print better.
  CType pointer_to(CType type) const;
  std::optional<uint32_t> type_named(std::string_view name) const;

 private:
  const format::TypeRecord* record_of(CType type) const;
  bool is_kind(CType type, format::TypeKind kind) const;
  bool is_pointer(CType type) const;
  bool is_reference(CType type) const;
  uint64_t size_of(CType type) const;
  CType pointed_at(CType pointer) const;
  Thing computed(CType type, uint64_t value) const;
  /// Arrays as the pointers that they become.
  Value decayed(Value value) const;
  const Thing* as_pointer(const Value& value) const;
  uint64_t address_in(const Thing& pointer) const;
  Value moved(std::string_view operation, const Thing& pointer, const Value& by) const;
  Value of_reals(std::string_view operation, double a, double b) const;
  Value of_integers(std::string_view operation, const Number& left, const Number& right) const;
  Value divided(bool quotient, uint64_t a, uint64_t b, bool is_unsigned) const;

  const ProgramModel& model_;
  const MemoryReader& memory_;
};

}  // namespace culprit::program
