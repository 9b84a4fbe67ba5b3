// Where a recorded run crashed: a trace goes on to where the path is decided next, which can be behind that.
#pragma once

#include <filesystem>
#include <string>

namespace culprit::cli {

/// "FILE:LINE:COLUMN" of the statement that the recording `name` crashed at. A replay has to go there, so the answer is
/// kept in the folder of its trace. Throws UserError.
std::string kept_place_of_crash(const std::string& name, const std::filesystem::path& trace);

}  // namespace culprit::cli
