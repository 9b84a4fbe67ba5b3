// The launcher's side of the ring: moves what the runtime wrote into frames of the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "format/recording_format.h"

namespace culprit::recording {

/// Owns a recording's ring and log while it is made.
class RingDrain {
 public:
  /// Makes `directory`/ring and `directory`/log. Throws UserError.
  /// `log_limit`: bytes that the log may have, 0 for any number; drain() throws where it would get longer.
  /// `sync_seconds`: how often run() makes what there is safe from power loss, 0 for never.
  RingDrain(const std::filesystem::path& directory, int zstd_level, uint64_t log_limit, unsigned sync_seconds);
  ~RingDrain();
  RingDrain(const RingDrain&) = delete;

  /// Moves everything that is committed. Throws UserError when the log cannot be written.
  void drain();

  /// Drains whenever the runtime asks, until stop() is called from another thread.
  void run();
  void stop();
  /// Nothing is appended any more, by children either; waits for one that is at it.
  void close();

  /// What a SIGTRAP to the program then means to the runtime: that it is to end.
  void end_program();

  /// Tells the runtime that the log cannot be written: the program runs on unrecorded.
  void give_up(int error);
  /// The error with which either side has given up, or 0.
  int error() const;

  uint64_t stream_bytes() const;

 private:
  std::filesystem::path log_path_;
  int zstd_level_;
  uint64_t log_limit_;
  unsigned sync_seconds_;
  uint64_t log_bytes_ = 0;
  int64_t synced_at_ = 0;
  int log_ = -1;
  format::RingHeader* header_ = nullptr;
  const std::byte* bytes_ = nullptr;
  uint32_t stopping_ = 0;
};

}  // namespace culprit::recording
