// C expressions over a stopped program: `list->head[3].name`, `(total + 1) % 8 == n`, `*(struct order*)p`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "program/print_value.h"
#include "program/program_model.h"

namespace culprit::program {

struct Object {
  uint32_t type;  ///< program model
  uint64_t address;
};

/// What a name (perhaps qualified, `a::b`) means where the program stands.
using ObjectLookup = std::function<std::optional<Object>(std::string_view name)>;

struct MemoryRange {
  uint64_t address, bytes;
};
/// The memory that an expression means: a variable, `list->head[3].name`, `*p`. Throws UserError, also for expressions
/// that are computed and lie nowhere.
MemoryRange memory_of_expression(const ProgramModel& model, std::string_view expression, const ObjectLookup& lookup,
                                 const MemoryReader& memory);

/// The expression's value as print_value writes it. All of C's operators that change nothing and call nothing, with
/// integers of 64 bits and double precision; casts to the program's types. Throws UserError that says what is wrong and
/// where.
std::string value_of_expression(const ProgramModel& model, std::string_view expression, const ObjectLookup& lookup,
                                const MemoryReader& memory, const ValueStyle& style = {});

}  // namespace culprit::program
