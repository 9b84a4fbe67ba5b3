// Whole-program bitcode is one module, and LLVM works on one module with one thread. The user's own build compiles
// units side by side, so ours has to as well. Parts are made of whole units as far as possible: then a static function
// and its callers are in one part, and nothing is lost against the user's build. (llvm::SplitModule spreads functions
// by a hash of their names.)

#include "instrument/parts.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MemoryBufferRef.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "instrument/share_symbols.h"

namespace culprit {
namespace {

constexpr size_t kInstructionsAPart = 30'000;
constexpr size_t kMostParts = 16;
constexpr size_t kVisibleInstructions = 60;  // size of functions that other parts may inline
constexpr size_t kLargeInstructions = 3'000;

struct Sized {
  llvm::Function* function;
  size_t instructions;
};

/// Functions that stay together.
struct Piece {
  std::vector<Sized> functions;
  size_t instructions = 0;

  void add(const Sized& function) {
    functions.push_back(function);
    instructions += function.instructions;
  }
};

/// Functions by their translation unit, in order of first appearance; those without debug information together.
std::vector<Piece> by_unit(llvm::Module& module) {
  llvm::MapVector<const llvm::DICompileUnit*, Piece> units;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const llvm::DISubprogram* described = function.getSubprogram();
    units[described ? described->getUnit() : nullptr].add({&function, function.getInstructionCount()});
  }
  std::vector<Piece> result;
  for (auto& [unit, functions] : units) result.push_back(std::move(functions));
  return result;
}

/// Cuts units that are larger than a part between functions.
std::vector<Piece> cut_to_size(const std::vector<Piece>& units, size_t part_size) {
  std::vector<Piece> pieces;
  for (const Piece& unit : units) {
    const size_t cuts = std::max<size_t>(1, (unit.instructions + part_size / 2) / part_size);
    const size_t piece_size = unit.instructions / cuts + 1;
    pieces.emplace_back();
    for (const Sized& function : unit.functions) {
      if (pieces.back().instructions >= piece_size) pieces.emplace_back();
      pieces.back().add(function);
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

bool is_small(const llvm::Function& function) {
  return !function.isDeclaration() && function.getInstructionCount() <= kVisibleInstructions &&
         !function.isInterposable() && !function.hasFnAttribute(llvm::Attribute::NoInline);
}

size_t size_of(const std::vector<Piece>& pieces) {
  size_t instructions = 0;
  for (const Piece& piece : pieces) instructions += piece.instructions;
  return instructions;
}

unsigned parts_for(size_t instructions) {
  const size_t wanted = std::clamp<size_t>((instructions + kInstructionsAPart / 2) / kInstructionsAPart, 1, kMostParts);
  // Machines have an even number of cores: with three parts on two cores one core waits for a third of the time.
  return static_cast<unsigned>(wanted + (wanted > 1 ? wanted % 2 : 0));
}

using Places = llvm::DenseMap<const llvm::Function*, FunctionPlace>;

/// To `parts` parts from `first` on; the largest piece goes to the emptiest one.
void distribute(const std::vector<Piece>& units, unsigned first, unsigned parts, Places& places) {
  std::vector<Piece> pieces = cut_to_size(units, size_of(units) / parts + 1);
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.instructions > b.instructions; });
  std::vector<size_t> sizes(parts, 0);
  for (const Piece& piece : pieces) {
    const auto part = static_cast<unsigned>(std::min_element(sizes.begin(), sizes.end()) - sizes.begin());
    sizes[part] += piece.instructions;
    for (const Sized& each : piece.functions) places[each.function] = {.part = first + part};
  }
}

/// True when an object other than the function's own refers to it: from another part, from a variable, or from the copy
/// of a small function that other parts may inline.
bool is_used_elsewhere(const llvm::Function& function, const Places& places) {
  const unsigned part = places.lookup(&function).part;
  return std::any_of(function.user_begin(), function.user_end(), [&](const llvm::User* user) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    if (!instruction) return true;  // a constant may be used anywhere
    const llvm::Function& by = *instruction->getFunction();
    const FunctionPlace place = places.lookup(&by);
    return place.part != part || (!by.hasLocalLinkage() && place.small);
  });
}

/// Sharing a small function shows it to other parts, and with it what it calls: repeated until nothing changes.
void share_functions(llvm::Module& module, const Places& places, const llvm::StringSet<>& named_in_assembly) {
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::Function& function : module) {
      if (!function.hasLocalLinkage() || function.isDeclaration() || !is_used_elsewhere(function, places)) continue;
      share_symbol(function, named_in_assembly);
      changed = changed || places.lookup(&function).small;
    }
  }
}

