#include "runtime/loader/log_writer.h"

#include "format/crc32c.h"
#include "runtime/loader/runtime.h"

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;
using format::FrameHeader;
using format::Part;
using format::RingHeader;

/// A ring that this process appends to.
struct Log {
  RingHeader* ring;
  unsigned char* bytes;
  uint64_t size;
  int directory;      ///< descriptor of the recording's
  uint64_t written;   ///< stream bytes put into the ring, of which ring->committed are announced
  uint64_t woken_at;  ///< committed bytes at the last wake of the launcher
};

Log launchers;  // of the recording that the launcher makes; children append their output to it
Log own;        // of a child's own recording
Log* of_events = &launchers;
Log* log = &launchers;  // the one that is appended to just now

uint64_t load(const uint64_t& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

/// Nothing more can be recorded: what is there stays as it is, and the program runs on.
void stop_recording(uint32_t error) {
  __atomic_store_n(&log->ring->error, error, __ATOMIC_RELEASE);
  runtime.mode = Mode::kPass;
  runtime.watched = false;
}

/// False when it cannot be written; recording has then stopped.
bool write_fully(int fd, const void* from, size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const long result = raw(__NR_write, fd, word(at), bytes);
    if (result == -EINTR) continue;
    if (result <= 0) {
      stop_recording(result == 0 ? EIO : static_cast<uint32_t>(-result));
      return false;
    }
    at += result;
    bytes -= static_cast<size_t>(result);
  }
  return true;
}

/// The launcher is gone: does its work, without compression. A frame that was not written whole is cut off by readers,
/// which find its bytes in the ring.
void write_frames_here() {
  const long fd = raw(__NR_openat, log->directory, word("log"), O_WRONLY | O_APPEND | O_CLOEXEC, 0);
  if (failed(fd)) return stop_recording(static_cast<uint32_t>(-fd));
  while (log->ring->consumed < log->ring->committed) {
    uint64_t bytes = log->ring->committed - log->ring->consumed;
    if (bytes > format::kMaximumFrameBytes) bytes = format::kMaximumFrameBytes;
    const unsigned char* from = log->bytes + log->ring->consumed % log->size;
    FrameHeader header = {format::kFrameMagic,
                          static_cast<uint32_t>(format::FrameCodec::kStored),
                          log->ring->consumed,
                          static_cast<uint32_t>(bytes),
                          static_cast<uint32_t>(bytes),
                          0,
                          0};
    header.check = format::crc32c(format::crc32c(0, &header, sizeof header), from, bytes);
    if (!write_fully(static_cast<int>(fd), &header, sizeof header)) break;
    if (!write_fully(static_cast<int>(fd), from, bytes)) break;
    __atomic_store_n(&log->ring->consumed, log->ring->consumed + bytes, __ATOMIC_RELEASE);
  }
  raw(__NR_close, fd);
}

void wake_launcher() {
  log->woken_at = log->ring->committed;
  __atomic_add_fetch(&log->ring->wake_launcher, 1, __ATOMIC_RELEASE);
  raw(__NR_futex, word(&log->ring->wake_launcher), FUTEX_WAKE, 1);
}

void commit() {
  __atomic_store_n(&log->ring->committed, log->written, __ATOMIC_RELEASE);
  if (log->ring->committed - log->woken_at >= format::kRingWakeBytes && log->ring->abandoned == 0) wake_launcher();
}

/// Whether this process is one that appends.
bool writes() {
  return runtime.mode == Mode::kRecord || runtime.watched;
}

