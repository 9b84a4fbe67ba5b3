// A plugin for opt that puts mutants into a module before it is captured: at chosen places an alternative value is
// computed too, and CULPRIT_MUTANT=ID in the program's environment chooses it (mutant schemata, Untch 1993). One build
// holds all mutants. Alternatives are chosen by `select` and never by a branch, so that no branch of the program's own
// is added that predicate switching could find.
//
// Operators: comparison (< for <=), arithmetic (+ for -), constant (one more), negated condition, deleted statement (a
// store that stores what was there), deleted call (to a function that does nothing).
//
// MUTANTS_LIST: file to which a line of JSON per mutant is appended. MUTANTS_ONE_OF=N keeps one of N places.
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

using llvm::dyn_cast;
using llvm::isa;

std::string escaped(llvm::StringRef text) {
  std::string result;
  for (const char each : text) {
    if (each == '"' || each == '\\') result += '\\';
    result += each;
  }
  return result;
}

class Mutator {
 public:
  explicit Mutator(llvm::Module& module) : module_(module), builder_(module.getContext()) {
    const char* one_of = std::getenv("MUTANTS_ONE_OF");
    one_of_ = one_of ? std::strtoull(one_of, nullptr, 10) : 1;
  }

  void run() {
    chosen_ = new llvm::GlobalVariable(module_, builder_.getInt64Ty(), false, llvm::GlobalValue::WeakAnyLinkage,
                                       builder_.getInt64(0), "culprit_mutant");
    std::vector<llvm::Instruction*> instructions;
    for (llvm::Function& function : module_) {
      if (!function.getSubprogram()) continue;
      for (llvm::Instruction& each : llvm::instructions(function)) {
        if (each.getDebugLoc() && each.getDebugLoc().getLine() != 0) instructions.push_back(&each);
      }
    }
    for (llvm::Instruction* each : instructions) mutate(*each);
    choose_at_start();
  }

 private:
  void mutate(llvm::Instruction& instruction) {
    if (auto* compare = dyn_cast<llvm::ICmpInst>(&instruction)) mutate_comparison(*compare);
    if (auto* operation = dyn_cast<llvm::BinaryOperator>(&instruction)) mutate_arithmetic(*operation);
    if (isa<llvm::ICmpInst, llvm::BinaryOperator>(instruction)) mutate_constant(instruction, 1);
    if (isa<llvm::StoreInst>(instruction)) mutate_constant(instruction, 0);
    if (auto* branch = dyn_cast<llvm::BranchInst>(&instruction); branch && branch->isConditional()) negate(*branch);
    if (auto* store = dyn_cast<llvm::StoreInst>(&instruction)) delete_store(*store);
    if (auto* call = dyn_cast<llvm::CallInst>(&instruction)) delete_call(*call);
  }

  /// Whether mutant `id` of the operator at this place is the chosen one; null when this place is not kept.
  llvm::Value* is_chosen(llvm::Instruction& instruction, const char* operation) {
    const llvm::DILocation& place = *instruction.getDebugLoc();
    const std::string file = place.getFilename().str();
    std::string name = file + ":" + std::to_string(place.getLine()) + ":" + std::to_string(place.getColumn()) + ":" +
                       instruction.getFunction()->getName().str() + ":" + operation;
    name += ":" + std::to_string(ordinals_[name]++);
    const uint64_t id = llvm::xxh3_64bits(name) & 0xffffffffffff;
    if (id == 0 || id % one_of_ != 0) return nullptr;
    list_ += "{\"id\": " + std::to_string(id) + ", \"operator\": \"" + operation + "\", \"file\": \"" + escaped(file) +
             "\", \"line\": " + std::to_string(place.getLine()) + ", \"function\": \"" +
             escaped(instruction.getFunction()->getName()) + "\"}\n";
    builder_.SetInsertPoint(&instruction);
    builder_.SetCurrentDebugLocation(instruction.getDebugLoc());
    return builder_.CreateICmpEQ(builder_.CreateLoad(builder_.getInt64Ty(), chosen_), builder_.getInt64(id));
  }

  void replace_result(llvm::Instruction& instruction, llvm::Value* chosen, llvm::Instruction* alternative) {
    llvm::Instruction* after = instruction.getNextNode();
    builder_.SetInsertPoint(after);
    builder_.SetCurrentDebugLocation(instruction.getDebugLoc());
    builder_.Insert(alternative);
    auto* both = llvm::SelectInst::Create(chosen, alternative, &instruction);
    instruction.replaceUsesWithIf(both, [&](llvm::Use& use) { return use.getUser() != both; });
    builder_.Insert(both);
  }

  void mutate_comparison(llvm::ICmpInst& compare) {
    if (compare.isEquality()) return;
    llvm::Value* chosen = is_chosen(compare, "comparison");
    if (!chosen) return;
    const auto other = compare.isNonStrictPredicate() ? compare.getStrictPredicate() : compare.getNonStrictPredicate();
    replace_result(compare, chosen, new llvm::ICmpInst(other, compare.getOperand(0), compare.getOperand(1)));
  }

