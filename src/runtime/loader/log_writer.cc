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

RingHeader* ring;
unsigned char* ring_bytes;
uint64_t ring_size;
uint64_t written;   // stream bytes put into the ring, of which ring->committed are announced
uint64_t woken_at;  // committed bytes at the last wake of the launcher

uint64_t load(const uint64_t& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

/// Nothing more can be recorded: what is there stays as it is, and the program runs on.
void stop_recording(uint32_t error) {
  __atomic_store_n(&ring->error, error, __ATOMIC_RELEASE);
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
  const long fd = raw(__NR_openat, runtime.directory, word("log"), O_WRONLY | O_APPEND | O_CLOEXEC, 0);
  if (failed(fd)) return stop_recording(static_cast<uint32_t>(-fd));
  while (ring->consumed < ring->committed) {
    uint64_t bytes = ring->committed - ring->consumed;
    if (bytes > format::kMaximumFrameBytes) bytes = format::kMaximumFrameBytes;
    const unsigned char* from = ring_bytes + ring->consumed % ring_size;
    FrameHeader header = {format::kFrameMagic,
                          static_cast<uint32_t>(format::FrameCodec::kStored),
                          ring->consumed,
                          static_cast<uint32_t>(bytes),
                          static_cast<uint32_t>(bytes),
                          0,
                          0};
    header.check = format::crc32c(format::crc32c(0, &header, sizeof header), from, bytes);
    if (!write_fully(static_cast<int>(fd), &header, sizeof header)) break;
    if (!write_fully(static_cast<int>(fd), from, bytes)) break;
    __atomic_store_n(&ring->consumed, ring->consumed + bytes, __ATOMIC_RELEASE);
  }
  raw(__NR_close, fd);
}

void wake_launcher() {
  woken_at = ring->committed;
  __atomic_add_fetch(&ring->wake_launcher, 1, __ATOMIC_RELEASE);
  raw(__NR_futex, word(&ring->wake_launcher), FUTEX_WAKE, 1);
}

void commit() {
  __atomic_store_n(&ring->committed, written, __ATOMIC_RELEASE);
  if (ring->committed - woken_at >= format::kRingWakeBytes && ring->abandoned == 0) wake_launcher();
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
        __atomic_compare_exchange_n(&ring->writer, &holder, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    // One that was killed meanwhile leaves it taken.
    const bool dead = !free && holder != self && raw(__NR_kill, holder, 0) == -ESRCH;
    if (free || (dead && __atomic_compare_exchange_n(&ring->writer, &holder, self, false, __ATOMIC_ACQUIRE,
                                                     __ATOMIC_RELAXED))) {
      break;
    }
    const __kernel_timespec rest = {0, 100'000};
    raw(__NR_nanosleep, word(&rest), 0);
  }
  written = ring->committed;
  // A part of an event cannot be taken back.
  if (written != ring->whole) __atomic_store_n(&ring->closed, 1u, __ATOMIC_RELEASE);
  return __atomic_load_n(&ring->closed, __ATOMIC_ACQUIRE) == 0;
}

void give_ring() {
  __atomic_store_n(&ring->writer, 0u, __ATOMIC_RELEASE);
}

/// Waits until `bytes` more fit.
void make_room(uint64_t bytes) {
  while (writes() && written + bytes - load(ring->consumed) > ring_size) {
    commit();
    if (const uint32_t error = __atomic_load_n(&ring->error, __ATOMIC_ACQUIRE)) return stop_recording(error);
    if (ring->abandoned == 0 && raw(__NR_kill, ring->launcher, 0) == -ESRCH) ring->abandoned = 1;
    if (ring->abandoned) {
      write_frames_here();
      continue;
    }
    const uint32_t seen = __atomic_load_n(&ring->wake_runtime, __ATOMIC_ACQUIRE);
    wake_launcher();
    if (written + bytes - load(ring->consumed) <= ring_size) break;
    const __kernel_timespec wait = {0, 100'000'000};
    raw(__NR_futex, word(&ring->wake_runtime), FUTEX_WAIT, seen, word(&wait));
  }
}

void put(const void* from, uint64_t bytes) {
  constexpr uint64_t kPiece = 1 << 20;
  const auto* at = static_cast<const unsigned char*>(from);
  while (bytes > 0) {
    const uint64_t piece = bytes < kPiece ? bytes : kPiece;
    make_room(piece);
    if (!writes()) return;
    __builtin_memcpy(ring_bytes + written % ring_size, at, piece);
    written += piece;
    at += piece;
    bytes -= piece;
  }
}

constexpr uint64_t padded(uint64_t bytes) {
  return (bytes + 7) & ~uint64_t{7};
}

void map_ring(int fd) {
  const auto map = [fd](uint64_t at, uint64_t bytes, uint64_t offset) {
    const long result = raw(__NR_mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset);
    if (failed(result)) fail("cannot map the recording's ring", result);
  };
  ring_size = format::kRingBytes;
  map(kRingAddress, format::kRingHeaderBytes + ring_size, 0);
  // A second view right behind the first makes every piece contiguous.
  map(kRingAddress + format::kRingHeaderBytes + ring_size, ring_size, format::kRingHeaderBytes);
  ring = reinterpret_cast<RingHeader*>(kRingAddress);
  ring_bytes = reinterpret_cast<unsigned char*>(kRingAddress + format::kRingHeaderBytes);
  if (ring->version != format::kRecordingVersion || ring->ring_bytes != ring_size) fail("the ring has another version");
  written = ring->committed;
  woken_at = written;
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
  __atomic_store_n(&ring->whole, written, __ATOMIC_RELEASE);
}

}  // namespace

void open_log(int directory) {
  const long fd = raw(__NR_openat, directory, word("ring"), O_RDWR | O_CLOEXEC, 0);
  if (failed(fd)) fail("cannot open the recording's ring", fd);
  map_ring(static_cast<int>(fd));
  raw(__NR_close, fd);
}

bool reopen_log(int directory) {
  const long fd = raw(__NR_openat, directory, word("ring"), O_RDWR | O_CLOEXEC, 0);
  if (failed(fd)) return false;
  map_ring(static_cast<int>(fd));
  raw(__NR_close, fd);
  return true;
}

void append_event(Event event, const PartSource* parts, uint32_t count) {
  if (runtime.mode != Mode::kRecord) return;
  if (take_ring()) {
    put_event(event, parts, count);
  } else {
    stop_recording(EPIPE);
  }
  give_ring();
}

void append_child_output(uint8_t flags, const PartSource* parts, uint32_t count) {
  if (!runtime.watched || count == 0) return;
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
  return runtime.mode == Mode::kRecord && __atomic_load_n(&ring->ends, __ATOMIC_ACQUIRE) != 0;
}

void cannot_record(long error) {
  if (runtime.mode == Mode::kRecord) stop_recording(static_cast<uint32_t>(-error));
}

}  // namespace culprit::loader
