// Ticks, bodies and thunks on small modules. Whether programs then behave alike is for the subjects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "instrument/assembly_names.h"
#include "instrument/bodies.h"
#include "instrument/counted_loops.h"
#include "instrument/halves.h"
#include "instrument/recursion.h"
#include "instrument/ticks.h"

namespace culprit {
namespace {

using testing::HasSubstr;
using testing::Not;

class Bodies : public testing::Test {
 protected:
  llvm::Module& parse(const std::string& text) {
    llvm::SMDiagnostic diagnostic;
    module_ = llvm::parseAssemblyString("target triple = \"x86_64-pc-linux-gnu\"\n" + text, diagnostic, context_);
    EXPECT_TRUE(module_) << diagnostic.getMessage().str();
    return *module_;
  }

  void TearDown() override {
    std::string complaint;
    llvm::raw_string_ostream stream(complaint);
    EXPECT_FALSE(llvm::verifyModule(*module_, &stream)) << complaint;
  }

  FastBodies make_bodies() {
    mark_single_bodies(*module_);
    FastBodies bodies = make_fast_bodies(*module_, names_in_assembly(*module_));
    return bodies;
  }

  /// Ticks of a function: calls of the slow path.
  size_t ticks_in(const char* name) {
    size_t ticks = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(*module_->getFunction(name))) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      ticks += call && call->isInlineAsm();
    }
    return ticks;
  }

  std::string called_in(const char* name) {
    std::string called;
    for (const llvm::Instruction& instruction : llvm::instructions(*module_->getFunction(name))) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call && !call->isInlineAsm()) called += call->getCalledOperand()->getName().str() + " ";
    }
    return called;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

constexpr const char* kLoops = R"(
  define void @counted(i32 %n, ptr %a) {
  entry:
    %i = alloca i32
    store i32 0, ptr %i
    br label %head
  head:
    %v = load i32, ptr %i
    %more = icmp ult i32 %v, %n
    br i1 %more, label %body, label %exit
  body:
    %p = getelementptr i32, ptr %a, i32 %v
    store i32 %v, ptr %p
    %next = add i32 %v, 1
    store i32 %next, ptr %i
    br label %head
  exit:
    ret void
  }
  define void @until_zero(ptr %a) mustprogress {
  entry:
    br label %head
  head:
    %v = load volatile i32, ptr %a
    %more = icmp ne i32 %v, 0
    br i1 %more, label %head, label %exit
  exit:
    ret void
  }
  define i32 @irreducible(i1 %c, i32 %n) {
  entry:
    br i1 %c, label %one, label %two
  one:
    br label %two
  two:
    %m = phi i32 [ %n, %entry ], [ 1, %one ]
    %d = icmp eq i32 %m, %n
    br i1 %d, label %one, label %exit
  exit:
    ret i32 %m
  }
  define void @by_switch(ptr %a) {
  entry:
    br label %head
  head:
    %x = phi i32 [ 0, %entry ], [ %v, %head ], [ %v, %head ]
    %v = load volatile i32, ptr %a
    switch i32 %v, label %exit [ i32 1, label %head
                                 i32 2, label %head ]
  exit:
    ret void
  }
)";

TEST_F(Bodies, EveryCycleTicksButCountedLoops) {
  const TickPlaces places = place_ticks(parse(kLoops), false);
  EXPECT_EQ(places.counted_loops, 1u);
  EXPECT_EQ(ticks_in("counted"), 0u);
  EXPECT_EQ(ticks_in("until_zero"), 1u);
  EXPECT_EQ(ticks_in("irreducible"), 1u);
  EXPECT_EQ(ticks_in("by_switch"), 1u);
  EXPECT_EQ(places.ticks, 3u);
}

TEST_F(Bodies, LoopsThatOnlyMustNotBeInfiniteAreNotCounted) {
  // Ends only if %n is even: C may assume so, a spinning thread may not.
  parse(R"(define void @f(i32 %n) mustprogress {
    entry:
      br label %head
    head:
      %i = phi i32 [ 0, %entry ], [ %next, %head ]
      %next = add nuw nsw i32 %i, 2
      %more = icmp ne i32 %next, %n
      br i1 %more, label %head, label %exit, !llvm.loop !0
    exit:
      ret void
    }
    !0 = distinct !{!0, !1}
    !1 = !{!"llvm.loop.mustprogress"})");
  EXPECT_TRUE(find_counted_loops(*module_).empty());
}

