#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include "instrument/normalise.h"

namespace culprit {
namespace {

using llvm::Attribute;

// Promises about values, memory and progress. Broken ones are undefined behaviour; whether that shows depends on how
// much an optimiser looks, so no body may see them.
constexpr Attribute::AttrKind kFunctionPromises[] = {
    Attribute::OptimizeNone, Attribute::Memory,    Attribute::WillReturn, Attribute::MustProgress,
    Attribute::NoFree,       Attribute::NoSync,    Attribute::NoRecurse,  Attribute::Speculatable,
    Attribute::AllocSize,    Attribute::AllocKind, Attribute::Builtin,    Attribute::NoCallback,
};

constexpr Attribute::AttrKind kValuePromises[] = {
    Attribute::NoUndef,    Attribute::NonNull,          Attribute::Dereferenceable, Attribute::DereferenceableOrNull,
    Attribute::NoAlias,    Attribute::NoCapture,        Attribute::ReadNone,        Attribute::ReadOnly,
    Attribute::WriteOnly,  Attribute::Returned,         Attribute::NoFree,          Attribute::Range,
    Attribute::NoFPClass,  Attribute::Writable,         Attribute::DeadOnUnwind,    Attribute::Initializes,
    Attribute::AllocAlign, Attribute::AllocatedPointer,
};

constexpr const char* kFloatLiberties[] = {"no-nans-fp-math",         "no-infs-fp-math",     "unsafe-fp-math",
                                           "no-signed-zeros-fp-math", "approx-func-fp-math", "less-precise-fpmad"};

llvm::AttributeMask function_mask() {
  llvm::AttributeMask mask;
  for (Attribute::AttrKind kind : kFunctionPromises) mask.addAttribute(kind);
  for (const char* name : kFloatLiberties) mask.addAttribute(name);
  mask.addAttribute("alloc-family");
  return mask;
}

llvm::AttributeMask value_mask() {
  llvm::AttributeMask mask;
  for (Attribute::AttrKind kind : kValuePromises) mask.addAttribute(kind);
  return mask;
}

// `align` on a pointer is a promise, but for memory passed by value it is part of the calling convention.
bool alignment_is_convention(const llvm::AttributeList& attributes, unsigned argument) {
  return attributes.hasParamAttr(argument, Attribute::ByVal) || attributes.hasParamAttr(argument, Attribute::StructRet);
}

llvm::AttributeList without_promises(llvm::LLVMContext& context, llvm::AttributeList attributes, unsigned arguments) {
  static const llvm::AttributeMask function_promises = function_mask();
  static const llvm::AttributeMask value_promises = value_mask();
  attributes = attributes.removeFnAttributes(context, function_promises);
  attributes = attributes.removeRetAttributes(context, value_promises);
  attributes = attributes.removeRetAttribute(context, Attribute::Alignment);
  for (unsigned i = 0; i < arguments; ++i) {
    attributes = attributes.removeParamAttributes(context, i, value_promises);
    if (!alignment_is_convention(attributes, i)) {
      attributes = attributes.removeParamAttribute(context, i, Attribute::Alignment);
    }
  }
  return attributes;
}

void normalise_calls(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call) continue;
    // The alignment of llvm.memcpy's operands is how an access is described, like that of a load.
    const llvm::Function* callee = call->getCalledFunction();
    if (callee && callee->isIntrinsic()) continue;
    call->setAttributes(without_promises(call->getContext(), call->getAttributes(), call->arg_size()));
  }
}

}  // namespace

void normalise_attributes(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isIntrinsic()) continue;
    // -O0 adds noinline together with optnone; it says nothing of the function.
    if (function.hasFnAttribute(Attribute::OptimizeNone)) function.removeFnAttr(Attribute::NoInline);
    function.setAttributes(without_promises(module.getContext(), function.getAttributes(), function.arg_size()));
    if (function.isDeclaration()) continue;
    function.addFnAttr(Attribute::NullPointerIsValid);
    normalise_calls(function);
  }
}

void disable_visible_builtins(llvm::TargetLibraryInfoImpl& library) {
  for (unsigned i = 0; i < llvm::NumLibFuncs; ++i) {
    auto function = static_cast<llvm::LibFunc>(i);
    llvm::StringRef name = llvm::TargetLibraryInfo(library).getName(function);
    const bool is_operator =
        name.starts_with("_Znw") || name.starts_with("_Zna") || name.starts_with("_Zdl") || name.starts_with("_Zda");
    const bool is_allocation = llvm::StringSwitch<bool>(name)
                                   .Cases("malloc", "calloc", "realloc", "reallocf", "valloc", true)
                                   .Cases("memalign", "aligned_alloc", "free", "strdup", "strndup", true)
                                   .Cases("dunder_strdup", "__strdup", "__strndup", "dunder_strndup", true)
                                   .Cases("vec_malloc", "vec_calloc", "vec_realloc", "vec_free", true)
                                   .Default(false);
    // fprintf(f, "\n") as fputc hands the kernel another buffer than as fwrite.
    const bool is_output = llvm::StringSwitch<bool>(name)
                               .Cases("printf", "fprintf", "vprintf", "vfprintf", "iprintf", "fiprintf", true)
                               .Cases("puts", "putchar", "putchar_unlocked", "perror", true)
                               .Cases("putc", "putc_unlocked", "fputc", "fputc_unlocked", true)
                               .Cases("fputs", "fputs_unlocked", "fwrite", "fwrite_unlocked", true)
                               .Default(false);
    if (is_operator || is_allocation || is_output) library.setUnavailable(function);
  }
}

}  // namespace culprit
