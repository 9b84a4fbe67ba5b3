// What a traced program writes, and the trace kept of it (docs/formats.md, "Trace").
//
// Every thread writes one stream of bytes: what cannot be derived from the program model. A reader walks the program's
// blocks alongside: it knows at each place what kind of event comes next, so events need few tags. Plain C++ without
// library headers, because the runtime includes it. Any change bumps kTraceVersion.
#pragma once

#include <cstddef>
#include <cstdint>

namespace culprit::format {

inline constexpr uint32_t kTraceVersion = 13;

/// A thread's stream begins with a turn and, in 8 bytes, the handle that who made the thread got of it (pthread_t).
/// Then comes the first byte of an event wherever the walk waits for control. 0 is the end of the stream.
enum TraceEvent : uint8_t {
  // 1 … kMostEdges: the terminator's edge number kEvent - 1
  kTraceWideEdge = 0xe0,       ///< u32 edge
  kTraceReturned = 0xe1,       ///< a call that entered no body directly came back: TraceReturn
  kTraceEnter = 0xe2,          ///< u32 entry block: native code, or the system, calls a function
  kTraceEnterCalled = 0xe3,    ///< u32 entry block: the pending call calls a function
  kTraceLanding = 0xe4,        ///< u32 activation, u32 block: unwinding arrives
  kTraceReturnedTwice = 0xe5,  ///< u32 activation, then as kTraceReturned
  kTraceTurn = 0xe6,           ///< u64: what follows comes after all of other threads with a smaller number
  kTraceHeap = 0xe7,           ///< TraceHeapChange: native code got a block of the heap or gave one back
};
inline constexpr uint8_t kTraceMostEdges = 0xdf;

/// Told in front of a release, and behind an allocation.
struct TraceHeapChange {
  uint64_t address;
  uint64_t bytes;  ///< of a new block; or kTraceHeapFreed, kTraceHeapKept
};
static_assert(sizeof(TraceHeapChange) == 16);
inline constexpr uint64_t kTraceHeapFreed = ~uint64_t{0};
inline constexpr uint64_t kTraceHeapKept = ~uint64_t{1};  ///< the release that was told last did not happen

/// u32 operation, u64 result, u8 number of arguments, perhaps with kTraceHasWords, u16 mask of arguments that are
/// strings; then the arguments, 8 bytes each (floating-point numbers as doubles), and for each string 4 bytes: its
/// length; with kTraceHasWords u8 number of words and those: a TraceWord each.
inline constexpr uint32_t kTraceMostArguments = 16;
inline constexpr uint8_t kTraceHasWords = 0x80;

/// Memory as it was before the call, or after it. Of a call that takes a va_list: the list's three words first, then
/// the arguments in it that the format names. Of others what the table of external functions asks of objects that they
/// are given, such as a std::string's pointer and size.
struct TraceWord {
  uint64_t address;
  uint64_t word;
  uint32_t length;  ///< of the string that the word points at; kTraceNoString
  uint32_t after;   ///< 1: as the call left it
};
static_assert(sizeof(TraceWord) == 24);
inline constexpr uint32_t kTraceNoString = 0xffffffff;
inline constexpr uint32_t kTraceListWords = 3;
inline constexpr uint32_t kTraceMostWords = 35;

/// What is the same each time that a call to native code returns; a constant of the program.
struct TraceCall {
  uint32_t operation;
  uint16_t strings;  ///< arguments that are strings, a bit each
  uint8_t count;     ///< of arguments
  uint8_t changed;   ///< the string that the call itself changes, measured before it; or kTraceNoArgument
  uint8_t limits[kTraceMostArguments];  ///< per string the argument that says where it ends at the latest
  uint8_t format;                       ///< the argument that is the format of `list`
  uint8_t list;                         ///< the argument that is a va_list; or kTraceNoArgument
  uint16_t flags;                       ///< TraceCallFlags
};
static_assert(sizeof(TraceCall) == 28);
enum TraceCallFlags : uint16_t {
  kTraceMakesThread = 1,  ///< when it succeeds, argument 0 points at the handle of a new thread: a TraceWord has it
};
/// Above the flags, two bits for each of the first arguments: so many words there are noted before and after the call.
inline constexpr unsigned kTraceNotedShift = 4, kTraceNotedBits = 2;
inline constexpr uint16_t kTraceNotedMask = 3;
inline constexpr uint32_t kTraceNotedArguments = 5;

inline constexpr uint32_t noted_words(uint16_t flags, uint32_t argument) {
  return static_cast<uint32_t>(flags >> (kTraceNotedShift + argument * kTraceNotedBits)) & kTraceNotedMask;
}
inline constexpr uint8_t kTraceNoArgument = 0xff;
/// A string is not measured further.
inline constexpr uint32_t kTraceLongestString = 1 << 20;

/// An address where the walk waits for one: a byte d from 2 to kTraceMostDelta is the site's previous address + d -
/// kTraceDeltaBias; kTraceAbsolute is followed by the 8 bytes of the address. A site's first previous address is 0.
/// What is larger is another event: a signal's handler was entered before the access.
inline constexpr uint8_t kTraceAbsolute = 1;
inline constexpr uint8_t kTraceMostDelta = kTraceMostEdges;
inline constexpr int kTraceDeltaBias = 112;

/// A value behind the addresses of a store that is kOperationValued, as 64 bits with sign (floating-point numbers:
/// their bits): a byte d from 2 on is d - kTraceDeltaBias; kTraceAbsolute is followed by the 8 bytes.

/// A thread's buffer: a shared mapping, so that what was written survives the program. Written chunks are zeroed.
struct TraceBuffer {
  char magic[8];
  uint32_t version;
  uint32_t thread;    ///< from 0
  uint64_t sequence;  ///< number of the chunk that is being written
  uint64_t reserved[5];
};
static_assert(sizeof(TraceBuffer) == 64);
inline constexpr char kTraceBufferMagic[8] = {'C', 'U', 'L', 'P', 'T', 'B', 'U', 'F'};

/// Events go up to kTraceChunkBytes; no stretch of code without a check writes more than kTraceSlackBytes.
inline constexpr uint32_t kTraceChunkBytes = 256 * 1024;
inline constexpr uint32_t kTraceSlackBytes = 64 * 1024;
inline constexpr uint32_t kTraceBufferBytes = sizeof(TraceBuffer) + kTraceChunkBytes + kTraceSlackBytes;

/// In front of every chunk, in the pipe and in the file.
struct TraceChunk {
  char magic[4];
  uint32_t codec;  ///< TraceCodec; plain in the pipe
  uint32_t thread;
  uint32_t plain_bytes;
  uint32_t stored_bytes;
  uint32_t reserved;
  uint64_t sequence;  ///< per thread from 0
  uint64_t checksum;  ///< XXH3 64 of the stored bytes; 0 in the pipe
};
static_assert(sizeof(TraceChunk) == 40);
inline constexpr char kTraceChunkMagic[4] = {'C', 'T', 'C', 'H'};
enum TraceCodec : uint32_t { kTracePlain, kTraceZstd };

enum class TraceContents : uint32_t {
  kAll,
  kPath,    ///< no addresses, no arguments of native calls; those that come straight back have no event
  kValues,  ///< all, and what stores store
};

/// Whether a call with these OperationFlags goes straight to native code and comes back once.
inline constexpr bool is_straight_call(uint8_t operation_flags) {
  return operation_flags == 0;
}

/// The chunks' file.
struct TraceHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint64_t model_identity;
  TraceContents contents;
  uint32_t begins_late;  ///< 1: there is a file kTraceStart
};
static_assert(sizeof(TraceHeader) == 32);
inline constexpr char kTraceMagic[8] = {'C', 'U', 'L', 'P', 'T', 'R', 'C', 'E'};

