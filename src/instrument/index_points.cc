#include "instrument/index_points.h"

#include <fmt/format.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <optional>
#include <set>

#include "instrument/metadata.h"
#include "instrument/model_ids.h"
#include "instrument/native_functions.h"
#include "instrument/recursion.h"
#include "instrument/user_stack.h"
#include "program/external_roles.h"

namespace culprit {
namespace {

constexpr const char* kEntryNoteAttribute = "culprit-entry-note";

program::ExternalRole role_of_function(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  return program::external_role({name.data(), name.size()});
}

/// Known functions of libraries that call nothing of the program's.
bool calls_back_never(const llvm::Function& function, const llvm::TargetLibraryInfoImpl& library) {
  if (function.hasFnAttribute(llvm::Attribute::NoCallback) || !role_of_function(function).calls_back) return true;
  llvm::LibFunc known;
  if (!library.getLibFunc(function.getName(), known)) return false;
  return known != llvm::LibFunc_qsort && known != llvm::LibFunc_cxa_atexit && known != llvm::LibFunc_atexit;
}

const llvm::Function* native_callee(const llvm::CallBase& call) {
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  return callee && !callee->isIntrinsic() && !is_instrumented(*callee) ? callee : nullptr;
}

/// Used other than to call it where that is seen.
bool is_address_taken(const llvm::Function& function) {
  return llvm::any_of(function.uses(), [](const llvm::Use& use) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    return !call || !call->isCallee(&use) || call->getCalledFunction() == nullptr;
  });
}

/// As make_fast_bodies will decide, or more often.
bool is_entered_from_outside(const llvm::Function& function) {
  if (!function.hasLocalLinkage() && !function.hasLinkOnceODRLinkage()) return true;
  return llvm::any_of(function.uses(), [](const llvm::Use& use) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    return !call || !call->isCallee(&use) || !direct_callee(*call);
  });
}

/// Which kind of register a value of the type is passed in, as a letter; programs convert function pointers, but not so
/// that parameters are looked for in registers of another kind.
char register_class(const llvm::Type& type) {
  if (type.isIntOrPtrTy()) return 'i';
  return type.isFloatingPointTy() ? 'f' : 'o';
}
std::string parameters_of(const llvm::Function& function) {
  std::string classes;
  for (const llvm::Argument& argument : function.args()) classes += register_class(*argument.getType());
  return classes;
}
std::string arguments_of(const llvm::CallBase& call) {
  std::string classes;
  for (const llvm::Use& argument : call.args()) classes += register_class(*argument->getType());
  return classes;
}

/// "dir/file.c:12" names a position in ".../dir/file.c".
bool is_listed(const llvm::DILocation* position, const std::vector<std::string>& listed) {
  if (!position) return false;
  const std::string line = fmt::format(":{}", position->getLine());
  const std::string file = position->getFilename().str();
  return std::any_of(listed.begin(), listed.end(), [&](const std::string& wanted) {
    if (!llvm::StringRef(wanted).ends_with(line)) return false;
    const llvm::StringRef name = llvm::StringRef(wanted).drop_back(line.size());
    const llvm::StringRef whole(file);
    return whole.ends_with(name) && (whole.size() == name.size() || whole[whole.size() - name.size() - 1] == '/');
  });
}

class Points {
 public:
  Points(llvm::Module& module, const PointOptions& options)
      : module_(module), options_(options), library_(llvm::Triple(module.getTargetTriple())) {
    for (const llvm::Function& function : module_) {
      const bool is_native = !function.isIntrinsic() && !is_instrumented(function) && is_address_taken(function);
      if (is_native && (is_point(function) || !calls_back_never(function, library_))) {
        behind_pointers_.insert(parameters_of(function));
      }
    }
  }

  bool is_point(const llvm::CallBase& call) const {
    const llvm::Function* callee = native_callee(call);
    return callee && is_point(*callee);
  }
  bool is_point(const llvm::Function& native) const {
    if (native.getName().starts_with(format::kPointPrefix)) return true;
    if (options_.report) return false;  // what was reported has been asked already
    const program::ExternalRole role = role_of_function(native);
    switch (options_.places) {
      case PointPlaces::kCalls:
        return !role.keeps_to_itself;
      case PointPlaces::kAllocations:
        return role.allocates;
      case PointPlaces::kEvents:
        return role.allocates || role.synchronises;
      case PointPlaces::kStatements:
      case PointPlaces::kListed:
        return false;
    }
    return false;
  }

