// Children with recordings of their own: those that a captured program forked, in `children` of its parent's, and those
// that executed a captured program, in `executed` of the launcher's.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "format/recording_format.h"
#include "recording/event_stream.h"
#include "recording/manifest.h"

namespace culprit::recording {

/// Where children's recordings go; the runtime makes none where it is missing.
std::filesystem::path children_folder(const std::filesystem::path& recording);

/// Where the recordings of children go that executed a captured program, of whichever process of the recorded ones.
std::filesystem::path executed_folder(const std::filesystem::path& recording);

/// Of a forked child's own recording; nothing for one that the launcher made. Throws CorruptData.
std::optional<format::OriginRecord> read_origin(const std::filesystem::path& recording);

/// The copy `files/INDEX` that a recording's events mean: a child's own, or one that its parent made before the fork.
std::filesystem::path copied_file(const std::filesystem::path& recording, uint32_t index);

/// Of all children and their children, by path.
std::vector<std::filesystem::path> recordings_of_children(const std::filesystem::path& recording);

/// The copy that an event (kFile) tells of.
CopiedFile copied_file_of(const std::filesystem::path& recording, const EventRef& event);

/// What is still in the rings of children that have ended goes to their logs, and how they ended to the manifests of
/// those that have one. Throws UserError when a log cannot be
/// written; nothing is lost then.
void finish_children(const std::filesystem::path& recording, int zstd_level);

}  // namespace culprit::recording