TEST_F(Bodies, CallFreeNestsKeepTheBudgetInARegister) {
  place_ticks(parse(kLoops), false);
  // One load before the loop and one after the slow path; one store before the slow path and one at the exit.
  size_t loads = 0, stores = 0;
  const llvm::GlobalVariable* state = module_->getNamedGlobal("culprit_thread");
  for (const llvm::Instruction& instruction : llvm::instructions(*module_->getFunction("until_zero"))) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) loads += load->getPointerOperand() == state;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      stores += store->getPointerOperand() == state;
  }
  EXPECT_EQ(loads, 2u);
  EXPECT_EQ(stores, 2u);
}

TEST_F(Bodies, RecursionHeadsDoNotDependOnTheOrderOfFunctions) {
  const char* one = "define void @a() { call void @b() ret void } define void @b() { call void @a() ret void }";
  const char* other = "define void @b() { call void @a() ret void } define void @a() { call void @b() ret void }";
  for (const char* text : {one, other}) {
    const CallGraphOrder order = order_call_graph(parse(text));
    ASSERT_EQ(order.recursion_heads.size(), 1u);
    EXPECT_EQ((*order.recursion_heads.begin())->getName(), "a");
  }
}

TEST_F(Bodies, DirectCallsEnterBodiesAndAddressesAreThunks) {
  parse(R"(
    @table = global ptr @exported
    define i32 @exported(i32 %x) { %r = call i32 @only_called(i32 %x) ret i32 %r }
    define internal i32 @only_called(i32 %x) { ret i32 %x }
    define internal i32 @in_table(i32 %x) { ret i32 %x }
    @statics = internal global ptr @in_table
    define weak i32 @replaceable(i32 %x) { ret i32 %x }
    define i32 @caller() {
      %a = call i32 @exported(i32 1)
      %b = call i32 @replaceable(i32 1)
      ret i32 %a
    })");
  const FastBodies bodies = make_bodies();
  EXPECT_EQ(bodies.functions, 5u);
  EXPECT_EQ(called_in("caller.fast"), "exported.fast replaceable ");
  EXPECT_EQ(called_in("exported.fast"), "only_called.fast ");
  EXPECT_EQ(module_->getNamedGlobal("table")->getInitializer()->getName(), "exported");
  EXPECT_EQ(module_->getNamedGlobal("statics")->getInitializer()->getName(), "in_table.thunk");
  EXPECT_TRUE(module_->getFunction("only_called.fast")->hasInternalLinkage());
  std::vector<std::string> symbols;
  for (const Thunk& thunk : bodies.thunks) symbols.push_back(thunk.symbol + (thunk.binding.weak ? " weak" : ""));
  EXPECT_THAT(symbols, testing::ElementsAre("exported", "in_table.thunk", "replaceable weak", "caller"));
}

TEST_F(Bodies, AliasesOfFunctionsBecomeSymbolsOfTheirThunks) {
  parse(R"(
    define internal i32 @original(i32 %x) { ret i32 %x }
    @strong = alias i32 (i32), ptr @original
    @soft = weak alias i32 (i32), ptr @original
    define i32 @caller() {
      %a = call i32 @strong(i32 1)
      %b = call i32 @soft(i32 1)
      ret i32 %a
    })");
  const FastBodies bodies = make_bodies();
  EXPECT_EQ(called_in("caller.fast"), "original.fast soft ");
  ASSERT_EQ(bodies.aliases.size(), 2u);
  EXPECT_EQ(bodies.aliases[0].symbol, "strong");
  EXPECT_EQ(bodies.aliases[0].thunk, "original.thunk");
  EXPECT_TRUE(bodies.aliases[1].binding.weak);
}

TEST_F(Bodies, ObservedBodiesCallEachOtherAndShareVariables) {
  parse(R"(
    @counter = internal global i32 0
    @text = private unnamed_addr constant [3 x i8] c"hi\00"
    define i32 @f() { %r = call i32 @g() ret i32 %r }
    define internal i32 @g() { %v = load i32, ptr @counter %t = load i8, ptr @text ret i32 %v }
    define internal void @one() { call void asm sideeffect "call named", ""() ret void }
    define internal void @named() { ret void }
    define void @h() { call void @one() ret void })");
  FastBodies bodies = make_bodies();
  const std::vector<FunctionReason> single = share_with_observed_half(*module_, bodies, names_in_assembly(*module_));
  const auto half = copy_observed_half(*module_);
  const llvm::Function* g = half->getFunction("g.observed");
  ASSERT_TRUE(g);
  EXPECT_TRUE(g->hasInternalLinkage());
  EXPECT_TRUE(half->getNamedGlobal("counter.culprit")->isDeclaration());
  EXPECT_TRUE(module_->getNamedGlobal("counter.culprit")->hasHiddenVisibility());
  EXPECT_TRUE(half->getNamedGlobal("text.culprit")->hasAvailableExternallyLinkage());
  EXPECT_FALSE(half->getFunction("f.fast"));
  // Assembly names a static, so that body stays in the object that has it.
  ASSERT_EQ(single.size(), 1u);
  EXPECT_EQ(single[0].function, "one");
  EXPECT_TRUE(half->getFunction("one.fast")->isDeclaration());
  for (const Thunk& thunk : bodies.thunks) EXPECT_EQ(thunk.observed_body.empty(), thunk.symbol == "one.thunk");
}

