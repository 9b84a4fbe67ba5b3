#include "instrument/kept_variables.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "instrument/extract_operations.h"
#include "instrument/metadata.h"

namespace culprit {
namespace {

constexpr unsigned kDeepestLoop = 6;
constexpr unsigned kBitsOfALoop = 3;  // a loop's body is taken to run eight times

bool is_kept_type(const llvm::Type* type) {
  return type->isPointerTy() || type->isIntegerTy(32) || type->isIntegerTy(64);
}

/// Whether a variable is only loaded and stored as a whole, once it has been initialised.
bool is_plain(const llvm::AllocaInst& variable) {
  for (const llvm::User* user : variable.users()) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (!load->isSimple() || load->getType() != variable.getAllocatedType()) return false;
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (!store->isSimple() || store->getPointerOperand() != &variable ||
          store->getValueOperand()->getType() != variable.getAllocatedType()) {
        return false;
      }
    } else if (const auto* fill = llvm::dyn_cast<llvm::MemSetInst>(user)) {
      // What an uninitialised variable holds at first, which leads to no memory of the program's.
      if (fill->getParent() != variable.getParent()) return false;
    } else {
      return false;
    }
  }
  return true;
}

/// A constant that is added to a value: the value and the constant.
std::pair<const llvm::Value*, int64_t> without_constant(const llvm::Value* value) {
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
  const auto* constant = operation ? llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1)) : nullptr;
  if (!constant) return {value, 0};
  if (operation->getOpcode() == llvm::Instruction::Add) return {operation->getOperand(0), constant->getSExtValue()};
  if (operation->getOpcode() == llvm::Instruction::Sub) return {operation->getOperand(0), -constant->getSExtValue()};
  return {value, 0};
}

bool fits(int64_t number) {
  return number == static_cast<int32_t>(number);
}

}  // namespace

KeptVariables::KeptVariables(llvm::Function& function, std::function<bool(const llvm::Value*)> is_place)
    : layout_(function.getParent()->getDataLayout()), is_place_(std::move(is_place)) {
  find_candidates(function);
  if (!kept_.empty()) choose(function);
}

bool KeptVariables::keeps(const llvm::AllocaInst* variable) const {
  return std::find(kept_.begin(), kept_.end(), variable) != kept_.end();
}

void KeptVariables::find_candidates(llvm::Function& function) {
  for (const llvm::Instruction& instruction : function.getEntryBlock()) {
    const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable || !is_kept_type(variable->getAllocatedType()) || !register_slot(variable)) continue;
    if (is_plain(*variable)) kept_.push_back(variable);
  }
}

const llvm::AllocaInst* KeptVariables::loaded(const llvm::Value* value, const llvm::Instruction& at) const {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  const auto* variable = load ? llvm::dyn_cast<llvm::AllocaInst>(load->getPointerOperand()) : nullptr;
  if (!variable || !keeps(variable) || load->getParent() != at.getParent()) return nullptr;
  // The variable still holds what was loaded.
  for (const llvm::Instruction* each = load->getNextNode(); each != &at; each = each->getNextNode()) {
    if (!each) return nullptr;
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(each);
    if (store && store->getPointerOperand() == variable) return nullptr;
  }
  return variable;
}

bool KeptVariables::set_index(const llvm::Value* value, int64_t scale, const llvm::Instruction& at,
                              IndexedAddress& into) const {
  if (into.index) return false;
  if (const auto* extension = llvm::dyn_cast<llvm::ZExtInst>(value)) {
    into.zero_extended = true;
    value = extension->getOperand(0);
  } else if (const auto* sign_extension = llvm::dyn_cast<llvm::SExtInst>(value)) {
    value = sign_extension->getOperand(0);
  }
  const auto [variable, addend] = without_constant(value);
  into.index = loaded(variable, at);
  into.scale = scale;
  into.addend = addend;
  return into.index != nullptr && !into.index->getAllocatedType()->isPointerTy() && fits(addend) && fits(scale);
}

