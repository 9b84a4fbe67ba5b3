#include "instrument/extract_operations.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/error.h"
#include "instrument/block_statements.h"
#include "instrument/metadata.h"
#include "instrument/model_ids.h"
#include "instrument/native_functions.h"
#include "instrument/recursion.h"
#include "instrument/user_stack.h"
#include "program/external_effects.h"

namespace culprit {
namespace {

using namespace format;
using program::size_of;

OperationKind kind_of(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::LoadInst>(instruction)) return OperationKind::kLoad;
  if (llvm::isa<llvm::StoreInst>(instruction)) return OperationKind::kStore;
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) return OperationKind::kUpdate;
  if (llvm::isa<llvm::MemTransferInst>(instruction)) return OperationKind::kCopyMemory;
  if (llvm::isa<llvm::MemSetInst>(instruction)) return OperationKind::kSetMemory;
  if (llvm::isa<llvm::VAStartInst>(instruction)) return OperationKind::kStartVariadic;
  if (llvm::isa<llvm::VACopyInst>(instruction)) return OperationKind::kCopyMemory;
  if (llvm::isa<llvm::IntrinsicInst>(instruction)) return OperationKind::kCompute;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    return call->isInlineAsm() ? OperationKind::kCompute : OperationKind::kCall;
  }
  if (llvm::isa<llvm::CastInst, llvm::FreezeInst, llvm::ExtractValueInst, llvm::InsertValueInst,
                llvm::ExtractElementInst, llvm::InsertElementInst, llvm::ShuffleVectorInst>(instruction)) {
    return OperationKind::kCopy;
  }
  if (llvm::isa<llvm::GetElementPtrInst>(instruction)) return OperationKind::kStep;
  if (llvm::isa<llvm::SelectInst>(instruction)) return OperationKind::kChoice;
  if (llvm::isa<llvm::PHINode>(instruction)) return OperationKind::kPhi;
  if (llvm::isa<llvm::ReturnInst>(instruction)) return OperationKind::kReturn;
  if (llvm::isa<llvm::LandingPadInst>(instruction)) return OperationKind::kLandingPad;
  if (llvm::isa<llvm::ResumeInst>(instruction)) return OperationKind::kUnwind;
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
  if (branch && branch->isConditional()) return OperationKind::kBranch;
  const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction);
  if (choice && choice->getNumCases() > 0) return OperationKind::kBranch;
  return OperationKind::kCompute;
}

/// Of an operand, from `first` on so many bytes, in the order of memory.
struct CopiedBytes {
  uint32_t first;
  uint16_t bytes;
};

/// Those that a copy's value begins with; nothing when it is converted, or put together.
std::optional<CopiedBytes> copied_bytes(const llvm::Instruction& instruction, const llvm::DataLayout& layout) {
  const auto size = [&](const llvm::Value& value) {
    return layout.getTypeStoreSize(value.getType()).getKnownMinValue();
  };
  uint64_t first = 0, bytes = size(instruction);
  if (const auto* part = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    llvm::SmallVector<llvm::Value*, 4> indices;
    llvm::Type* word = llvm::Type::getInt32Ty(instruction.getContext());
    indices.push_back(llvm::ConstantInt::get(word, 0));
    for (const unsigned each : part->indices()) indices.push_back(llvm::ConstantInt::get(word, each));
    first = static_cast<uint64_t>(layout.getIndexedOffsetInType(part->getAggregateOperand()->getType(), indices));
  } else if (const auto* element = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction)) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(element->getIndexOperand());
    if (!number) return std::nullopt;
    first = number->getZExtValue() * bytes;
  } else if (llvm::isa<llvm::TruncInst, llvm::ZExtInst, llvm::SExtInst, llvm::BitCastInst, llvm::PtrToIntInst,
                       llvm::IntToPtrInst, llvm::FreezeInst>(instruction)) {
    bytes = std::min<uint64_t>(bytes, size(*instruction.getOperand(0)));
  } else {
    return std::nullopt;
  }
  if (first + bytes > std::numeric_limits<uint16_t>::max()) return std::nullopt;
  return CopiedBytes{static_cast<uint32_t>(first), static_cast<uint16_t>(bytes)};
}

