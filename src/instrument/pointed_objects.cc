#include "instrument/pointed_objects.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "instrument/metadata.h"
#include "instrument/model_ids.h"

namespace culprit {
namespace {

constexpr unsigned kMostSteps = 32;

}  // namespace

void PointedObjects::Objects::add(const Objects& other) {
  any |= other.any || (one && other.one && *one != *other.one);
  if (!one) one = other.one;
  if (any) one.reset();
}

PointedObjects::PointedObjects(llvm::Function& body) {
  for (llvm::Instruction& each : llvm::instructions(body)) {
    if (each.hasMetadata(metadata::kPrivateHome) && each.getType()->isPointerTy()) held_[&each] = {};
  }
  // Pointers are handed from variable to variable, also around loops: until nothing more comes to any.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [variable, objects] : held_) {
      Objects now = stored_to(*variable);
      if (now == objects) continue;
      objects = now;
      changed = true;
    }
  }
}

PointedObjects::Objects PointedObjects::stored_to(const llvm::Instruction& variable) const {
  Objects result;
  for (const llvm::User* user : variable.users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store && store->getPointerOperand() == &variable && store->getValueOperand() != &variable) {
      result.add(objects_of(const_cast<llvm::Value*>(store->getValueOperand()), 0));
      continue;
    }
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    const bool harmless =
        instruction && (llvm::isa<llvm::LoadInst>(instruction) || instruction->isLifetimeStartOrEnd() ||
                        instruction->hasMetadata(metadata::kPattern));
    if (!harmless) result.any = true;
  }
  return result;
}

PointedObjects::Objects PointedObjects::objects_of(llvm::Value* pointer, unsigned depth) const {
  if (llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(pointer)) return {};
  Objects result;
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(pointer);
  result.any = !instruction || depth > kMostSteps;
  if (result.any) return result;
  if (instruction->hasMetadata(metadata::kUserHome)) {
    result.one = PointedObject{instruction, *number_in(*instruction, metadata::kUserHome, 1)};
  } else if (auto* part = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) {
    if (part->hasMetadata(metadata::kPrivateHome)) return {.one = std::nullopt, .any = true};
    return objects_of(part->getPointerOperand(), depth + 1);
  } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
    const auto* variable = llvm::dyn_cast<llvm::Instruction>(load->getPointerOperand());
    const auto held = variable ? held_.find(variable) : held_.end();
    if (held != held_.end() && load->getType()->isPointerTy()) return held->second;
    result.any = true;
  } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
    for (llvm::Value* each : phi->incoming_values()) result.add(objects_of(each, depth + kMostSteps / 4));
  } else if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(instruction)) {
    result.add(objects_of(choice->getTrueValue(), depth + kMostSteps / 4));
    result.add(objects_of(choice->getFalseValue(), depth + kMostSteps / 4));
  } else {
    result.any = true;
  }
  return result;
}

std::optional<PointedObject> PointedObjects::of(llvm::Value* pointer) const {
  const Objects objects = objects_of(pointer, 0);
  return objects.any ? std::nullopt : objects.one;
}

}  // namespace culprit