  void mutate_arithmetic(llvm::BinaryOperator& operation) {
    const auto code = operation.getOpcode();
    if (code != llvm::Instruction::Add && code != llvm::Instruction::Sub && code != llvm::Instruction::Mul) return;
    llvm::Value* chosen = is_chosen(operation, "arithmetic");
    if (!chosen) return;
    const auto other = code == llvm::Instruction::Add ? llvm::Instruction::Sub : llvm::Instruction::Add;
    replace_result(operation, chosen,
                   llvm::BinaryOperator::Create(other, operation.getOperand(0), operation.getOperand(1)));
  }

  void mutate_constant(llvm::Instruction& instruction, unsigned operand) {
    auto* constant = dyn_cast<llvm::ConstantInt>(instruction.getOperand(operand));
    if (!constant || constant->getBitWidth() < 8 || constant->getBitWidth() > 64) return;
    llvm::Value* chosen = is_chosen(instruction, "constant");
    if (!chosen) return;
    auto* more = llvm::ConstantInt::get(constant->getType(), constant->getValue() + 1);
    instruction.setOperand(operand, builder_.CreateSelect(chosen, more, constant));
  }

  void negate(llvm::BranchInst& branch) {
    llvm::Value* chosen = is_chosen(branch, "negated condition");
    if (chosen) branch.setCondition(builder_.CreateXor(branch.getCondition(), chosen));
  }

  void delete_store(llvm::StoreInst& store) {
    llvm::Value* value = store.getValueOperand();
    if (isa<llvm::Argument>(value) || !store.isSimple() || !value->getType()->isSingleValueType()) return;
    llvm::Value* chosen = is_chosen(store, "deleted statement");
    if (!chosen) return;
    llvm::Value* before = builder_.CreateLoad(value->getType(), store.getPointerOperand());
    store.setOperand(0, builder_.CreateSelect(chosen, before, value));
  }

  void delete_call(llvm::CallInst& call) {
    if (isa<llvm::IntrinsicInst>(call) || call.isInlineAsm() || !call.getType()->isVoidTy()) return;
    if (call.hasStructRetAttr() || call.doesNotReturn() || call.isMustTailCall()) return;
    llvm::Value* chosen = is_chosen(call, "deleted call");
    if (chosen) call.setCalledOperand(builder_.CreateSelect(chosen, nothing(), call.getCalledOperand()));
  }

  llvm::Function* nothing() {
    if (nothing_) return nothing_;
    nothing_ = llvm::Function::Create(llvm::FunctionType::get(builder_.getVoidTy(), false),
                                      llvm::GlobalValue::InternalLinkage, "culprit_mutant_nothing", module_);
    llvm::ReturnInst::Create(module_.getContext(), llvm::BasicBlock::Create(module_.getContext(), "", nothing_));
    return nothing_;
  }

  /// Every module reads the environment; equal answers do no harm.
  void choose_at_start() {
    auto* start = llvm::Function::Create(llvm::FunctionType::get(builder_.getVoidTy(), false),
                                         llvm::GlobalValue::InternalLinkage, "culprit_mutant_choose", module_);
    builder_.SetCurrentDebugLocation(llvm::DebugLoc());
    auto* entry = llvm::BasicBlock::Create(module_.getContext(), "", start);
    auto* named = llvm::BasicBlock::Create(module_.getContext(), "", start);
    auto* end = llvm::BasicBlock::Create(module_.getContext(), "", start);
    llvm::Type* pointer = builder_.getPtrTy();
    builder_.SetInsertPoint(entry);
    llvm::Value* text = builder_.CreateCall(module_.getOrInsertFunction("getenv", pointer, pointer),
                                            {builder_.CreateGlobalString("CULPRIT_MUTANT", "", 0, &module_)});
    builder_.CreateCondBr(builder_.CreateIsNull(text), end, named);
    builder_.SetInsertPoint(named);
    llvm::Value* id = builder_.CreateCall(
        module_.getOrInsertFunction("strtoull", builder_.getInt64Ty(), pointer, pointer, builder_.getInt32Ty()),
        {text, llvm::ConstantPointerNull::get(builder_.getPtrTy()), builder_.getInt32(10)});
    builder_.CreateStore(id, chosen_);
    builder_.CreateBr(end);
    builder_.SetInsertPoint(end);
    builder_.CreateRetVoid();
    llvm::appendToGlobalCtors(module_, start, 0);
    if (const char* list = std::getenv("MUTANTS_LIST")) {
      std::error_code error;
      llvm::raw_fd_ostream file(list, error, llvm::sys::fs::OF_Append);
      if (error) llvm::report_fatal_error(llvm::Twine("cannot write ") + list);
      file << list_;
    }
  }

  llvm::Module& module_;
  llvm::IRBuilder<> builder_;
  uint64_t one_of_ = 1;
  llvm::GlobalVariable* chosen_ = nullptr;
  llvm::Function* nothing_ = nullptr;
  std::map<std::string, unsigned> ordinals_;
  std::string list_;
};

struct MutatePass : llvm::PassInfoMixin<MutatePass> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    Mutator(module).run();
    return llvm::PreservedAnalyses::none();
  }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "mutate", "1", [](llvm::PassBuilder& builder) {
            builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::ModulePassManager& passes,
                                                       llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
              if (name != "mutate") return false;
              passes.addPass(MutatePass());
              return true;
            });
          }};
}
