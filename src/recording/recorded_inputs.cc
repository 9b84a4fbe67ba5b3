#include "recording/recorded_inputs.h"

#include <sys/syscall.h>

#include <filesystem>
#include <map>

#include "base/file.h"

namespace culprit::recording {
namespace {

using format::Event;
using format::EventKind;
using format::PartKind;
namespace fs = std::filesystem;

constexpr uint64_t kLargestCopy = 64 << 20;

class Collector {
 public:
  explicit Collector(RecordedInputs& inputs) : inputs_(inputs) {}

  void see(const EventRef& event) {
    if (event.event->kind == EventKind::kStart) return start(event);
    if (event.event->kind != EventKind::kCall || event.event->result < 0) return;
    switch (event.event->number) {
      case SYS_open:
      case SYS_openat:
      case SYS_openat2:
        return open(event);
      case SYS_read:
      case SYS_readv:
      case SYS_recvfrom:
      case SYS_recvmsg:
        return read(event);
      case SYS_lseek:
        if (Open* open = of(event)) open->position = static_cast<uint64_t>(event.event->result);
        return;
      default:
        return;
    }
  }

 private:
  struct Open {
    size_t input;
    uint64_t position = 0;
  };

  void start(const EventRef& event) {
    open_.clear();
    inputs_.inputs.clear();
    for (const PartRef& part : event.parts()) {
      if (part.kind != PartKind::kMemory) continue;
      inputs_.stack_address = part.address;
      inputs_.stack = part.text();
    }
  }

  Open& begin(int descriptor, std::string path) {
    inputs_.inputs.push_back({std::move(path), descriptor, {}});
    return open_[descriptor] = {inputs_.inputs.size() - 1, 0};
  }

  void open(const EventRef& event) {
    for (const PartRef& part : event.parts()) {
      if (part.kind == PartKind::kText) begin(static_cast<int>(event.event->result), std::string(part.text()));
    }
  }

  /// What the call's descriptor means; nothing in a recording that does not tell it.
  Open* of(const EventRef& event) {
    for (const PartRef& part : event.parts()) {
      if (part.kind != PartKind::kDescriptor) continue;
      const int descriptor = static_cast<int>(part.address);
      const auto known = open_.find(descriptor);
      return known != open_.end() ? &known->second : &begin(descriptor, {});
    }
    return nullptr;
  }

  void read(const EventRef& event) {
    Open* open = of(event);
    if (!open) return;
    std::string& bytes = inputs_.inputs[open->input].bytes;
    auto left = static_cast<uint64_t>(event.event->result);
    for (const PartRef& part : event.parts()) {
      if (part.kind != PartKind::kMemory || left == 0) continue;
      const std::string_view text = part.text().substr(0, left);
      if (bytes.size() < open->position + text.size()) bytes.resize(open->position + text.size());
      bytes.replace(open->position, text.size(), text);
      open->position += text.size();
      left -= text.size();
    }
  }

  RecordedInputs& inputs_;
  std::map<int, Open> open_;
};

/// A file that was mapped was copied whole.
void take_copy(const Recording& recording, RecordedInput& input) {
  if (input.path.empty()) return;
  const fs::path path = (fs::path(recording.manifest.directory) / input.path).lexically_normal();
  for (const CopiedFile& file : recording.manifest.files) {
    const fs::path copy = recording.directory / "files" / std::to_string(file.index);
    if (file.path != path || file.bytes <= input.bytes.size() || file.bytes > kLargestCopy || !fs::exists(copy))
      continue;
    input.bytes = read_file(copy);
    return;
  }
}

}  // namespace

RecordedInputs recorded_inputs(const Recording& recording) {
  RecordedInputs inputs;
  Collector collector(inputs);
  recording.stream.for_each([&](const EventRef& event) {
    collector.see(event);
    return true;
  });
  for (RecordedInput& input : inputs.inputs) take_copy(recording, input);
  return inputs;
}

}  // namespace culprit::recording