/// What an activation tells of itself, so that a trace can begin in the middle of it: in its machine frame, chained
/// from the innermost outwards by ThreadState::trace_frames. Behind it, 8 bytes each, the function's bases in the
/// model's order: their addresses, and of kept variables the values.
struct TraceFrame {
  const TraceFrame* caller;
  uint32_t entry_block;  ///< of its function
  uint32_t call;         ///< operation that it is calling
  uint32_t activation;   ///< as in kTraceLanding, or 0
  uint32_t bases;        ///< how many
};
static_assert(sizeof(TraceFrame) == 24);

/// Of a trace that begins late: the main thread as it stood then. Behind it the latest address of every site, then, the
/// innermost first, each activation: a TraceBegun and its bases.
struct TraceStart {
  char magic[8];
  uint32_t version;
  uint32_t sites;
  uint64_t skipped;   ///< parts of kTraceSkipBytes of events that are not in the trace
  uint32_t numbered;  ///< ThreadState::trace_activations
  uint32_t place;     ///< of the innermost: the block that begins, or with kTraceBehindCall the call that came back
  uint64_t activations;
};
static_assert(sizeof(TraceStart) == 40);
inline constexpr char kTraceStartMagic[8] = {'C', 'U', 'L', 'P', 'T', 'B', 'E', 'G'};
inline constexpr uint32_t kTraceBehindCall = uint32_t{1} << 31;
struct TraceBegun {
  uint32_t entry_block;
  uint32_t call;  ///< the operation that it is calling; of the innermost it says nothing
  uint32_t activation;
  uint32_t bases;
};
static_assert(sizeof(TraceBegun) == 16);

