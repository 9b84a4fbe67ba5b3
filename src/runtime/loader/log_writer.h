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

/// Bytes of whole events so far.
uint64_t log_end();

/// In a child: events go into a ring and a log of its own from now on, which it makes in `directory` (a descriptor) and
/// whose stream continues at `offset`. False when they cannot be made.
bool start_own_log(int directory, uint64_t offset);

/// Appends an event; `event.bytes` is filled in. Waits for the launcher when the ring is full.
void append_event(format::Event event, const PartSource* parts, uint32_t count);

inline void append_event(const format::Event& event) {
  append_event(event, nullptr, 0);
}

/// Something could not be put into the recording (a negative error number says why): it ends here, and says so.
void cannot_record(long error);

/// Whether the launcher wants the recorded program to end.
bool launcher_ends_program();

/// In a child's new program: maps the ring again, if the recording still goes on.
bool reopen_log(int directory);

/// In a child that is watched: appends what it wrote, one extent after the other. `flags` says where to.
void append_child_output(uint8_t flags, const PartSource* parts, uint32_t count);

}  // namespace culprit::loader
