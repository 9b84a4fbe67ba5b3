// What a unit's symbols and options mean for joining it with others. Plain data, so that the rules (link_rules.h) need
// no LLVM.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace culprit {

enum class Binding {
  kDeclared,  ///< used here, defined elsewhere
  kStrong,
  kWeak,    ///< weak or common: gives way to a strong one
  kInline,  ///< the same wherever it is defined (C++ inline functions, templates)
  kLocal,   ///< static
};

struct UnitSymbols {
  std::string name;  ///< of the unit, for messages
  uint32_t component = 0;
  std::string target;                                 ///< triple and data layout
  std::map<std::string, std::string> strict_options;  ///< module flags that must be equal in all units
  std::map<std::string, Binding> symbols;
  std::set<std::string> hidden;  ///< definitions that their component keeps to itself
  std::set<std::string> named_in_assembly;
  std::set<std::string> labels_in_assembly;
};

}  // namespace culprit
