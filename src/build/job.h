// What `culprit-compile` is asked to do and what it answers. Plain data, passed as JSON files, so that the `culprit`
// executable need not link LLVM.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "build/plan.h"

namespace culprit {

/// One unit's bitcode: `bytes` bytes at `offset` of `file`.
struct CompileUnit {
  std::string name{};  ///< source file as given to the compiler, for messages
  std::string file{};
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint32_t component = 0;  ///< index into CompileJob::components
};

/// The program (index 0) or a shared library of the same build that is absorbed into it. Their order is the dynamic
/// linker's order of symbol lookup.
struct Component {
  std::string name{};
  std::vector<std::string> exports{};  ///< of a library: the symbols that others can see, sorted
  bool symbolic = false;               ///< linked with -Bsymbolic: its own definitions serve its own uses
};

/// `--defsym=symbol=target`.
struct SymbolDefinition {
  std::string symbol;
  std::string target;
};

/// Begins the names of objects of which nothing has an address that the program can see (build/link_layout.h).
inline constexpr std::string_view kObservedObjectPrefix = "culprit-observed-";

struct CompileJob {
  Plan plan;
  std::string output_directory{};
  std::vector<Component> components{};
  std::vector<CompileUnit> units{};  ///< in order of their constructors
  std::vector<std::string> wraps{};  ///< `--wrap=symbol`
  std::vector<SymbolDefinition> definitions{};
  bool allow_multiple_definitions = false;  ///< `-z muldefs`
  bool position_independent = true;
  bool only_observed = false;  ///< the objects of the fast half are there already
  bool only_loops = false;     ///< nothing is made: the report lists the program's loops
};

/// A unit that could not be merged: it is compiled alone and runs without instrumentation.
struct NativeUnit {
  std::string name;
  std::string reason;
};

/// A function that is treated apart: one that runs as it was compiled, or one without an observed body.
struct FunctionApart {
  std::string name;
  std::string reason;
};

struct StepTime {
  std::string step;
  double seconds = 0;
};

/// A loop of the program as compiled, and the variable that tells its iterations apart, if there is one
/// (instrument/loop_order_variables.h).
struct SourceLoop {
  std::string function;
  std::string variable;
  std::string file;
  uint32_t first_line = 0;
  uint32_t last_line = 0;
};

struct CompileReport {
  uint64_t units = 0;
  std::vector<NativeUnit> native_units{};
  std::vector<FunctionApart> native_functions{};
  std::vector<FunctionApart> single_body_functions{};
  std::vector<StepTime> steps{};
  std::vector<std::string> objects{};  ///< in link order
  std::string model{};                 ///< the program model's file, empty when none was made
  uint64_t code_bytes = 0;             ///< executable sections of `objects`
  std::vector<SourceLoop> loops{};     ///< only of a job that asks for them
};

std::string to_json(const CompileJob& job);
CompileJob job_from_json(const std::string& path, const std::string& text);
std::string to_json(const CompileReport& report);
CompileReport report_from_json(const std::string& path, const std::string& text);

}  // namespace culprit