/// Nothing may stand between a call that must be a tail call and the return.
uint8_t call_flags(const llvm::CallBase& call) {
  uint8_t flags = 0;
  const llvm::Function* callee = direct_callee(call);
  if (callee && is_traced(*callee)) flags |= kOperationEnters;
  if (call.hasFnAttr(llvm::Attribute::ReturnsTwice)) flags |= kOperationReturnsTwice;
  if (call.isMustTailCall()) flags |= kOperationTail;
  // A call through a thunk counts as indirect: which function it comes to is known only then.
  const auto* function = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  if ((flags & kOperationEnters) == 0 && (!function || !function->isDeclaration())) flags |= kOperationIndirect;
  return flags;
}

/// What an operation computes of its operands' equality.
uint8_t equality_flags(const llvm::Instruction& instruction) {
  if (const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
    switch (comparison->getPredicate()) {
      case llvm::CmpInst::ICMP_EQ:
      case llvm::CmpInst::FCMP_OEQ:
        return kOperationEquals;
      case llvm::CmpInst::ICMP_NE:
      case llvm::CmpInst::FCMP_UNE:
        return kOperationDiffers;
      default:
        return 0;
    }
  }
  const bool negates = instruction.getOpcode() == llvm::Instruction::Xor && instruction.getType()->isIntegerTy(1) &&
                       llvm::isa<llvm::ConstantInt>(instruction.getOperand(1)) &&
                       llvm::cast<llvm::ConstantInt>(instruction.getOperand(1))->isOne();
  return negates ? kOperationNegates : 0;
}

/// Whether all that happens to what a load yields is that bits of it are replaced and the rest is stored again.
bool keeps_bits(const llvm::LoadInst& load) {
  const llvm::Value* value = &load;
  bool masks = false;
  while (value->hasOneUse()) {
    const llvm::User* user = *value->user_begin();
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      return masks && store->getValueOperand() == value && store->getPointerOperand() == load.getPointerOperand();
    }
    const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(user);
    const bool is_mask = operation && operation->getOpcode() == llvm::Instruction::And &&
                         llvm::isa<llvm::ConstantInt>(operation->getOperand(1));
    const bool is_value = operation && operation->getOpcode() == llvm::Instruction::Or && masks;
    if (!is_mask && !is_value) return false;
    masks = masks || is_mask;
    value = user;
  }
  return false;
}

/// OperandFlags of an argument, as LLVM passes values of its type; 0 where a kind is not known.
uint16_t passing(const llvm::CallBase& call, unsigned argument) {
  constexpr uint64_t kWordBytes = 8, kVectorBytes = 16;
  const llvm::DataLayout& layout = call.getModule()->getDataLayout();
  const auto flags = [](unsigned where, uint64_t bytes, bool aligned) -> uint16_t {
    const uint64_t words = (bytes + kWordBytes - 1) / kWordBytes;
    if (words > kOperandMostWords) return 0;
    return static_cast<uint16_t>(where | (aligned ? kOperandAligned : 0) | words << kOperandWordsShift);
  };
  if (call.isByValArgument(argument)) {
    const llvm::Align alignment = call.getParamAlign(argument).valueOrOne();
    return flags(kOperandOnStack, layout.getTypeAllocSize(call.getParamByValType(argument)), alignment > kWordBytes);
  }
  const llvm::Type& type = *call.getArgOperand(argument)->getType();
  if (type.isPointerTy()) return flags(kOperandInGeneral, kWordBytes, false);
  if (type.isX86_FP80Ty()) return flags(kOperandOnStack, kVectorBytes, true);
  const bool vector = type.isFloatingPointTy() || type.isVectorTy();
  if (!vector && !type.isIntegerTy()) return 0;
  const uint64_t bytes = layout.getTypeStoreSize(const_cast<llvm::Type*>(&type)).getKnownMinValue();
  if (bytes > kVectorBytes) return 0;
  return flags(vector ? kOperandInVector : kOperandInGeneral, bytes, bytes > kWordBytes);
}

std::optional<int32_t> small_number(const llvm::Value* value) {
  if (llvm::isa<llvm::ConstantPointerNull>(value)) return 0;
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (!number) return std::nullopt;
  if (number->getBitWidth() == 1) return number->isZero() ? 0 : 1;
  if (!number->getValue().isSignedIntN(32)) return std::nullopt;
  return static_cast<int32_t>(number->getSExtValue());
}

bool is_listed_constant(const llvm::Value* value) {
  if (!llvm::isa<llvm::Instruction>(value)) return true;
  const auto* instruction = llvm::cast<llvm::Instruction>(value);
  return instruction->hasMetadata(metadata::kUserHome) || instruction->hasMetadata(metadata::kPrivateHome);
}

}  // namespace

