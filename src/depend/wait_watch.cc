#include "depend/wait_watch.h"

#include <algorithm>

namespace culprit::depend {

using namespace format;
using program::Effect;
using program::EffectKind;

namespace {

std::optional<uint64_t> address_of(const Effect& effect) {
  return effect.target.kind == program::Place::Kind::kState ? effect.target.key : std::nullopt;
}

}  // namespace

void WaitWatch::executed(uint32_t thread, const Activation& activation, const ActiveOperation& operation,
                         NodeNumber node) {
  if (operation.kind == OperationKind::kCall) {
    if (!calls_.contains(operation.operation) || calls_.makes_thread(operation.operation)) return;
    return begins_to_wait(thread, node);
  }
  for (const AccessRecord& each : operation.accesses) {
    if ((each.flags & (kAccessReads | kAccessWrites)) == 0 || each.place == PlaceKind::kCells) continue;
    const bool writes = (each.flags & kAccessWrites) != 0;
    if (writes && waiting_ == 0) continue;
    const auto address = definitions_.address(activation, each);
    if (!address) continue;
    const uint64_t bytes =
        definitions_.bytes_of(operation.accesses, static_cast<size_t>(&each - operation.accesses.data()));
    if (writes) {
      wrote(thread, operation.operation, node, {*address, bytes});
    } else {
      Thread& reader = at(thread);
      reader.read[reader.reads++ % kMostRead] = {*address, bytes};
    }
  }
}

void WaitWatch::wrote(uint32_t thread, uint32_t operation, NodeNumber node, Range range) {
  const uint64_t end = range.address + range.bytes;
  bool may_be_read = read_words_[filter_of(end - 1)];
  for (uint64_t word = range.address; word < end && !may_be_read; word += 8) may_be_read = read_words_[filter_of(word)];
  if (!may_be_read) return;
  for (uint32_t each = 0; each < threads_.size(); ++each) {
    Thread& other = threads_[each];
    if (each == thread || !other.waits) continue;
    const bool was_read = std::any_of(other.read.begin(), other.read.end(), [&](const Range& read) {
      return read.address < end && range.address < read.address + read.bytes;
    });
    if (!was_read) continue;
    std::erase_if(other.changes, [&](const Change& change) { return change.operation == operation; });
    other.changes.push_back({operation, node, range.address});
    if (other.changes.size() > kMostChanges) other.changes.erase(other.changes.begin());
  }
}

void WaitWatch::begins_to_wait(uint32_t thread, NodeNumber call) {
  Thread& caller = at(thread);
  if (!caller.waits) ++waiting_;
  caller.waits = call;
  for (const Range& read : caller.read) {
    const uint64_t end = read.address + std::min<uint64_t>(read.bytes, 8 * kFilter);
    for (uint64_t word = read.address / 8; word * 8 < end; ++word) read_words_.set(word % kFilter);
  }
}

void WaitWatch::stops_waiting(uint32_t thread) {
  Thread& caller = at(thread);
  if (caller.waits && --waiting_ == 0) read_words_.reset();
  caller.waits.reset();
  caller.changes.clear();
}

void WaitWatch::returned(uint32_t thread, uint32_t operation, NodeNumber node, const program::CallEffects& effects) {
  if (!calls_.contains(operation)) return;
  stops_waiting(thread);
  const auto has = [&](EffectKind kind, uint64_t address) {
    return std::any_of(effects.effects.begin(), effects.effects.end(),
                       [&](const Effect& each) { return each.kind == kind && address_of(each) == address; });
  };
  bool takes = false;
  for (const Effect& each : effects.effects) {
    takes |= each.kind == EffectKind::kAcquire;
    const auto address = address_of(each);
    if (!address || !each.certain) continue;
    if (each.kind == EffectKind::kRelease) {
      const auto held = held_.find(*address);
      if (held == held_.end() || held->second.thread != thread) {
        released_[*address] = {thread, node};
      } else if (!has(EffectKind::kAcquire, *address)) {  // a wait takes back what it gave back
        held_.erase(held);
      }
    } else if (each.kind == EffectKind::kAcquire && each.target.state == "lock" &&
               !has(EffectKind::kRelease, *address)) {
      held_[*address] = {thread, node};
    }
  }
  if (!takes) return;
  Thread& caller = at(thread);
  caller.read = {};
  caller.reads = 0;
}

std::vector<GraphWait> WaitWatch::found() const {
  std::vector<GraphWait> waits;
  for (uint32_t each = 0; each < threads_.size(); ++each) {
    const Thread& thread = threads_[each];
    if (!thread.waits) continue;
    waits.push_back({.node = thread.waits->bits, .address = 0, .thread = each, .kind = GraphWaitKind::kWaits});
    for (const Change& change : thread.changes) {
      waits.push_back(
          {.node = change.node.bits, .address = change.address, .thread = each, .kind = GraphWaitKind::kChanges});
    }
  }
  // Who waits for nobody is not asked for more.
  if (waits.empty()) return waits;
  for (const auto& [address, held] : held_) {
    waits.push_back({.node = held.node.bits, .address = address, .thread = held.thread, .kind = GraphWaitKind::kHolds});
  }
  for (const auto& [address, last] : released_) {
    waits.push_back(
        {.node = last.node.bits, .address = address, .thread = last.thread, .kind = GraphWaitKind::kReleases});
  }
  return waits;
}

}  // namespace culprit::depend