  std::vector<PointFunction> find() {
    std::vector<llvm::Function*> functions;
    for (llvm::Function& function : module_) {
      if (is_instrumented(function) && entry_block_number(function)) functions.push_back(&function);
    }
    // Grows until nothing is added: a function leads to a point when one of its calls does.
    for (bool grown = true; grown;) {
      grown = false;
      for (llvm::Function* function : functions) {
        if (reaching_.contains(function) || !leads_to_point(*function)) continue;
        reaching_.insert(function);
        outside_reaches_ = outside_reaches_ || is_entered_from_outside(*function);
        if (is_address_taken(*function)) behind_pointers_.insert(parameters_of(*function));
        grown = true;
      }
    }
    std::vector<PointFunction> found;
    for (llvm::Function* function : functions) {
      if (reaching_.contains(function)) found.push_back(describe(*function));
    }
    return found;
  }

 private:
  CallRole role_of(const llvm::CallBase& call) const {
    if (llvm::isa<llvm::IntrinsicInst>(call) || call.isInlineAsm()) return CallRole::kNone;
    if (const llvm::Function* callee = direct_callee(call)) {
      return reaching_.contains(callee) ? CallRole::kDirect : CallRole::kNone;
    }
    const llvm::Function* native = native_callee(call);
    const bool may_enter = native ? outside_reaches_ && !calls_back_never(*native, library_) : may_call_reaching(call);
    if (may_enter && !(native && native->getName().starts_with(format::kPointPrefix))) return CallRole::kOpen;
    return is_point(call) ? CallRole::kPoint : CallRole::kNone;
  }

  /// Whether a call through a pointer may enter a function that leads to a point, by what it passes: at least what the
  /// function takes. Where any call that leaves the program is a point, it may be one itself.
  bool may_call_reaching(const llvm::CallBase& call) const {
    if (options_.places == PointPlaces::kCalls) return outside_reaches_;
    const std::string passed = arguments_of(call);
    return llvm::any_of(behind_pointers_, [&](const std::string& taken) { return passed.starts_with(taken); });
  }

  bool leads_to_point(const llvm::Function& function) const {
    return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      return call && role_of(*call) != CallRole::kNone;
    });
  }

  PointFunction describe(llvm::Function& function) const {
    PointFunction described{.function = &function,
                            .entry_block = *entry_block_number(function),
                            .entered_from_outside = is_entered_from_outside(function),
                            .reentered = is_reentered(function),
                            .returns_twice = calls_returns_twice(function),
                            .calls = {}};
    uint32_t last_site = 0;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const CallRole role = call ? role_of(*call) : CallRole::kNone;
      if (role == CallRole::kNone) continue;
      // Calls that were put in after the program was described stand for what they stand next to.
      const uint32_t site =
          format::statement_site(number_in(*call, metadata::kStatement).value_or(last_site == 0 ? 0 : last_site - 1));
      last_site = site;
      described.calls.push_back({.call = call,
                                 .role = role,
                                 .is_point = is_point(*call),
                                 .callee = role == CallRole::kDirect ? direct_callee(*call) : nullptr,
                                 .site = site});
    }
    return described;
  }

  llvm::Module& module_;
  const PointOptions& options_;
  llvm::TargetLibraryInfoImpl library_;
  llvm::DenseSet<const llvm::Function*> reaching_;
  bool outside_reaches_ = false;
  /// The parameters of functions that lead to points, or are points, and whose addresses the program knows.
  std::set<std::string> behind_pointers_;
};

/// What a statement writes or branches on, as 64 bits. Addresses differ between executions of one program: they are
/// none.
llvm::Value* value_at(llvm::IRBuilderBase& builder, const llvm::Instruction& place) {
  llvm::Value* value = nullptr;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&place)) {
    value = const_cast<llvm::Value*>(store->getValueOperand());
  } else if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&place)) {
    if (branch->isConditional()) value = branch->getCondition();
  } else if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&place)) {
    value = choice->getCondition();
  }
  if (!value) return nullptr;
  llvm::Type* type = value->getType();
  if (type->isFloatTy() || type->isDoubleTy()) {
    type = builder.getIntNTy(type->getPrimitiveSizeInBits());
    value = builder.CreateBitCast(value, type);
  }
  if (!type->isIntegerTy() || type->getIntegerBitWidth() > 64) return nullptr;
  const bool is_truth = type->getIntegerBitWidth() == 1;
  return is_truth ? builder.CreateZExt(value, builder.getInt64Ty()) : builder.CreateSExt(value, builder.getInt64Ty());
}

