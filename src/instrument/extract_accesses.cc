// Which accesses record an address: those whose place is not a constant distance from a frame, a global or an address
// that the same block has recorded before. The last covers `p->x + p->y`: both loads of the pointer `p` yield one value
// as long as nothing is stored to `p` in between, so they count as one base.
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <limits>
#include <optional>

#include "instrument/extract_operations.h"
#include "instrument/metadata.h"
#include "instrument/model_ids.h"

namespace culprit {

using namespace format;
using program::size_of;

namespace {

constexpr uint64_t kVaListBytes = 24;

std::optional<uint64_t> constant_length(const llvm::MemIntrinsic& memory) {
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(memory.getLength());
  if (!length || length->getValue().getActiveBits() > 31) return std::nullopt;
  return length->getZExtValue();
}

}  // namespace

OperationTable::Place OperationTable::place_of(llvm::Value* address) const {
  Place place{address, 0};
  while (true) {
    // A variable's address counts from its own beginning in the frame.
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(place.base);
    if (instruction && instruction->hasMetadata(metadata::kFrameBase)) return place;
    const auto* step = llvm::dyn_cast<llvm::GEPOperator>(place.base);
    llvm::APInt distance(64, 0);
    if (step && step->accumulateConstantOffset(layout_, distance)) {
      place.offset += distance.getSExtValue();
      place.base = const_cast<llvm::Value*>(step->getPointerOperand());
    } else if (const auto* cast = llvm::dyn_cast<llvm::BitCastOperator>(place.base)) {
      place.base = cast->getOperand(0);
    } else {
      return place;
    }
  }
}

void OperationTable::find_cells_of(const llvm::Instruction& instruction, std::map<uint32_t, uint32_t>& ends) {
  const auto add = [&](const llvm::Value* address, uint64_t bytes) {
    const Place place = place_of(const_cast<llvm::Value*>(address));
    const std::optional<uint64_t> slot = register_slot(place.base);
    if (!slot || bytes == 0) return;
    const uint32_t first = static_cast<uint32_t>(*slot + static_cast<uint64_t>(place.offset));
    uint32_t& end = ends[first];
    end = std::max(end, first + static_cast<uint32_t>(bytes));
  };
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    add(load->getPointerOperand(), layout_.getTypeStoreSize(load->getType()));
  } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    add(store->getPointerOperand(), layout_.getTypeStoreSize(store->getValueOperand()->getType()));
  } else if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    add(update->getPointerOperand(), layout_.getTypeStoreSize(update->getType()));
  } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    add(exchange->getPointerOperand(), layout_.getTypeStoreSize(exchange->getNewValOperand()->getType()));
  } else if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    const uint64_t bytes = constant_length(*memory).value_or(0);
    add(memory->getRawDest(), bytes);
    if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory)) add(copy->getRawSource(), bytes);
  }
}

// The accesses' ends cut the frame into cells, so that every access covers a run of whole cells.
void OperationTable::find_cells(llvm::Function& function) {
  std::map<uint32_t, uint32_t> ends;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) find_cells_of(instruction, ends);
  std::map<uint32_t, bool> cuts;  // place to whether a cell begins there
  for (const auto& [first, end] : ends) {
    cuts[first] = true;
    cuts.emplace(end, false);
  }
  // A place at which one access ends lies inside another when that one goes on.
  uint32_t covered = 0;
  for (auto& [place, begins] : cuts) {
    if (place < covered) begins = true;
    if (const auto at = ends.find(place); at != ends.end()) covered = std::max(covered, at->second);
  }
  first_cell_ = size_of(tables_.cells);
  for (auto at = cuts.begin(); at != cuts.end(); ++at) {
    if (at->second) tables_.cells.push_back({at->first, std::next(at)->first - at->first});
  }
}

