// Pointers told by where the object came from and by constant steps inside it, so that an access that took place and
// one that did not can be seen to mean the same memory without addresses.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "depend/dependence_graph.h"

namespace culprit {

struct PointerTerm {
  depend::Node made{};                        ///< what made the pointer to the object, before all copies
  std::vector<std::optional<int64_t>> steps;  ///< outermost last; nothing: an index that is not constant
};

/// Indices that are not constant may be equal to any.
bool may_be_same(const PointerTerm& one, const PointerTerm& other);

/// What made the pointer that an operand of an executed operation holds, before all copies and `most` steps; kNoNode
/// where that is not known. `steps`: the operations of these, the last first.
depend::Node maker_of_pointer(const depend::DependenceGraph& graph, depend::Node node, uint32_t operand, int most,
                              std::vector<uint32_t>& steps);

/// Of an operand of an operation that was executed.
std::optional<PointerTerm> term_of_executed(const depend::DependenceGraph& graph, depend::Node node, uint32_t operand);

/// The value of an operand of an operation that was not executed: what a variable of its function that is a register
/// (by its first cell) and an argument (by its number) would have been, the caller says.
struct Unexecuted {
  std::function<std::optional<PointerTerm>(uint32_t cell)> variable;
  std::function<std::optional<PointerTerm>(uint32_t argument)> argument;
};
std::optional<PointerTerm> term_of_unexecuted(const depend::DependenceGraph& graph, uint32_t operand,
                                              const Unexecuted& values);

}  // namespace culprit
