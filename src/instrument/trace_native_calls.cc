#include "instrument/trace_native_calls.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "format/trace_format.h"
#include "instrument/metadata.h"
#include "program/external_effects.h"
#include "program/external_roles.h"

namespace culprit {
namespace {

using format::kTraceMostArguments;
using format::kTraceNoArgument;

/// Which arguments are strings whose lengths tell what a call read or wrote.
class StringArguments {
 public:
  StringArguments() { std::fill(std::begin(limits), std::end(limits), kTraceNoArgument); }
  explicit StringArguments(const llvm::CallBase& call) : StringArguments() {
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee) return;
    const auto asked = program::asked_memory({callee->getName().data(), callee->getName().size()});
    if (!asked) return;
    for (uint32_t each = 0; each < kTraceMostArguments; ++each) {
      if (asked->strings >> each & 1) add(call, each, asked->limits[each].value_or(kTraceNoArgument));
    }
    if (const uint64_t before = asked->changed & strings; before != 0) {
      changed = static_cast<uint8_t>(std::countr_zero(before));
    }
    for (uint32_t each = 0; each < format::kTraceNotedArguments && each < call.arg_size(); ++each) {
      const uint32_t words = std::min<uint32_t>(asked->words[each], format::kTraceNotedMask);
      if (!call.getArgOperand(each)->getType()->isPointerTy()) continue;
      noted = static_cast<uint16_t>(noted | words << (format::kTraceNotedShift + each * format::kTraceNotedBits));
    }
    if (asked->printf_list && *asked->printf_format < kTraceMostArguments &&
        *asked->printf_list < kTraceMostArguments &&
        std::max(*asked->printf_format, *asked->printf_list) < call.arg_size()) {
      format = static_cast<uint8_t>(*asked->printf_format);
      list = static_cast<uint8_t>(*asked->printf_list);
      return;
    }
    llvm::StringRef text;
    if (asked->printf_format && *asked->printf_format < call.arg_size() &&
        llvm::getConstantStringInfo(call.getArgOperand(*asked->printf_format), text)) {
      add_conversions(call, text, *asked->printf_format + 1);
    }
  }

  uint16_t strings = 0;
  uint8_t changed = kTraceNoArgument;
  uint8_t limits[kTraceMostArguments];
  uint8_t format = kTraceNoArgument;
  uint8_t list = kTraceNoArgument;
  uint16_t noted = 0;  ///< words at arguments, as in TraceCall::flags

 private:
  void add(const llvm::CallBase& call, uint32_t argument, uint32_t limit) {
    if (argument >= kTraceMostArguments || argument >= call.arg_size()) return;
    if (!call.getArgOperand(argument)->getType()->isPointerTy()) return;
    strings = static_cast<uint16_t>(strings | 1u << argument);
    if (limit < std::min(kTraceMostArguments, call.arg_size())) limits[argument] = static_cast<uint8_t>(limit);
  }

  /// What %s takes, the first conversion's argument being number `argument`. A constant precision may leave a string
  /// without an end, so such are left out.
  void add_conversions(const llvm::CallBase& call, llvm::StringRef text, uint32_t argument) {
    while (true) {
      const size_t percent = text.find('%');
      if (percent == llvm::StringRef::npos) return;
      text = text.drop_front(percent + 1);
      const size_t length = text.find_first_not_of("-+ #0123456789.*hlqjzLt");
      if (length == llvm::StringRef::npos) return;
      const llvm::StringRef flags = text.take_front(length);
      const char conversion = text[length];
      text = text.drop_front(length + 1);
      argument += static_cast<uint32_t>(flags.count('*'));
      if (conversion == '%') continue;
      const bool limited = flags.ends_with(".*");
      if (conversion == 's' && (limited || !flags.contains('.')) && !flags.contains('l')) {
        add(call, argument, limited ? argument - 1 : kTraceNoArgument);
      }
      ++argument;
    }
  }
};

/// The format::TraceCall of a call.
llvm::Constant* call_constant(llvm::Module& module, uint32_t operation, uint32_t count, const StringArguments& strings,
                              uint16_t flags) {
  llvm::LLVMContext& context = module.getContext();
  const auto number = [&](unsigned bits, uint64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getIntNTy(context, bits), value);
  };
  llvm::Constant* limits = llvm::ConstantDataArray::get(context, llvm::ArrayRef<uint8_t>(strings.limits));
  llvm::Constant* fields[] = {
      number(32, operation),     number(16, strings.strings), number(8, count), number(8, strings.changed), limits,
      number(8, strings.format), number(8, strings.list),     number(16, flags)};
  llvm::Constant* value = llvm::ConstantStruct::getAnon(context, fields);
  return new llvm::GlobalVariable(module, value->getType(), true, llvm::GlobalValue::PrivateLinkage, value,
                                  "culprit.call");
}

}  // namespace

