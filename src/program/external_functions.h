// Which functions outside the captured code a program uses, and whether the table describes them.
#pragma once

#include <string_view>
#include <vector>

#include "program/program_model.h"

namespace culprit::program {

struct ExternalFunction {
  std::string_view symbol;  ///< lives as long as the model
  uint32_t calls = 0;       ///< places that call it directly
  bool address_taken = false;
  bool described = false;
};

/// Functions without a body in the model that are called or whose address is taken, by symbol. Functions of the
/// compiler's own ("llvm.…") are left out: their meaning is part of the program's statements.
std::vector<ExternalFunction> external_functions(const ProgramModel& model);

}  // namespace culprit::program
