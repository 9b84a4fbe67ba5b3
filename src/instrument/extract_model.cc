// One walk over the module in its own order, which is what makes ids depend on the merged program only: functions,
// their blocks, edges and statements, then globals, then what types all these have come to need. Dominance, dependence
// and loops are added by program/model_sections.h, without LLVM.
#include "instrument/extract_model.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

#include <limits>
#include <map>
#include <unordered_map>

#include "instrument/block_statements.h"
#include "instrument/extract_operations.h"
#include "instrument/extract_scopes.h"
#include "instrument/extract_types.h"
#include "instrument/metadata.h"
#include "instrument/model_ids.h"
#include "instrument/variable_location.h"
#include "program/external_roles.h"
#include "program/model_file.h"

namespace culprit {
namespace {

using namespace format;
using program::size_of;

std::string_view view(llvm::StringRef text) {
  return {text.data(), text.size()};
}
/// What a debug record or intrinsic says.
struct DebugRecord {
  const llvm::DILocalVariable* variable;
  const llvm::DIExpression* expression;
  const llvm::Value* place;
  const llvm::DILocation* position;
  bool declares;
};

struct IncompleteModel {
  program::ModelTables tables;
  uint32_t first_global;
};

class Extraction {
 public:
  explicit Extraction(llvm::Module& module)
      : module_(module),
        strings_(tables_.strings),
        scopes_(tables_, strings_),
        types_(tables_, strings_),
        operations_(module, tables_, strings_),
        block_kind_(module.getMDKindID(metadata::kBlock)),
        statement_kind_(module.getMDKindID(metadata::kStatement)) {}

  /// Without what complete_model adds.
  IncompleteModel extract() {
    // Functions are numbered first, since calls lead forwards too.
    for (llvm::Function& function : module_) {
      if (is_listed(function)) function_ids_.emplace(&function, size_of(function_ids_));
    }
    number_globals();
    for (llvm::Function& function : module_) {
      if (is_listed(function)) add_function(function);
    }
    const uint32_t first_global = size_of(tables_.variables);
    for (const VariableRecord& global : globals_) tables_.variables.push_back(global);
    for (const auto& [variable, scope] : static_locals_) {
      tables_.variables[first_global + variable].scope = scopes_.scope_of_static(scope);
    }
    for (const auto& [statement, global] : assigned_globals_) {
      tables_.statements[statement].detail = first_global + global;
    }
    types_.finish();
    for (VariableRecord& variable : tables_.variables) variable.type = types_.final_index(variable.type);
    for (FunctionRecord& function : tables_.functions) function.type = types_.final_index(function.type);
    return {std::move(tables_), first_global};
  }

 private:
  /// Intrinsics are operations of the machine, not functions of the program.
  static bool is_listed(const llvm::Function& function) {
    return !function.isIntrinsic() && !(function.isDeclaration() && function.use_empty());
  }

