// What a node of a dependence graph is, for those who look for causes in it.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "depend/dependence_graph.h"
#include "format/operation_format.h"

namespace culprit {

format::OperationKind kind_of(const depend::DependenceGraph& graph, depend::Node node);

/// What takes part without making anything new.
bool is_copy(const depend::DependenceGraph& graph, depend::Node node);

/// The symbol of the function that a call calls; empty where it is called through a pointer.
std::string_view called_symbol(const depend::DependenceGraph& graph, depend::Node call);

/// A call of the library that brings in what the program was given.
bool reads_input(const depend::DependenceGraph& graph, depend::Node node);

/// The sources of a node's operands in a role.
std::vector<depend::Node> sources_of(const depend::DependenceGraph& graph, depend::Node node,
                                     std::initializer_list<format::OperandRole> roles);

/// The statements that were active at a node, its own and those of the calls around it, innermost first.
std::vector<uint32_t> active_statements(const depend::DependenceGraph& graph, depend::Node node);

/// Whether one node was executed before another of the same thread. A block's execution is numbered when it begins, and
/// what its calls did comes between its operations.
bool is_before(const depend::DependenceGraph& graph, depend::Node one, depend::Node other);

/// Which execution of its block a node belongs to, from 1.
uint64_t instance_of(const depend::DependenceGraph& graph, depend::Node node);

}  // namespace culprit
