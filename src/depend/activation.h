// What the pass over a trace knows of an activation that has not ended (build_graph.h).
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "depend/graph_writer.h"
#include "depend/node.h"
#include "format/model_format.h"

namespace culprit::depend {

/// A branch whose region is open.
struct OpenBranch {
  NodeNumber branch;
  uint32_t post_dominator;
};

/// The bytes of an argument that is passed by value in memory.
struct PassedMemory {
  uint32_t argument;
  std::vector<uint64_t> definitions;
};

/// What a call that may return twice found at its first return.
struct FirstReturn {
  uint32_t call;
  uint32_t block;
  std::vector<std::vector<NodeNumber>> slots;
  std::vector<OpenBranch> open;
};

/// Of a variable that nothing was written to, what an activation holds: the value of an operation of the block that it
/// is in, or an argument.
struct UnwrittenValue {
  uint32_t of;        ///< operation, or the argument's number
  uint64_t variable;  ///< as of definition::unwritten
};

/// What more calls of a body returned to native code is not told.
inline constexpr size_t kMostCalledBack = size_t{1} << 16;

struct Activation {
  uint32_t frame = 0;
  uint32_t function = format::kNone;
  uint32_t first_cell = 0;
  uint32_t first_base = 0;
  OpenExecution current;
  uint32_t call = format::kNone;  ///< operation that it is calling
  NodeNumber entered_by = kNoNumber;
  NodeNumber came_by = kNoNumber;  ///< what decided that the current block came after its predecessor
  bool by_native = false;
  bool called_body = false;  ///< the operation that it is calling has entered one
  std::vector<UnwrittenValue> unwritten, unwritten_arguments;
  uint32_t called_by = format::kNone;  ///< the operation that passed `arguments`
  std::vector<NodeNumber> arguments;
  std::vector<uint64_t> exports;  ///< first numbers of the latest executions whose values others use
  std::vector<uint64_t> cells;
  std::vector<uint64_t> bases;
  std::vector<OpenBranch> open;
  std::vector<PassedMemory> passed;
  std::vector<FirstReturn> first_returns;
  /// What bodies returned to the native code that it is calling: an order of qsort's elements is made by comparisons.
  std::vector<NodeNumber> called_back;

  bool has_unwritten() const { return !unwritten.empty() || !unwritten_arguments.empty(); }
  void call_back_gave(NodeNumber value) {
    if (called_back.size() < kMostCalledBack) called_back.push_back(value);
  }
  /// As a new one, which keeps the memory of what it held.
  void reset();
};

/// A thread's activations, the innermost last. Those that ended are used again.
class ActivationStack {
 public:
  bool empty() const { return depth_ == 0; }
  Activation& back() { return all_[depth_ - 1]; }
  const Activation& back() const { return all_[depth_ - 1]; }
  /// A new one, on top of those that there are, which stay where they are.
  Activation& push();
  /// What was on top can be read until the next push().
  void pop() { --depth_; }

  auto begin() { return all_.begin(); }
  auto end() { return all_.begin() + static_cast<std::ptrdiff_t>(depth_); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.begin() + static_cast<std::ptrdiff_t>(depth_); }

 private:
  std::deque<Activation> all_;
  size_t depth_ = 0;
};

inline void Activation::reset() {
  frame = first_cell = first_base = 0;
  function = call = called_by = format::kNone;
  current.execution = kNoExecution;
  current.block = format::kNone;
  current.kept.clear();
  entered_by = came_by = kNoNumber;
  by_native = called_body = false;
  unwritten.clear();
  unwritten_arguments.clear();
  arguments.clear();
  bases.clear();
  open.clear();
  passed.clear();
  first_returns.clear();
  called_back.clear();
}

inline Activation& ActivationStack::push() {
  if (depth_ == all_.size()) {
    all_.emplace_back();
  } else {
    all_[depth_].reset();
  }
  return all_[depth_++];
}

}  // namespace culprit::depend
