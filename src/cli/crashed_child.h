// A process that the program forked and that crashed: what the program itself then does is a consequence.
#pragma once

#include <filesystem>
#include <optional>

#include "locate/recorded_failure.h"
#include "report/explanation.h"

namespace culprit::cli {

/// The recording of the first process that the program forked in this run, or that such a process forked, and that a
/// signal ended which says that it went wrong (SIGSEGV, SIGABRT, …); nothing where the program ended so itself.
std::optional<std::filesystem::path> crashed_child(const FirstRun& run);

/// What explains a child says so, and how the program itself ended. The recording is gone afterwards: how to get one is
/// the first of the commands to go on with.
void tell_of_child(const FirstRun& run, const std::string& command, report::Explanation& explanation);

/// The name of the child's recording in those commands.
std::string name_for_child(const std::filesystem::path& recording);

}  // namespace culprit::cli
