#include "instrument/thunks.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>

#include <iterator>

#include "format/runtime_abi.h"
#include "instrument/ticks.h"

namespace culprit {
namespace {

constexpr const char* kThunkSection = ".culprit.thunks";
/// Bytes from one thunk to the next, as a power of two; a thunk with tick and test fills 60 of 64.
constexpr int kThunkSlotPower = 6;

/// In quotes a symbol may hold any character.
std::string quoted(const std::string& symbol) {
  std::string text = "\"";
  for (const char character : symbol) {
    if (character == '"' || character == '\\') text += '\\';
    text += character;
  }
  return text + '"';
}

std::string binding_directives(const std::string& symbol, const SymbolBinding& binding) {
  std::string text = fmt::format("\t{}\t{}\n", binding.weak ? ".weak" : ".globl", quoted(symbol));
  if (binding.visibility == llvm::GlobalValue::HiddenVisibility) text += fmt::format("\t.hidden\t{}\n", quoted(symbol));
  if (binding.visibility == llvm::GlobalValue::ProtectedVisibility)
    text += fmt::format("\t.protected\t{}\n", quoted(symbol));
  return text + fmt::format("\t.type\t{},@function\n", quoted(symbol));
}

/// Compiled with -fcf-protection=branch: targets of indirect calls begin with endbr64.
bool wants_branch_targets(const llvm::Module& module) {
  const auto* flag = llvm::mdconst::extract_or_null<llvm::ConstantInt>(module.getModuleFlag("cf-protection-branch"));
  return flag && !flag->isZero();
}

std::string thunk_text(const Thunk& thunk, bool branch_target) {
  const std::string section = thunk.section.empty() ? kThunkSection : thunk.section;
  std::string text = fmt::format("\t.section\t{},\"ax\",@progbits\n\t.p2align\t{}\n", quoted(section), kThunkSlotPower);
  text += binding_directives(thunk.symbol, thunk.binding);
  text += quoted(thunk.symbol) + ":\n";
  if (!thunk.local_name.empty()) text += quoted(thunk.local_name) + ":\n";
  text += "\t.cfi_startproc\n";
  if (branch_target) text += "\tendbr64\n";
  text += fmt::format("\tdecq\t%fs:{}@tpoff\n\tjs\t1f\n2:\n", format::kThreadStateSymbol) + thunk.entry_note;
  if (!thunk.observed_body.empty()) {
    text += fmt::format("\t.weak\t{0}\n\t.hidden\t{0}\n", quoted(thunk.observed_body));  // not in every plan
    text += fmt::format("\tcmpb\t${}, %fs:{}@tpoff+{}\n\tjne\t{}\n", format::kFastBodies, format::kThreadStateSymbol,
                        offsetof(format::ThreadState, observe), quoted(thunk.observed_body));
  }
  text += fmt::format("\tjmp\t{}\n1:\n\t{}", quoted(thunk.fast_body), tick_slow_assembly("2b"));
  text += fmt::format("\t.cfi_endproc\n\t.size\t{0}, .-{0}\n", quoted(thunk.symbol));
  return text;
}

}  // namespace

void emit_thunks(llvm::Module& module, const std::vector<Thunk>& thunks, const std::vector<ThunkAlias>& aliases) {
  const bool branch_target = wants_branch_targets(module);
  std::string text;
  for (const Thunk& thunk : thunks) text += thunk_text(thunk, branch_target);
  for (const ThunkAlias& alias : aliases) {
    text += binding_directives(alias.symbol, alias.binding);
    text += fmt::format("\t.set\t{}, {}\n", quoted(alias.symbol), quoted(alias.thunk));
  }
  module.appendModuleInlineAsm(text + "\t.text\n");
}

}  // namespace culprit
