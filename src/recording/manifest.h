// manifest.json: what a recording is of and how it ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace culprit::recording {

enum class State {
  kRecording,  ///< being made, or killed while it was
  kFinished,
};

struct CopiedFile {
  uint32_t index = 0;  ///< the copy is files/INDEX
  std::string path;    ///< where it was
  uint64_t bytes = 0;
  std::string hash;  ///< XXH3-128 in hexadecimal
  bool operator==(const CopiedFile&) const = default;
};

struct Manifest {
  uint32_t version = 0;
  State state = State::kRecording;
  std::string program;                 ///< absolute path of the executable
  std::vector<std::string> arguments;  ///< argv
  std::string directory;               ///< working directory
  std::string started;                 ///< UTC, ISO 8601
  std::string kernel;
  std::string build_key;  ///< of the fast executable that ran in the program's place; empty: the program itself ran
  std::string from, to;   ///< the region's first and last point as given; empty: start and end of the run
  // When finished:
  std::string ended;
  int exit_status = 0;
  int exit_signal = 0;
  bool timed_out = false;  ///< it was ended at the limit of time
  uint64_t stream_bytes = 0;
  uint64_t events = 0;
  std::vector<CopiedFile> files;
  bool operator==(const Manifest&) const = default;
};

/// Of a recording that begins now, under this kernel.
Manifest begun_manifest();

/// The time now, as in a manifest.
std::string now_text();

std::string manifest_text(const Manifest& manifest);

/// Throws UserError when the directory holds no manifest, CorruptData when it is not one that this version reads.
Manifest read_manifest(const std::filesystem::path& directory);

void write_manifest(const std::filesystem::path& directory, const Manifest& manifest);

}  // namespace culprit::recording