void OperationTable::add_base(llvm::Instruction& of, const BaseRecord& record) {
  llvm::LLVMContext& context = module_.getContext();
  const uint32_t number = size_of(tables_.bases) - first_base_;
  of.setMetadata(metadata::kBase, llvm::MDNode::get(context, {llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                                                 llvm::Type::getInt32Ty(context), number))}));
  bases_.emplace(&of, size_of(tables_.bases));
  tables_.bases.push_back(record);
}

void OperationTable::find_bases(llvm::Function& function) {
  if (!traced_) return;
  first_base_ = size_of(tables_.bases);
  for (llvm::Instruction& instruction : function.getEntryBlock()) {
    uint32_t slot = kNone;
    if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      const llvm::MDNode* home = variable->getMetadata(metadata::kPrivateHome);
      if (!home || number_in(*home, 2) == 0) continue;
      slot = static_cast<uint32_t>(number_in(*home, 0));
    } else if (!instruction.hasMetadata(metadata::kFrameBase)) {
      continue;
    }
    add_base(instruction, {.site = record_at(instruction, metadata::kOwnSite), .private_offset = slot});
  }
}

void OperationTable::find_kept(llvm::Function& function) {
  kept_.reset();
  if (!traced_) return;
  kept_.emplace(function, [this](const llvm::Value* base) { return bases_.contains(base) || is_global_place(base); });
  for (const llvm::AllocaInst* variable : kept_->variables()) {
    add_base(const_cast<llvm::AllocaInst&>(*variable), {.site = kNone, .private_offset = kValueBase});
  }
}

/// Whether the address of a global variable is known during a run, and something can write there.
bool OperationTable::is_global_place(const llvm::Value* base) const {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base);
  return global && !global->isConstant() && !global->isThreadLocal() && !global->hasLocalLinkage();
}

void OperationTable::add_accesses(llvm::Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    add_access(instruction, load->getPointerOperandIndex(), layout_.getTypeStoreSize(load->getType()), kAccessReads);
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    add_access(instruction, store->getPointerOperandIndex(),
               layout_.getTypeStoreSize(store->getValueOperand()->getType()), kAccessWrites);
  } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    add_access(instruction, update->getPointerOperandIndex(), layout_.getTypeStoreSize(update->getType()),
               kAccessReads | kAccessWrites);
  } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    add_access(instruction, exchange->getPointerOperandIndex(),
               layout_.getTypeStoreSize(exchange->getNewValOperand()->getType()), kAccessReads | kAccessWrites);
  } else if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    const std::optional<uint64_t> length = constant_length(*memory);
    const uint64_t bytes = length.value_or(kNone);
    add_access(instruction, 0, bytes, kAccessWrites);
    if (llvm::isa<llvm::MemTransferInst>(memory)) add_access(instruction, 1, bytes, kAccessReads);
    if (!length) add_length(instruction, 2);
  } else if (llvm::isa<llvm::VAStartInst>(instruction)) {
    add_access(instruction, 0, kVaListBytes, kAccessWrites);
    add_variadic_area(instruction, PlaceKind::kSavedArguments, metadata::kSavedArgumentsSite);
    add_variadic_area(instruction, PlaceKind::kStackArguments, metadata::kStackArgumentsSite);
  } else if (llvm::isa<llvm::VACopyInst>(instruction)) {
    add_access(instruction, 0, kVaListBytes, kAccessWrites);
    add_access(instruction, 1, kVaListBytes, kAccessReads);
  } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && !call->isInlineAsm()) {
    for (unsigned each = 0; each < call->arg_size(); ++each) {
      if (!call->isByValArgument(each)) continue;
      add_access(instruction, each, layout_.getTypeAllocSize(call->getParamByValType(each)),
                 kAccessReads | kAccessOfArgument, static_cast<uint16_t>(each));
    }
  }
}

