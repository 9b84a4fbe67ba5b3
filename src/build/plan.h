// A plan says which instrumented executable is wanted. Plain data; its canonical text is part of the cache key.
#pragma once

#include <filesystem>
#include <string>

#include "build/point_options.h"

namespace culprit {

/// Which second body every function gets beside its fast one (DESIGN §2).
enum class ObservedBodies {
  kNone,       ///< fast bodies only
  kRegisters,  ///< traced: variables in registers
  kHomes,      ///< every variable has a home in memory, so that state can be read and altered
};

enum class Hooks {
  kNone,
  kCounts,   ///< count blocks, loads, stores and calls
  kSession,  ///< frame records, statement marks, branch instances (format/session_abi.h); needs kHomes
  kTrace,    ///< path, addresses and external calls (format/trace_format.h); needs kRegisters
  kPath,     ///< the path alone; needs kRegisters
  kValues,   ///< as kTrace, and what stores store; needs kRegisters
};

/// Whether hooks write a trace.
inline bool traces(Hooks hooks) {
  return hooks == Hooks::kTrace || hooks == Hooks::kPath || hooks == Hooks::kValues;
}

struct Plan {
  std::string name = "fast";
  bool ticks = true;
  bool fine_ticks = false;  ///< also before accesses to memory that may be shared, and before native calls
  ObservedBodies observed = ObservedBodies::kNone;
  Hooks hooks = Hooks::kNone;
  bool start_observed = false;  ///< threads start in observed bodies
  bool fast_bodies = true;      ///< false: observed bodies only, at half the build time; needs start_observed
  /// Single statements can be altered (format/alteration.h): with session hooks in all ways, with hooks for a trace in
  /// what they write and return.
  bool alterable = false;
  /// Observed bodies are hardly optimised, which takes a third of the time; large functions are all the same.
  bool quick_code = false;
  PointOptions points{};  ///< which execution-point ids the fast bodies keep

  bool operator==(const Plan&) const = default;
};

/// `name_or_path`: "fast", "registers", "homes", "session", "alterable", "trace", "path", "values", "fine",
/// "index-KIND" (KIND: pcce, sic, sei, lei, pepid; with
/// "-alloc" for ids at allocations only), or a TOML file with the members above. Throws UserError listing the names.
Plan load_plan(const std::string& name_or_path);

/// Fast bodies that keep ids. They do not tick: what is recorded and replayed has no ids in its code.
Plan points_plan(const std::string& name, PointOptions points);

/// A plan written as TOML; `path` names it in messages, and its stem becomes the plan's name.
Plan plan_from_toml_text(const std::string& text, const std::string& path);

/// The TOML text from which plan_from_toml_text makes an equal plan.
std::string toml_text(const Plan& plan);

/// One line that is equal for equal plans.
std::string canonical_text(const Plan& plan);

}  // namespace culprit
