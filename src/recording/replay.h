// Replaying a recording once, from its start to its end.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "format/recording_format.h"
#include "recording/event_stream.h"
#include "recording/manifest.h"
#include "recording/runtime_process.h"

namespace culprit::recording {

struct ReplayOptions {
  std::filesystem::path executable;  ///< of another plan, in the place of the recorded one; empty: the recorded one
  int agent = -1;                    ///< descriptor of a session control block (format/session_abi.h)
  int slots = -1;                    ///< descriptor of a session's memory (format/replay_control.h)
  int hook_output = -1;              ///< descriptor for hooks in observed bodies (format/tick_call.h)
  Surroundings surroundings{};
  bool trap = false;  ///< as in RecordOptions
};

/// The page in which a replaying process says how it ends.
class ReportPage {
 public:
  /// Throws UserError when the memory cannot be had.
  ReportPage();
  ~ReportPage();
  ReportPage(const ReportPage&) = delete;
  int descriptor() const { return descriptor_; }
  format::ReplayReport read() const;

 private:
  int descriptor_;
  void* memory_ = nullptr;
};

/// Replays with this process's standard output and error. Throws UserError, CorruptData.
format::ReplayReport replay(const std::filesystem::path& directory, const EventStream& stream,
                            const ReplayOptions& options = {});

/// Starts a replay. `report` is a descriptor of what takes the ReplayReport: the slots of a session, or a ReportPage's.
std::unique_ptr<RuntimeProcess> start_replay(const std::filesystem::path& directory, const EventStream& stream,
                                             const ReplayOptions& options, int report);

/// Which of the copied files is the executable that starts the recording.
uint32_t first_executable(const EventStream& stream);

/// Checks that the copied files are those that were recorded. Throws CorruptData naming the first that is not.
void check_files(const std::filesystem::path& directory, const Manifest& manifest);

/// One paragraph that says how a replay and the recording differ: the event in the log and what the program did.
std::string divergence_text(const EventStream& stream, const format::ReplayReport& report);

}  // namespace culprit::recording