/// The program and its children take turns. False when nothing may be appended any more.
bool take_ring() {
  const auto self = static_cast<uint32_t>(runtime.process);
  for (;;) {
    uint32_t holder = 0;
    const bool free =
        __atomic_compare_exchange_n(&log->ring->writer, &holder, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    // One that was killed meanwhile leaves it taken.
    const bool dead = !free && holder != self && raw(__NR_kill, holder, 0) == -ESRCH;
    if (free || (dead && __atomic_compare_exchange_n(&log->ring->writer, &holder, self, false, __ATOMIC_ACQUIRE,
                                                     __ATOMIC_RELAXED))) {
      break;
    }
    const __kernel_timespec rest = {0, 100'000};
    raw(__NR_nanosleep, word(&rest), 0);
  }
  log->written = log->ring->committed;
  // A part of an event cannot be taken back.
  if (log->written != log->ring->whole) __atomic_store_n(&log->ring->closed, 1u, __ATOMIC_RELEASE);
  return __atomic_load_n(&log->ring->closed, __ATOMIC_ACQUIRE) == 0;
}

void give_ring() {
  __atomic_store_n(&log->ring->writer, 0u, __ATOMIC_RELEASE);
}

/// Waits until `bytes` more fit.
void make_room(uint64_t bytes) {
  while (writes() && log->written + bytes - load(log->ring->consumed) > log->size) {
    commit();
    if (const uint32_t error = __atomic_load_n(&log->ring->error, __ATOMIC_ACQUIRE)) return stop_recording(error);
    if (log->ring->abandoned == 0 && raw(__NR_kill, log->ring->launcher, 0) == -ESRCH) log->ring->abandoned = 1;
    if (log->ring->abandoned) {
      write_frames_here();
      continue;
    }
    const uint32_t seen = __atomic_load_n(&log->ring->wake_runtime, __ATOMIC_ACQUIRE);
    wake_launcher();
    if (log->written + bytes - load(log->ring->consumed) <= log->size) break;
    const __kernel_timespec wait = {0, 100'000'000};
    raw(__NR_futex, word(&log->ring->wake_runtime), FUTEX_WAIT, seen, word(&wait));
  }
}

void put(const void* from, uint64_t bytes) {
  constexpr uint64_t kPiece = 1 << 20;
  const auto* at = static_cast<const unsigned char*>(from);
  while (bytes > 0) {
    const uint64_t piece = bytes < kPiece ? bytes : kPiece;
    make_room(piece);
    if (!writes()) return;
    __builtin_memcpy(log->bytes + log->written % log->size, at, piece);
    log->written += piece;
    at += piece;
    bytes -= piece;
  }
}

constexpr uint64_t padded(uint64_t bytes) {
  return (bytes + 7) & ~uint64_t{7};
}

/// Maps the ring `fd`, of `size` bytes, at `at`.
void map_ring(Log& to, int fd, uint64_t at, uint64_t size) {
  const auto map = [fd](uint64_t address, uint64_t bytes, uint64_t offset) {
    const long result = raw(__NR_mmap, address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset);
    if (failed(result)) fail("cannot map the recording's ring", result);
  };
  map(at, format::kRingHeaderBytes + size, 0);
  // A second view right behind the first makes every piece contiguous.
  map(at + format::kRingHeaderBytes + size, size, format::kRingHeaderBytes);
  to.size = size;
  to.ring = reinterpret_cast<RingHeader*>(at);
  to.bytes = reinterpret_cast<unsigned char*>(at + format::kRingHeaderBytes);
}

void map_launchers_ring(int fd, int directory) {
  map_ring(launchers, fd, kRingAddress, format::kRingBytes);
  const RingHeader& ring = *launchers.ring;
  if (ring.version != format::kRecordingVersion || ring.ring_bytes != format::kRingBytes) {
    fail("the ring has another version");
  }
  launchers.directory = directory;
  launchers.written = launchers.woken_at = ring.committed;
}

void put_event(Event event, const PartSource* parts, uint32_t count) {
  uint64_t bytes = sizeof(Event);
  for (uint32_t each = 0; each < count; ++each) bytes += sizeof(Part) + padded(parts[each].bytes);
  if (bytes > 0xffffffff) fail("one call wrote more than 4 GB");
  event.bytes = static_cast<uint32_t>(bytes);
  put(&event, sizeof event);
  for (uint32_t each = 0; each < count; ++each) {
    const Part header = {parts[each].address, parts[each].bytes, parts[each].kind};
    put(&header, sizeof header);
    put(parts[each].bytes_at, parts[each].bytes);
    const uint64_t zero = 0;
    put(&zero, padded(parts[each].bytes) - parts[each].bytes);
  }
  if (!writes()) return;
  commit();
  __atomic_store_n(&log->ring->whole, log->written, __ATOMIC_RELEASE);
}

}  // namespace

void open_log(int directory) {
  const long fd = raw(__NR_openat, directory, word("ring"), O_RDWR | O_CLOEXEC, 0);
  if (failed(fd)) fail("cannot open the recording's ring", fd);
  map_launchers_ring(static_cast<int>(fd), directory);
  raw(__NR_close, fd);
}

bool reopen_log(int directory) {
  const long fd = raw(__NR_openat, directory, word("ring"), O_RDWR | O_CLOEXEC, 0);
  if (failed(fd)) return false;
  map_launchers_ring(static_cast<int>(fd), directory);
  raw(__NR_close, fd);
  return true;
}

uint64_t log_end() {
  return load(of_events->ring->whole);
}

bool start_own_log(int directory, uint64_t offset) {
  constexpr uint32_t kOwner = 0600;
  const long file = raw(__NR_openat, directory, word("log"), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwner);
  if (failed(file)) return false;
  format::LogHeader header = {{}, format::kRecordingVersion, sizeof(format::LogHeader)};
  __builtin_memcpy(header.magic, format::kLogMagic, sizeof header.magic);
  const bool begun = raw(__NR_write, file, word(&header), sizeof header) == sizeof header;
  raw(__NR_close, file);
  if (!begun) return false;

  const long fd = raw(__NR_openat, directory, word("ring"), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kOwner);
  if (failed(fd)) return false;
  // Real blocks: a full disk must not become a bus error in the program.
  if (raw(__NR_fallocate, fd, 0, 0, format::kRingHeaderBytes + format::kChildRingBytes) != 0) {
    raw(__NR_close, fd);
    return false;
  }
  map_ring(own, static_cast<int>(fd), kChildRingAddress, format::kChildRingBytes);
  raw(__NR_close, fd);
  RingHeader& ring = *own.ring;
  __builtin_memcpy(ring.magic, format::kRingMagic, sizeof ring.magic);
  ring.version = format::kRecordingVersion;
  ring.ring_bytes = format::kChildRingBytes;
  ring.committed = ring.consumed = ring.whole = own.written = offset;
  ring.abandoned = 1;  // no launcher empties it
  own.directory = directory;
  of_events = &own;
  return true;
}

void append_event(Event event, const PartSource* parts, uint32_t count) {
  if (runtime.mode != Mode::kRecord) return;
  log = of_events;
  if (take_ring()) {
    put_event(event, parts, count);
  } else {
    stop_recording(EPIPE);
  }
  give_ring();
}

void append_child_output(uint8_t flags, const PartSource* parts, uint32_t count) {
  if (!runtime.watched || count == 0) return;
  log = &launchers;
  if (take_ring()) {
    put_event({.bytes = 0,
               .kind = EventKind::kChildOutput,
               .flags = flags,
               .number = 0,
               .thread = 0,
               .check = 0,
               .result = runtime.process,
               .ticks = 0},
              parts, count);
  } else {
    runtime.watched = false;
  }
  give_ring();
}

bool launcher_ends_program() {
  return runtime.mode == Mode::kRecord && __atomic_load_n(&launchers.ring->ends, __ATOMIC_ACQUIRE) != 0;
}

void cannot_record(long error) {
  if (runtime.mode == Mode::kRecord) stop_recording(static_cast<uint32_t>(-error));
}

}  // namespace culprit::loader
