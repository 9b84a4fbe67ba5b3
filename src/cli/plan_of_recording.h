// Builds that go with recordings: the fast one that is recorded, and those of other plans that replay it.
#pragma once

#include <filesystem>
#include <string>

#include "build/builder.h"
#include "recording/manifest.h"
#include "recording/record.h"

namespace culprit::cli {

/// A captured program is recorded by its fast executable, which has ticks: builds it and says so in `options`.
/// Of others nothing is changed.
void use_fast_build(recording::RecordOptions& options);

/// The same with ticks at every access to memory that threads may share. Throws UserError when it is not captured.
void use_fine_build(recording::RecordOptions& options);

/// What runs where a child of a recorded program executes `program`: its build by `plan` ("fast" or "fine"), none where
/// it is not captured. Throws UserError.
recording::ChildBuild build_for_child(const std::filesystem::path& program, const std::string& plan);

/// The plan `session` of a program that is to be recorded by its fast executable.
BuildResult build_for_session(const std::filesystem::path& program);

/// The executable that replays the recording by `plan`. Throws UserError when the program is not the one recorded.
BuildResult build_for_replay(const recording::Manifest& manifest, Plan plan);

}  // namespace culprit::cli