std::optional<uint64_t> register_slot(const llvm::Value* base) {
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(base);
  const llvm::MDNode* home = variable ? variable->getMetadata(metadata::kPrivateHome) : nullptr;
  if (!home || number_in(*home, 2) != 0) return std::nullopt;
  return number_in(*home, 0);
}

bool is_traced(const llvm::Function& function) {
  if (!is_instrumented(function) || function.hasFnAttribute(kSingleBodyAttribute)) return false;
  for (const llvm::BasicBlock& block : function) {
    if (llvm::isa<llvm::CallBrInst, llvm::IndirectBrInst>(block.getTerminator())) return false;
  }
  return true;
}

llvm::Value* valued_word(const llvm::Instruction& instruction) {
  if (!instruction.hasMetadata(metadata::kStatement)) return nullptr;
  llvm::Value* value = nullptr;
  if (llvm::isa<llvm::StoreInst>(instruction)) value = instruction.getOperand(0);
  const auto* exit = llvm::dyn_cast<llvm::ReturnInst>(&instruction);
  // Nothing is written behind a tail call.
  if (exit && !exit->getParent()->getTerminatingMustTailCall()) value = exit->getReturnValue();
  if (!value) return nullptr;
  const llvm::Type& type = *value->getType();
  const bool fits = type.isPointerTy() || type.isFloatTy() || type.isDoubleTy() ||
                    (type.isIntegerTy() && type.getIntegerBitWidth() <= 64);
  return fits ? value : nullptr;
}

bool is_resumed(const llvm::Function& function) {
  return is_reentered(function);
}

OperationTable::OperationTable(llvm::Module& module, program::ModelTables& tables, program::StringTable& strings)
    : module_(module),
      tables_(tables),
      strings_(strings),
      layout_(module.getDataLayout()),
      block_kind_(module.getMDKindID(metadata::kBlock)),
      statement_kind_(module.getMDKindID(metadata::kStatement)),
      operation_kind_(module.getMDKindID(metadata::kOperation)),
      sites_kind_(module.getMDKindID(metadata::kSites)) {}

void OperationTable::add_function(llvm::Function& function) {
  operations_.clear();
  bases_.clear();
  blocks_.clear();
  traced_ = is_traced(function);
  find_cells(function);
  find_bases(function);
  find_kept(function);
  number_operations(function);
  for (llvm::BasicBlock& block : function) {
    recorded_.clear();
    versions_.clear();
    tables_.blocks[blocks_.at(&block)].first_operation = size_of(tables_.operations);
    for (llvm::Instruction& instruction : block) {
      if (!instruction.getMetadata(statement_kind_)) continue;
      add_operation(instruction);
      forget_after(instruction);
    }
  }
}

void OperationTable::number_operations(llvm::Function& function) {
  uint32_t next = size_of(tables_.operations);
  for (llvm::BasicBlock& block : function) {
    blocks_.emplace(&block, static_cast<uint32_t>(number_in(*block.getTerminator()->getMetadata(block_kind_), 0)));
    for (llvm::Instruction& instruction : block) {
      if (instruction.getMetadata(statement_kind_)) operations_.emplace(&instruction, next++);
    }
  }
}

