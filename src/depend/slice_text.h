// Slices in words, JSON and graphs.
#pragma once

#include <string>

#include "depend/slice.h"

namespace culprit::depend {

/// One line a source line of the slice, with how often it takes part.
std::string slice_text(const DependenceGraph& graph, const Slice& slice);
/// {"statements": […], "instances": […], "edges": […]}; instances with which execution of their block it is, edges
/// between them, by their places in the list, with their kind; perhaps without them.
std::string slice_json(const DependenceGraph& graph, const Slice& slice, const SliceOptions& options, bool with_edges);
std::string slice_dot(const DependenceGraph& graph, const Slice& slice, const SliceOptions& options);
/// From the criterion back, each statement instance once; `depth` levels.
std::string tree_text(const DependenceGraph& graph, const std::vector<Node>& criterion, const SliceOptions& options,
                      uint64_t depth);
/// A value chain, the criterion first, one line a statement instance.
std::string chain_text(const DependenceGraph& graph, const std::vector<Node>& chain);

std::string_view name_of(EdgeKind kind);

}  // namespace culprit::depend
