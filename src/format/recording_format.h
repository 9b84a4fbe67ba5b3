// A recording on disk and what runtime and launcher share while it is made (docs/formats.md, "Recording").
//
// A recording is a directory: `manifest.json`, `log`, `files/N` (copies of executables and mapped files) and, until it
// is finished, `ring`. The events form one byte stream. The runtime writes it into the ring, a file mapped into the
// program; the launcher moves it from there into frames of `log`. What a killed recording leaves is the frames plus the
// ring. Little endian, naturally aligned. Any change of a layout bumps kRecordingVersion.
#pragma once

#include <cstddef>
#include <cstdint>

namespace culprit::format {

inline constexpr uint32_t kRecordingVersion = 13;

// ---- log: a LogHeader, then frames -------------------------------------------------------------------------------

inline constexpr char kLogMagic[8] = {'C', 'U', 'L', 'P', 'L', 'O', 'G', '\n'};

struct LogHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;  ///< sizeof(LogHeader): where the first frame starts
};
static_assert(sizeof(LogHeader) == 16);

inline constexpr uint32_t kFrameMagic = 0x4d525643;       // "CVRM" in memory
inline constexpr uint32_t kMaximumFrameBytes = 4u << 20;  ///< of a frame's raw bytes

enum class FrameCodec : uint32_t { kStored = 0, kZstd = 1 };

/// A frame holds the stream's bytes [stream_offset, stream_offset + raw_bytes); frames follow each other without gaps.
/// Frames need not end where events end.
struct FrameHeader {
  uint32_t magic;
  uint32_t codec;
  uint64_t stream_offset;
  uint32_t raw_bytes;
  uint32_t stored_bytes;  ///< of what follows this header
  uint32_t check;         ///< CRC-32C of this header with check = 0, then of the stored bytes
  uint32_t reserved;
};
static_assert(sizeof(FrameHeader) == 32);

// ---- ring: a RingHeader in the first page, then ring_bytes of stream ------------------------------------------------

inline constexpr char kRingMagic[8] = {'C', 'U', 'L', 'P', 'R', 'I', 'N', 'G'};
inline constexpr uint64_t kRingHeaderBytes = 4096;
inline constexpr uint64_t kRingBytes = 16u << 20;
inline constexpr uint64_t kRingWakeBytes = 1u << 20;  ///< the launcher is woken each time so much has been committed

/// The stream's byte b stands at kRingHeaderBytes + b % ring_bytes. Bytes [consumed, committed) exist only in the ring.
struct RingHeader {
  char magic[8];
  uint32_t version;
  uint32_t launcher;  ///< process id of the launcher
  uint64_t ring_bytes;
  uint64_t committed;      ///< stream bytes written by the runtime
  uint64_t consumed;       ///< stream bytes that stand in frames of the log
  uint32_t wake_launcher;  ///< futex word, counted up by the runtime
  uint32_t wake_runtime;   ///< futex word, counted up by the launcher
  uint32_t abandoned;      ///< 1: the launcher is gone and the runtime writes the frames itself
  uint32_t writer;         ///< process that is appending an event; 0: none
  uint32_t closed;         ///< 1: nothing more must be appended, the recording is being finished
  uint32_t ends;           ///< 1: the launcher wants the program to end, and says so by SIGTRAP
  uint64_t whole;          ///< committed bytes that are whole events
  uint32_t error;          ///< errno with which writing the log failed; the program then runs on unrecorded
};
static_assert(sizeof(RingHeader) <= kRingHeaderBytes);

// ---- origin: one OriginRecord, in the directory of a child's own recording (children/PROCESS of its parent's)
// ---------

inline constexpr char kOriginMagic[8] = {'C', 'U', 'L', 'P', 'F', 'O', 'R', 'K'};
inline constexpr uint64_t kChildRingBytes = 4u << 20;

/// The child's stream is the parent's up to `offset`, then what the child's own log and ring hold.
struct OriginRecord {
  char magic[8];
  uint32_t version;
  int32_t process;  ///< id of the child
  uint64_t offset;
};
static_assert(sizeof(OriginRecord) == 24);

// ---- events ---------------------------------------------------------------------------------------------------------

