#include "instrument/assembly_names.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include <functional>

#include "instrument/native_functions.h"

namespace culprit {
namespace {

bool starts_identifier(char character) {
  return llvm::isAlpha(character) || character == '_' || character == '.';
}
bool continues_identifier(char character) {
  return starts_identifier(character) || llvm::isDigit(character);
}

/// Calls `visit` with each identifier and with the text after it.
void for_each_identifier(llvm::StringRef text, const std::function<void(llvm::StringRef, llvm::StringRef)>& visit) {
  while (!text.empty()) {
    const llvm::StringRef token = text.take_while(continues_identifier);
    if (token.empty()) {
      text = text.drop_front();
      continue;
    }
    text = text.drop_front(token.size());
    if (starts_identifier(token.front())) visit(token, text);
  }
}

/// The template of each inline assembly in the function.
template <typename Visit>
void for_each_inline_assembly(const llvm::Function& function, const Visit& visit) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || !call->isInlineAsm()) continue;
    visit(llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString());
  }
}

/// Empty when the function may be compiled twice.
std::string reason_for_single_body(const llvm::Function& function) {
  std::string reason;
  for_each_inline_assembly(function, [&](llvm::StringRef text) {
    for_each_identifier(text, [&](llvm::StringRef name, llvm::StringRef rest) {
      const llvm::GlobalValue* named = function.getParent()->getNamedValue(name);
      if (name == ".globl" || name == ".global" || name == ".weak") {
        reason = "its inline assembly defines a global symbol";
      } else if (named && named->hasLocalLinkage()) {
        reason = fmt::format("its inline assembly names the static symbol {}", name.str());
      } else if (named && rest.starts_with(":")) {
        reason = fmt::format("its inline assembly defines the symbol {}", name.str());
      }
    });
  });
  return reason;
}

}  // namespace

llvm::StringSet<> names_in_assembly(const llvm::Module& module) {
  llvm::StringSet<> names;
  const auto add = [&](llvm::StringRef name, llvm::StringRef) { names.insert(name); };
  for_each_identifier(module.getModuleInlineAsm(), add);
  for (const llvm::Function& function : module) {
    for_each_inline_assembly(function, [&](llvm::StringRef text) { for_each_identifier(text, add); });
  }
  return names;
}

llvm::StringSet<> labels_in_assembly(const llvm::Module& module) {
  llvm::StringSet<> labels;
  const auto add = [&](llvm::StringRef name, llvm::StringRef rest) {
    if (rest.starts_with(":")) labels.insert(name);
  };
  for_each_identifier(module.getModuleInlineAsm(), add);
  for (const llvm::Function& function : module) {
    for_each_inline_assembly(function, [&](llvm::StringRef text) { for_each_identifier(text, add); });
  }
  return labels;
}

void mark_single_bodies(llvm::Module& module) {
  for (llvm::Function& function : module) {
    const std::string reason = reason_for_single_body(function);
    if (reason.empty()) continue;
    function.addFnAttr(kSingleBodyAttribute, reason);
    // A second copy would define the symbol again.
    function.removeFnAttr(llvm::Attribute::AlwaysInline);
    function.addFnAttr(llvm::Attribute::NoInline);
  }
}

}  // namespace culprit
