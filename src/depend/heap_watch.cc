#include "depend/heap_watch.h"

#include <algorithm>
#include <cstring>

#include "program/external_effects.h"

namespace culprit::depend {

using namespace format;
using program::Effect;
using program::EffectKind;
using program::Place;

namespace {

constexpr size_t kMostFound = 1024;
/// Of larger blocks only the ends are marked; the library maps most of them alone, and gives them back to the system.
constexpr uint64_t kMostMarked = uint64_t{1} << 24;
/// From this size on a freed block may be unmapped, and something else mapped there that nobody tells of.
constexpr uint64_t kMapped = uint64_t{1} << 17;
/// How far behind a block's end, or in front of its start, an access is taken to be of that block.
constexpr uint64_t kNear = uint64_t{1} << 16;

// Of the C library's layout (glibc, malloc/malloc.c): a word before each block, and room up to a multiple of 16.
constexpr uint64_t kHead = 8, kLeast = 24;
// Into a freed block of its caches for threads (malloc.c, tcache_put), which hold no larger ones, it writes two words.
constexpr uint64_t kMostLinked = 1032, kLinks = 16;

constexpr uint64_t room_of(uint64_t bytes) {
  return std::max(kLeast, ((bytes + kHead + 15) & ~uint64_t{15}) - kHead);
}

}  // namespace

uint8_t* HeapBytes::page_of(uint64_t address, bool make) {
  const uint64_t number = address / kPageBytes;
  Cached& cached = cache_[number % kCached];
  if (cached.number == number && (cached.page || !make)) return cached.page;
  const auto at = pages_.find(number);
  uint8_t* page = at == pages_.end() ? nullptr : at->second.get();
  if (!page && make) page = pages_.emplace(number, std::make_unique<uint8_t[]>(kPageBytes)).first->second.get();
  cached = {number, page};
  return page;
}

void HeapBytes::set(uint64_t address, uint64_t bytes, State state) {
  lowest_ = std::min(lowest_, address);
  highest_ = std::max(highest_, address + bytes);
  while (bytes > 0) {
    const uint64_t offset = address % kPageBytes, here = std::min(bytes, kPageBytes - offset);
    std::memset(page_of(address, true) + offset, state, here);
    address += here;
    bytes -= here;
  }
}

void HeapWatch::changed(const TraceHeapChange& change, NodeNumber by, uint32_t operation) {
  if (change.bytes == kTraceHeapFreed) return freed(change.address, by, operation);
  if (change.bytes == kTraceHeapKept) {
    const auto block = blocks_.find(last_freed_);
    if (block != blocks_.end() && last_freed_ == change.address) allocated(change.address, block->second.bytes, by);
    return;
  }
  allocated(change.address, change.bytes, by);
}

void HeapWatch::allocated(uint64_t address, uint64_t bytes, NodeNumber by) {
  const uint64_t end = address + room_of(bytes);
  auto old = blocks_.lower_bound(address);
  if (old != blocks_.begin()) {
    const auto before = std::prev(old);
    if (before->first + std::max<uint64_t>(before->second.bytes, 1) > address) old = before;
  }
  while (old != blocks_.end() && old->first < end) old = blocks_.erase(old);
  blocks_[address] = {.bytes = bytes, .allocated = by};
  bytes_.set(address - kHead, kHead, HeapBytes::kBetween);
  if (bytes <= kMostMarked) bytes_.set(address, bytes, HeapBytes::kInUse);
  bytes_.set(address + bytes, room_of(bytes) - bytes + kHead, HeapBytes::kBetween);
}

bool HeapWatch::links_freed(uint32_t operation) const {
  if (operation == kNone) return false;
  const uint32_t callee = model_.call(model_.operation(operation).detail).callee;
  // What it held goes on in the block that realloc returns.
  return callee == kNone || !program::copies_memory(model_.text(model_.function(callee).linkage_name));
}

void HeapWatch::freed(uint64_t address, NodeNumber by, uint32_t operation) {
  last_freed_ = 0;
  const auto block = blocks_.find(address);
  const Access access{
      .address = address, .bytes = 1, .operation = operation, .node = by, .writes = false, .is_word = false};
  if (block == blocks_.end()) {
    // Of blocks that are not known nothing is said; the inside of one is no block.
    if (bytes_.at(address) == HeapBytes::kInUse) tell(access, address, kGraphMisuseReleases);
    return;
  }
  if (!block->second.in_use) return tell(access, address, kGraphMisuseReleases | kGraphMisuseOfFreed);
  last_freed_ = address;
  block->second.in_use = false;
  block->second.freed = by;
  const uint64_t bytes = block->second.bytes;
  if (bytes <= kMostLinked && links_freed(operation)) definitions_.define(address, std::min(bytes, kLinks), by);
  const bool perhaps_unmapped = bytes >= kMapped;
  bytes_.set(address, std::min(bytes, kMostMarked), perhaps_unmapped ? HeapBytes::kUnknown : HeapBytes::kFreed);
  if (!perhaps_unmapped) return;
  bytes_.set(address - kHead, kHead, HeapBytes::kUnknown);
  bytes_.set(address + bytes, room_of(bytes) - bytes + kHead, HeapBytes::kUnknown);
}

void HeapWatch::executed(const Activation& activation, const ActiveOperation& operation, NodeNumber node) {
  const bool is_stretch = operation.kind == OperationKind::kCopyMemory || operation.kind == OperationKind::kSetMemory;
  for (const AccessRecord& each : operation.accesses) {
    if ((each.flags & (kAccessReads | kAccessWrites)) == 0) continue;
    // A word of a variable by its name is where it belongs.
    const bool is_named =
        each.place == PlaceKind::kGlobal ||
        (each.place == PlaceKind::kFrame && model_.sections().bases[each.value].private_offset == kNone);
    if (is_named && !is_stretch) continue;
    const auto address = definitions_.address(activation, each);
    if (!address) continue;
    const auto number = static_cast<size_t>(&each - operation.accesses.data());
    check({.address = *address,
           .bytes = is_stretch ? definitions_.bytes_of(operation.accesses, number) : each.bytes,
           .operation = operation.operation,
           .node = node,
           .writes = (each.flags & kAccessWrites) != 0,
           .is_word = !is_stretch,
           .activation = activation.frame});
  }
}

void HeapWatch::returned(std::string_view function, const trace::ReturnedCall& call, uint32_t operation,
                         NodeNumber node, const program::CallEffects* effects) {
  if (function == "malloc_usable_size" && call.count > 0) {
    const auto block = blocks_.find(call.arguments[0]);
    if (block != blocks_.end() && block->second.in_use) allocated(block->first, call.result, block->second.allocated);
    return;
  }
  if (!effects) return;
  const auto access = [&](const Place& place, uint64_t bytes, bool writes) {
    if (place.kind != Place::Kind::kMemory || bytes == 0) return;
    check({.address = place.address,
           .bytes = bytes,
           .operation = operation,
           .node = node,
           .writes = writes,
           .is_word = false});
  };
  for (const Effect& each : effects->effects) {
    if (!each.certain) continue;
    switch (each.kind) {
      case EffectKind::kCopy:
        for (const Place& source : each.sources) access(source, source.bytes.value_or(0), false);
        access(each.target, each.target.bytes.value_or(0), true);
        break;
      case EffectKind::kOutput:
        for (const Place& source : each.sources) access(source, source.bytes.value_or(0), false);
        break;
      case EffectKind::kWrite:
      case EffectKind::kFill:
      case EffectKind::kInput:
        access(each.target, each.target.bytes.value_or(0), true);
        break;
      case EffectKind::kRead:
        // How far such functions look may be less than they are allowed to.
        access(each.target, 1, false);
        break;
      default:
        break;
    }
  }
}

bool HeapWatch::is_allowed(const Access& access, HeapBytes::State first, HeapBytes::State last) {
  if (first == HeapBytes::kUnknown || (first == HeapBytes::kInUse && last == HeapBytes::kUnknown)) return true;
  if (first != HeapBytes::kInUse) return false;
  if (access.is_word) {
    if (last == HeapBytes::kInUse) return true;
    // Functions for strings that read a word at a time, from where it may begin: no page ends within.
    return !access.writes && access.address % access.bytes == 0;
  }
  auto block = blocks_.upper_bound(access.address);
  if (block == blocks_.begin()) return true;
  --block;
  return access.address + access.bytes <= block->first + block->second.bytes;
}

void HeapWatch::check(const Access& access) {
  if (access.bytes == 0) return;
  const HeapBytes::State first = bytes_.at(access.address);
  if (first == HeapBytes::kUnknown && access.is_word && access.writes && check_walk(access)) return;
  if (dead_.holds(access.address)) return tell_dead(access);
  if (!access.is_word) check_variable(access);
  const HeapBytes::State last = bytes_.at(access.address + access.bytes - 1);
  if (is_allowed(access, first, last)) return;
  uint64_t wrong = access.address;
  while (wrong + 1 < access.address + access.bytes && bytes_.at(wrong) == HeapBytes::kInUse) ++wrong;
  uint32_t flags = 0;
  if (access.writes) flags |= kGraphMisuseWrites;
  if (bytes_.at(wrong) == HeapBytes::kFreed) flags |= kGraphMisuseOfFreed;
  tell(access, wrong, flags);
}

std::map<uint64_t, HeapWatch::Block>::iterator HeapWatch::block_near(uint64_t address) {
  auto above = blocks_.upper_bound(address);
  const auto below = above == blocks_.begin() ? blocks_.end() : std::prev(above);
  if (below != blocks_.end() && address < below->first + std::max<uint64_t>(below->second.bytes, 1) + kNear) {
    // The word in front of a block.
    const bool in_front = above != blocks_.end() && above->first - address <= kHead &&
                          address >= below->first + room_of(below->second.bytes);
    return in_front ? above : below;
  }
  return above != blocks_.end() && above->first - address <= kNear ? above : blocks_.end();
}

void HeapWatch::tell(const Access& access, uint64_t wrong, uint32_t flags) {
  if (access.node == kNoNumber || access.operation == kNone) return;
  const auto block = block_near(wrong);
  // What a call gave back itself, it used before.
  if (block == blocks_.end() || ((flags & kGraphMisuseReleases) == 0 && block->second.freed == access.node)) return;
  add(access, {.node = access.node.bits,
               .address = wrong,
               .block = block->first,
               .bytes = block->second.bytes,
               .allocated = block->second.allocated.bits,
               .freed = (flags & kGraphMisuseOfFreed) != 0 ? block->second.freed.bits : kGraphNoNumber,
               .count = 1,
               .flags = flags,
               .variable = kGraphNoVariable,
               .frame = kGraphNoVariable});
}

void HeapWatch::tell_dead(const Access& access) {
  if (access.node == kNoNumber || access.operation == kNone) return;
  add(access, {.node = access.node.bits,
               .address = access.address,
               .block = 0,
               .bytes = 0,
               .allocated = kGraphNoNumber,
               .freed = kGraphNoNumber,
               .count = 1,
               .flags = kGraphMisuseOfDeadStack | (access.writes ? uint32_t{kGraphMisuseWrites} : 0),
               .variable = kGraphNoVariable,
               .frame = kGraphNoVariable});
}

void HeapWatch::check_variable(const Access& access) {
  if (access.bytes == 1 || access.node == kNoNumber) return;
  const auto variable = variables_.at(access.address);
  if (!variable || access.address + access.bytes <= variable->end) return;
  add(access, {.node = access.node.bits,
               .address = variable->end,
               .block = variable->first,
               .bytes = variable->end - variable->first,
               .allocated = kGraphNoNumber,
               .freed = kGraphNoNumber,
               .count = 1,
               .flags = access.writes ? uint32_t{kGraphMisuseWrites} : 0,
               .variable = variable->variable,
               .frame = variable->frame});
}

bool HeapWatch::check_walk(const Access& access) {
  const auto left = walks_.wrote(access.activation, access.operation, access.address, access.node);
  if (!left) return false;
  add(access, {.node = access.node.bits,
               .address = access.address,
               .block = left->variable.first,
               .bytes = left->variable.end - left->variable.first,
               .allocated = left->before.bits,
               .freed = kGraphNoNumber,
               .count = 1,
               .flags = kGraphMisuseWrites | kGraphMisuseWalks,
               .variable = left->variable.variable,
               .frame = left->variable.frame});
  return true;
}

void HeapWatch::add(const Access& access, GraphMisuse misuse) {
  const auto [known, is_new] = known_.try_emplace({access.operation, misuse.block}, found_.size());
  if (!is_new) {
    ++found_[known->second].count;
  } else if (found_.size() < kMostFound) {
    found_.push_back(misuse);
  } else {
    known_.erase(known);
  }
}

}  // namespace culprit::depend