llvm::Value* word_of(llvm::IRBuilderBase& builder, llvm::Value* value) {
  llvm::Type* type = value->getType();
  llvm::Type* word = builder.getInt64Ty();
  if (type->isPointerTy()) return builder.CreatePtrToInt(value, word);
  if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) return builder.CreateZExt(value, word);
  if (type->isFloatTy()) value = builder.CreateFPExt(value, builder.getDoubleTy());
  if (value->getType()->isDoubleTy()) return builder.CreateBitCast(value, word);
  return builder.getInt64(0);
}

llvm::Value* call_runtime(llvm::IRBuilderBase& builder, const char* symbol, llvm::Type* result,
                          std::initializer_list<llvm::Value*> arguments) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  llvm::FunctionCallee callee =
      builder.GetInsertBlock()->getModule()->getOrInsertFunction(symbol, llvm::FunctionType::get(result, types, false));
  llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotThrow();
  return builder.CreateCall(callee, llvm::ArrayRef<llvm::Value*>(arguments.begin(), arguments.size()));
}

llvm::Value* NativeCallHooks::words_of_list() {
  if (words_) return words_;
  llvm::BasicBlock& entry = body_.getEntryBlock();
  llvm::IRBuilder<> start(&entry, entry.begin());
  constexpr uint64_t kWords = format::kTraceMostWords * sizeof(format::TraceWord) / sizeof(uint64_t);
  words_ = start.CreateAlloca(llvm::ArrayType::get(start.getInt64Ty(), kWords), nullptr, "culprit.words");
  words_->setMetadata(metadata::kInternal, llvm::MDNode::get(body_.getContext(), {}));
  return words_;
}

void NativeCallHooks::store_arguments(llvm::IRBuilderBase& builder, const llvm::CallBase& call, uint32_t count) {
  if (!arguments_) {
    llvm::BasicBlock& entry = body_.getEntryBlock();
    llvm::IRBuilder<> start(&entry, entry.begin());
    arguments_ =
        start.CreateAlloca(llvm::ArrayType::get(start.getInt64Ty(), kTraceMostArguments), nullptr, "culprit.arguments");
    arguments_->setMetadata(metadata::kInternal, llvm::MDNode::get(body_.getContext(), {}));
  }
  for (uint32_t each = 0; each < count; ++each) {
    builder.CreateStore(word_of(builder, call.getArgOperand(each)),
                        builder.CreateConstGEP1_64(builder.getInt64Ty(), arguments_, each));
  }
}

void NativeCallHooks::write_return(llvm::IRBuilderBase& builder, llvm::CallBase& call, uint32_t operation) {
  const uint32_t count = std::min<uint32_t>(call.arg_size(), kTraceMostArguments);
  const StringArguments strings(call);
  const llvm::Function* callee = call.getCalledFunction();
  const bool makes_thread = callee && program::makes_thread(std::string_view(callee->getName()));
  uint16_t flags = strings.noted;
  if (makes_thread) flags |= format::kTraceMakesThread;
  llvm::Constant* constant = call_constant(*body_.getParent(), operation, count, strings, flags);
  llvm::Value* measured = builder.getInt32(0);
  llvm::Value* words = nullptr;
  if (strings.list != kTraceNoArgument || strings.noted != 0) {
    // The call itself moves on in the list, and changes objects.
    llvm::IRBuilder<> before(&call);
    before.SetCurrentDebugLocation(call.getDebugLoc());
    store_arguments(before, call, count);
    words =
        call_runtime(before, format::kTraceListSymbol, builder.getInt32Ty(), {constant, arguments_, words_of_list()});
  }
  if (strings.changed != kTraceNoArgument) {
    llvm::IRBuilder<> before(&call);
    before.SetCurrentDebugLocation(call.getDebugLoc());
    store_arguments(before, call, count);
    measured = call_runtime(before, format::kTraceMeasureSymbol, builder.getInt32Ty(), {constant, arguments_});
  } else {
    store_arguments(builder, call, count);
  }
  llvm::Value* result = word_of(builder, &call);
  if (!words) {
    call_runtime(builder, format::kTraceReturnedSymbol, builder.getVoidTy(), {constant, result, arguments_, measured});
    return;
  }
  call_runtime(builder, format::kTraceReturnedListSymbol, builder.getVoidTy(),
               {constant, result, arguments_, measured, words_, words});
}

void NativeCallHooks::write_bare_return(llvm::IRBuilderBase& builder, uint32_t operation) {
  llvm::Constant* constant = call_constant(*body_.getParent(), operation, 0, StringArguments(), 0);
  call_runtime(
      builder, format::kTraceReturnedSymbol, builder.getVoidTy(),
      {constant, builder.getInt64(0), llvm::ConstantPointerNull::get(builder.getPtrTy()), builder.getInt32(0)});
}

}  // namespace culprit