void report_before(llvm::Instruction& place, uint32_t statement, bool with_value) {
  llvm::Module& module = *place.getModule();
  llvm::IRBuilder<> builder(&place);
  llvm::Value* site = builder.getInt32(format::statement_site(statement));
  llvm::Value* value = with_value ? value_at(builder, place) : nullptr;
  llvm::FunctionCallee reached =
      value ? module.getOrInsertFunction(format::kPointValueSymbol, builder.getVoidTy(), builder.getInt32Ty(),
                                         builder.getInt64Ty())
            : module.getOrInsertFunction(format::kPointReachedSymbol, builder.getVoidTy(), builder.getInt32Ty());
  llvm::cast<llvm::Function>(reached.getCallee())->setDoesNotThrow();
  llvm::CallInst* call = value ? builder.CreateCall(reached, {site, value}) : builder.CreateCall(reached, {site});
  auto* number = llvm::ConstantAsMetadata::get(builder.getInt32(statement));
  call->setMetadata(metadata::kStatement, llvm::MDNode::get(module.getContext(), number));
}

/// The end of a block as the compiler made it is part of the last statement, but not what that does.
bool is_plain_jump(const llvm::Instruction& instruction) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
  return branch && branch->isUnconditional();
}

/// Where the statements of a block do what they do, in order: the last instruction of each.
std::vector<std::pair<llvm::Instruction*, uint32_t>> statement_places(llvm::BasicBlock& block) {
  std::vector<std::pair<llvm::Instruction*, uint32_t>> places;
  llvm::DenseSet<uint32_t> seen;  // the instructions of statements may alternate
  const llvm::CallInst* tail_call = block.getTerminatingMustTailCall();
  bool behind_tail_call = tail_call != nullptr;
  for (llvm::Instruction& instruction : llvm::reverse(block)) {
    if (&instruction == tail_call) behind_tail_call = false;
    const auto statement = number_in(instruction, metadata::kStatement);
    const bool fixed = llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) || instruction.isEHPad();
    if (!statement || fixed || behind_tail_call || !seen.insert(*statement).second) continue;
    places.emplace_back(&instruction, *statement);
  }
  std::reverse(places.begin(), places.end());
  if (places.empty() || !is_plain_jump(*places.back().first)) return places;
  for (llvm::Instruction& instruction : llvm::reverse(block)) {
    const bool fixed = llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) || instruction.isEHPad();
    if (fixed || is_plain_jump(instruction)) continue;
    if (number_in(instruction, metadata::kStatement) != places.back().second) continue;
    places.back().first = &instruction;
    break;
  }
  return places;
}

}  // namespace

void insert_reports(llvm::Module& module, const PointOptions& options) {
  PointOptions before_reports = options;
  before_reports.report = false;
  const Points points(module, before_reports);
  std::vector<std::pair<llvm::Instruction*, uint32_t>> places;
  for (llvm::Function& function : module) {
    if (!is_instrumented(function)) continue;
    for (llvm::BasicBlock& block : function) {
      for (const auto& [place, statement] : statement_places(block)) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(place);
        const bool wanted =
            options.places == PointPlaces::kStatements ||
            (options.places == PointPlaces::kListed ? is_listed(place->getDebugLoc().get(), options.listed)
                                                    : call && points.is_point(*call));
        if (wanted) places.emplace_back(place, statement);
      }
    }
  }
  for (const auto& [place, statement] : places) report_before(*place, statement, options.values);
}

std::vector<PointFunction> find_point_functions(llvm::Module& module, const PointOptions& options) {
  return Points(module, options).find();
}

