// The difference of two runs as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/file.h"
#include "cli/diff_view.h"

namespace culprit::cli {

/// A run that is compared, apart from its points.
struct DiffedRun {
  ProcessEnd end;
  std::string output;  ///< on standard output
};

std::string end_text(const ProcessEnd& end);

/// The first byte in which two outputs differ; nothing when they are equal.
std::optional<size_t> first_difference(const std::string& left, const std::string& right);

/// Prints to standard output; at most `most` functions, regions and statements each.
void print_runs(const DiffedRun& good, const DiffedRun& bad);
void print_versions(const DiffedPrograms& programs, size_t most);
void print_difference(const ExecutionDifference& difference, const DiffedPrograms& programs, size_t most);
/// Threads other than the first, and those of one run only.
void print_other_threads(const TraceDifference& whole, const DiffedPrograms& programs, size_t most);

nlohmann::json difference_json(const ExecutionDifference& difference, const DiffedPrograms& programs);
/// Of the first thread, with both runs' ends and, of two versions, where those differ.
nlohmann::json diff_json(const ExecutionDifference& difference, const DiffedPrograms& programs, const DiffedRun& good,
                         const DiffedRun& bad);
/// Adds threads other than the first, and those of one run only.
void add_other_threads(nlohmann::json& whole, const TraceDifference& threads, const DiffedPrograms& programs);

}  // namespace culprit::cli
