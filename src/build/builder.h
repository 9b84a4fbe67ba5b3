// From a program that carries its bitcode to an instrumented executable, through the cache.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.h"
#include "build/job.h"

namespace culprit {

struct BuildResult {
  std::filesystem::path executable;  ///< in the cache
  std::filesystem::path model;       ///< the program model; empty when the plan makes none
  CompileReport report;              ///< of the compile step; `objects` is empty
  std::string key;                   ///< content hash of everything that went in
  bool from_cache = false;
  double seconds = 0;  ///< of this call
};

struct BuildRequest {
  std::filesystem::path program;
  Plan plan;
  std::filesystem::path keep;  ///< folder that gets job, objects, messages; empty: they are removed
};

/// Throws UserError, CorruptData, Interrupted.
BuildResult build_program(const BuildRequest& request, Progress& progress);

/// The loops of the program as it was compiled; nothing is built or kept. Throws the same.
std::vector<SourceLoop> find_source_loops(const std::filesystem::path& program, Progress& progress);

}  // namespace culprit
