#include "recording/replay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "format/system_calls.h"
#include "recording/children.h"
#include "recording/event_text.h"
#include "recording/runtime_process.h"

namespace culprit::recording {
namespace fs = std::filesystem;

using format::ReplayReport;
using format::ReplayState;

namespace {

constexpr size_t kReportBytes = 4096;

std::string actual_text(const ReplayReport& report) {
  std::string text = fmt::format("thread {} {}", report.actual_thread, report.said);
  if (report.actual_kind == format::EventKind::kCall) {
    const auto& call = format::system_call(report.actual_number);
    text += fmt::format(": {}(", call.name);
    for (int each = 0; each < call.arguments; ++each) {
      text += fmt::format("{}{:#x}", each ? ", " : "", report.actual_arguments[each]);
    }
    text += ")";
  } else if (report.actual_kind == format::EventKind::kFault) {
    text += fmt::format(" with {}", signal_name(static_cast<int>(report.actual_number)));
  }
  if (report.actual_address) text += fmt::format(" at {:#x}", report.actual_address);
  return text;
}

}  // namespace

ReportPage::ReportPage() : descriptor_(::memfd_create("culprit-report", MFD_CLOEXEC)) {
  const bool sized = descriptor_ >= 0 && ::ftruncate(descriptor_, kReportBytes) == 0;
  memory_ = sized ? ::mmap(nullptr, kReportBytes, PROT_READ, MAP_SHARED, descriptor_, 0) : MAP_FAILED;
  if (memory_ == MAP_FAILED) {
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw UserError(fmt::format("cannot share memory with the replay: {}", std::strerror(error)),
                    "check the limits on memory and files", ExitCode::kEnvironmentLacks);
  }
}

ReportPage::~ReportPage() {
  ::munmap(memory_, kReportBytes);
  ::close(descriptor_);
}

ReplayReport ReportPage::read() const {
  ReplayReport report;
  std::memcpy(&report, memory_, sizeof report);
  report.said[sizeof report.said - 1] = 0;
  return report;
}

uint32_t first_executable(const EventStream& stream) {
  uint32_t file = format::kNoFile;
  stream.for_each([&](const EventRef& event) {
    if (event.event->kind != format::EventKind::kStart) return true;
    for (const PartRef& part : event.parts()) {
      if (part.kind != format::PartKind::kMap || file != format::kNoFile) continue;
      format::MapPart map;
      std::memcpy(&map, part.bytes.data(), sizeof map);
      file = map.file;
    }
    return false;
  });
  return file;
}

std::unique_ptr<RuntimeProcess> start_replay(const fs::path& directory, const EventStream& stream,
                                             const ReplayOptions& options, int report) {
  // The process closes it, while the caller's stays.
  const int own_report = ::fcntl(report, F_DUPFD_CLOEXEC, 0);
  if (own_report < 0) throw UserError("cannot open another descriptor", "raise the limit on open files");
  std::vector<std::string> arguments = {"replay", options.trap ? "trap" : "dispatch", fs::absolute(directory).string(),
                                        std::to_string(stream.descriptor()), std::to_string(own_report)};
  std::vector<int> inherited = {stream.descriptor(), own_report};
  const auto add_descriptor = [&](const char* name, int descriptor) {
    if (descriptor < 0) return;
    arguments.push_back(fmt::format("{}={}", name, descriptor));
    inherited.push_back(descriptor);
  };
  add_descriptor("hooks", options.hook_output);
  add_descriptor("slots", options.slots);
  add_descriptor("agent", options.agent);
  if (!options.executable.empty()) {
    arguments.push_back(fmt::format("{}={}", first_executable(stream), options.executable.string()));
  }
  auto process = std::make_unique<RuntimeProcess>(arguments, inherited, options.surroundings);
  ::close(own_report);
  return process;
}

ReplayReport replay(const fs::path& directory, const EventStream& stream, const ReplayOptions& options) {
  const ReportPage page;
  const std::unique_ptr<RuntimeProcess> program = start_replay(directory, stream, options, page.descriptor());
  const RuntimeEnd end = program->wait();
  ReplayReport report = page.read();
  if (report.state == ReplayState::kRunning) {
    report.state = ReplayState::kFailed;
    const std::string said = end.signal ? fmt::format("the replaying process was ended by {}", signal_name(end.signal))
                                        : fmt::format("the replaying process exited with {}", end.exit_status);
    fmt::format_to_n(report.said, sizeof report.said - 1, "{}", said);
  }
  return report;
}

void check_files(const fs::path& directory, const Manifest& manifest) {
  for (const CopiedFile& file : manifest.files) {
    const fs::path path = copied_file(directory, file.index);
    const MappedFile copy(path);
    const XXH128_hash_t hash = XXH3_128bits(copy.bytes().data(), copy.bytes().size());
    if (copy.bytes().size() != file.bytes || fmt::format("{:016x}{:016x}", hash.high64, hash.low64) != file.hash) {
      throw CorruptData(path.string(), 0, fmt::format("is not the copy of {} that was recorded", file.path));
    }
  }
}

std::string divergence_text(const EventStream& stream, const ReplayReport& report) {
  std::string expected = "the end of the recording";
  uint64_t number = 0;
  stream.for_each([&](const EventRef& event) {
    if (event.offset < report.stream_offset) {
      ++number;
      return true;
    }
    expected = event_text(event);
    return false;
  });
  return fmt::format(
      "the replay parts from the recording at event {} (byte {} of the stream)\n  recorded: {}\n  replayed: {}", number,
      report.stream_offset, expected, actual_text(report));
}

}  // namespace culprit::recording