enum class EventKind : uint8_t {
  kNone = 0,
  kStart,  ///< an image starts: parts kText (program path), then kMap for each mapping, kMemory (the stack), kRegisters
  kCall,   ///< a system call: number, result, parts for what the kernel wrote
  kFile,   ///< result is the index N of the copy `files/N`; parts kText (path), kIdentity
  kSignal,       ///< an asynchronous signal given to the program: number; part kMemory with address 0 is the siginfo
  kFault,        ///< a synchronous fault: number is the signal, result the instruction's address
  kTimestamp,    ///< rdtsc (number 0) or rdtscp (number 1, processor id in `ticks`): result is the value
  kThreadStart,  ///< a new thread runs for the first time
  kThreadEnd,    ///< number 60 (exit)
  kExit,         ///< the program ends by exit_group (result = status) or by a signal (number); `check` is the memory's
  kNote,         ///< part kText: something a reader should know, e.g. a refused call
  kProcessorId,  ///< cpuid: result is the leaf asked for; part kMemory holds eax, ebx, ecx, edx
  kPreempt,      ///< the thread gave up the baton at `ticks`
  kChildOutput,  ///< a child process (result is its id) wrote to the program's output or error: part kMemory, address 0
  kForked,       ///< in a child's own recording, behind the call that made it: result is its process id
  kSpin,  ///< the thread gave up the baton where it waits by spinning, at `result`: part kSpin; `check` is the hash of
          ///< the program's memory
};

/// Event::number of a kPreempt that does not end a quantum but sets what is left of it to `result` ticks: the thread
/// has just made another one.
inline constexpr uint16_t kQuantumSet = 1;

/// Event::number of a kPreempt that does not end a quantum: the handler that was entered at the end of one was left by
/// a jump before the call that follows, so that quanta end again.
inline constexpr uint16_t kHandlerLeft = 2;

/// Event::number of a kSpin without parts: the thread has the baton again and goes on.
inline constexpr uint16_t kSpinGoesOn = 1;

/// Event::flags.
inline constexpr uint8_t kAtEntry = 1;       ///< a signal given before the next system call ran
inline constexpr uint8_t kShowOnOutput = 2;  ///< the call wrote to what was the program's standard output
inline constexpr uint8_t kShowOnError = 4;   ///< … standard error
inline constexpr uint8_t kInOwnCode =
    16;  ///< the signal ended the program while it ran its own code, at an unknown place
inline constexpr uint8_t kDeadlock = 32;      ///< of kExit: all threads wait for each other, this one at its next call
inline constexpr uint8_t kSignalsCame = 64;   ///< of kPreempt: a call follows at which signals are given
inline constexpr uint8_t kFatal = 8;          ///< the signal or fault ended the program
inline constexpr uint8_t kStackOverflow = 2;  ///< of kFault: the machine stack was used up

/// The header of every event; parts follow until `bytes` are used up.
struct Event {
  uint32_t bytes;  ///< header and parts, a multiple of 8
  EventKind kind;
  uint8_t flags;
  uint16_t number;  ///< of the system call or signal
  uint32_t thread;  ///< 0 for the first thread, counted up in order of creation
  uint32_t check;   ///< CRC-32C of what all plans share of the call's arguments, and of the memory it read
  int64_t result;
  uint64_t ticks;  ///< of this thread; 0 without instrumentation
};
static_assert(sizeof(Event) == 32);

enum class PartKind : uint32_t {
  kMemory = 1,        ///< bytes that the kernel wrote at `address` (see kRelative)
  kText = 2,          ///< characters without terminator; of a call that opened a file: its path as it was given
  kMap = 3,           ///< a MapPart
  kRegisters = 4,     ///< a StartRegisters
  kIdentity = 5,      ///< a FileIdentity
  kSharedMemory = 6,  ///< of kExit: 32-bit hash of the final memory that all plans of a program share
  kMemoryLines = 7,   ///< of kExit: PageLines of the final memory, ascending; none of very large programs
  kSharedLines = 8,   ///< of kExit: the same of what all plans share, heap made by brk included
  kDescriptor = 9,  ///< of a call that reads a descriptor or moves its position: `address` is the descriptor; no bytes
  kSpin = 10,       ///< a SpinState
  kWaits = 11,      ///< of kExit with kDeadlock: a WaitPart for each thread
};

/// An address of kMemory with this bit: the lower 32 bits are added, as a signed number, to the call's argument whose
/// index follows, or to the stack pointer. So memory on the machine stack is found in every plan of the program.
inline constexpr uint64_t kRelative = uint64_t{1} << 63;
inline constexpr unsigned kFromShift = 32;
inline constexpr uint64_t kFromMask = 7;
inline constexpr uint64_t kFromStackPointer = 7;

