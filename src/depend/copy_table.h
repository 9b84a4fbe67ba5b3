// Definitions of bytes that were copied: the copy, and what defined the bytes before.
#pragma once

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "depend/node.h"
#include "depend/shadow_memory.h"

namespace culprit::depend {

/// A definition is a node's bits, or a copy's number with kCopyBit, or ShadowMemory::kUndefined.
class CopyTable {
 public:
  /// The definition of bytes that `copier` copied from bytes with the definition `before`.
  uint64_t copied(NodeNumber copier, uint64_t before) {
    if (before == ShadowMemory::kUndefined) return copier.bits;
    return add({copier, before, ShadowMemory::kUndefined});
  }
  /// The definition of something that consists of bytes with two definitions.
  uint64_t joined(uint64_t one, uint64_t other) {
    if (one == other || other == ShadowMemory::kUndefined) return one;
    if (one == ShadowMemory::kUndefined) return other;
    return add({kNoNumber, one, other});
  }

  /// Whether a definition is that of one node.
  static bool is_node(uint64_t definition) { return (definition & kCopyBit) == 0; }

  /// Adds the nodes that a definition stands for, each once: a copy before what it copied. An empty `sources` begins a
  /// question; within one, what several copies share is looked at once (joined copies of joined copies share nearly
  /// all).
  void add_sources(uint64_t definition, std::vector<NodeNumber>& sources) {
    if (sources.empty()) ++question_;
    open_.assign(1, definition);
    while (!open_.empty()) {
      const uint64_t next = open_.back();
      open_.pop_back();
      if (next == ShadowMemory::kUndefined) continue;
      if ((next & kCopyBit) == 0) {
        add_once({next}, sources);
        continue;
      }
      const uint64_t number = next & ~kCopyBit;
      if (asked_[number] == question_) continue;
      asked_[number] = question_;
      const Copy& copy = copies_[number];
      if (copy.copier != kNoNumber) add_once(copy.copier, sources);
      open_.push_back(copy.other);
      open_.push_back(copy.before);
    }
  }

 private:
  static constexpr uint64_t kCopyBit = uint64_t{1} << 62;
  struct Copy {
    NodeNumber copier;
    uint64_t before;
    uint64_t other;
    bool operator==(const Copy&) const = default;
  };

  uint64_t add(const Copy& copy) {
    if (copies_.empty() || !(copies_.back() == copy)) {
      copies_.push_back(copy);
      asked_.push_back(0);
    }
    return kCopyBit | (copies_.size() - 1);
  }
  /// Few are compared one by one; a call may have read thousands of bytes of input.
  void add_once(NodeNumber node, std::vector<NodeNumber>& sources) {
    constexpr size_t kFew = 32;
    if (sources.size() < kFew) {
      if (std::find(sources.begin(), sources.end(), node) == sources.end()) sources.push_back(node);
      return;
    }
    if (many_question_ != question_) {
      many_question_ = question_;
      many_.clear();
      for (const NodeNumber each : sources) many_.insert(each.bits);
    }
    if (many_.insert(node.bits).second) sources.push_back(node);
  }

  std::vector<Copy> copies_;
  std::vector<uint32_t> asked_;  ///< per copy the last question that came by
  uint32_t question_ = 0;
  std::unordered_set<uint64_t> many_;  ///< of the question `many_question_`, once it has many sources
  uint32_t many_question_ = 0;
  std::vector<uint64_t> open_;
};

}  // namespace culprit::depend
