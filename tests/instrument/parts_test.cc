#include "instrument/parts.h"

#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

namespace culprit {
namespace {

/// A module with a function `large` and a function `small` that calls it.
class Parts : public testing::Test {
 protected:
  Parts() : module_("parts", context_) {
    llvm::IRBuilder<> builder(context_);
    auto* type = llvm::FunctionType::get(builder.getInt64Ty(), {builder.getInt64Ty()}, false);
    large_ = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "large", module_);
    builder.SetInsertPoint(llvm::BasicBlock::Create(context_, "", large_));
    llvm::Value* value = large_->getArg(0);
    for (int each = 0; each < 4000; ++each) value = builder.CreateXor(builder.CreateMul(value, value), value);
    builder.CreateRet(value);
    small_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "small", module_);
    builder.SetInsertPoint(llvm::BasicBlock::Create(context_, "", small_));
    builder.CreateRet(builder.CreateCall(large_, {small_->getArg(0)}));
  }

  llvm::LLVMContext context_;
  llvm::Module module_;
  llvm::Function* large_;
  llvm::Function* small_;
};

TEST_F(Parts, ASmallProgramIsOnePart) {
  const Division division = divide(module_, {}, PartCode::kOptimised);
  EXPECT_EQ(division.parts, 1U);
  EXPECT_EQ(division.large_parts, 0U);
}

TEST_F(Parts, OfQuickCodeALargeFunctionIsAPartOfItsOwn) {
  const DividedModule divided(module_, divide(module_, {}, PartCode::kQuick));
  ASSERT_EQ(divided.parts(), 2U);
  ASSERT_EQ(divided.large_parts(), 1U);
  EXPECT_FALSE(divided.is_large(0));
  EXPECT_TRUE(divided.is_large(1));
  for (const unsigned part : {0U, 1U}) {
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> read = divided.read_part(part, context);
    // What parts share has a longer name.
    const auto is_defined = [&](const char* name) {
      for (const llvm::Function& function : *read) {
        if (function.getName().starts_with(name)) return !function.isDeclaration();
      }
      return false;
    };
    EXPECT_EQ(is_defined("large"), part == 1);
    EXPECT_EQ(is_defined("small"), part == 0);
  }
}

}  // namespace
}  // namespace culprit
