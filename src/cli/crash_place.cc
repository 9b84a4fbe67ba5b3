#include "cli/crash_place.h"

#include <unistd.h>

#include <optional>

#include "base/file.h"
#include "cli/replay_to.h"
#include "recording/recording.h"
#include "session/frames.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;

std::string place_of_crash(const std::string& name) {
  const recording::Recording recording = recording::open_recording(name);
  const std::optional<StoppedReplay> stopped = stop_replay(recording, "crash");
  if (!stopped) throw UserError("the recorded run did not crash", "name a place with --at");
  const std::vector<Frame> frames = read_frames(memory_of(stopped->session), stopped->position.frames, 1);
  if (frames.empty() || frames.front().statement >= stopped->model->statements().size()) {
    throw UserError("the recorded run crashed outside of the program's own statements", "name a place with --at");
  }
  return stopped->model->position_text(frames.front().statement);
}

}  // namespace

std::string kept_place_of_crash(const std::string& name, const fs::path& trace) {
  const fs::path file = trace / "crash";
  if (fs::exists(file)) return read_file(file);
  const std::string place = place_of_crash(name);
  if (::access(trace.c_str(), W_OK) == 0) write_file_atomically(file, place);
  return place;
}

}  // namespace culprit::cli
