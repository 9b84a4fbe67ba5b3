// Slices in words, JSON and graphs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "depend/slice.h"

namespace culprit::depend {

// `counts`: of the slice, as count_instances gives them.

/// One line a source line of the slice, with how often it takes part.
std::string slice_text(const DependenceGraph& graph, const std::vector<uint64_t>& counts);
enum class SliceDetail { kStatements, kInstances, kEdges };

/// {"statements": […], "instances": […], "edges": […]}; statements with how many instances they have; instances with
/// which execution of their block it is; edges between them, by their places in the list, with their kind. What is
/// beyond `detail` stays empty. Calls `write` with one piece after the other: a large slice's text would not fit in
/// memory.
void write_slice_json(const DependenceGraph& graph, const Slice& slice, const std::vector<uint64_t>& counts,
                      const SliceOptions& options, SliceDetail detail,
                      const std::function<void(std::string_view)>& write);
std::string slice_dot(const DependenceGraph& graph, const Slice& slice, const SliceOptions& options);
/// From the criterion back, each statement instance once; `depth` levels.
std::string tree_text(const DependenceGraph& graph, const std::vector<Node>& criterion, const SliceOptions& options,
                      uint64_t depth);
/// A value chain, the criterion first, one line a statement instance.
std::string chain_text(const DependenceGraph& graph, const std::vector<Node>& chain);

std::string_view name_of(EdgeKind kind);

}  // namespace culprit::depend
