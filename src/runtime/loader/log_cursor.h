// Reading events back while replaying. The launcher has checked the stream's structure before.
#pragma once

#include "format/recording_format.h"
#include "runtime/loader/kernel.h"
#include "runtime/loader/memory_lines.h"

namespace culprit::loader {

/// Maps the stream and the report page that the launcher made.
void open_stream(int stream, int report);

/// Where in the log the replay is.
struct LogPlace {
  uint64_t position, events, last_offset;
};
LogPlace log_place();
void go_to_log_place(const LogPlace& place);

/// The event to come, skipping kFile and kNote; nullptr at the end. next_event also consumes it.
const format::Event* peek_event();
const format::Event* next_event();

/// The first of the next `most` events that `is_wanted`, which is consumed with those before it; nullptr when there is
/// none, then nothing is consumed.
template <typename Wanted>
const format::Event* find_event(int most, const Wanted& is_wanted) {
  const LogPlace before = log_place();
  for (int each = 0; each < most; ++each) {
    const format::Event* event = next_event();
    if (event == nullptr) break;
    if (is_wanted(*event)) return event;
  }
  go_to_log_place(before);
  return nullptr;
}

/// The parts of an event, in order.
class PartView {
 public:
  explicit PartView(const format::Event& event)
      : at_(reinterpret_cast<const unsigned char*>(&event + 1)),
        end_(reinterpret_cast<const unsigned char*>(&event) + event.bytes) {}
  bool valid() const { return at_ < end_; }
  void next() { at_ += sizeof(format::Part) + ((header().bytes + 7) & ~7u); }
  format::PartKind kind() const { return header().kind; }
  uint64_t address() const { return header().address; }
  uint32_t size() const { return header().bytes; }
  const unsigned char* bytes() const { return at_ + sizeof(format::Part); }

 private:
  const format::Part& header() const { return *reinterpret_cast<const format::Part*>(at_); }
  const unsigned char* at_;
  const unsigned char* end_;
};

/// What the program did that is not in the recording.
struct Actual {
  format::EventKind kind;
  uint32_t thread;
  uint32_t number;
  uint32_t check;
  const uint64_t* arguments;  ///< six, or nullptr
  uint64_t address;
};

/// Ends the replay, telling the launcher why.
[[noreturn]] void diverge(const Actual& actual, const char* what);
[[noreturn]] void end_replay(format::ReplayState state, int64_t exit_status, int exit_signal,
                             const MemoryComparison& memory = {});
/// For `fail`: leaves the reason in the report when there is one.
void report_failure(const char* what);

}  // namespace culprit::loader