TEST_F(Bodies, WithoutFastBodiesTheModuleItselfBecomesTheObservedHalf) {
  parse(R"(
    @counter = internal global i32 7
    @text = private unnamed_addr constant [3 x i8] c"hi\00"
    @other = alias i32, ptr @counter
    define i32 @f() { %r = call i32 @g() %o = load i32, ptr @other ret i32 %r }
    define internal i32 @g() { %v = load i32, ptr @counter %t = load i8, ptr @text ret i32 %v }
    define internal void @one() { call void asm sideeffect "call named", ""() %r = call i32 @f() ret void }
    define internal void @named() { ret void }
    define void @h() { call void @one() ret void })");
  FastBodies bodies = make_bodies();
  share_with_observed_half(*module_, bodies, names_in_assembly(*module_));
  const llvm::Function* g_before = module_->getFunction("g.fast");
  const auto half = take_observed_half(module_, bodies);
  EXPECT_EQ(half->getFunction("g.observed"), g_before);
  EXPECT_TRUE(half->getNamedGlobal("counter.culprit")->isDeclaration());
  EXPECT_TRUE(half->getNamedGlobal("other")->isDeclaration());
  EXPECT_TRUE(half->getNamedGlobal("text.culprit")->hasAvailableExternallyLinkage());
  EXPECT_TRUE(half->getFunction("one.fast")->isDeclaration());
  EXPECT_TRUE(module_->getNamedGlobal("counter.culprit")->hasInitializer());
  EXPECT_TRUE(module_->getNamedAlias("other"));
  EXPECT_FALSE(module_->getFunction("one.fast")->isDeclaration());
  // A function with one body calls the observed body of another, where nothing else is left of it.
  EXPECT_TRUE(module_->getFunction("f.observed")->isDeclaration());
  EXPECT_TRUE(half->getFunction("f.observed")->hasHiddenVisibility());
  EXPECT_FALSE(module_->getFunction("g.fast"));
  for (const Thunk& thunk : bodies.thunks) EXPECT_TRUE(thunk.observed_body.empty());
  EXPECT_FALSE(llvm::verifyModule(*half, &llvm::errs()));
  EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
}

TEST_F(Bodies, ThunksTestForObservedBodiesOnlyWhereThereAreSome) {
  parse("define void @f() { ret void }");
  Thunk thunk{.symbol = "odd \"name\"",
              .binding = {.weak = true, .visibility = llvm::GlobalValue::HiddenVisibility},
              .section = {},
              .fast_body = "f.fast",
              .observed_body = {},
              .local_name = {},
              .entry_note = {}};
  emit_thunks(*module_, {thunk}, {});
  const std::string fast_only = module_->getModuleInlineAsm();
  EXPECT_THAT(fast_only, HasSubstr(".weak\t\"odd \\\"name\\\"\""));
  EXPECT_THAT(fast_only, HasSubstr(".hidden"));
  EXPECT_THAT(fast_only, HasSubstr("decq\t%fs:culprit_thread@tpoff"));
  EXPECT_THAT(fast_only, Not(HasSubstr("cmpb")));
  thunk.observed_body = "f.observed";
  emit_thunks(*module_, {thunk}, {});
  EXPECT_THAT(module_->getModuleInlineAsm(), HasSubstr("jne\t\"f.observed\""));
}

TEST_F(Bodies, ThunksWithoutTicksSetUpNewThreadsOnly) {
  parse("define void @f() { ret void }");
  Thunk thunk{.symbol = "f", .binding = {}, .section = {}, .fast_body = "f.fast", .observed_body = {}, .local_name = {}};
  emit_thunks(*module_, {thunk}, {}, Entries::kPlain);
  EXPECT_THAT(module_->getModuleInlineAsm(), Not(HasSubstr("decq")));
  EXPECT_THAT(module_->getModuleInlineAsm(), HasSubstr("cmpq\t$0, %fs:culprit_thread@tpoff"));
  // Who notes entries looks at the point stack, which a new thread lacks.
  thunk.entry_note = "\tincl\t-4(%r11)\n";
  emit_thunks(*module_, {thunk}, {}, Entries::kPlain);
  EXPECT_THAT(module_->getModuleInlineAsm(), HasSubstr("testq\t%r11, %r11\n\tje\t1f\n\tincl\t-4(%r11)"));
}

}  // namespace
}  // namespace culprit
