#include "depend/races.h"

#include <algorithm>

namespace culprit::depend {
namespace {

/// A thread's stack has its thread-local variables above it.
constexpr uint64_t kAboveStack = uint64_t{1} << 20;

}  // namespace

Races::Word& Races::word_at(uint64_t number) {
  const uint64_t page = number / kPageWords;
  if (page != cached_number_) {
    std::unique_ptr<Word[]>& words = pages_[page];
    if (!words) words = std::make_unique<Word[]>(kPageWords);
    cached_number_ = page;
    cached_ = words.get();
  }
  return cached_[number % kPageWords];
}

void Races::access(const SharedAccess& access) {
  if (!order_.has_begun() || access.bytes == 0) return;
  if (access.atomic) order_.before_atomic(access.thread, access.address, access.bytes);
  if (access.to_own_stack) {
    if (access.thread >= stacks_.size()) stacks_.resize(access.thread + 1);
    Stack& stack = stacks_[access.thread];
    stack.first = std::min(stack.first, access.address);
    stack.end = std::max(stack.end, access.address + access.bytes);
  }
  const ThreadClock now = order_.now(access.thread);
  const uint64_t end = access.address + std::min(access.bytes, kMostBytes);
  for (uint64_t at = access.address; at < end;) {
    const uint64_t word = at / kWordBytes, stop = std::min(end, (word + 1) * kWordBytes);
    const auto bits = ((1U << (stop - at)) - 1) << at % kWordBytes;
    access_word(word, static_cast<uint8_t>(bits), access, now);
    at = stop;
  }
  if (access.atomic) order_.after_atomic(access.thread, access.address, access.bytes);
}

void Races::access_word(uint64_t number, uint8_t bytes, const SharedAccess& access, ThreadClock now) {
  Word& word = word_at(number);
  for (size_t each = 0; each < word.size();) {
    Seen& seen = word[each];
    const bool is_own = seen.thread == access.thread;
    const bool covers =
        (seen.bytes & ~bytes) == 0 && (access.writes || !seen.writes) && (!access.atomic || seen.atomic);
    if (!is_own && !order_.is_after(access.thread, seen.thread, seen.clock)) {
      const bool conflicts = (seen.bytes & bytes) != 0 && (seen.writes || access.writes);
      if (conflicts && !(seen.atomic && access.atomic)) note(seen, access, number);
    } else if (covers) {
      seen = word.back();
      word.pop_back();
      continue;
    }
    ++each;
  }
  if (word.size() == kMostSeen) word.erase(word.begin());
  word.push_back({.node = access.node,
                  .operation = access.operation,
                  .thread = access.thread,
                  .clock = now,
                  .bytes = bytes,
                  .writes = access.writes,
                  .atomic = access.atomic});
}

/// A thread's stack may become that of a later one.
bool Races::was_stack_of(uint32_t thread, uint64_t address) const {
  return thread < stacks_.size() && address >= stacks_[thread].first && address < stacks_[thread].end + kAboveStack &&
         stacks_[thread].end != 0;
}

void Races::note(const Seen& first, const SharedAccess& second, uint64_t word) {
  const uint64_t address = word * kWordBytes;
  if (order_.ended_before(first.thread, second.thread) && was_stack_of(first.thread, address)) return;
  if (found_.size() == kMostRaces && !found_.contains({first.operation, second.operation})) return;
  format::GraphRace& race = found_[{first.operation, second.operation}];
  race.first = first.node.bits;
  race.second = second.node.bits;
  race.address = address;
  ++race.count;
  race.flags = 0;
  if (first.writes) race.flags |= format::kGraphRaceFirstWrites;
  if (second.writes) race.flags |= format::kGraphRaceSecondWrites;
}

void Races::forget(uint64_t address, uint64_t bytes) {
  if (!order_.has_begun()) return;
  for (uint64_t word = address / kWordBytes; word * kWordBytes < address + bytes; ++word) {
    if (const auto page = pages_.find(word / kPageWords); page != pages_.end()) {
      page->second[word % kPageWords].clear();
    } else {
      word += kPageWords - 1 - word % kPageWords;
    }
  }
}

std::vector<format::GraphRace> Races::found() const {
  std::vector<format::GraphRace> races;
  for (const auto& [operations, race] : found_) races.push_back(race);
  std::sort(races.begin(), races.end(), [](const auto& left, const auto& right) { return left.second < right.second; });
  return races;
}

}  // namespace culprit::depend
