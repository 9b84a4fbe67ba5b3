// Program models of versions made by hand: functions of blocks with a statement and an operation a line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "program/program_model.h"

namespace culprit::tests {

struct VersionBlock {
  std::vector<uint32_t> lines;    ///< of its statements, from 1
  std::vector<uint32_t> targets;  ///< blocks of the function; several: cases 0, 1, …
  format::StatementKind kind = format::StatementKind::kJump;
};

struct VersionFunction {
  std::string symbol;
  std::string file;  ///< in the version's folder
  std::vector<VersionBlock> blocks;
};

program::ProgramModel version_model(const std::filesystem::path& folder, const std::vector<VersionFunction>& functions);

}  // namespace culprit::tests
