// Variables that were read before they were ever given a value, as the run's dependences have them
// (depend/unwritten_values.h), with what a reader wants to know of each: whose variable it is, by which call the
// reading statement came by it, and which branch left out what would have given it a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "depend/dependence_graph.h"
#include "locate/variable_writes.h"
#include "report/explanation.h"

namespace culprit {

struct UninitialisedRead {
  uint32_t statement = 0;  ///< that made something of the value
  uint32_t variable = 0;
  uint32_t function = 0;                   ///< whose variable it is
  depend::Node node{};                     ///< the first such read
  uint64_t instance = 0;                   ///< which execution of the statement that is, from 1
  uint64_t count = 0;                      ///< such reads
  std::optional<uint32_t> passed_on_by{};  ///< statement of the variable's function by which it came to the reader
  std::optional<SkippedWrite> skipped{};   ///< the latest of the variable's activation
  std::optional<uint32_t> distance = std::nullopt;  ///< from the failure, by what it depended on
};

/// A statement reads a variable once in the list: nearest to the failure first, those that it did not depend on last.
/// `distance`: of nodes that the failure depended on, by number.
std::vector<UninitialisedRead> uninitialised_reads(const depend::DependenceGraph& graph,
                                                   const std::unordered_map<uint64_t, uint32_t>& distance);

report::Finding finding_of(const program::ProgramModel& model, const UninitialisedRead& read);

}  // namespace culprit
