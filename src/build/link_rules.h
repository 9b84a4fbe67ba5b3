// The linker's rules about symbols, applied to units that become one module.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "build/job.h"
#include "build/unit_symbols.h"

namespace culprit {

/// What to do with a unit before it joins the merged module.
struct UnitVerdict {
  std::string native_because;                  ///< not empty: compile it alone
  std::set<std::string> dropped;               ///< definitions that become declarations: another one wins
  std::set<std::string> made_local;            ///< of native units: definitions that the original link cannot have seen
  std::map<std::string, std::string> renamed;  ///< symbols, old to new
};

/// One verdict a unit, in the order of `units`, which is that of the merge. The rules:
///
/// - Of several components that define a symbol the first in `job.components` wins (the dynamic linker's lookup), weak
///   or not; what a library keeps to itself, or was linked with -Bsymbolic, is renamed when it clashes.
/// - Within a component the linker's rules hold, which LLVM knows; with `-z muldefs` the first strong definition wins.
/// - `--wrap=s`: where a unit uses s without defining it, it means __wrap_s; __real_s means s.
/// - `--defsym=a=b` with a symbol b: uses of a mean b.
/// - A unit stays native when its options contradict the others', or when its assembly names what would be renamed or
///   defines a label that another unit's assembly defines.
std::vector<UnitVerdict> apply_link_rules(const CompileJob& job, const std::vector<UnitSymbols>& units);

}  // namespace culprit