/// Leaves warnings out; errors are left to LLVM, which prints them and ends the process.
struct ErrorsOnly : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo& diagnostic) override {
    return diagnostic.getSeverity() != llvm::DS_Error;
  }
};

void keep_functions(llvm::Module& module, const Division& division, unsigned part) {
  CULPRIT_ASSERT(module.size() == division.functions.size(), "a function was lost in the bitcode");
  auto place = division.functions.begin();
  for (llvm::Function& function : module) {
    const FunctionPlace& here = *place++;
    if (function.isDeclaration() || here.part == part) continue;
    function.setComdat(nullptr);
    if (!function.hasLocalLinkage() && here.small) {
      function.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
    } else {
      // Its body is never read.
      function.deleteBody();
    }
  }
}

void keep_no_variables(llvm::Module& module) {
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

void keep_no_aliases(llvm::Module& module) {
  module.setModuleInlineAsm("");
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(module.aliases())) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
  declare_ifuncs(module);
}

}  // namespace

Division divide(llvm::Module& module, const llvm::StringSet<>& named_in_assembly, PartCode code) {
  const llvm::SmallPtrSet<const llvm::Function*, 8> bound = bound_to_variables(module);
  std::vector<Piece> units, large_units;
  for (const Piece& unit : by_unit(module)) {
    Piece others, large;
    for (const Sized& each : unit.functions) {
      const bool is_large =
          code == PartCode::kQuick && each.instructions > kLargeInstructions && !bound.contains(each.function);
      (is_large ? large : others).add(each);
    }
    if (!others.functions.empty()) units.push_back(std::move(others));
    if (!large.functions.empty()) large_units.push_back(std::move(large));
  }
  Division division;
  division.large_parts = large_units.empty() ? 0 : parts_for(size_of(large_units));
  const unsigned other_parts = parts_for(size_of(units));
  division.parts = other_parts + division.large_parts;
  if (division.parts == 1) {
    division.functions.resize(module.size());
    return division;
  }

  Places places;
  distribute(units, 0, other_parts, places);
  if (division.large_parts > 0) distribute(large_units, other_parts, division.large_parts, places);
  if (code == PartCode::kOptimised) {
    for (auto& [function, place] : places) place.small = is_small(*function);
  }
  for (const llvm::Function* function : bound) places[function].part = 0;

  share_functions(module, places, named_in_assembly);
  for (llvm::GlobalVariable& variable : module.globals()) share_symbol(variable, named_in_assembly);
  for (llvm::GlobalAlias& alias : module.aliases()) share_symbol(alias, named_in_assembly);
  for (llvm::GlobalIFunc& indirect : module.ifuncs()) share_symbol(indirect, named_in_assembly);
  for (const llvm::Function& function : module) division.functions.push_back(places.lookup(&function));
  return division;
}

DividedModule::DividedModule(const llvm::Module& module, Division division) : division_(std::move(division)) {
  CULPRIT_ASSERT(module.size() == division_.functions.size(), "a function came after the module was divided");
  llvm::raw_svector_ostream out(bitcode_);
  llvm::WriteBitcodeToFile(module, out);
}

std::unique_ptr<llvm::Module> DividedModule::read_part(unsigned part, llvm::LLVMContext& context) const {
  context.setDiscardValueNames(true);
  context.setDiagnosticHandler(std::make_unique<ErrorsOnly>());
  auto read = llvm::getLazyBitcodeModule(
      llvm::MemoryBufferRef({bitcode_.data(), bitcode_.size()}, "a half of the program"), context,
      /*ShouldLazyLoadMetadata=*/true);
  CULPRIT_ASSERT(read, llvm::toString(read.takeError()));
  std::unique_ptr<llvm::Module> module = std::move(*read);
  if (division_.parts > 1) keep_functions(*module, division_, part);
  llvm::Error error = module->materializeAll();
  CULPRIT_ASSERT(!error, llvm::toString(std::move(error)));
  if (part > 0) {
    keep_no_aliases(*module);
    remove_what_is_unused(*module);
    keep_no_variables(*module);
  }
  return module;
}

}  // namespace culprit