  llvm::MDNode* id_node(uint32_t id) {
    llvm::LLVMContext& context = module_.getContext();
    auto* number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), id);
    return llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(number));
  }

  uint32_t signature(const llvm::FunctionType* type) {
    const auto [at, is_new] = signatures_.emplace(type, 0);
    if (is_new) {
      std::string text;
      llvm::raw_string_ostream out(text);
      type->print(out);
      at->second = strings_.add(text);
    }
    return at->second;
  }

  void number_globals() {
    for (const llvm::GlobalVariable& global : module_.globals()) {
      llvm::SmallVector<llvm::DIGlobalVariableExpression*, 4> described;
      global.getDebugInfo(described);
      for (const auto* each : described) add_global(global, *each->getVariable(), global_offset(each->getExpression()));
    }
  }

  void add_global(const llvm::GlobalVariable& global, const llvm::DIGlobalVariable& variable, int64_t offset) {
    if (variable.getName().empty()) return;  // a string literal
    VariableRecord record{};
    const std::string qualifier = qualifier_of(variable.getScope());
    record.name = strings_.add(qualifier.empty() ? variable.getName().str()
                                                 : fmt::format("{}::{}", qualifier, view(variable.getName())));
    record.type = types_.add(variable.getType());
    record.scope = kNone;
    record.file = scopes_.file(variable.getFile());
    record.line = variable.getLine();
    record.symbol = strings_.add(view(global.getName()));
    record.home = global.isThreadLocal() ? HomeKind::kThreadLocal : HomeKind::kGlobal;
    record.offset = offset;
    if (const auto* local = llvm::dyn_cast_or_null<llvm::DILocalScope>(variable.getScope())) {
      record.flags |= kVariableStaticLocal;
      static_locals_.emplace_back(size_of(globals_), local);
    }
    globals_at_[&global].emplace(offset, size_of(globals_));
    globals_.push_back(record);
  }

  void add_function(llvm::Function& function) {
    const llvm::DISubprogram* subprogram = function.getSubprogram();
    FunctionRecord record{};
    record.linkage_name = strings_.add(view(function.getName()));
    record.name = subprogram ? strings_.add(view(subprogram->getName())) : record.linkage_name;
    record.qualifier = subprogram ? strings_.add(qualifier_of(subprogram->getScope())) : 0;
    record.file = subprogram ? scopes_.file(subprogram->getFile()) : kNone;
    record.line = subprogram ? subprogram->getLine() : 0;
    record.type = subprogram ? types_.add(subprogram->getType()) : kNone;
    record.signature = signature(function.getFunctionType());
    record.flags = flags_of(function, subprogram);
    record.first_block = size_of(tables_.blocks);
    record.first_scope = size_of(tables_.scopes);
    record.first_variable = size_of(tables_.variables);
    record.first_cell = size_of(tables_.cells);
    record.first_base = size_of(tables_.bases);
    tables_.functions.push_back(record);
    if (function.isDeclaration()) return;
    scopes_.enter_function(subprogram);
    add_variables(function);
    add_blocks(function);
    operations_.add_function(function);
  }

  static uint32_t flags_of(const llvm::Function& function, const llvm::DISubprogram* subprogram) {
    uint32_t flags = 0;
    if (function.isDeclaration()) flags |= kFunctionNative;
    if (function.hasAddressTaken(nullptr, /*IgnoreCallbackUses=*/false, /*IgnoreAssumeLikeCalls=*/true,
                                 /*IgnoreLLVMUsed=*/true)) {
      flags |= kFunctionAddressTaken;
    }
    if (!function.hasLocalLinkage() && !function.hasHiddenVisibility()) flags |= kFunctionExported;
    if (function.isVarArg()) flags |= kFunctionVariadic;
    if (subprogram && subprogram->isArtificial()) flags |= kFunctionArtificial;
    if (function.doesNotReturn()) flags |= kFunctionNoReturn;
    if (function.hasFnAttribute(llvm::Attribute::ReturnsTwice)) flags |= kFunctionReturnsTwice;
    if (!function.isDeclaration() && !is_traced(function)) flags |= kFunctionUnobserved;
    if (!function.isDeclaration() && is_resumed(function)) flags |= kFunctionResumes;
    if (function.hasFnAttribute(metadata::kGrowingFrame)) flags |= kFunctionGrowsFrame;
    return flags;
  }

  void add_variables(llvm::Function& function) {
    variables_of_place_.clear();
    user_variables_.clear();
    std::map<std::pair<const llvm::DILocalVariable*, const llvm::DILocation*>, uint32_t> known;
    const auto add = [&](const DebugRecord& debug) {
      const VariableLocation location = variable_location(debug.place, debug.expression, debug.declares);
      const auto [at, is_new] =
          known.emplace(std::pair(debug.variable, debug.position->getInlinedAt()), size_of(tables_.variables));
      if (is_new) add_variable(debug);
      VariableRecord& record = tables_.variables[at->second];
      if (record.home == HomeKind::kUnknown) {
        record.home = location.home;
        record.offset = location.offset;
        if (location.home == HomeKind::kUserStack) user_variables_.emplace(location.offset, at->second);
        if (debug.declares && debug.place) variables_of_place_.emplace(debug.place, at->second);
      }
    };
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      for (llvm::DbgVariableRecord& each : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
        add({each.getVariable(), each.getExpression(), each.getVariableLocationOp(0), each.getDebugLoc().get(),
             each.isDbgDeclare()});
      }
      if (const auto* each = llvm::dyn_cast<llvm::DbgVariableIntrinsic>(&instruction)) {
        add({each->getVariable(), each->getExpression(), each->getVariableLocationOp(0), each->getDebugLoc().get(),
             llvm::isa<llvm::DbgDeclareInst>(each)});
      }
    }
  }

  void add_variable(const DebugRecord& debug) {
    VariableRecord record{};
    record.name = strings_.add(view(debug.variable->getName()));
    record.type = types_.add(debug.variable->getType());
    record.scope = scopes_.scope(debug.variable->getScope(), debug.position->getInlinedAt());
    record.file = scopes_.file(debug.variable->getFile());
    record.line = debug.variable->getLine();
    record.argument = static_cast<uint16_t>(debug.variable->getArg());
    if (debug.variable->isParameter()) record.flags |= kVariableParameter;
    if (debug.variable->isArtificial()) record.flags |= kVariableArtificial;
    tables_.variables.push_back(record);
  }

  void add_blocks(llvm::Function& function) {
    block_ids_.clear();
    for (llvm::BasicBlock& block : function) {
      block_ids_.emplace(&block, size_of(tables_.blocks) + size_of(block_ids_));
    }
    for (llvm::BasicBlock& block : function) {
      const uint32_t id = size_of(tables_.blocks);
      tables_.blocks.push_back({.first_statement = size_of(tables_.statements),
                                .first_edge = size_of(tables_.edges),
                                .first_dependence = 0,
                                .immediate_post_dominator = kNone,
                                .innermost_loop = kNone,
                                .first_operation = 0});
      block.getTerminator()->setMetadata(block_kind_, id_node(id));
      add_edges(*block.getTerminator());
      for (BlockStatement& statement : block_statements(block)) {
        add_statement(statement, function, block.isEntryBlock());
      }
    }
  }

  void add_edges(const llvm::Instruction& terminator) {
    for (unsigned each = 0; each < terminator.getNumSuccessors(); ++each) {
      uint32_t meaning = static_cast<uint32_t>(edge_kind(terminator, each));
      if (meaning == static_cast<uint32_t>(EdgeKind::kCase)) {
        const auto& choice = llvm::cast<llvm::SwitchInst>(terminator);
        const llvm::APInt& value =
            llvm::SwitchInst::ConstCaseIt::fromSuccessorIndex(&choice, each)->getCaseValue()->getValue();
        meaning |= size_of(tables_.case_values) << kEdgeKindBits;
        tables_.case_values.push_back({value.sextOrTrunc(64).getSExtValue()});
      }
      tables_.edges.push_back({.target = block_ids_.at(terminator.getSuccessor(each)), .meaning = meaning});
    }
  }

  static EdgeKind edge_kind(const llvm::Instruction& terminator, unsigned successor) {
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&terminator)) {
      if (!branch->isConditional()) return EdgeKind::kAlways;
      return successor == 0 ? EdgeKind::kTrue : EdgeKind::kFalse;
    }
    if (llvm::isa<llvm::SwitchInst>(terminator)) return successor == 0 ? EdgeKind::kDefault : EdgeKind::kCase;
    if (llvm::isa<llvm::InvokeInst>(terminator)) return successor == 0 ? EdgeKind::kReturned : EdgeKind::kUnwound;
    if (llvm::isa<llvm::CallBrInst>(terminator)) return successor == 0 ? EdgeKind::kAlways : EdgeKind::kLabel;
    if (llvm::isa<llvm::IndirectBrInst>(terminator)) return EdgeKind::kLabel;
    return EdgeKind::kUnwound;
  }

  void add_statement(BlockStatement& statement, llvm::Function& function, bool in_entry) {
    const uint32_t id = size_of(tables_.statements);
    StatementRecord record{.line = 0,
                           .column = 0,
                           .kind = statement.kind,
                           .flags = statement.flags,
                           .scope = scopes_.scope(statement.position),
                           .detail = kNone};
    if (statement.position) {
      record.line = statement.position->getLine();
      const unsigned column = statement.position->getColumn();
      record.column = column > std::numeric_limits<uint16_t>::max() ? 0 : static_cast<uint16_t>(column);
    } else if (in_entry && statement.kind == StatementKind::kAssignment) {
      record.kind = StatementKind::kPrologue;
      if (function.getSubprogram()) record.line = function.getSubprogram()->getLine();
    }
    if (record.kind == StatementKind::kCall) {
      record.detail = add_call(llvm::cast<llvm::CallBase>(*statement.root), id);
    } else if (record.kind == StatementKind::kAssignment) {
      record.detail = assigned_variable(*statement.root, id);
    }
    tables_.statements.push_back(record);
    llvm::MDNode* node = id_node(id);
    for (llvm::Instruction* instruction : statement.instructions) instruction->setMetadata(statement_kind_, node);
  }

  uint32_t add_call(const llvm::CallBase& call, uint32_t statement) {
    CallRecord record{};
    record.statement = statement;
    record.callee = kNone;
    record.signature = signature(call.getFunctionType());
    record.arguments = static_cast<uint16_t>(std::min<unsigned>(call.arg_size(), std::numeric_limits<uint16_t>::max()));
    const llvm::Value* target = call.getCalledOperand()->stripPointerCastsAndAliases();
    const auto* callee = llvm::dyn_cast<llvm::Function>(target);
    const auto known = callee ? function_ids_.find(callee) : function_ids_.end();
    if (known != function_ids_.end()) {
      record.kind = CallKind::kDirect;
      record.callee = known->second;
    } else {
      record.kind = llvm::isa<llvm::InlineAsm>(target) ? CallKind::kAssembly : CallKind::kIndirect;
    }
    tables_.calls.push_back(record);
    return size_of(tables_.calls) - 1;
  }

  /// The variable that an assignment writes to directly, in whole or at a fixed place inside. A global's number is
  /// known only later.
  uint32_t assigned_variable(const llvm::Instruction& root, uint32_t statement) {
    const llvm::Value* target = llvm::getLoadStorePointerOperand(&root);
    if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&root)) target = memory->getRawDest();
    if (!target) return kNone;
    const llvm::DataLayout& layout = module_.getDataLayout();
    int64_t offset = 0;
    // The nearest place on the way that is known as a variable's.
    while (true) {
      if (const auto known = variables_of_place_.find(target); known != variables_of_place_.end()) return known->second;
      if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(target)) {
        if (const auto home = variable_location(instruction, llvm::DIExpression::get(module_.getContext(), {}), true);
            home.home == HomeKind::kUserStack) {
          const auto known = user_variables_.find(home.offset);
          return known == user_variables_.end() ? kNone : known->second;
        }
      }
      const auto* step = llvm::dyn_cast<llvm::GEPOperator>(target);
      llvm::APInt distance(layout.getIndexTypeSizeInBits(target->getType()), 0);
      if (!step || !step->accumulateConstantOffset(layout, distance)) break;
      offset += distance.getSExtValue();
      target = step->getPointerOperand();
    }
    const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(target->stripPointerCastsAndAliases());
    const auto known = global ? globals_at_.find(global) : globals_at_.end();
    if (known == globals_at_.end()) return kNone;
    const auto after = known->second.upper_bound(offset);
    if (after != known->second.begin()) assigned_globals_.emplace_back(statement, std::prev(after)->second);
    return kNone;
  }

  llvm::Module& module_;
  program::ModelTables tables_;
  program::StringTable strings_;
  ScopeTable scopes_;
  TypeTable types_;
  OperationTable operations_;
  unsigned block_kind_;
  unsigned statement_kind_;
  std::unordered_map<const llvm::Function*, uint32_t> function_ids_;
  std::unordered_map<const llvm::FunctionType*, uint32_t> signatures_;
  std::vector<VariableRecord> globals_;
  std::vector<std::pair<uint32_t, const llvm::DILocalScope*>> static_locals_;  ///< index in globals_
  std::unordered_map<const llvm::GlobalVariable*, std::map<int64_t, uint32_t>>
      globals_at_;                                               ///< offset, index in globals_
  std::vector<std::pair<uint32_t, uint32_t>> assigned_globals_;  ///< statement, index in globals_
  // Of the function being walked:
  std::unordered_map<const llvm::BasicBlock*, uint32_t> block_ids_;
  std::unordered_map<const llvm::Value*, uint32_t> variables_of_place_;  ///< address to variable
  std::map<int64_t, uint32_t> user_variables_;                           ///< offset in the user frame to variable
};

}  // namespace

program::ModelTables extract_model(llvm::Module& module) {
  IncompleteModel model = Extraction(module).extract();
  program::complete_model(model.tables, model.first_global, program::waits_for_others);
  return std::move(model.tables);
}

ModelInWriting extract_and_write_model(llvm::Module& module, const std::filesystem::path& path) {
  IncompleteModel model = Extraction(module).extract();
  std::vector<std::string> anchors;
  for (const AnchorRecord& anchor : model.tables.anchors) {
    anchors.emplace_back(model.tables.strings.data() + anchor.symbol);
  }
  auto complete_and_write = [model = std::move(model), path]() mutable {
    program::complete_model(model.tables, model.first_global, program::waits_for_others);
    program::write_model(path, model.tables);
  };
  return {std::move(anchors), std::async(std::launch::async, std::move(complete_and_write))};
}

}  // namespace culprit
