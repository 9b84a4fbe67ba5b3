#include "depend/race_watch.h"

#include <algorithm>

namespace culprit::depend {

using namespace format;
using program::Effect;
using program::EffectKind;

void RaceWatch::executed(uint32_t thread, const Activation& activation, const ActiveOperation& operation,
                         NodeNumber node) {
  if (operation.kind == OperationKind::kCall) return races_.order().call_made(thread, operation.operation, node);
  if (!races_.order().has_begun()) return;
  const uint8_t flags = model_.operation(operation.operation).flags;
  const bool is_plain = operation.kind == OperationKind::kLoad || operation.kind == OperationKind::kStore;
  const bool is_pattern = operation.kind == OperationKind::kSetMemory && (flags & kOperationBeginsVariable) != 0;
  for (const AccessRecord& each : operation.accesses) {
    const auto address = definitions_.address(activation, each);
    if (!address || (each.flags & (kAccessReads | kAccessWrites)) == 0) continue;
    const uint64_t bytes =
        definitions_.bytes_of(operation.accesses, static_cast<size_t>(&each - operation.accesses.data()));
    if (is_pattern) {
      races_.forget(*address, bytes);
      continue;
    }
    races_.access({.thread = thread,
                   .address = *address,
                   .bytes = bytes,
                   .operation = operation.operation,
                   .node = node,
                   .writes = (each.flags & kAccessWrites) != 0,
                   .atomic = operation.kind == OperationKind::kUpdate || (is_plain && (flags & kOperationAtomic) != 0),
                   .to_own_stack = each.place == PlaceKind::kFrame});
  }
}

void RaceWatch::returned(uint32_t thread, uint32_t operation, NodeNumber node, const program::CallEffects& effects) {
  const bool orders = std::any_of(effects.effects.begin(), effects.effects.end(), [](const Effect& each) {
    return each.kind == EffectKind::kAcquire || each.kind == EffectKind::kRelease ||
           each.kind == EffectKind::kStartThread || each.kind == EffectKind::kJoinThread;
  });
  // What those do to their own objects, they do in order.
  if (orders) return races_.order().call_returned(thread, operation, effects);
  const auto access = [&](const program::Place& place, bool writes) {
    if (place.kind != program::Place::Kind::kMemory || !place.bytes) return;
    races_.access({.thread = thread,
                   .address = place.address,
                   .bytes = *place.bytes,
                   .operation = operation,
                   .node = node,
                   .writes = writes,
                   .atomic = false,
                   .to_own_stack = false});
  };
  for (const Effect& each : effects.effects) {
    if (!each.certain) continue;
    switch (each.kind) {
      case EffectKind::kAllocate:
        if (each.target.bytes) races_.forget(each.target.address + each.offset, *each.target.bytes - each.offset);
        break;
      case EffectKind::kRead:
        access(each.target, false);
        break;
      case EffectKind::kWrite:
      case EffectKind::kFill:
      case EffectKind::kInput:
      case EffectKind::kCopy:
      case EffectKind::kOutput:
        for (const program::Place& source : each.sources) access(source, false);
        access(each.target, true);
        break;
      default:
        break;
    }
  }
}

}  // namespace culprit::depend
