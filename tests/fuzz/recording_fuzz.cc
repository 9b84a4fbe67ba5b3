// libFuzzer target: no bytes make the readers of recordings crash, hang or allocate without bound. The first byte
// chooses what the rest is: a log, events in a well-formed log, a ring, a manifest.
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "recording/event_stream.h"
#include "recording/event_text.h"
#include "recording/frame.h"
#include "recording/manifest.h"

using namespace culprit;
using namespace culprit::recording;

namespace {

const std::filesystem::path& folder() {
  static const std::filesystem::path made = [] {
    const std::filesystem::path path =
        std::filesystem::path("/dev/shm") / ("culprit-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directory(path);
    return path;
  }();
  return made;
}

void write(const char* name, std::string_view bytes) {
  std::ofstream(folder() / name, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string log_of(std::string_view events) {
  const format::LogHeader header = log_header();
  std::string log(reinterpret_cast<const char*>(&header), sizeof header);
  if (events.empty()) return log;
  const auto frame = encode_frame(0, std::as_bytes(std::span(events)), -5);
  log.append(reinterpret_cast<const char*>(frame.data()), frame.size());
  return log;
}

size_t read_stream(bool finished) {
  size_t seen = 0;
  const EventStream stream(folder(), finished);
  stream.for_each([&seen](const EventRef& event) {
    seen += event_text(event).size() + event.parts().size();
    return true;
  });
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(bytes + 1), size - 1);
  std::error_code none;
  std::filesystem::remove(folder() / "ring", none);
  try {
    switch (bytes[0] % 4) {
      case 0:
        write("log", rest);
        break;
      case 1:
        write("log", log_of(rest));
        break;
      case 2: {
        write("log", log_of({}));
        std::string ring(rest);
        if (ring.size() < format::kRingHeaderBytes) ring.resize(format::kRingHeaderBytes + ring.size());
        write("ring", ring);
        break;
      }
      default:
        write("manifest.json", rest);
        return read_manifest(folder()).files.size() == size_t(-1);
    }
    read_stream(bytes[0] & 4);
  } catch (const CorruptData&) {
  } catch (const UserError&) {
  }
  return 0;
}
