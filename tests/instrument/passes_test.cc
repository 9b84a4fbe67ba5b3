// What the passes do to small modules, on the module itself. Whether programs then behave alike is for the subjects.
#include <gtest/gtest.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "instrument/forget_marks.h"
#include "instrument/forward_past_events.h"
#include "instrument/invariant_loads.h"
#include "instrument/lower_indirect_branches.h"
#include "instrument/merge_globals.h"
#include "instrument/metadata.h"
#include "instrument/native_functions.h"
#include "instrument/normalise.h"
#include "instrument/place_variables.h"
#include "instrument/point_changes.h"
#include "instrument/pointer_uses.h"
#include "instrument/settle_points.h"
#include "instrument/trace_scopes.h"
#include "instrument/variable_class.h"
#include "instrument/widen_indices.h"

namespace culprit {
namespace {

class Passes : public testing::Test {
 protected:
  llvm::Module& parse(const std::string& text) {
    llvm::SMDiagnostic diagnostic;
    const std::string layout =
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n"
        "target triple = \"x86_64-pc-linux-gnu\"\n";
    module_ = llvm::parseAssemblyString(layout + text, diagnostic, context_);
    EXPECT_TRUE(module_) << diagnostic.getMessage().str();
    return *module_;
  }

  void TearDown() override {
    std::string complaint;
    llvm::raw_string_ostream stream(complaint);
    EXPECT_FALSE(llvm::verifyModule(*module_, &stream)) << complaint;
  }

  std::string text() const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module_->print(stream, nullptr);
    return text;
  }

  llvm::Function& function(const char* name) { return *module_->getFunction(name); }

  template <typename T>
  std::vector<T*> all(const char* name) {
    std::vector<T*> found;
    for (llvm::Instruction& instruction : llvm::instructions(function(name))) {
      if (auto* one = llvm::dyn_cast<T>(&instruction)) found.push_back(one);
    }
    return found;
  }

