// Execution-point ids of kind STAT (EPID §II-D): where the threads of a program that left a core file stood. The
// program is native; the iterations of loops are told by variables that the source keeps anyway (instrument/
// loop_order_variables.h), which debug information finds in registers and memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace culprit {

/// A loop of the program, and what tells its iterations apart.
struct OrderedLoop {
  std::string function;  ///< its symbol
  std::string file;      ///< as it was given to the compiler
  std::string variable;  ///< empty when there is none
  uint32_t first_line;
  uint32_t last_line;
};

struct CoreIteration {
  std::string variable;          ///< empty when none tells the iterations apart
  uint32_t line;                 ///< of the loop
  std::optional<int64_t> value;  ///< nothing where there is no variable, or the optimiser kept none
};

/// An activation, or a function inlined into one.
struct CoreFrame {
  std::string function;  ///< symbol; empty where nothing is known
  std::string file;      ///< empty without line information
  uint32_t line = 0;
  std::vector<CoreIteration> loops;  ///< outermost first
};

struct CoreThread {
  int64_t id;
  std::vector<CoreFrame> frames;  ///< outermost first
};

/// Throws UserError when the files are no core file or do not belong together.
std::vector<CoreThread> read_core_points(const std::filesystem::path& core, const std::filesystem::path& program,
                                         std::span<const OrderedLoop> loops);

}  // namespace culprit