void OperationTable::add_operation(llvm::Instruction& instruction) {
  const uint32_t statement = static_cast<uint32_t>(number_in(*instruction.getMetadata(statement_kind_), 0));
  OperationRecord record{.statement = statement,
                         .first_operand = size_of(tables_.operands),
                         .first_access = size_of(tables_.accesses),
                         .detail = kNone,
                         .kind = kind_of(instruction),
                         .flags = 0,
                         .bytes = 0};
  if (record.kind == OperationKind::kCopy) {
    if (const std::optional<CopiedBytes> copied = copied_bytes(instruction, layout_)) {
      record.detail = copied->first;
      record.bytes = copied->bytes;
    }
  }
  if (record.kind == OperationKind::kCall) {
    record.flags = call_flags(llvm::cast<llvm::CallBase>(instruction));
    record.detail = tables_.statements[statement].detail;
    llvm::LLVMContext& context = module_.getContext();
    auto* id = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), size_of(tables_.operations));
    auto* flags = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), record.flags);
    instruction.setMetadata(operation_kind_, llvm::MDNode::get(context, {llvm::ConstantAsMetadata::get(id),
                                                                         llvm::ConstantAsMetadata::get(flags)}));
  }
  if (record.kind == OperationKind::kStartVariadic) {
    record.detail = static_cast<uint32_t>(instruction.getFunction()->arg_size());
  }
  if (instruction.hasMetadata(metadata::kCleanUp)) record.flags = kOperationCleansUp;
  if (instruction.hasMetadata(metadata::kPattern)) record.flags = kOperationBeginsVariable;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && keeps_bits(*load)) {
    record.flags = kOperationKeepsBits;
  }
  if (record.kind == OperationKind::kCompute) {
    record.flags = equality_flags(instruction);
    if (instruction.isIntDivRem()) record.flags |= kOperationDivides;
  }
  if (const llvm::Value* word = traced_ ? valued_word(instruction) : nullptr) {
    record.flags |= kOperationValued;
    if (word->getType()->isPointerTy()) record.flags |= kOperationGivesAddress;
    if (word->getType()->isFloatingPointTy()) record.flags |= kOperationGivesFloating;
    record.bytes = static_cast<uint16_t>(layout_.getTypeStoreSize(word->getType()).getFixedValue());
  }
  const bool is_plain = record.kind == OperationKind::kLoad || record.kind == OperationKind::kStore;
  if (is_plain && instruction.isAtomic()) record.flags |= kOperationAtomic;
  add_operands(instruction);
  if (traced_) {
    add_accesses(instruction);
    follow_variable(instruction);
  }
  tables_.operations.push_back(record);
}

void OperationTable::add_operand(const llvm::Value* value, OperandRole role, uint32_t from) {
  OperandRecord record{.value = 0, .from = from, .kind = OperandKind::kConstant, .role = role, .flags = 0};
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    record.kind = OperandKind::kArgument;
    record.value = argument->getArgNo();
  } else if (!is_listed_constant(value)) {
    if (const auto known = operations_.find(value); known != operations_.end()) {
      record.kind = OperandKind::kOperation;
      record.value = known->second;
    }
  }
  if (record.kind == OperandKind::kConstant) {
    if (const std::optional<int32_t> number = small_number(value)) {
      record.value = static_cast<uint32_t>(*number);
      record.flags = kOperandIsNumber;
    }
  }
  tables_.operands.push_back(record);
}

void OperationTable::add_operands(const llvm::Instruction& instruction) {
  using enum OperandRole;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    add_operand(load->getPointerOperand(), kAddress);
  } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    add_operand(store->getValueOperand(), kData);
    add_operand(store->getPointerOperand(), kAddress);
  } else if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    add_operand(update->getValOperand(), kData);
    add_operand(update->getPointerOperand(), kAddress);
  } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    add_operand(exchange->getNewValOperand(), kData);
    add_operand(exchange->getPointerOperand(), kAddress);
    add_operand(exchange->getCompareOperand(), kChooses);
  } else if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    if (const auto* set = llvm::dyn_cast<llvm::MemSetInst>(memory)) add_operand(set->getValue(), kData);
    add_operand(memory->getRawDest(), kAddress);
    if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory)) add_operand(copy->getRawSource(), kAddress);
    add_operand(memory->getLength(), kAddress);
  } else if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    add_operand(choice->getCondition(), kChooses);
    add_operand(choice->getTrueValue(), kData);
    add_operand(choice->getFalseValue(), kData);
  } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    for (unsigned each = 0; each < phi->getNumIncomingValues(); ++each) {
      add_operand(phi->getIncomingValue(each), kData, blocks_.at(phi->getIncomingBlock(each)));
    }
  } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    add_call_operands(*call);
  } else {
    for (const llvm::Use& operand : instruction.operands()) {
      if (!llvm::isa<llvm::BasicBlock>(operand.get())) add_operand(operand.get(), kData);
    }
  }
}

void OperationTable::add_call_operands(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  uint64_t addresses = 0;
  if (callee && callee->isDeclaration()) {
    addresses = program::address_parameters({callee->getName().data(), callee->getName().size()});
  }
  for (unsigned each = 0; each < call.arg_size(); ++each) {
    const bool address = each < 64 && (addresses >> each & 1) != 0;
    add_operand(call.getArgOperand(each), address ? OperandRole::kAddress : OperandRole::kData);
    if (call.getFunctionType()->isVarArg()) tables_.operands.back().flags |= passing(call, each);
  }
  if (kind_of(call) == OperationKind::kCall && (call_flags(call) & kOperationIndirect) != 0) {
    add_operand(call.getCalledOperand(), OperandRole::kCallee);
  }
}

}  // namespace culprit