  // Stores to the thread's state, in order: "publish" when volatile, "pop" otherwise.
  std::vector<std::string> stack_pointer_stores(const char* name) {
    std::vector<std::string> stores;
    for (llvm::StoreInst* store : all<llvm::StoreInst>(name)) {
      auto* member = llvm::dyn_cast<llvm::GetElementPtrInst>(store->getPointerOperand());
      auto* state = member ? llvm::dyn_cast<llvm::IntrinsicInst>(member->getPointerOperand()) : nullptr;
      if (state && state->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) {
        stores.push_back(store->isVolatile() ? "publish" : "pop");
      }
    }
    return stores;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(Passes, NormaliseDropsWhatUndefinedBehaviourAllows) {
  normalise(parse(R"ir(
    define noundef nonnull ptr @f(ptr noalias nonnull dereferenceable(8) %p, i32 %n) willreturn mustprogress memory(read) {
      %a = add nsw i32 %n, 1
      %b = lshr exact i32 %a, 1
      %q = getelementptr inbounds i32, ptr %p, i32 %b
      %c = load i32, ptr %q, !range !0, !noundef !1
      %d = fadd nnan ninf double 1.0, 2.0
      ret ptr %q
    }
    !0 = !{i32 0, i32 2}
    !1 = !{})ir"));
  for (const char* gone : {"noundef", "nonnull", "noalias", "dereferenceable", "willreturn", "mustprogress", "memory(",
                           "nsw", "exact", "inbounds", "!range", "nnan"}) {
    EXPECT_EQ(text().find(gone), std::string::npos) << gone;
  }
  EXPECT_TRUE(function("f").hasFnAttribute(llvm::Attribute::NullPointerIsValid));
}

TEST_F(Passes, LoopVariablesGetWiderWhereTheyDoNotWrap) {
  const WidenedIndices widened = widen_indices(parse(R"ir(
    define i32 @f(ptr %numbers, i32 %count) {
      %i = alloca i32
      %wraps = alloca i32
      store i32 1, ptr %i
      store i32 1, ptr %wraps
      br label %head
    head:
      %a = load i32, ptr %i
      %more = icmp sle i32 %a, %count
      br i1 %more, label %body, label %end
    body:
      %b = load i32, ptr %i
      %before = sub nsw i32 %b, 1
      %index = sext i32 %before to i64
      %place = getelementptr i32, ptr %numbers, i64 %index
      %c = load i32, ptr %wraps
      %other = sext i32 %c to i64
      store i64 %other, ptr %place
      %next = add nsw i32 %b, 1
      store i32 %next, ptr %i
      %wrapped = add i32 %c, 1
      store i32 %wrapped, ptr %wraps
      br label %head
    end:
      %last = load i32, ptr %i
      ret i32 %last
    })ir"));
  EXPECT_EQ(widened.variables, 1u);
  EXPECT_EQ(widened.extensions, 1u);
  EXPECT_EQ(widened.comparisons, 1u);
  const auto variables = all<llvm::AllocaInst>("f");
  EXPECT_TRUE(variables[0]->getAllocatedType()->isIntegerTy(64));
  EXPECT_TRUE(variables[1]->getAllocatedType()->isIntegerTy(32));
  EXPECT_TRUE(all<llvm::ICmpInst>("f").front()->getOperand(0)->getType()->isIntegerTy(64));
  // Read back as what the program sees.
  EXPECT_TRUE(llvm::isa<llvm::TruncInst>(all<llvm::ReturnInst>("f").front()->getReturnValue()));
  for (llvm::BinaryOperator* operation : all<llvm::BinaryOperator>("f")) {
    EXPECT_EQ(operation->getType()->isIntegerTy(64), operation->getName() != "wrapped");
  }
}

TEST_F(Passes, LoadsThatALoopCannotChangeAreMadeBeforeIt) {
  llvm::Module& module = parse(R"ir(
    define void @f(ptr %counter) {
      %i = alloca i64
      store i64 0, ptr %i
      br label %head
    head:
      %a = load i64, ptr %i
      %bound = load i64, ptr %counter, !tbaa !0
      %more = icmp slt i64 %a, %bound
      br i1 %more, label %body, label %end
    body:
      %member = getelementptr i8, ptr %counter, i64 8
      %numbers = load ptr, ptr %member, !tbaa !3
      %b = load i64, ptr %i
      %place = getelementptr double, ptr %numbers, i64 %b
      store double 1.0, ptr %place, !tbaa !5
      %next = add i64 %b, 1
      store i64 %next, ptr %i
      br label %head
    end:
      ret void
    }
    define void @changes(ptr %counter, ptr %numbers) {
      br label %head
    head:
      %a = phi i64 [ 0, %0 ], [ %next, %body ]
      %bound = load i64, ptr %counter, !tbaa !0
      %more = icmp slt i64 %a, %bound
      br i1 %more, label %body, label %end
    body:
      %place = getelementptr i64, ptr %numbers, i64 %a
      store i64 1, ptr %place, !tbaa !0
      %next = add i64 %a, 1
      br label %head
    end:
      ret void
    }
    define void @debug(ptr %counter) noinline optnone {
      br label %head
    head:
      %bound = load i64, ptr %counter, !tbaa !0
      %more = icmp slt i64 0, %bound
      br i1 %more, label %head, label %end
    end:
      ret void
    }
    !0 = !{!1, !1, i64 0}
    !1 = !{!"long", !2}
    !2 = !{!"C"}
    !3 = !{!4, !4, i64 0}
    !4 = !{!"any pointer", !2}
    !5 = !{!6, !6, i64 0}
    !6 = !{!"double", !2})ir");
  EXPECT_EQ(mark_invariant_loads(module), 2u);
  normalise(module);
  EXPECT_EQ(hoist_invariant_loads(module), 2u);
  // Until it is settled that no alteration enters the loop against its test, what lies behind the test may be read
  // again.
  EXPECT_EQ(all<llvm::SelectInst>("f").size(), 1u);
  settle_guarded_loads(module);
  EXPECT_TRUE(all<llvm::SelectInst>("f").empty());
  const llvm::DominatorTree dominators(function("f"));
  const llvm::LoopInfo loops(dominators);
  // In the loop only variables are read: the loop's own and two that hold what was loaded, one of it under the test.
  unsigned in_loop = 0;
  std::vector<const llvm::LoadInst*> before;
  for (const llvm::LoadInst* load : all<llvm::LoadInst>("f")) {
    const bool of_variable = llvm::isa<llvm::AllocaInst>(load->getPointerOperand());
    if (loops.getLoopFor(load->getParent())) {
      ++in_loop;
      EXPECT_TRUE(of_variable);
    } else if (!of_variable) {
      before.push_back(load);
    }
  }
  EXPECT_EQ(in_loop, 5u);
  ASSERT_EQ(before.size(), 2u);
  EXPECT_NE(before[0]->getParent(), before[1]->getParent());
  EXPECT_TRUE(before[1]->getParent()->getSinglePredecessor()->getTerminator()->getNumSuccessors() == 2);
}

TEST_F(Passes, NormaliseTakesNoinlineWithOptnoneOnly) {
  normalise(parse(R"ir(
    define void @debug() noinline optnone { ret void }
    define void @wanted() noinline { ret void })ir"));
  EXPECT_FALSE(function("debug").hasFnAttribute(llvm::Attribute::NoInline));
  EXPECT_FALSE(function("debug").hasFnAttribute(llvm::Attribute::OptimizeNone));
  EXPECT_TRUE(function("wanted").hasFnAttribute(llvm::Attribute::NoInline));
}

TEST_F(Passes, NormaliseGivesOpenValuesOneMeaning) {
  normalise(parse(R"ir(
    declare i1 @llvm.is.constant.i32(i32)
    define i32 @unset() { ret i32 undef }
    define i32 @shift(i32 %n) {
      %r = shl i32 1, %n
      ret i32 %r
    }
    define i32 @in_range(i32 %n) {
      %r = shl i32 %n, 31
      ret i32 %r
    }
    define i1 @asks(i32 %n) {
      %r = call i1 @llvm.is.constant.i32(i32 %n)
      ret i1 %r
    }
    define void @falls_off() { unreachable })ir"));
  EXPECT_NE(text().find("ret i32 -1431655766"), std::string::npos);
  EXPECT_NE(text().find("and i32 %n, 31"), std::string::npos);
  EXPECT_EQ(function("in_range").getInstructionCount(), 2u);
  EXPECT_NE(text().find("ret i1 false"), std::string::npos);
  EXPECT_EQ(all<llvm::CallInst>("falls_off").size(), 1u);
}

TEST_F(Passes, AvailableExternallyIsCalledUnderItsOwnName) {
  normalise(parse(R"ir(
    define available_externally i32 @inlined(i32 %n) { ret i32 %n }
    define ptr @address() {
      %r = call i32 @inlined(i32 1)
      ret ptr @inlined
    })ir"));
  llvm::Function& copy = function("inlined.inline");
  EXPECT_TRUE(copy.hasInternalLinkage());
  EXPECT_TRUE(function("inlined").isDeclaration());
  EXPECT_EQ(all<llvm::CallInst>("address").front()->getCalledFunction(), &copy);
  EXPECT_EQ(all<llvm::ReturnInst>("address").front()->getReturnValue(), &function("inlined"));
}

TEST_F(Passes, AllocationAndOutputAreUnknownToTheOptimiser) {
  parse("");
  llvm::TargetLibraryInfoImpl library{llvm::Triple("x86_64-pc-linux-gnu")};
  disable_visible_builtins(library);
  llvm::TargetLibraryInfo known(library);
  for (llvm::LibFunc hidden : {llvm::LibFunc_malloc, llvm::LibFunc_calloc, llvm::LibFunc_realloc, llvm::LibFunc_free,
                               llvm::LibFunc_Znwm, llvm::LibFunc_ZdlPv, llvm::LibFunc_strdup,
                               llvm::LibFunc_fprintf, llvm::LibFunc_printf, llvm::LibFunc_fwrite, llvm::LibFunc_fputs}) {
    EXPECT_FALSE(known.has(hidden));
  }
  EXPECT_TRUE(known.has(llvm::LibFunc_strlen));
}

TEST_F(Passes, LabelsBecomeNumbers) {
  const auto left = lower_indirect_branches(parse(R"ir(
    @table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
    @apart = internal constant i32 trunc (i64 sub (i64 ptrtoint (ptr blockaddress(@f, %b) to i64),
                                                   i64 ptrtoint (ptr blockaddress(@f, %a) to i64)) to i32)
    define i32 @f(ptr %where) {
      indirectbr ptr %where, [label %a, label %b]
    a:
      ret i32 1
    b:
      ret i32 2
    })ir"));
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(text().find("blockaddress"), std::string::npos);
  EXPECT_NE(text().find("@apart = internal constant i32 1"), std::string::npos);
  ASSERT_EQ(all<llvm::SwitchInst>("f").size(), 1u);
  EXPECT_EQ(all<llvm::SwitchInst>("f").front()->getNumCases(), 2u);
}

TEST_F(Passes, FastBodiesJumpByTablesOfLabelsAgain) {
  llvm::Module& module = parse(R"(
    @table = global [2 x ptr] [ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)]
    define i32 @f(i64 %n) {
      %place = getelementptr [2 x ptr], ptr @table, i64 0, i64 %n
      %label = load ptr, ptr %place
      indirectbr ptr %label, [label %one, label %two]
    one:
      ret i32 1
    two:
      ret i32 2
    })");
  lower_indirect_branches(module);
  forget_marks(module);
  jump_by_label_tables(module);
  const auto* jump = llvm::dyn_cast<llvm::IndirectBrInst>(function("f").getEntryBlock().getTerminator());
  ASSERT_TRUE(jump);
  EXPECT_EQ(jump->getNumDestinations(), 2u);
  // Memory holds numbers still.
  EXPECT_NE(text().find("@table = global [2 x ptr] [ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 2 to ptr)]"),
            std::string::npos);
  EXPECT_NE(text().find("[3 x ptr] [ptr null, ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)]"), std::string::npos);
}

namespace points {

std::string change(const std::string& name, int by) {
  return "%" + name + " = load i64, ptr getelementptr (i8, ptr @culprit_points, i64 8)\n%" + name + ".new = add i64 %" + name + ", " +
         std::to_string(by) + "\nstore i64 %" + name + ".new, ptr getelementptr (i8, ptr @culprit_points, i64 8)\n";
}

std::string text_of(const std::string& body) {
  return R"(
    @culprit_points = external thread_local global [40 x i8]
    declare void @point()
    declare void @quiet()
    define void @f(i1 %seldom) {
)" + body + "}";
}

}  // namespace points

TEST_F(Passes, PointWordsChangeForCallsThatAreLeft) {
  // The callee was inlined: only one of its two ways calls.
  llvm::Module& module = parse(points::text_of(points::change("a", 3) + "br i1 %seldom, label %rare, label %end, !prof !0\nrare:\n" +
                                               points::change("b", 4) + "call void @point()\n" + points::change("c", -4) +
                                               "br label %end\nend:\ncall void @quiet() \"culprit-no-point\"\n" +
                                               points::change("d", -3) + "ret void\n") +
                               "!0 = !{!\"branch_weights\", i32 1, i32 1000}");
  EXPECT_EQ(settle_points(module, format::PointKind::kContext), 1u);
  EXPECT_EQ(all<llvm::StoreInst>("f").size(), 2u);
  for (const llvm::StoreInst* store : all<llvm::StoreInst>("f")) {
    EXPECT_EQ(store->getParent()->getName(), "rare");
    const auto* sum = llvm::cast<llvm::BinaryOperator>(store->getValueOperand());
    EXPECT_EQ(std::abs(llvm::cast<llvm::ConstantInt>(sum->getOperand(1))->getSExtValue()), 7);
  }
}

namespace points {

std::string raise(const std::string& name, int by) {
  return "%" + name + " = load ptr, ptr @culprit_points\n%" + name + ".new = getelementptr i8, ptr %" + name + ", i64 " +
         std::to_string(by) + "\nstore ptr %" + name + ".new, ptr @culprit_points\n";
}

/// The word that lies below the top.
std::string write(const std::string& name, int site) {
  return "%" + name + " = load ptr, ptr @culprit_points\n%" + name + ".word = getelementptr i8, ptr %" + name +
         ", i64 -8\nstore i64 " + std::to_string(site) + ", ptr %" + name + ".word\n";
}

}  // namespace points

// Of stores, the blocks in which words are written.
std::vector<std::string> blocks_of_words(const std::vector<llvm::StoreInst*>& stores) {
  std::vector<std::string> blocks;
  for (const llvm::StoreInst* store : stores) {
    if (llvm::isa<llvm::ConstantInt>(store->getValueOperand())) blocks.push_back(store->getParent()->getName().str());
  }
  return blocks;
}

TEST_F(Passes, PointWordsAreWrittenWhereCallsReadThem) {
  llvm::Module& module = parse(points::text_of(
      points::raise("a", 8) + points::write("b", 11) + "br i1 %seldom, label %rare, label %end, !prof !0\nrare:\n" +
      points::raise("c", 8) + points::write("d", 12) + "call void @point() \"culprit-keeps-call-word\"\n" + points::raise("e", -8) +
      "br label %end\nend:\n" + points::raise("f", -8) + "ret void\n") + "!0 = !{!\"branch_weights\", i32 1, i32 1000}");
  EXPECT_EQ(settle_points(module, format::PointKind::kPrecise), 1u);
  EXPECT_EQ(blocks_of_words(all<llvm::StoreInst>("f")), (std::vector<std::string>{"rare", "rare"}));
  // The top is changed on that way only, too.
  EXPECT_EQ(all<llvm::StoreInst>("f").size(), 4u);
}

TEST_F(Passes, PointWordsAreWrittenOnceBeforeLoops) {
  // Unless the callee may count entries in the call word.
  for (const bool keeps : {true, false}) {
    llvm::Module& module = parse(points::text_of(
        points::raise("a", 8) + points::write("b", 11) + "br label %loop\nloop:\ncall void @point() " +
        (keeps ? "\"culprit-keeps-call-word\"" : "") + "\nbr i1 %seldom, label %end, label %loop, !prof !0\nend:\n" +
        points::raise("f", -8) + "ret void\n") + "!0 = !{!\"branch_weights\", i32 1, i32 1000}");
    EXPECT_EQ(settle_points(module, format::PointKind::kPrecise), 1u);
    EXPECT_EQ(blocks_of_words(all<llvm::StoreInst>("f")), std::vector<std::string>{keeps ? "" : "loop"});
  }
}

TEST_F(Passes, PointWordsAreAsTheyWereBeforeAnInvokeThatDoesNotReadThem) {
  llvm::Module& module = parse(R"(
    @culprit_points = external thread_local global [40 x i8]
    declare void @point()
    declare void @quiet()
    declare i32 @__gxx_personality_v0(...)
    define void @f() personality ptr @__gxx_personality_v0 {
)" + points::raise("a", 16) + "call void @point()\n" + points::raise("b", -16) + R"(
      invoke void @quiet() "culprit-no-point" to label %end unwind label %pad
    end:
      ret void
    pad:
      %thrown = landingpad { ptr, i32 } cleanup
      resume { ptr, i32 } %thrown
    })");
  EXPECT_EQ(settle_points(module, format::PointKind::kContext), 1u);
  int64_t sum = 0;
  size_t changes = 0;
  for (const llvm::StoreInst* store : all<llvm::StoreInst>("f")) {
    const auto* step = llvm::dyn_cast<llvm::GEPOperator>(store->getValueOperand());
    if (!step) continue;  // the landing pad sets it anew
    llvm::APInt bytes(64, 0);
    ASSERT_TRUE(step->accumulateConstantOffset(module.getDataLayout(), bytes));
    sum += bytes.getSExtValue();
    ++changes;
  }
  EXPECT_EQ(changes, 2u);
  EXPECT_EQ(sum, 0);
}

TEST_F(Passes, PointWordsStayWhereTheirOffsetIsNotKnown) {
  const std::string two_ways = "br i1 %seldom, label %rare, label %end\nrare:\n" + points::change("a", 3) +
                               "br label %end\nend:\ncall void @point()\n" + points::change("b", -3) + "ret void\n";
  llvm::Module& module = parse(points::text_of(two_ways));
  EXPECT_EQ(settle_points(module, format::PointKind::kContext), 0u);
  EXPECT_EQ(all<llvm::StoreInst>("f").size(), 2u);
}

namespace points {

/// As the passes write it.
std::string add(int by) {
  return "call void asm sideeffect \"culprit_point_add\", \"i,i\"(i64 0, i64 " + std::to_string(by) + ") nomerge nounwind willreturn "
         "memory(inaccessiblemem: readwrite)\n";
}

}  // namespace points

TEST_F(Passes, PointWordsSettleWhereWaysOfSeveralOffsetsMeet) {
  // As loads and stores, the changes of both ways would be made one, by an amount that depends on the way.
  const auto way = [](int by) { return points::add(by) + "call void @point()\n" + points::add(-by) + "br label %end\n"; };
  llvm::Module& module = parse(points::text_of("br i1 %seldom, label %a, label %b\na:\n" + way(8) + "b:\n" + way(16) + "end:\nret void\n"));
  llvm::PassBuilder builder;
  llvm::FunctionAnalysisManager analyses;
  builder.registerFunctionAnalyses(analyses);
  llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().sinkCommonInsts(true)).run(function("f"), analyses);
  EXPECT_EQ(settle_points(module, format::PointKind::kPrecise), 1u);
  EXPECT_EQ(all<llvm::CallInst>("f").size(), 2u);
  EXPECT_EQ(all<llvm::StoreInst>("f").size(), 4u);
}

TEST_F(Passes, ChangesOfPointWordsThatNobodySeesAreJoined) {
  parse(points::text_of(points::add(8) + "store i32 1, ptr null\n" + points::add(-8) + points::add(16) + points::add(8) +
                        "call void @point()\n" + points::add(-24) + "ret void\n"));
  join_point_changes(function("f"));
  EXPECT_EQ(all<llvm::CallInst>("f").size(), 3u);
  lower_point_words(function("f"));
  std::vector<int64_t> changes;
  for (const llvm::Instruction& instruction : llvm::instructions(function("f"))) {
    llvm::APInt bytes(64, 0);
    const auto* step = llvm::dyn_cast<llvm::GEPOperator>(&instruction);
    if (step && step->accumulateConstantOffset(module_->getDataLayout(), bytes)) changes.push_back(bytes.getSExtValue());
  }
  EXPECT_EQ(changes, (std::vector<int64_t>{24, -24}));
}

TEST_F(Passes, PointWordsOfOtherKindsStay) {
  llvm::Module& module = parse(points::text_of(points::change("a", 3) + points::change("b", -3) + "ret void\n"));
  EXPECT_EQ(settle_points(module, format::PointKind::kCount), 0u);
  EXPECT_EQ(all<llvm::StoreInst>("f").size(), 2u);
}

TEST_F(Passes, LabelsThatAssemblyUsesAreLeft) {
  const auto left = lower_indirect_branches(parse(R"ir(
    define void @f() {
      call void asm sideeffect "# $0", "i"(ptr blockaddress(@f, %a))
      br label %a
    a:
      ret void
    })ir"));
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left.front(), &function("f"));
}

TEST_F(Passes, MutableGlobalsMoveTogether) {
  const MergedGlobals merged = merge_globals(parse(R"ir(
    @small = internal global i8 1
    @wide = global i64 2, align 32
    @weak = weak global i32 3
    @inline_variable = linkonce_odr global i32 4
    @zero = internal global [1000000 x i8] zeroinitializer
    @fixed = constant i32 5
    @elsewhere = external global i32
    @placed = global i32 6, section "mine"
    @named = internal global i32 7
    @per_thread = thread_local global i32 8
    module asm "movl $0, named(%rip)"
    define i64 @f() {
      %a = load i64, ptr @wide
      %t = call ptr @llvm.threadlocal.address.p0(ptr @per_thread)
      store i32 1, ptr %t
      ret i64 %a
    }
    declare ptr @llvm.threadlocal.address.p0(ptr))ir"));
  EXPECT_EQ(merged.merged, 4u);
  EXPECT_EQ(merged.merged_thread_local, 1u);
  EXPECT_EQ(merged.left, (std::vector<std::string>{"weak", "placed", "named"}));
  llvm::GlobalVariable* globals = module_->getGlobalVariable("culprit_globals");
  ASSERT_NE(globals, nullptr);
  EXPECT_EQ(globals->getAlign()->value(), 32u);
  EXPECT_EQ(module_->getDataLayout().getTypeAllocSize(globals->getValueType()), 44u);
  EXPECT_NE(text().find("@wide = dso_local alias i64, getelementptr (i8, ptr @culprit_globals, i64 32)"),
            std::string::npos);
  EXPECT_NE(text().find("@inline_variable = weak"), std::string::npos);
  EXPECT_TRUE(module_->getGlobalVariable("culprit_zero_globals")->getInitializer()->isNullValue());
  EXPECT_EQ(module_->getGlobalVariable("small", true), nullptr);
}

TEST_F(Passes, VisibleVariablesGoToTheUserStack) {
  parse(R"ir(
    declare void @see(ptr)
    define i32 @f(i32 %index) {
      %scalar = alloca i32
      %pair = alloca { i32, i32 }
      %seen = alloca i32
      %indexed = alloca [4 x i32]
      %outside = alloca [4 x i32]
      %kept = alloca i32, align 4
      store i32 %index, ptr %scalar
      %second = getelementptr i8, ptr %pair, i64 4
      store i32 1, ptr %second
      call void @see(ptr %seen)
      %place = getelementptr [4 x i32], ptr %indexed, i64 0, i32 %index
      store i32 2, ptr %place
      %past = getelementptr i8, ptr %outside, i64 16
      store i32 3, ptr %past
      store volatile i32 4, ptr %kept
      ret i32 0
    })ir");
  std::vector<std::string> privates;
  for (llvm::AllocaInst* variable : all<llvm::AllocaInst>("f")) {
    const auto its = classify(*variable, PointerUses(*module_));
    if (its == VariableClass::kRegister) privates.push_back(variable->getName().str());
  }
  EXPECT_EQ(privates, (std::vector<std::string>{"scalar", "pair"}));
  const PlacedVariables placed = place_variables(*module_);
  EXPECT_EQ(placed.in_registers, 2u);
  EXPECT_EQ(placed.on_user_stack, 4u);
  EXPECT_EQ(stack_pointer_stores("f"), (std::vector<std::string>{"publish", "pop"}));
  for (llvm::AllocaInst* variable : all<llvm::AllocaInst>("f")) {
    EXPECT_TRUE(variable->hasMetadata(metadata::kPrivateHome));
  }
}

TEST_F(Passes, AddressesAreFollowedIntoCallees) {
  parse(R"ir(
    @kept = global ptr null
    define internal void @sets(ptr %where) {
      %where.addr = alloca ptr
      store ptr %where, ptr %where.addr
      %again = load ptr, ptr %where.addr
      store i32 1, ptr %again
      ret void
    }
    define internal ptr @second(ptr %pair) {
      %place = getelementptr i8, ptr %pair, i64 4
      ret ptr %place
    }
    define internal void @walks(ptr %where, i32 %n) {
      store i32 %n, ptr %where
      %next = getelementptr i8, ptr %where, i64 4
      %end = icmp eq i32 %n, 0
      br i1 %end, label %out, label %on
    on:
      call void @walks(ptr %next, i32 0)
      br label %out
    out:
      ret void
    }
    define internal void @keeps(ptr %where) {
      store ptr %where, ptr @kept
      ret void
    }
    define internal void @reads_beyond(ptr %where) {
      %next = getelementptr i8, ptr %where, i64 4
      %value = load i32, ptr %next
      ret void
    }
    define i32 @f() {
      %set = alloca i32
      %pair = alloca { i32, i32 }
      %walked = alloca i32
      %kept_here = alloca i32
      %overread = alloca i32
      call void @sets(ptr %set)
      %place = call ptr @second(ptr %pair)
      store i32 2, ptr %place
      call void @walks(ptr %walked, i32 3)
      call void @keeps(ptr %kept_here)
      call void @reads_beyond(ptr %overread)
      ret i32 0
    })ir");
  const PointerUses uses(*module_);
  std::vector<std::string> invisible;
  for (llvm::AllocaInst* variable : all<llvm::AllocaInst>("f")) {
    if (classify(*variable, uses) == VariableClass::kInvisible) invisible.push_back(variable->getName().str());
  }
  EXPECT_EQ(invisible, (std::vector<std::string>{"set", "pair"}));
}

TEST_F(Passes, FrameIsLeftAndFoundAgainOnEveryWay) {
  parse(R"ir(
    declare void @see(ptr)
    declare i32 @setjmp(ptr) returns_twice
    declare i32 @personality(...)
    declare i32 @next(i32)
    define i32 @tail(i32 %n) {
      %seen = alloca i32
      call void @see(ptr %seen)
      %r = musttail call i32 @tail(i32 %n)
      ret i32 %r
    }
    define void @pads() personality ptr @personality {
      invoke void @see(ptr null) to label %fine unwind label %pad
    fine:
      ret void
    pad:
      %caught = landingpad { ptr, i32 } cleanup
      resume { ptr, i32 } %caught
    }
    define i32 @jumps(ptr %buffer) {
      %local = alloca i32
      store i32 1, ptr %local
      %r = call i32 @setjmp(ptr %buffer) returns_twice
      %v = load i32, ptr %local
      ret i32 %v
    }
    define i32 @plain(i32 %n) {
      %local = alloca i32
      store i32 %n, ptr %local
      ret i32 1
    })ir");
  place_variables(*module_);
  EXPECT_EQ(stack_pointer_stores("tail"), (std::vector<std::string>{"publish", "pop"}));
  EXPECT_EQ(stack_pointer_stores("pads"), (std::vector<std::string>{"publish"}));
  EXPECT_EQ(stack_pointer_stores("jumps"), (std::vector<std::string>{"publish", "publish", "pop"}));
  EXPECT_TRUE(all<llvm::AllocaInst>("jumps").empty());
  EXPECT_EQ(stack_pointer_stores("plain"), std::vector<std::string>());
}

TEST_F(Passes, ArgumentsInMemoryAreCopied) {
  parse(R"ir(
    declare void @see(ptr)
    define void @f(ptr byval([3 x i64]) align 8 %block) {
      call void @see(ptr %block)
      ret void
    })ir");
  place_variables(*module_);
  EXPECT_EQ(all<llvm::MemCpyInst>("f").size(), 1u);
  EXPECT_EQ(stack_pointer_stores("f"), (std::vector<std::string>{"publish", "pop"}));
}

TEST_F(Passes, DynamicVariablesAreGivenBack) {
  parse(R"ir(
    declare void @see(ptr)
    declare ptr @llvm.stacksave.p0()
    declare void @llvm.stackrestore.p0(ptr)
    define void @f(i64 %n) {
      %save = call ptr @llvm.stacksave.p0()
      %block = alloca i32, i64 %n, align 64
      call void @see(ptr %block)
      call void @llvm.stackrestore.p0(ptr %save)
      ret void
    })ir");
  place_variables(*module_);
  EXPECT_EQ(text().find("call ptr @llvm.stacksave"), std::string::npos);
  EXPECT_EQ(stack_pointer_stores("f"), (std::vector<std::string>{"publish", "publish", "pop"}));
  EXPECT_NE(text().find("llvm.ptrmask"), std::string::npos);
}

TEST_F(Passes, HomesMoveToThePrivateStack) {
  parse(R"ir(
    define i32 @f(i32 %n) {
      %low = alloca i8
      %wide = alloca i64, align 32
      store i8 1, ptr %low
      store i64 2, ptr %wide
      ret i32 %n
    }
    define void @native() "culprit-native"="test" {
      %local = alloca i32
      store volatile i32 1, ptr %local
      ret void
    })ir");
  place_variables(*module_);
  EXPECT_EQ(all<llvm::AllocaInst>("native").size(), 1u);
  EXPECT_EQ(all<llvm::AllocaInst>("f").size(), 2u);
  lower_private_homes(function("f"), PrivateHomes::kInMemory);
  EXPECT_EQ(all<llvm::AllocaInst>("f").size(), 2u);
  lower_private_homes(function("f"), PrivateHomes::kAll);
  EXPECT_TRUE(all<llvm::AllocaInst>("f").empty());
  EXPECT_EQ(stack_pointer_stores("f"), (std::vector<std::string>{"publish", "pop"}));
  int homes = 0;
  for (llvm::GetElementPtrInst* address : all<llvm::GetElementPtrInst>("f")) {
    homes += address->hasMetadata(metadata::kPrivateHome);
  }
  EXPECT_EQ(homes, 2);
}

TEST_F(Passes, ContextsGetStacks) {
  parse(R"ir(
    declare void @makecontext(ptr, ptr, i32, ...)
    define void @f(ptr %context, ptr %start) {
      call void (ptr, ptr, i32, ...) @makecontext(ptr %context, ptr %start, i32 1, i32 7)
      ret void
    })ir");
  place_variables(*module_);
  const auto calls = all<llvm::CallInst>("f");
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1]->getCalledFunction()->getName(), "culprit_context_made");
  EXPECT_EQ(calls[1]->getArgOperand(0), calls[0]->getArgOperand(0));
}

/// Of a function, whose stores of bytes are events.
class PastEvents : public Passes {
 protected:
  /// How many conditional branches and loads are left.
  std::pair<int, int> left_of(const std::string& text) {
    llvm::Function& function = *parse(text).getFunction("f");
    const TraceScopes scopes(context_);
    for (llvm::Instruction& each : llvm::instructions(function)) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&each);
      if (store && store->getValueOperand()->getType()->isIntegerTy(8)) scopes.mark(*store, TraceScope::kEvents);
    }
    llvm::PassBuilder builder;
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    forward_past_events(function, functions.getResult<llvm::AAManager>(function));
    std::pair<int, int> left;
    for (const llvm::Instruction& each : llvm::instructions(function)) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&each);
      left.first += branch && branch->isConditional() ? 1 : 0;
      left.second += llvm::isa<llvm::LoadInst>(each) ? 1 : 0;
    }
    return left;
  }

