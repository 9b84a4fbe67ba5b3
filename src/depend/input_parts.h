// What a node's value is made of, for relevant inputs (ED fig. 4.4): which sources, and how each comes into it.
//
// What is the same in every execution of a block is compiled once: of each node its parts, and what else has to be
// looked at in an execution.
//
// ED fig. 4.4 speaks of statements; here are operations, of which a statement has several. Control dependence enters
// where a statement's value leaves it: at stores, branches, returns, calls and phis. So in c = name[i] what decided
// that the statement runs influences c by control, and not by address through the loads of name and i.
//
// Strength: loads, stores, conversions, parameters, returns and steps from one address to another keep it; whatever
// else computes weakens it, but a comparison for equality that holds, or one for difference that does not, keeps it for
// an operand that is compared with something not derived from inputs. Which it was, the block shows that ran next. A
// switch keeps it where a single case was taken. strcmp and its like keep it, since what is 0 exactly for equal texts
// is compared with 0 afterwards.
//
// Departures from the figure: it prints no rule for AINFLUENCED at control dependences, but its definition, and figures
// 4.3 and 4.5, ask for one; it goes as for CINFLUENCED. What chose who is called counts as an address. The value of a
// comparison that is not branched on at once is taken as weak, since a trace without values does not tell it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "depend/dependence_graph.h"
#include "depend/node_set.h"
#include "depend/operation_traits.h"

namespace culprit::depend {

/// How what a node depends on comes into its value.
enum class InputWay : uint8_t { kPrecise, kWeak, kAddress, kControl, kWeakControl };

/// A source of a node, the same in all executions of its block.
struct StaticPart {
  uint32_t source;  ///< a slot, or a node of the same execution by its place in the block
  InputWay way;
  bool is_slot;
  bool is_memory;  ///< the memory that a load reads
  /// Whether the slot holds what decided, not what a value comes from.
  bool decides() const { return is_slot && (source == kControlSlot || way == InputWay::kControl); }
};

/// A source of a node of an execution; a byte of input as itself.
struct InputPart {
  NodeNumber source;
  InputWay way;
  bool operator==(const InputPart&) const = default;
};

/// Which way the branch of a block went, as the block shows that ran next.
enum class Outcome : uint8_t { kUnknown, kTrue, kFalse, kCase, kOther };

class InputParts {
 public:
  /// The graph must stay.
  explicit InputParts(const DependenceGraph& graph);

  // Of nodes by their index of BlockLayout::nodes; `number` is the node's.

  /// How sources come into the value of the execution of `place`: as they say, or else as the questions below tell.
  std::span<const StaticPart> parts_of(const ExecutionPlace& place, uint32_t node, uint64_t number) const;
  /// Whether it is a call's result.
  bool is_call(uint32_t node) const { return (kinds_[node] & kCalls) != 0; }
  /// A store of a constant: what is derived precisely from inputs in the predicate that decided on it was mapped to it.
  bool maps(uint32_t node) const { return (kinds_[node] & kMaps) != 0; }
  /// Of the block of an execution; not looked for where nothing depends on it.
  Outcome outcome(const ExecutionPlace& place) const {
    return block_varies_[place.block] != 0 ? find_outcome(place) : Outcome::kUnknown;
  }
  /// Of a comparison: whether it found two values equal. Operands that are weak otherwise are then precise if no other
  /// one is derived from inputs.
  bool comparison_holds(uint32_t node, Outcome outcome) const;
  /// The way of a part, except in a comparison that holds, and of loaded memory as if no library function computed it.
  InputWay way_of(uint32_t node, const StaticPart& part, Outcome outcome) const {
    const bool weighs_cases = part.way == InputWay::kWeak && (kinds_[node] & kSwitches) != 0;
    return weighs_cases && outcome == Outcome::kCase ? InputWay::kPrecise : part.way;
  }
  /// Memory that library functions computed, and did not copy, from its sources is not those sources' values.
  bool is_computed_by_library(NodeNumber source) const {
    return !is_input_byte(source) && is_among(makers_, source.bits);
  }
  bool is_computed_by_library(const ExecutionPlace& place, uint32_t slot) const {
    bool computed = false;
    graph_.visit_bytes(place, slot, [&](NodeNumber each) { computed = computed || is_computed_by_library(each); });
    return computed;
  }
  /// The parts of a node that are the same in all executions with one outcome; nothing for others: calls of which only
  /// the execution tells what they enter, and comparisons of several values.
  std::optional<std::span<const StaticPart>> static_parts_of(uint32_t node) const;
  /// The node that a source in the slot of a part that `decides` means: a call in native code decides what its
  /// callbacks do by having been made.
  NodeNumber deciding(NodeNumber source) const;

  /// The byte that is the value of a call of this number, if there is one.
  const uint64_t* byte_read(uint64_t number) const {
    const auto found = read_by_.find(number);
    return found == read_by_.end() ? nullptr : &found->second;
  }
  /// The node whose value a byte of input has besides: that it was read.
  NodeNumber reading(NodeNumber byte) const {
    const NodeNumber call{graph_.file().input_of(ordinal_of(byte)).call};
    return call == kNoNumber ? call : call.as_transfer();
  }
  uint32_t operation_of(uint32_t node) const { return graph_.layout().nodes[node].operation & ~Node::kTransferBit; }

 private:
  enum Kind : uint8_t { kCalls = 1, kMaps = 2, kSwitches = 4, kCompares = 8, kTransfers = 16 };
  /// Of a call: as native code, as one that reads input, as one that entered a body; of others the first alone.
  enum Variant : uint8_t { kNative, kReader, kEntered, kVariants };

  void compile(uint32_t node);
  void compile_call(uint32_t operation, Variant variant);
  void compile_transfer(uint32_t operation, Variant variant);
  template <typename Wanted>
  void add_operands_of(uint32_t operation, Wanted&& wanted, InputWay way);
  void add_operands(uint32_t operation, InputWay way);
  void add_memory(uint32_t operation, InputWay way, bool is_loaded = false);
  void add_control(InputWay way) { parts_.push_back({kControlSlot, way, true, false}); }
  uint8_t kinds_of(const BlockNode& node) const;
  bool stores_copy(uint32_t operation) const;

  /// Marks the calls of the chunk that holds a number.
  void mark_around(uint64_t number) const;
  bool is_among(const NumberSet& marked, uint64_t number) const {
    if (number < marked_from_ || number >= marked_to_) mark_around(number);
    return marked.contains(number);
  }
  Outcome find_outcome(const ExecutionPlace& place) const;

  const DependenceGraph& graph_;
  const program::ProgramModel& model_;
  const BlockLayout& layout_;
  const OperationTraits traits_;
  std::vector<StaticPart> parts_;
  std::vector<std::array<uint32_t, 2>>
      first_;  ///< per node, and one more: index of `calls_`, or of its parts and their end
  std::vector<std::array<uint32_t, kVariants + 1>> calls_;
  std::vector<uint8_t> kinds_;
  std::vector<uint8_t> block_calls_;                ///< per block: whether it makes calls
  std::vector<uint8_t> block_varies_;               ///< per block: whether strengths depend on its outcome
  std::unordered_map<uint64_t, uint64_t> read_by_;  ///< by number of a call: the byte that is its value
  std::unordered_set<uint64_t> readers_;            ///< calls that read input

  // Numbers of results of calls, and of native code that computes what it writes; of chunks looked at.
  mutable NumberSet results_, makers_;
  mutable std::vector<uint8_t> is_marked_;  ///< by chunk
  mutable uint64_t marked_from_ = 0, marked_to_ = 0;
};

}  // namespace culprit::depend