std::optional<IndexedAddress> KeptVariables::address(llvm::Value* address, const llvm::Instruction& at) const {
  IndexedAddress found;
  while (true) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(address);
    if (instruction && instruction->hasMetadata(metadata::kFrameBase)) break;
    const auto* step = llvm::dyn_cast<llvm::GEPOperator>(address);
    if (!step) break;
    llvm::MapVector<llvm::Value*, llvm::APInt> variables;
    llvm::APInt distance(64, 0);
    if (!step->collectOffset(layout_, 64, variables, distance)) return std::nullopt;
    found.offset += distance.getSExtValue();
    for (const auto& [value, scale] : variables) {
      if (!set_index(value, scale.getSExtValue(), at, found)) return std::nullopt;
    }
    address = const_cast<llvm::Value*>(step->getPointerOperand());
  }
  if (!fits(found.offset)) return std::nullopt;
  if (found.pointer = loaded(address, at); found.pointer) {
    return found.pointer->getAllocatedType()->isPointerTy() ? std::optional(found) : std::nullopt;
  }
  found.place = address;
  return found.index && is_place_(address) ? std::optional(found) : std::nullopt;
}

const llvm::AllocaInst* KeptVariables::stored(const llvm::Instruction& instruction) const {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  const auto* variable = store ? llvm::dyn_cast<llvm::AllocaInst>(store->getPointerOperand()) : nullptr;
  return variable && keeps(variable) ? variable : nullptr;
}

std::optional<VariableMove> KeptVariables::move(const llvm::StoreInst& store) const {
  const llvm::Value* value = store.getValueOperand();
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    return fits(constant->getSExtValue()) ? std::optional(VariableMove{nullptr, constant->getSExtValue()})
                                          : std::nullopt;
  }
  if (llvm::isa<llvm::ConstantPointerNull>(value)) return VariableMove{};
  VariableMove move;
  llvm::APInt distance(64, 0);
  if (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(value)) {
    if (!step->accumulateConstantOffset(layout_, distance)) return std::nullopt;
    move.distance = distance.getSExtValue();
    value = step->getPointerOperand();
  } else {
    std::tie(value, move.distance) = without_constant(value);
  }
  move.from = loaded(value, store);
  const bool same_type = move.from && move.from->getAllocatedType() ==
                                          llvm::cast<llvm::AllocaInst>(store.getPointerOperand())->getAllocatedType();
  return same_type && fits(move.distance) ? std::optional(move) : std::nullopt;
}

void KeptVariables::choose(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  std::vector<Use> uses;
  std::vector<std::pair<const llvm::StoreInst*, uint64_t>> stores;
  for (llvm::BasicBlock& block : function) {
    const uint64_t weight = uint64_t{1} << kBitsOfALoop * std::min(loops.getLoopDepth(&block), kDeepestLoop);
    // What a block accesses again at a constant distance would be recorded once.
    std::set<std::tuple<const void*, const void*, const void*, int64_t>> seen;
    for (llvm::Instruction& instruction : block) {
      if (stored(instruction)) stores.emplace_back(llvm::cast<llvm::StoreInst>(&instruction), weight);
      llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      const auto found = pointer ? address(pointer, instruction) : std::nullopt;
      if (!found) continue;
      if (seen.emplace(found->pointer, found->place, found->index, found->scale).second)
        uses.push_back({*found, weight});
    }
  }
  while (drop_those_not_worth_it(uses, stores)) {
  }
}

bool KeptVariables::drop_those_not_worth_it(const std::vector<Use>& uses,
                                            const std::vector<std::pair<const llvm::StoreInst*, uint64_t>>& stores) {
  std::map<const llvm::AllocaInst*, uint64_t> gain, cost;
  for (const Use& use : uses) {
    const bool possible =
        (!use.address.pointer || keeps(use.address.pointer)) && (!use.address.index || keeps(use.address.index));
    if (!possible) continue;
    if (use.address.pointer) gain[use.address.pointer] += use.weight;
    if (use.address.index) gain[use.address.index] += use.weight;
  }
  for (const auto& [store, weight] : stores) {
    const llvm::AllocaInst* variable = stored(*store);
    if (!variable) continue;
    const std::optional<VariableMove> moved = move(*store);
    if (!moved) {
      cost[variable] += weight;
    } else if (moved->from && moved->from != variable) {
      gain[moved->from] += weight;  // its value saves recording this one's
    }
  }
  return std::erase_if(kept_, [&](const llvm::AllocaInst* variable) { return gain[variable] <= cost[variable]; }) > 0;
}

}  // namespace culprit
