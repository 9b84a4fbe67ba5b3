// Where recordings are kept and how they are named.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace culprit::recording {

/// $CULPRIT_RECORDINGS, else $XDG_DATA_HOME/culprit/recordings, else ~/.local/share/culprit/recordings.
std::filesystem::path default_folder();

/// Makes `wanted`, or when empty the first free `PROGRAM-N` of the default folder, with mode 0700, and `files` in it.
/// Throws UserError when it exists already or cannot be made.
std::filesystem::path make_directory(const std::filesystem::path& wanted, const std::string& program);

/// Lets `latest` beside the directory point at it, when it lies in the default folder.
void point_latest(const std::filesystem::path& directory);

/// The directory that a user means: a path, or a name in the default folder; empty: the latest. Throws UserError
/// listing what there is.
std::filesystem::path find_recording(const std::string& name);

/// The recording that a word of a command names, by path or in the default folder; nothing when it names none.
std::optional<std::filesystem::path> recording_named(const std::string& word);

/// All recordings of the default folder, by name.
std::vector<std::filesystem::path> all_recordings();

}  // namespace culprit::recording
