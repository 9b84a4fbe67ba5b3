// From the command line of a link to the record of it: what each input is, and which of them carry bitcode.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/file.h"
#include "capture/command_line.h"
#include "capture/link_record.h"

namespace culprit {

/// A record and the files to embed with it; the files' contents live as long as this.
struct RecordedLink {
  LinkRecord record;
  std::vector<EmbeddedFile> files;
  std::deque<MappedFile> mapped;
  std::deque<std::string> assembled;  ///< objects made from assembler sources
};

/// Together at most this many bytes of inputs without bitcode are embedded; when they are more, none is.
inline constexpr uint64_t kEmbeddedLimit = 8u << 20;

/// Describes a link that has just been made in the current directory by `compiler`.
RecordedLink record_link(const CommandLine& line, const std::string& compiler, bool is_cxx);

}  // namespace culprit
