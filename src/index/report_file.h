// What a program reported of the points that it reached (format::kPointsVariable).
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "format/points_abi.h"

namespace culprit {

struct ReportedId {
  uint32_t site;
  std::optional<uint64_t> value;
  std::vector<uint64_t> words;
};

struct PointReport {
  format::ReportHead head;
  std::vector<ReportedId> ids;   ///< form kIds
  std::vector<uint64_t> hashes;  ///< form kHashes
};

/// Throws CorruptData. A program that was killed leaves a report that ends early, which is no error.
PointReport read_point_report(const std::filesystem::path& path);

/// The value of format::kPointsVariable.
std::string points_variable(uint64_t limit, format::ReportForm form, const std::filesystem::path& path);

/// How many of the hashes are equal to an earlier one.
uint64_t count_clashes(std::vector<uint64_t> hashes);

}  // namespace culprit
