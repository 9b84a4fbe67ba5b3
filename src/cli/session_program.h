// A program made ready to be looked at and altered: rebuilt for sessions, with its model, and an input that every run
// reads from the start.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/temporary_directory.h"
#include "program/program_model.h"
#include "session/controlled_run.h"

namespace culprit::cli {

/// Standard input as a regular file, so that every run reads it from its start: what is not one is copied first.
class StandardInput {
 public:
  /// Throws UserError when the copy cannot be written.
  StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ = "/dev/null";
  std::optional<TemporaryDirectory> copy_;
};

struct SessionProgram {
  Launch launch;
  program::ProgramModel model;
};

/// Rebuilds the program of a command line by a plan with session hooks, or takes it from the cache. Of a command that
/// is the name of a recording, each run replays it. Throws UserError.
SessionProgram session_program(const std::vector<std::string>& command, const StandardInput& input, Progress& progress,
                               const char* plan = "session");

}  // namespace culprit::cli