  /// `best = a; if (b > best) best = b; if (c > best) best = c;` with `between` in front of the first condition.
  static std::string greatest(const std::string& first, const std::string& between) {
    return "define i32 @f(ptr %best, ptr %other, ptr %events, i32 %a, i32 %b, i32 %c) {\n" + first + between + R"(
  %one = load i32, ptr %best
  %more = icmp sgt i32 %b, %one
  %event = select i1 %more, i8 1, i8 2
  store i8 %event, ptr %events
  br i1 %more, label %then, label %next
then:
  store i32 %b, ptr %best
  br label %next
next:
  %two = load i32, ptr %best
  %fewer = icmp sle i32 %c, %two
  store i8 3, ptr %events
  br i1 %fewer, label %end, label %last
last:
  store i32 %c, ptr %best
  br label %end
end:
  %chosen = phi i32 [ %c, %last ], [ %two, %next ]
  ret i32 %chosen
}
)";
  }
};

using Left = std::pair<int, int>;

TEST_F(PastEvents, ConditionalStoresBecomeChoices) {
  EXPECT_EQ(left_of(greatest("store i32 %a, ptr %best\n", "store i8 1, ptr %events\n")), Left(0, 0));
}

TEST_F(PastEvents, WhatAnotherStoreMayHaveChangedIsReadAgain) {
  EXPECT_EQ(left_of(greatest("store i32 %a, ptr %best\n", "store i32 0, ptr %other\n")), Left(2, 2));
}

TEST_F(PastEvents, OnlyWhereTheBlockHasStoredMayBeStoredAlways) {
  EXPECT_EQ(left_of(greatest("", "")), Left(2, 2));
}

TEST_F(PastEvents, StoresThatAreNoEventsMayChangeEverything) {
  EXPECT_EQ(left_of(greatest("store i32 %a, ptr %best\n", "store i16 1, ptr %events\n")), Left(2, 2));
}

}  // namespace
}  // namespace culprit
