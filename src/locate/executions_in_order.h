// All block executions of a run in order of time, as fast as the graph's file can be read: of a long run they are many.
#pragma once

#include <vector>

#include "depend/dependence_graph.h"
#include "format/graph_format.h"

namespace culprit {

/// Calls `visit(execution, block, frame)`.
template <typename Visit>
void for_each_execution(const depend::DependenceGraph& graph, Visit&& visit) {
  const depend::GraphFile& file = graph.file();
  for (size_t chunk = 0; chunk < file.chunks(); ++chunk) {
    const auto& opened = file.chunk(chunk);
    const auto frames = file.frame_chunk(chunk).frame_of;
    for (size_t each = 0; each < opened.blocks.size(); ++each) {
      if (opened.blocks[each] >= graph.layout().slots.size()) file.fail(chunk, "a block does not exist");
      if (each >= frames.size() || frames[each] >= file.frames()) file.fail(chunk, "a frame does not exist");
      visit(opened.first_execution + static_cast<depend::Execution>(each), opened.blocks[each], frames[each]);
    }
  }
}

/// By frame.
inline std::vector<uint32_t> threads_of_frames(const depend::DependenceGraph& graph) {
  std::vector<uint32_t> threads;
  threads.reserve(graph.frames());
  for (size_t chunk = 0; chunk < graph.file().chunks(); ++chunk) {
    for (const format::GraphFrame& frame : graph.file().frame_chunk(chunk).frames) {
      threads.push_back(frame.thread & ~format::kGraphByNative);
    }
  }
  threads.resize(graph.frames());
  return threads;
}

}  // namespace culprit