/// Addresses that every trace has; 0: the program has no such thing.
enum TraceAddress : uint32_t {
  kTraceImage,  ///< the executable's ELF header
  kTraceStdin,  ///< the streams themselves
  kTraceStdout,
  kTraceStderr,
  kTraceCout,
  kTraceCerr,
  kTraceClog,
  kTraceArguments,    ///< the text of the first argument; those of the others follow it
  kTraceEnvironment,  ///< the text of the first variable of the environment, behind the arguments' texts
  kTraceTextsEnd,     ///< behind the last of those
  kTraceAddresses,    ///< how many
};

/// Names in the folder that the environment variable names.
inline constexpr const char* kTraceVariable = "CULPRIT_TRACE";
/// Set beside it: blocks that the program gives back are not given out again, up to so many bytes.
inline constexpr const char* kTraceKeepsFreedVariable = "CULPRIT_TRACE_KEEPS_FREED";
inline constexpr uint64_t kTraceKeptBytes = uint64_t{512} << 20;
inline constexpr const char* kTracePipe = "pipe";
inline constexpr const char* kTraceBufferPrefix = "buffer-";
/// u64 each: in the order of TraceAddress, then the addresses of the model's anchors in their order.
inline constexpr const char* kTraceAnchors = "anchors";
/// u64, mapped by the program: so many parts of kTraceSkipBytes of the main thread's events are not to be kept; there
/// is none when it is the whole run. While they are skipped, TraceBuffer::sequence counts them. It may be changed while
/// the program runs.
inline constexpr const char* kTraceSkip = "skip";
inline constexpr uint32_t kTraceSkipBytes = 1 << 16;
inline constexpr const char* kTraceStartFile = "start";

// Symbols.
inline constexpr const char* kTraceFullSymbol = "culprit_trace_full";
inline constexpr const char* kTraceFullAtSymbol = "culprit_trace_full_at";
inline constexpr const char* kTraceReturnedSymbol = "culprit_trace_returned";
inline constexpr const char* kTraceMeasureSymbol = "culprit_trace_measure";
inline constexpr const char* kTraceListSymbol = "culprit_trace_list";
inline constexpr const char* kTraceReturnedListSymbol = "culprit_trace_returned_list";
inline constexpr const char* kTraceHeapSymbol = "culprit_trace_heap";
inline constexpr const char* kTraceReturnedTwiceSymbol = "culprit_trace_returned_twice";
inline constexpr const char* kTraceAnchorsSymbol = "culprit_trace_anchors";           ///< addresses
inline constexpr const char* kTraceAnchorCountSymbol = "culprit_trace_anchor_count";  ///< u32
inline constexpr const char* kTraceSiteCountSymbol = "culprit_trace_site_count";      ///< u32
/// Appended to the name of an observed body that a function enters which tells the trace; that one takes its name.
inline constexpr const char* kTracedSuffix = ".traced";

}  // namespace culprit::format
