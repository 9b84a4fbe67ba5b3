// Whole-program bitcode is one module, and LLVM works on one module with one thread. The user's own build compiles
// units side by side, so ours has to as well. Parts are made of whole units as far as possible: then a static function
// and its callers are in one part, and nothing is lost against the user's build. (llvm::SplitModule spreads functions
// by a hash of their names.)

#include "instrument/parts.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "instrument/share_symbols.h"

namespace culprit {
namespace {

constexpr size_t kInstructionsAPart = 30'000;
constexpr size_t kMostParts = 16;
constexpr size_t kVisibleInstructions = 60;  // size of functions that other parts may inline

using Functions = std::vector<llvm::Function*>;

size_t size_of(const Functions& functions) {
  return std::accumulate(functions.begin(), functions.end(), size_t{0}, [](size_t sum, const llvm::Function* function) {
    return sum + function->getInstructionCount();
  });
}

/// Functions by their translation unit, in order of first appearance; those without debug information together.
std::vector<Functions> by_unit(llvm::Module& module) {
  llvm::MapVector<const llvm::DICompileUnit*, Functions> units;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const llvm::DISubprogram* described = function.getSubprogram();
    units[described ? described->getUnit() : nullptr].push_back(&function);
  }
  std::vector<Functions> result;
  for (auto& [unit, functions] : units) result.push_back(std::move(functions));
  return result;
}

/// Cuts units that are larger than a part between functions.
std::vector<Functions> cut_to_size(std::vector<Functions> units, size_t part_size) {
  std::vector<Functions> pieces;
  for (Functions& unit : units) {
    const size_t cuts = std::max<size_t>(1, (size_of(unit) + part_size / 2) / part_size);
    const size_t piece_size = size_of(unit) / cuts + 1;
    pieces.emplace_back();
    size_t size = 0;
    for (llvm::Function* function : unit) {
      if (size >= piece_size) {
        pieces.emplace_back();
        size = 0;
      }
      pieces.back().push_back(function);
      size += function->getInstructionCount();
    }
  }
  return pieces;
}

/// Functions that what part 0 holds cannot be separated from.
llvm::SmallPtrSet<const llvm::Function*, 8> bound_to_variables(const llvm::Module& module) {
  llvm::SmallPtrSet<const llvm::Function*, 8> bound;
  for (const llvm::GlobalAlias& alias : module.aliases()) {
    if (const auto* function = llvm::dyn_cast_or_null<llvm::Function>(alias.getAliaseeObject())) bound.insert(function);
  }
  for (const llvm::GlobalIFunc& indirect : module.ifuncs()) bound.insert(indirect.getResolverFunction());
  return bound;
}

bool stays_visible(const llvm::Function& function) {
  return function.getInstructionCount() <= kVisibleInstructions && !function.isInterposable() &&
         !function.hasFnAttribute(llvm::Attribute::NoInline);
}

/// True when an object other than the function's own refers to it: from another part, from a variable, or from the copy
/// of a small function that other parts may inline.
bool is_used_elsewhere(const llvm::Function& function, const Division& division) {
  const unsigned part = division.part_of.lookup(&function);
  return std::any_of(function.user_begin(), function.user_end(), [&](const llvm::User* user) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    if (!instruction) return true;  // a constant may be used anywhere
    const llvm::Function& by = *instruction->getFunction();
    return division.part_of.lookup(&by) != part || (!by.hasLocalLinkage() && stays_visible(by));
  });
}

/// Sharing a small function shows it to other parts, and with it what it calls: repeated until nothing changes.
void share_functions(llvm::Module& module, const Division& division, const llvm::StringSet<>& named_in_assembly) {
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::Function& function : module) {
      if (!function.hasLocalLinkage() || function.isDeclaration() || !is_used_elsewhere(function, division)) continue;
      share_symbol(function, named_in_assembly);
      changed = changed || stays_visible(function);
    }
  }
}

}  // namespace

Division divide(llvm::Module& module, const llvm::StringSet<>& named_in_assembly) {
  Division division;
  std::vector<Functions> units = by_unit(module);
  size_t total = 0;
  for (const Functions& unit : units) total += size_of(unit);
  division.parts =
      static_cast<unsigned>(std::clamp<size_t>((total + kInstructionsAPart / 2) / kInstructionsAPart, 1, kMostParts));
  if (division.parts == 1) return division;

  // The largest piece goes to the emptiest part.
  std::vector<Functions> pieces = cut_to_size(std::move(units), total / division.parts + 1);
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Functions& a, const Functions& b) { return size_of(a) > size_of(b); });
  std::vector<size_t> sizes(division.parts, 0);
  for (const Functions& piece : pieces) {
    const auto part = static_cast<unsigned>(std::min_element(sizes.begin(), sizes.end()) - sizes.begin());
    sizes[part] += size_of(piece);
    for (const llvm::Function* function : piece) division.part_of[function] = part;
  }
  for (const llvm::Function* function : bound_to_variables(module)) division.part_of[function] = 0;

  share_functions(module, division, named_in_assembly);
  for (llvm::GlobalVariable& variable : module.globals()) share_symbol(variable, named_in_assembly);
  for (llvm::GlobalAlias& alias : module.aliases()) share_symbol(alias, named_in_assembly);
  for (llvm::GlobalIFunc& indirect : module.ifuncs()) share_symbol(indirect, named_in_assembly);
  return division;
}

void keep_part(llvm::Module& module, const Division& division, unsigned part) {
  if (division.parts == 1) return;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || division.part_of.lookup(&function) == part) continue;
    function.setComdat(nullptr);
    if (function.hasLocalLinkage()) {
      // Nothing here uses it; its body goes first, so that what it uses can go.
      function.deleteBody();
      function.setLinkage(llvm::GlobalValue::ExternalLinkage);
    } else if (stays_visible(function)) {
      function.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
    } else {
      function.deleteBody();
    }
  }
  if (part == 0) return;

  module.setModuleInlineAsm("");
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(module.aliases())) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
  declare_ifuncs(module);
  remove_what_is_unused(module);
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isDeclaration() || is_for_compiler(variable)) continue;
    variable.setComdat(nullptr);
    if (variable.isConstant() && variable.hasDefinitiveInitializer()) {
      variable.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
    } else {
      variable.setInitializer(nullptr);
      variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
  }
  forget_variables_in_debug_info(module);
}

}  // namespace culprit
