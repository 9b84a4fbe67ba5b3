// Static libraries (`ar` archives): regular, with GNU long names, and thin ones, whose members are separate files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace culprit {

struct ArchiveMember {
  std::string name;                    ///< as recorded; of thin archives a path relative to the archive
  std::span<const std::byte> content;  ///< valid during the visit
};

bool is_archive(std::span<const std::byte> bytes);

/// Calls `visit` for every member that is not one of the archive's own tables, in order. `path` is for messages and for
/// finding the members of thin archives. Throws CorruptData, and UserError when a thin archive's member is missing.
void for_each_member(const std::filesystem::path& path, std::span<const std::byte> bytes,
                     const std::function<void(const ArchiveMember&)>& visit);

}  // namespace culprit
