// What a branch kept from being written, and where the failure used what stood there instead.
#pragma once

#include <cstdint>
#include <optional>

#include "depend/dependence_graph.h"
#include "locate/dependence_search.h"

namespace culprit {

struct OmittedWrite {
  uint32_t statement = 0;  ///< that was not executed
  depend::Node use{};      ///< of what the search came by: reads what it would have written
};

/// The nearest to the failure; nothing when none is known. `other_edge`: by which the branch would have gone otherwise.
std::optional<OmittedWrite> omitted_write(const depend::DependenceGraph& graph, const DependenceSearch& search,
                                          depend::Node branch, uint32_t other_edge);

}  // namespace culprit
