// What each system call of x86-64 Linux means to a recording: one declarative table, used by the runtime (what to log,
// what to feed back) and by readers (names, arguments).
#pragma once

#include <cstddef>
#include <cstdint>

namespace culprit::format {

enum class CallClass : uint8_t {
  kRecorded,    ///< run while recording; on replay its result and what it wrote are fed back
  kMemory,      ///< changes the address space: run on replay too, at the recorded address
  kDescriptor,  ///< recorded, but the runtime guards its own descriptors first, or does a part itself
  kEmulated,    ///< done by the runtime (signals, threads, processes)
  kRefused,     ///< answered with ENOSYS, with a note in the recording
};

/// How many bytes a buffer has.
enum class SizeKind : uint8_t {
  kNone,
  kFixed,         ///< `factor` bytes
  kResult,        ///< result * factor + addend
  kResultUpTo,    ///< min(result, arguments[argument]) * factor: nothing when the caller only asked for the size
  kArgument,      ///< arguments[argument] * factor
  kPointed,       ///< min of the 32-bit word at arguments[argument] before and after the call
  kVector,        ///< the pointer is an iovec array of arguments[argument] entries; `result` bytes over all of them
  kBits,          ///< arguments[argument] bits, in whole 64-bit words
  kPages,         ///< a byte for each page of arguments[argument] bytes
  kText,          ///< up to and with a terminating zero
};

struct BufferSize {
  SizeKind kind = SizeKind::kNone;
  uint8_t argument = 0;
  uint16_t factor = 0;
  uint16_t addend = 0;
};

enum class Direction : uint8_t {
  kIn,                  ///< read by the kernel: part of the event's check
  kOut,                 ///< written by the kernel when the call succeeds: part of the event
  kOutWhenInterrupted,  ///< written when the call fails with EINTR
};

struct Buffer {
  Direction direction = Direction::kIn;
  uint8_t pointer = 0;  ///< index of the argument that points at it; a null pointer means no buffer
  BufferSize size;
};

/// Calls whose buffers depend on a command word or on nested pointers (src/runtime/loader/special_buffers.cc).
enum class Special : uint8_t {
  kNone, kIoctl, kFcntl, kPrctl, kFutex, kSendmsg, kRecvmsg, kSendmmsg, kRecvmmsg, kSemctl, kMsgctl, kNameToHandleAt,
};

inline constexpr uint8_t kMayBlock = 1;       ///< may wait: signals interrupt it, other threads run meanwhile
inline constexpr uint8_t kNewDescriptor = 2;  ///< a non-negative result is a new file descriptor

inline constexpr size_t kMaximumBuffers = 4;

struct SystemCall {
  int16_t number = -1;
  const char* name = nullptr;
  uint8_t arguments = 0;
  CallClass call_class = CallClass::kRefused;
  uint8_t flags = 0;
  Buffer buffers[kMaximumBuffers] = {};
  Special special = Special::kNone;
};

namespace table {

constexpr BufferSize fixed(uint16_t bytes) { return {SizeKind::kFixed, 0, bytes, 0}; }
constexpr BufferSize result(uint16_t factor = 1, uint16_t addend = 0) { return {SizeKind::kResult, 0, factor, addend}; }
constexpr BufferSize result_up_to(uint8_t argument, uint16_t factor) {
  return {SizeKind::kResultUpTo, argument, factor, 0};
}
constexpr BufferSize argument(uint8_t index, uint16_t factor = 1) { return {SizeKind::kArgument, index, factor, 0}; }
constexpr BufferSize pointed(uint8_t index) { return {SizeKind::kPointed, index, 1, 0}; }
constexpr BufferSize vector(uint8_t index) { return {SizeKind::kVector, index, 1, 0}; }
constexpr BufferSize bits(uint8_t index) { return {SizeKind::kBits, index, 1, 0}; }
constexpr BufferSize pages(uint8_t index) { return {SizeKind::kPages, index, 1, 0}; }

constexpr Buffer in(uint8_t pointer, BufferSize size) { return {Direction::kIn, pointer, size}; }
constexpr Buffer out(uint8_t pointer, BufferSize size) { return {Direction::kOut, pointer, size}; }
constexpr Buffer out_when_interrupted(uint8_t pointer, BufferSize size) {
  return {Direction::kOutWhenInterrupted, pointer, size};
}
constexpr Buffer text(uint8_t pointer) { return {Direction::kIn, pointer, {SizeKind::kText, 0, 1, 0}}; }

using enum CallClass;

// clang-format off
inline constexpr SystemCall kCalls[] = {
#include "format/system_call_table.inc"
};
// clang-format on

inline constexpr size_t kNumbers = 463;

struct ByNumber {
  SystemCall calls[kNumbers];
};

constexpr ByNumber by_number() {
  ByNumber all = {};
  for (const SystemCall& call : kCalls) all.calls[call.number] = call;
  return all;
}

inline constexpr ByNumber kByNumber = by_number();
inline constexpr SystemCall kUnknown = {-1, "unknown", 6, CallClass::kRefused, 0, {}, Special::kNone};

}  // namespace table

/// The description of a call; a number without one is refused.
inline const SystemCall& system_call(uint64_t number) {
  if (number >= table::kNumbers || table::kByNumber.calls[number].number < 0) return table::kUnknown;
  return table::kByNumber.calls[number];
}

}  // namespace culprit::format
