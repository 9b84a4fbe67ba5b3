// Making a recording: starts the program under the runtime, drains its ring, finishes the directory.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "recording/executed_children.h"
#include "recording/manifest.h"
#include "recording/runtime_process.h"

namespace culprit::recording {

struct RecordOptions {
  std::filesystem::path directory;   ///< empty: the next free name in the default folder
  std::vector<std::string> command;  ///< program (looked up in PATH) and arguments
  /// What runs in the place of the command's executable: its build by the plan `fast`, and the build's key.
  std::filesystem::path fast_build;
  std::string build_key;
  int zstd_level = 1;
  uint64_t log_limit = 0;                   ///< bytes at which recording stops and the program runs on; 0: none
  unsigned sync_seconds = 0;                ///< between fdatasync calls on the log; 0: none
  std::chrono::milliseconds time_limit{0};  ///< after which the program is ended; 0: none
  uint64_t chaos = 0;                       ///< seed of random scheduling; 0: none
  uint64_t chaos_length = 0;                ///< Recorded::length of an earlier run; 0: unknown
  bool ends_at_deadlock = false;            ///< also where scheduling is not random
  Surroundings surroundings{};
  std::string from, to;      ///< points, for the manifest
  uint32_t last_thread = 0;  ///< where the recording ends before the program does: when this thread …
  uint64_t last_tick = 0;    ///< … has passed so many ticks; 0: nowhere
  /// Builds what children execute; without, such children are not recorded. Called in another thread.
  BuildChild build_child;
  bool trap = false;  ///< intercept by seccomp even where the kernel offers syscall user dispatch
};

struct Recorded {
  std::filesystem::path directory;
  Manifest manifest;
  uint64_t length = 0;  ///< ticks of all threads, or system calls where there are no ticks, from the second thread on
};

/// Runs the command to its end. Throws UserError.
Recorded record(const RecordOptions& options);

/// The executable that starts when `command` is run, after following `#!` lines, with its argv; for libtool's scripts
/// the program behind them.
struct Executable {
  std::string path;                    ///< absolute
  std::vector<std::string> arguments;  ///< argv
  std::string library_path{};          ///< comes first in LD_LIBRARY_PATH; empty: nothing does
};

Executable resolve(const std::vector<std::string>& command);

}  // namespace culprit::recording