/// The header of a part; `bytes` bytes follow, padded to a multiple of 8.
struct Part {
  uint64_t address;
  uint32_t bytes;
  PartKind kind;
};
static_assert(sizeof(Part) == 16);

/// What tells where two final memories differ: a byte of CRC-32C for each line of a page.
inline constexpr uint32_t kPageBytes = 4096;
inline constexpr uint32_t kLineBytes = 128;
struct PageLines {
  uint64_t page;  ///< address
  uint8_t lines[kPageBytes / kLineBytes];
};
static_assert(sizeof(PageLines) == 40);

inline constexpr uint32_t kNoFile = 0xffffffff;

/// A mapping whose contents come from `files/N`, or zeros.
struct MapPart {
  uint64_t address;
  uint64_t bytes;
  uint64_t file_offset;
  uint32_t file;        ///< index N, or kNoFile
  uint32_t protection;  ///< PROT_ bits
  uint64_t zero_from;   ///< bytes of the mapping from this address on are cleared; its end: none
};
static_assert(sizeof(MapPart) == 40);

/// What a thread waits for in a deadlock.
enum class WaitsFor : uint32_t {
  kWakeUp = 1,     ///< at `address`
  kMutex = 2,      ///< that `other` holds
  kThreadEnd = 3,  ///< of `other`
};

struct WaitPart {
  uint64_t address;  ///< of the futex
  uint32_t thread;
  uint32_t other;  ///< a thread; of kWakeUp of no meaning
  WaitsFor waits_for;
  uint32_t reserved;
};
static_assert(sizeof(WaitPart) == 24);

struct StartRegisters {
  uint64_t entry;
  uint64_t stack;
  uint64_t ignored;  ///< signals that were ignored from the start (bit number - 1)
  uint64_t blocked;  ///< signals that were blocked
  uint64_t core;     ///< that the program began on, counted from 1, where cpuid was not trapped; 0: it was
};
static_assert(sizeof(StartRegisters) == 40);

/// Where a thread spins: in a loop that comes back to this state with unchanged memory.
struct SpinState {
  static constexpr unsigned kRegisters = 18, kFlags = 17;
  uint64_t registers[kRegisters];  ///< r8-r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, flags
  uint32_t state_hash;             ///< CRC-32C of the x87 and SSE registers and MXCSR
  uint32_t reserved;
};
static_assert(sizeof(SpinState) == 152);

struct FileIdentity {
  uint64_t device;
  uint64_t inode;
  uint64_t bytes;
  int64_t modified_s;
  int64_t modified_ns;
};
static_assert(sizeof(FileIdentity) == 40);

// ---- what a replaying runtime tells its launcher -------------------------------------------------------------------

enum class ReplayState : uint32_t {
  kRunning = 0,  ///< the process ended without a word: it was killed from outside
  kFinished,     ///< the last event was reached and it ended the program
  kLogEnded,     ///< the recording stops before the program's end (it was killed); everything in it was replayed
  kDiverged,     ///< the program did something else than recorded; `said` names it
  kFailed,       ///< the runtime could not go on; `said` names the reason
};

/// The first page of the report file that the launcher shares with a replay.
struct ReplayReport {
  ReplayState state;
  uint32_t memory_differs;  ///< 1: the final memory's hash is not the recorded one
  uint64_t events;          ///< consumed
  uint64_t stream_offset;   ///< of the event at which it ended or diverged
  int64_t exit_status;
  int64_t exit_signal;
  // When diverged: what the program did.
  EventKind actual_kind;
  uint8_t reserved[3];
  uint32_t actual_thread;
  uint32_t actual_check;
  uint32_t actual_number;
  uint64_t actual_arguments[6];
  uint64_t actual_address;  ///< instruction pointer
  char said[256];           ///< one line, NUL-terminated
  // With memory_differs, where that is known: lines of kLineBytes.
  uint64_t differing_lines;
  uint64_t first_differing;       ///< address
  uint64_t differing_heap_lines;  ///< of another plan's replay, which prove nothing
  uint64_t first_differing_in_heap;
};
static_assert(sizeof(ReplayReport) <= 4096);

}  // namespace culprit::format
