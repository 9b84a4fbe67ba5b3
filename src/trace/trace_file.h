// A trace on disk: a folder that `culprit trace` makes (format/trace_format.h, docs/formats.md "Trace").
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "format/trace_format.h"
#include "program/program_model.h"
#include "trace/trace_start.h"

namespace culprit::trace {

/// Names in the folder.
inline constexpr const char* kChunksFile = "chunks";
inline constexpr const char* kModelFile = "model";
inline constexpr const char* kManifestFile = "manifest.json";

/// Where one chunk of a thread's stream lies in the chunks' file.
struct ChunkPlace {
  uint64_t offset;  ///< of its bytes
  uint32_t stored_bytes;
  uint32_t plain_bytes;
  uint32_t codec;
  uint64_t checksum;
};

class TraceFile {
 public:
  /// Checks headers and sizes; contents when they are read. Throws UserError when the folder holds no trace,
  /// CorruptData when it is damaged.
  explicit TraceFile(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  const program::ProgramModel& model() const { return model_; }
  format::TraceContents contents() const { return contents_; }
  size_t threads() const { return chunks_.size(); }
  const std::vector<ChunkPlace>& chunks_of(size_t thread) const { return chunks_[thread]; }
  /// The events of a chunk. Throws CorruptData.
  std::vector<uint8_t> events(const ChunkPlace& chunk) const;
  /// Null: it is of the whole run.
  const TraceBeginning* beginning() const { return beginning_ ? &*beginning_ : nullptr; }
  /// Addresses of the model's anchors during the run; 0: not in the program.
  const std::vector<uint64_t>& anchors() const { return anchors_; }
  const std::filesystem::path& executable() const { return executable_; }
  /// During the run; 0: not known, or there was none.
  uint64_t address(format::TraceAddress which) const { return addresses_[which]; }
  int wait_signal() const { return signal_; }  ///< that ended the program; 0: none
  const std::vector<std::string>& words() const { return words_; }

 private:
  void read_chunks();
  void read_manifest();

  std::filesystem::path folder_;
  program::ProgramModel model_;
  MappedFile file_;
  std::vector<std::vector<ChunkPlace>> chunks_;
  std::optional<TraceBeginning> beginning_;
  std::vector<uint64_t> anchors_;
  std::vector<std::string> words_;
  std::filesystem::path executable_;
  std::vector<uint64_t> addresses_;
  format::TraceContents contents_ = format::TraceContents::kAll;
  int signal_ = 0;
};

}  // namespace culprit::trace