void note_entries(const std::vector<PointFunction>& functions, format::PointKind kind) {
  std::string note;
  const bool numbers = kind == format::PointKind::kContext;
  if (numbers) {
    // The number that whoever called from outside left on the stack.
    note = fmt::format("\tmovq\t-16(%r11), %r11\n\tmovq\t%r11, %fs:{}@tpoff+{}\n", format::kThreadPointsSymbol,
                       offsetof(format::ThreadPoints, number));
  } else if (kind != format::PointKind::kCount) {
    // The entries are the high half of the call word.
    note = "\tincl\t-4(%r11)\n";
  }
  for (const PointFunction& each : functions) {
    // Who calls from outside has started a number, but a library may call again after a tail call.
    if (numbers && !llvm::any_of(*each.function, [](auto& block) { return block.getTerminatingMustTailCall(); }))
      continue;
    if (each.entered_from_outside && !note.empty()) each.function->addFnAttr(kEntryNoteAttribute, note);
  }
}

std::string entry_note(const llvm::Function& function) {
  return function.getFnAttribute(kEntryNoteAttribute).getValueAsString().str();
}

llvm::GlobalVariable& thread_points(llvm::Module& module) {
  if (llvm::GlobalVariable* existing = module.getGlobalVariable(format::kThreadPointsSymbol)) return *existing;
  auto* bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), sizeof(format::ThreadPoints));
  auto* points =
      new llvm::GlobalVariable(module, bytes, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                               format::kThreadPointsSymbol, nullptr, llvm::GlobalVariable::LocalExecTLSModel);
  points->setAlignment(llvm::Align(alignof(format::ThreadPoints)));
  points->setVisibility(llvm::GlobalValue::HiddenVisibility);
  points->setDSOLocal(true);
  return *points;
}

llvm::Constant* thread_points_address(llvm::Module& module, size_t offset) {
  auto* index = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), offset);
  return llvm::ConstantExpr::getInBoundsGetElementPtr(llvm::Type::getInt8Ty(module.getContext()),
                                                      &thread_points(module),
                                                      index);
}

std::vector<llvm::CallInst*> second_returns(llvm::Function& function) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && call->canReturnTwice()) calls.push_back(call);
  }
  return calls;
}

void count_entry(llvm::IRBuilderBase& builder, llvm::Value* first_word) {
  llvm::Value* entries = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), first_word, static_cast<uint64_t>(-4));
  llvm::Value* old_entries = builder.CreateLoad(builder.getInt32Ty(), entries);
  builder.CreateStore(builder.CreateAdd(old_entries, builder.getInt32(1)), entries);
}

PointWords::PointWords(const PointFunction& function) : function_(*function.function) {
  llvm::BasicBlock& entry = function_.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.begin());
  llvm::Module& module = *function_.getParent();
  llvm::Constant* top = thread_points_address(module, offsetof(format::ThreadPoints, top));
  first_ = builder.CreateLoad(builder.getPtrTy(), top, "culprit.words");
  if (function.returns_twice) count_second_returns();
  if (!function.entered_from_outside) return;
  for (llvm::BasicBlock& block : function_) {
    llvm::Instruction* exit = block.getTerminator();
    if (llvm::CallInst* tail_call = block.getTerminatingMustTailCall()) {
      exit = tail_call;
    } else if (!llvm::isa<llvm::ReturnInst>(exit)) {
      continue;
    }
    llvm::IRBuilder<>(exit).CreateStore(first_, top);
  }
}

void PointWords::count_second_returns() {
  for (llvm::CallInst* call : second_returns(function_)) {
    llvm::IRBuilder<> builder(call->getNextNode());
    count_entry(builder, first_);
  }
}

llvm::Value* PointWords::word(llvm::IRBuilderBase& builder, uint64_t bytes) const {
  return bytes == 0 ? first_ : builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), first_, bytes);
}

void PointWords::publish(const PointCallSite& call, uint64_t bytes) {
  llvm::IRBuilder<> builder(call.call);
  publish(call, word(builder, bytes));
}

void PointWords::publish(const PointCallSite& call, llvm::Value* first_free) {
  llvm::IRBuilder<> builder(call.call);
  llvm::Module& module = *function_.getParent();
  llvm::Constant* top = thread_points_address(module, offsetof(format::ThreadPoints, top));
  if (call.call->isMustTailCall()) {
    count_entry(builder, first_);
    builder.CreateStore(first_, top);
    return;
  }
  builder.CreateStore(builder.getInt64(call.site), first_free);
  builder.CreateStore(builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), first_free, sizeof(uint64_t)), top);
}

}  // namespace culprit
