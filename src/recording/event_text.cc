#include "recording/event_text.h"

#include <fmt/format.h>

#include <cstring>

#include "format/system_calls.h"

namespace culprit::recording {

using format::Event;
using format::EventKind;
using format::PartKind;

namespace {

std::string result_text(int64_t result) {
  if (result < 0 && result >= -4095) {
    const char* name = ::strerrorname_np(static_cast<int>(-result));
    return name ? name : std::to_string(result);
  }
  return result > 0xffffff || result < 0 ? fmt::format("{:#x}", static_cast<uint64_t>(result)) : std::to_string(result);
}

std::string parts_text(const EventRef& event) {
  uint64_t bytes = 0, places = 0;
  std::string text;
  for (const PartRef& part : event.parts()) {
    switch (part.kind) {
      case PartKind::kMemory:
        bytes += part.bytes.size();
        ++places;
        break;
      case PartKind::kText:
        text += fmt::format(" {}", part.text());
        break;
      case PartKind::kMap: {
        format::MapPart map;
        std::memcpy(&map, part.bytes.data(), sizeof map);
        if (map.file == format::kNoFile) {
          text += fmt::format("\n    {:#x}+{:#x} zeros", map.address, map.bytes);
        } else {
          text +=
              fmt::format("\n    {:#x}+{:#x} of files/{} at {:#x}", map.address, map.bytes, map.file, map.file_offset);
        }
        break;
      }
      case PartKind::kRegisters: {
        format::StartRegisters registers;
        std::memcpy(&registers, part.bytes.data(), sizeof registers);
        text += fmt::format("\n    entry {:#x}, stack {:#x}", registers.entry, registers.stack);
        if (registers.core != 0) text += fmt::format(", begins on core {}", registers.core - 1);
        break;
      }
      case PartKind::kIdentity:
      case PartKind::kSharedMemory:
      case PartKind::kMemoryLines:
      case PartKind::kSharedLines:
      case PartKind::kSpin:
      case PartKind::kWaits:
        break;
      case PartKind::kDescriptor:
        text += fmt::format(" of descriptor {}", part.address);
        break;
    }
  }
  if (places > 0) text += fmt::format(", {} bytes written at {} place{}", bytes, places, places == 1 ? "" : "s");
  return text;
}

}  // namespace

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

std::string event_text(const EventRef& ref) {
  const Event& event = *ref.event;
  const std::string thread = fmt::format("thread {}: ", event.thread);
  switch (event.kind) {
    case EventKind::kStart:
      return thread + "starts" + parts_text(ref);
    case EventKind::kCall:
      return thread + fmt::format("{} = {}{}", format::system_call(event.number).name, result_text(event.result),
                                  parts_text(ref));
    case EventKind::kFile:
      return thread + fmt::format("files/{} is{}", event.result, parts_text(ref));
    case EventKind::kSignal:
      return thread + fmt::format("is given {} {} a call", signal_name(event.number),
                                  event.flags & format::kAtEntry ? "before" : "after");
    case EventKind::kFault:
      return thread + fmt::format("faults with {} at {:#x}{}", signal_name(event.number),
                                  static_cast<uint64_t>(event.result),
                                  event.flags & format::kStackOverflow ? ": the stack is used up" : "");
    case EventKind::kTimestamp:
      return thread + fmt::format("{} = {}", event.number == 0 ? "rdtsc" : "rdtscp", event.result);
    case EventKind::kProcessorId:
      return thread + fmt::format("cpuid {:#x}", event.result);
    case EventKind::kThreadStart:
      return thread + "runs for the first time";
    case EventKind::kThreadEnd:
      return thread + "ends";
    case EventKind::kExit:
      return thread + (event.number ? fmt::format("the program is ended by {}", signal_name(event.number))
                                    : fmt::format("the program exits with {}", event.result));
    case EventKind::kNote:
      return thread + "note:" + parts_text(ref);
    case EventKind::kPreempt:
      if (event.number == format::kQuantumSet) return thread + fmt::format("has {} ticks left", event.result);
      if (event.number == format::kHandlerLeft) return thread + "has left a handler by a jump";
      return thread + fmt::format("is preempted at tick {}", event.ticks);
    case EventKind::kChildOutput:
      return fmt::format("child process {} writes to standard {}{}", event.result,
                         event.flags & format::kShowOnError ? "error" : "output", parts_text(ref));
    case EventKind::kForked:
      return thread + fmt::format("goes on as the child process {}", event.result);
    case EventKind::kSpin:
      if (event.number == format::kSpinGoesOn) return thread + "goes on spinning";
      return thread + fmt::format("waits by spinning at {:#x}", static_cast<uint64_t>(event.result));
    case EventKind::kNone:
      break;
  }
  return thread + "unknown event";
}

}  // namespace culprit::recording
