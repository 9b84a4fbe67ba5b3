#include "instrument/trace_scopes.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace culprit {
namespace {

/// Nodes with a name of their own are the same wherever they are asked for.
llvm::MDNode* named(llvm::LLVMContext& context, const char* name, llvm::ArrayRef<llvm::Metadata*> more) {
  llvm::SmallVector<llvm::Metadata*, 2> operands{llvm::MDString::get(context, name)};
  operands.append(more.begin(), more.end());
  return llvm::MDNode::get(context, operands);
}

llvm::MDNode* events_scope(llvm::LLVMContext& context) {
  return llvm::MDNode::get(context, {named(context, "culprit.trace.events", {named(context, "culprit.trace", {})})});
}

}  // namespace

TraceScopes::TraceScopes(llvm::LLVMContext& context) {
  llvm::MDNode* domain = named(context, "culprit.trace", {});
  llvm::Metadata* position = named(context, "culprit.trace.position", {domain});
  llvm::Metadata* sites = named(context, "culprit.trace.sites", {domain});
  only_[static_cast<unsigned>(TraceScope::kPosition)] = llvm::MDNode::get(context, {position});
  only_[static_cast<unsigned>(TraceScope::kSites)] = llvm::MDNode::get(context, {sites});
  only_[static_cast<unsigned>(TraceScope::kEvents)] = events_scope(context);
  both_ = llvm::MDNode::get(context, {position, sites});
}

void TraceScopes::mark(llvm::Instruction& access, TraceScope scope) const {
  const auto own = static_cast<unsigned>(scope);
  access.setMetadata(llvm::LLVMContext::MD_alias_scope, only_[own]);
  access.setMetadata(llvm::LLVMContext::MD_noalias, scope == TraceScope::kEvents ? both_ : only_[1 - own]);
}

bool is_event(const llvm::StoreInst& store) {
  return store.getMetadata(llvm::LLVMContext::MD_alias_scope) == events_scope(store.getContext());
}

void TraceScopes::separate(llvm::Function& body) const {
  for (llvm::Instruction& instruction : llvm::instructions(body)) {
    if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) continue;
    if (instruction.hasMetadata(llvm::LLVMContext::MD_alias_scope)) continue;
    llvm::MDNode* before = instruction.getMetadata(llvm::LLVMContext::MD_noalias);
    instruction.setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::concatenate(before, both_));
  }
}

}  // namespace culprit
