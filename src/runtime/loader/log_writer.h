// Writing events into the ring that the launcher empties.
#pragma once

#include "format/recording_format.h"

namespace culprit::loader {

struct PartSource {
  uint64_t address;  ///< as logged
  const void* bytes_at;
  uint32_t bytes;
  format::PartKind kind;
};

/// Maps the ring of the recording at `directory` (a descriptor). Fails loudly: at start nothing is lost.
void open_log(int directory);

/// Appends an event; `event.bytes` is filled in. Waits for the launcher when the ring is full.
void append_event(format::Event event, const PartSource* parts, uint32_t count);

inline void append_event(const format::Event& event) {
  append_event(event, nullptr, 0);
}

/// Something could not be put into the recording (a negative error number says why): it ends here, and says so.
void cannot_record(long error);

/// Forgets the ring, in a child process.
void close_log();

}  // namespace culprit::loader
