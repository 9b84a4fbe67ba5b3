#include "instrument/thunks.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>

#include <iterator>

#include "format/points_abi.h"
#include "format/runtime_abi.h"
#include "instrument/ticks.h"

namespace culprit {
namespace {

constexpr const char* kThunkSection = ".culprit.thunks";
constexpr const char* kFirstEntrySection = ".text.culprit_first_entry";
/// Bytes from one thunk to the next, as powers of two; a thunk with tick and test fills 60 of 64, one with a note of
/// ids, but neither tick nor test, 31 of 32.
constexpr int kTickingSlotPower = 6;
constexpr int kPlainSlotPower = 5;

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

std::string jump_to_body(const Thunk& thunk) {
  std::string text;
  if (!thunk.observed_body.empty()) {
    text += fmt::format("\t.weak\t{0}\n\t.hidden\t{0}\n", quoted(thunk.observed_body));  // not in every plan
    text += fmt::format("\tcmpb\t${}, %fs:{}@tpoff+{}\n\tjne\t{}\n", format::kFastBodies, format::kThreadStateSymbol,
                        offsetof(format::ThreadState, observe), quoted(thunk.observed_body));
  }
  return text + fmt::format("\tjmp\t{}\n", quoted(thunk.fast_body));
}

/// Of the current point's id: its top, for notes.
std::string load_top() {
  return fmt::format("\tmovq\t%fs:{}@tpoff+{}, %r11\n", format::kThreadPointsSymbol,
                     offsetof(format::ThreadPoints, top));
}

std::string ticking_entry(const Thunk& thunk) {
  std::string text = fmt::format("\tdecq\t%fs:{}@tpoff\n\tjs\t1f\n2:\n", format::kThreadStateSymbol);
  if (!thunk.entry_note.empty()) text += load_top() + thunk.entry_note;
  return text + jump_to_body(thunk) + "1:\n\t" + tick_slow_assembly("2b");
}

/// A thread that is entered for the first time has neither budget nor point stack. What comes then is elsewhere, so
/// that two thunks share a cache line.
std::string plain_entry(const Thunk& thunk) {
  std::string text = "2:\n";
  if (thunk.entry_note.empty()) {
    text += fmt::format("\tcmpq\t$0, %fs:{}@tpoff\n\tje\t1f\n", format::kThreadStateSymbol);
  } else {
    text += load_top() + "\ttestq\t%r11, %r11\n\tje\t1f\n" + thunk.entry_note;
  }
  return text + jump_to_body(thunk) +
         fmt::format("\t.pushsection\t{},\"ax\",@progbits\n\t.cfi_startproc\n1:\n\t", kFirstEntrySection) +
         tick_slow_assembly("2b") + "\t.cfi_endproc\n\t.popsection\n";
}

std::string thunk_text(const Thunk& thunk, Entries entries, bool branch_target) {
  const bool ticks = entries == Entries::kTick;
  const std::string section = thunk.section.empty() ? kThunkSection : thunk.section;
  std::string text = fmt::format("\t.section\t{},\"ax\",@progbits\n\t.p2align\t{}\n", quoted(section),
                                 ticks ? kTickingSlotPower : kPlainSlotPower);
  text += binding_directives(thunk.symbol, thunk.binding);
  text += quoted(thunk.symbol) + ":\n";
  if (!thunk.local_name.empty()) text += quoted(thunk.local_name) + ":\n";
  text += "\t.cfi_startproc\n";
  if (branch_target) text += "\tendbr64\n";
  text += ticks ? ticking_entry(thunk) : plain_entry(thunk);
  text += fmt::format("\t.cfi_endproc\n\t.size\t{0}, .-{0}\n", quoted(thunk.symbol));
  return text;
}

}  // namespace

void emit_thunks(llvm::Module& module, const std::vector<Thunk>& thunks, const std::vector<ThunkAlias>& aliases,
                 Entries entries) {
  const bool branch_target = wants_branch_targets(module);
  std::string text;
  for (const Thunk& thunk : thunks) text += thunk_text(thunk, entries, branch_target);
  for (const ThunkAlias& alias : aliases) {
    text += binding_directives(alias.symbol, alias.binding);
    text += fmt::format("\t.set\t{}, {}\n", quoted(alias.symbol), quoted(alias.thunk));
  }
  module.appendModuleInlineAsm(text + "\t.text\n");
}

}  // namespace culprit