void OperationTable::add_access(llvm::Instruction& instruction, unsigned operand, uint64_t bytes, uint8_t flags,
                                uint16_t argument) {
  const Place place = place_of(instruction.getOperand(operand));
  AccessRecord access{.offset = static_cast<int32_t>(place.offset),
                      .bytes = static_cast<uint32_t>(bytes),
                      .value = 0,
                      .cells = argument,
                      .place = PlaceKind::kConstant,
                      .flags = flags};
  const bool fits =
      place.offset >= std::numeric_limits<int32_t>::min() && place.offset <= std::numeric_limits<int32_t>::max();
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(place.base);
  const auto* by_value = llvm::dyn_cast<llvm::Argument>(place.base);
  if (const std::optional<uint64_t> slot = register_slot(place.base)) {
    const uint32_t first = static_cast<uint32_t>(*slot + static_cast<uint64_t>(place.offset));
    uint32_t cell = first_cell_;
    while (cell < tables_.cells.size() && tables_.cells[cell].offset < first) ++cell;
    uint32_t end = cell;
    while (end < tables_.cells.size() && tables_.cells[end].offset < first + bytes) ++end;
    if (cell == end || end - cell > std::numeric_limits<uint16_t>::max()) return;  // nothing is accessed
    access.place = PlaceKind::kCells;
    access.value = cell;
    access.cells = static_cast<uint16_t>(end - cell);
  } else if (const auto base = bases_.find(place.base); base != bases_.end() && fits) {
    access.place = PlaceKind::kFrame;
    access.value = base->second;
  } else if (global && global->isConstant()) {
    access.place = PlaceKind::kConstant;
  } else if (fits && is_global_place(place.base)) {
    access.place = PlaceKind::kGlobal;
    access.value = anchor(*global);
  } else if (add_indexed(instruction, operand, access)) {
    // The access is complete.
  } else if (by_value && by_value->hasByValAttr() && fits) {
    access.place = PlaceKind::kArgument;
    access.value = by_value->getArgNo();
  } else {
    add_recorded(instruction, operand, place, access);
  }
  tables_.accesses.push_back(access);
}

/// Of an address that kept variables make known.
bool OperationTable::add_indexed(const llvm::Instruction& instruction, unsigned operand, AccessRecord& access) {
  const std::optional<IndexedAddress> address = kept_->address(instruction.getOperand(operand), instruction);
  if (!address) return false;
  access.offset = static_cast<int32_t>(address->offset);
  access.place = PlaceKind::kFrame;
  if (address->pointer) {
    access.value = bases_.at(address->pointer);
  } else if (const auto base = bases_.find(address->place); base != bases_.end()) {
    access.value = base->second;
  } else {
    access.place = PlaceKind::kGlobal;
    access.value = anchor(*llvm::cast<llvm::GlobalVariable>(address->place));
  }
  if (!address->index) return true;
  const bool narrow = address->index->getAllocatedType()->isIntegerTy(32);
  tables_.indexed.push_back(
      {.value = access.value,
       .index = bases_.at(address->index),
       .addend = static_cast<int32_t>(address->addend),
       .scale = static_cast<int32_t>(address->scale),
       .place = access.place,
       .flags = static_cast<uint8_t>((narrow ? kIndexIs32Bits : 0) | (address->zero_extended ? kIndexUnsigned : 0)),
       .reserved = 0});
  access.place = PlaceKind::kIndexed;
  access.value = size_of(tables_.indexed) - 1;
  return true;
}

/// What a store makes of a kept variable.
void OperationTable::follow_variable(llvm::Instruction& instruction) {
  const llvm::AllocaInst* variable = kept_->stored(instruction);
  if (!variable) return;
  AccessRecord follow{
      .offset = 0, .bytes = bases_.at(variable), .value = kNone, .cells = 0, .place = PlaceKind::kMoved, .flags = 0};
  if (const auto move = kept_->move(llvm::cast<llvm::StoreInst>(instruction))) {
    instruction.setMetadata(metadata::kForeseen, llvm::MDNode::get(instruction.getContext(), {}));
    if (move->from) follow.value = bases_.at(move->from);
    follow.offset = static_cast<int32_t>(move->distance);
  } else {
    follow.place = PlaceKind::kKept;
    follow.value = record_at(instruction, 0);
    follow.flags = kAccessRecorded;
  }
  tables_.accesses.push_back(follow);
}

