#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/LowerExpectIntrinsic.h>

#include <algorithm>

#include "instrument/index_kinds.h"
#include "instrument/point_changes.h"
#include "instrument/settle_points.h"

namespace culprit {
namespace {

/// A constant array of the records' bytes, read as 32-bit numbers; null when there are none.
template <typename Record>
llvm::Constant* table(llvm::Module& module, const std::vector<Record>& records) {
  static_assert(sizeof(Record) % sizeof(uint32_t) == 0);
  if (records.empty()) return llvm::ConstantPointerNull::get(llvm::PointerType::get(module.getContext(), 0));
  std::vector<uint32_t> numbers(records.size() * sizeof(Record) / sizeof(uint32_t));
  std::copy_n(reinterpret_cast<const char*>(records.data()), records.size() * sizeof(Record),
              reinterpret_cast<char*>(numbers.data()));
  llvm::Constant* content = llvm::ConstantDataArray::get(module.getContext(), numbers);
  auto* variable = new llvm::GlobalVariable(module, content->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::InternalLinkage, content, "culprit.points");
  variable->setAlignment(llvm::Align(alignof(uint64_t)));
  return variable;
}

/// Which branches the source says are unlikely, for estimates of what runs often.
void note_expected_branches(llvm::Module& module) {
  llvm::FunctionAnalysisManager analyses;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) llvm::LowerExpectIntrinsicPass().run(function, analyses);
  }
}

PointTables insert_words(llvm::Module& module, const PointOptions& options, const std::vector<PointFunction>& functions) {
  switch (options.kind) {
    case format::PointKind::kContext:
      return insert_context_numbers(module, functions);
    case format::PointKind::kCount:
      return insert_instruction_counter(module, functions);
    case format::PointKind::kStructural:
      return insert_structural_index(module, functions);
    case format::PointKind::kLightweight:
      return insert_lightweight_index(module, functions);
    case format::PointKind::kPrecise:
      return insert_precise_ids(module, functions, options.paths_in_irreducible_loops);
    case format::PointKind::kNone:
      break;
  }
  return {};
}

/// What the words add to a function must not decide whether it is inlined: where callees would be without them, the
/// calls say that as much more is all right.
class InlineBonus {
 public:
  explicit InlineBonus(const std::vector<PointFunction>& functions) : functions_(functions) {
    for (const PointFunction& each : functions) before_.push_back(instructions_of(*each.function));
  }
  void grant() const {
    for (size_t i = 0; i < functions_.size(); ++i) {
      const size_t more = instructions_of(*functions_[i].function) - before_[i];
      if (more != 0) grant(*functions_[i].function, std::to_string(std::min(more * kCostOfInstruction, kMostBonus)));
    }
  }

 private:
  static constexpr size_t kCostOfInstruction = 4;
  static constexpr size_t kMostBonus = 60;

  /// The inliner takes a change for three: a call and its two operands.
  static size_t instructions_of(const llvm::Function& function) {
    size_t count = 0;
    for (const llvm::Instruction& each : llvm::instructions(function)) count += is_point_change(each) ? 3 : 1;
    return count;
  }

  static void grant(llvm::Function& callee, const std::string& bonus) {
    for (llvm::User* user : callee.users()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (call && call->getCalledOperand() == &callee) {
        call->addFnAttr(llvm::Attribute::get(callee.getContext(), "call-threshold-bonus", bonus));
      }
    }
  }

  const std::vector<PointFunction>& functions_;
  std::vector<size_t> before_;
};

PointTables insert_kind(llvm::Module& module, const PointOptions& options) {
  note_expected_branches(module);
  const std::vector<PointFunction> functions = find_point_functions(module, options);
  note_entries(functions, options.kind);
  mark_calls_without_points(module, functions);
  const InlineBonus bonus(functions);
  PointTables tables = insert_words(module, options, functions);
  bonus.grant();
  return tables;
}

}  // namespace

void define_point_plan(llvm::Module& module, format::PointKind kind, PointTables tables) {
  std::stable_sort(tables.sites.begin(), tables.sites.end(),
                   [](const auto& left, const auto& right) { return left.site < right.site; });
  const auto last = std::unique(tables.sites.begin(), tables.sites.end(),
                                [](const auto& left, const auto& right) { return left.site == right.site; });
  tables.sites.erase(last, tables.sites.end());
  std::sort(tables.calls.begin(), tables.calls.end(), [](const auto& left, const auto& right) {
    return std::pair(left.callee, left.offset) < std::pair(right.callee, right.offset);
  });
  llvm::LLVMContext& context = module.getContext();
  auto* word = llvm::Type::getInt64Ty(context);
  const uint64_t version_and_kind = format::kPointsVersion | static_cast<uint64_t>(kind) << 32;
  llvm::Constant* plan = llvm::ConstantStruct::getAnon(
      {llvm::ConstantInt::get(word, version_and_kind), llvm::ConstantInt::get(word, tables.row_bytes),
       llvm::ConstantInt::get(word, tables.sites.size()), llvm::ConstantInt::get(word, tables.calls.size()),
       table(module, tables.sites), table(module, tables.calls), table(module, tables.positions)});
  auto* variable = new llvm::GlobalVariable(module, plan->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::ExternalLinkage, plan, format::kPointPlanSymbol);
  variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
}

void insert_point_ids(llvm::Module& module, const PointOptions& options) {
  if (options.kind == format::PointKind::kNone) return;
  // Where somebody wants to know.
  if (options.report) insert_reports(module, options);
  // What the kind needs, on the ways that lead there.
  define_point_plan(module, options.kind, insert_kind(module, options));
}

}  // namespace culprit