void OperationTable::add_recorded(llvm::Instruction& instruction, unsigned operand, const Place& place,
                                  AccessRecord& access) {
  access.place = PlaceKind::kRecorded;
  const BaseKey key = key_of(place);
  if (const auto known = recorded_.find(key); known != recorded_.end()) {
    const int64_t distance = place.offset - known->second.offset;
    if (distance >= std::numeric_limits<int32_t>::min() && distance <= std::numeric_limits<int32_t>::max()) {
      access.value = known->second.site;
      access.offset = static_cast<int32_t>(distance);
      return;
    }
  }
  access.value = record_at(instruction, operand);
  access.offset = 0;
  access.flags |= kAccessRecorded;
  recorded_.insert_or_assign(key, Recorded{access.value, place.offset});
}

void OperationTable::add_length(llvm::Instruction& instruction, unsigned operand) {
  tables_.accesses.push_back({.offset = 0,
                              .bytes = 0,
                              .value = record_at(instruction, operand),
                              .cells = 0,
                              .place = PlaceKind::kLength,
                              .flags = kAccessRecorded});
}

void OperationTable::add_variadic_area(llvm::Instruction& instruction, PlaceKind area, uint32_t site) {
  tables_.accesses.push_back({.offset = 0,
                              .bytes = 0,
                              .value = record_at(instruction, site),
                              .cells = 0,
                              .place = area,
                              .flags = kAccessRecorded});
}

OperationTable::BaseKey OperationTable::key_of(const Place& place) const {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(place.base);
  if (load && operations_.contains(load)) {
    const Place from = place_of(const_cast<llvm::Value*>(load->getPointerOperand()));
    // Loaded in this block, so that the variable's version is known.
    if (register_slot(from.base) && versions_.contains({load, 0})) {
      return {from.base, from.offset, versions_.at({load, 0})};
    }
  }
  return {place.base, 0, 0};
}

void OperationTable::forget_after(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    const Place from = place_of(const_cast<llvm::Value*>(load->getPointerOperand()));
    if (register_slot(from.base)) versions_[{load, 0}] = versions_[{from.base, 0}];
    return;
  }
  // The block can run again inside of a call, and a call's result is another each time.
  if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) recorded_.clear();
  for (const llvm::Value* operand : instruction.operand_values()) {
    if (!operand->getType()->isPointerTy() || !instruction.mayWriteToMemory()) continue;
    const Place to = place_of(const_cast<llvm::Value*>(operand));
    if (register_slot(to.base)) ++versions_[{to.base, 0}];
  }
}

uint32_t OperationTable::anchor(const llvm::GlobalVariable& global) {
  const auto [at, is_new] = anchors_.emplace(&global, size_of(tables_.anchors));
  if (is_new) tables_.anchors.push_back({strings_.add({global.getName().data(), global.getName().size()})});
  return at->second;
}

uint32_t OperationTable::record_at(llvm::Instruction& instruction, uint32_t operand) {
  llvm::LLVMContext& context = module_.getContext();
  // What is read once before a loop is still an access at its own place.
  if (instruction.hasMetadata(metadata::kInvariant)) {
    llvm::IRBuilder<> builder(&instruction);
    auto* marker = new llvm::PtrToIntInst(instruction.getOperand(operand), builder.getInt64Ty(), "", &instruction);
    return record_at(*marker, 0);
  }
  auto number = [&](uint32_t value) {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
  };
  llvm::SmallVector<llvm::Metadata*, 6> records;
  if (const llvm::MDNode* before = instruction.getMetadata(sites_kind_)) {
    records.append(before->op_begin(), before->op_end());
  }
  records.push_back(number(operand));
  records.push_back(number(next_site_));
  instruction.setMetadata(sites_kind_, llvm::MDNode::get(context, records));
  return next_site_++;
}

}  // namespace culprit
