// The dependence graph of a trace, as it is kept beside it (docs/formats.md, "Dependence graph").
//
// Nodes have numbers in order of time: those of a block execution follow each other, one for each operation of the
// block and a second for each call (that it was made, beside what it gave). So a source is a distance of 30 bits, and a
// slice a set of bits. Executions lie in chunks that can be read for themselves. Any change bumps kGraphVersion.
#pragma once

#include <cstdint>

namespace culprit::format {

inline constexpr uint32_t kGraphVersion = 12;
inline constexpr char kGraphMagic[8] = {'C', 'U', 'L', 'P', 'G', 'R', 'P', 'H'};

/// Executions of every chunk but the last.
inline constexpr uint32_t kGraphChunkExecutions = 1 << 15;
/// Every so many executions of a chunk have an anchor.
inline constexpr uint32_t kGraphAnchorExecutions = 16;

/// A slot: where a value comes from that the block execution does not make itself.
/// kGraphNone, kGraphLate (see GraphLate), kGraphFar with an index of the chunk's far sources, or a distance:
/// the source's number - the execution's first number + kGraphDistanceBias, and kGraphFromBody.
inline constexpr uint32_t kGraphNone = 0xffffffff;
inline constexpr uint32_t kGraphLate = 0xfffffffe;
inline constexpr uint32_t kGraphFar = uint32_t{1} << 31;
inline constexpr uint32_t kGraphFromBody = uint32_t{1} << 30;  ///< of a call: the return of a body that it entered
inline constexpr uint32_t kGraphDistanceBias = uint32_t{1} << 29;

/// Far sources: a node's number, perhaps with kGraphFarFromBody; or a count with kGraphList, before so many of them; or
/// with kGraphInput the ordinal of a byte of input (GraphInput) that is read there.
inline constexpr uint64_t kGraphList = uint64_t{1} << 63;
inline constexpr uint64_t kGraphFarFromBody = uint64_t{1} << 62;
inline constexpr uint64_t kGraphInput = uint64_t{1} << 61;
/// Of a load, and of an output's bytes: with kGraphPiece a source names in bits 44 to 58, of 5 bits each, the first
/// byte of what is read that comes from there, how many more follow it, and which byte of the source's value the first
/// one is; kGraphWhole: they were computed from all of it. Without it the bytes are the source's from its first on.
inline constexpr uint64_t kGraphPiece = uint64_t{1} << 60;
inline constexpr unsigned kGraphPieceAtShift = 44;
inline constexpr unsigned kGraphPieceCountShift = 49;
inline constexpr unsigned kGraphPieceFromShift = 54;
inline constexpr uint64_t kGraphPieceMask = 31;
inline constexpr uint32_t kGraphWhole = 31;
/// Nodes and ordinals are fewer.
inline constexpr uint64_t kGraphMostNumbers = uint64_t{1} << kGraphPieceAtShift;
inline constexpr uint64_t kGraphNoNumber = ~uint64_t{0};

struct GraphHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint64_t model_identity;
  uint64_t trace_identity;
  uint64_t tail_offset;
  uint64_t tail_bytes;
  uint64_t tail_checksum;  ///< XXH3 64
};
static_assert(sizeof(GraphHeader) == 56);

/// Where an execution begins, counted from the chunk's first.
struct GraphAnchor {
  uint32_t number;
  uint32_t slot;
};
static_assert(sizeof(GraphAnchor) == 8);

struct GraphCount {
  uint32_t block;
  uint32_t executions;
};
static_assert(sizeof(GraphCount) == 8);

struct GraphFrame {
  uint64_t call;  ///< number of the node that it was entered by, or kGraphNoNumber
  uint32_t function;
  uint32_t thread;  ///< with kGraphByNative
};
static_assert(sizeof(GraphFrame) == 16);
inline constexpr uint32_t kGraphByNative = uint32_t{1} << 31;

/// A chunk's three parts follow each other at `offset`; each has a checksum of its own (XXH3 64).
///   dependences: far u64[], anchors GraphAnchor[], blocks u32[executions], slots u32[], zeros up to a multiple of 8
///   counts: GraphCount[], one for each block that it executes
///   frames: GraphFrame[] that begin in it; frame u32[executions], zeros up to a multiple of 8
struct GraphChunk {
  uint64_t offset;
  uint64_t first_number;
  uint64_t dependences_checksum;
  uint64_t counts_checksum;
  uint64_t frames_checksum;
  uint32_t executions;
  uint32_t slots;
  uint32_t far;
  uint32_t counts;
  uint32_t first_frame;
  uint32_t frames;
};
static_assert(sizeof(GraphChunk) == 64);

/// A slot that was filled after its chunk had been written: of a call that went on. Ascending by chunk and slot.
struct GraphLate {
  uint32_t chunk;
  uint32_t slot;
  uint64_t source;  ///< index of the late sources, which are like far ones
};
static_assert(sizeof(GraphLate) == 16);

/// A stretch of an output whose bytes have the same origin.
struct GraphRun {
  uint64_t first_byte;
  uint64_t first_node;
};
static_assert(sizeof(GraphRun) == 16);

struct GraphOutput {
  uint64_t runs;
  uint64_t nodes;
  uint64_t bytes;
  uint64_t lost_at;  ///< number of the call from which on positions are not known, or kGraphNoNumber
};
static_assert(sizeof(GraphOutput) == 32);
inline constexpr uint32_t kGraphOutputs = 2;  ///< standard output, standard error

/// What concerns an input: bytes that came from it, each with an ordinal of its own, or where its next ones will be.
enum class GraphInputKind : uint16_t {
  kArguments,    ///< the program's, each with its terminator; key: the address
  kEnvironment,  ///< the same of the environment
  kBytes,        ///< the next bytes of the input `key`, in order
  kPlaced,       ///< bytes of the input `key` from `argument` on; its position stays
  kConverted,  ///< what a conversion of a scanf took; argument: address of the format, detail: number of the conversion
  kUnplaced,   ///< bytes of an input whose position is not followed
  kOpened,     ///< the input `key` is the file whose path is the text; detail 1, 2: that of the descriptor, stream
               ///< `argument`
  kMoved,      ///< the position is `argument`; detail as of lseek: from the start, from where it is, from the end
  kPutBack,    ///< one byte back
};
inline constexpr uint16_t kGraphInputKinds = 9;

/// Which sort of `key`.
enum class GraphInputState : uint8_t { kDescriptor, kStream, kOther };

struct GraphInput {
  uint64_t call;   ///< number of the node that read it, or kGraphNoNumber
  uint64_t first;  ///< ordinal of the first byte
  uint64_t bytes;  ///< so many ordinals follow each other
  uint64_t key;
  uint64_t argument;
  uint64_t text;  ///< of a path: the ordinal of its first byte with kGraphInput, or an address, or kGraphNoNumber
  uint32_t text_bytes;
  GraphInputKind kind;
  GraphInputState state;
  uint8_t detail;  ///< of bytes: 1: they are the call's value
};
static_assert(sizeof(GraphInput) == 56);

/// A read of a variable that nothing was written to since its activation began, of whose value something was made.
struct GraphUnwritten {
  uint64_t read;      ///< number of the node that read it, or a copy of it
  uint32_t frame;     ///< the activation whose variable it is
  uint32_t variable;  ///< of the program model
};
static_assert(sizeof(GraphUnwritten) == 16);

/// Two operations of two threads accessed the same memory, and nothing ordered them.
struct GraphRace {
  uint64_t first, second;  ///< numbers of their nodes, the last time, in the order of the run
  uint64_t address;        ///< of the word, then
  uint32_t count;          ///< times
  uint32_t flags;          ///< GraphRaceFlags
};
static_assert(sizeof(GraphRace) == 32);
enum GraphRaceFlags : uint32_t { kGraphRaceFirstWrites = 1, kGraphRaceSecondWrites = 2 };

/// An access to the heap outside of blocks that are in use, a release of what is no such block, or an access by one
/// call or operation to more than the variable has that it begins in. Of each operation and block or variable the
/// first.
struct GraphMisuse {
  uint64_t node;       ///< number of who did it
  uint64_t address;    ///< the first wrong byte
  uint64_t block;      ///< where the block, or the variable, begins that is meant
  uint64_t bytes;      ///< of that
  uint64_t allocated;  ///< number of the call that got it, or kGraphNoNumber
  uint64_t freed;      ///< of the one that gave it back; kGraphNoNumber: of nobody's, or it was in use
  uint32_t count;      ///< times
  uint32_t flags;      ///< GraphMisuseFlags
  uint32_t variable;   ///< of the program model; kGraphNoVariable: a block of the heap
  uint32_t frame;      ///< the activation whose variable it is; kGraphNoVariable: a global
};
static_assert(sizeof(GraphMisuse) == 64);
inline constexpr uint32_t kGraphNoVariable = 0xffffffff;
enum GraphMisuseFlags : uint32_t {
  kGraphMisuseWrites = 1,
  kGraphMisuseReleases = 2,
  kGraphMisuseOfFreed = 4,  ///< the block had been given back; else its bounds are left
  /// Of the user stack, below all activations: a variable's that is no more, and of which only the address is told.
  kGraphMisuseOfDeadStack = 8,
  /// Single writes went over the variable in even steps and out of it; `allocated` is the one before.
  kGraphMisuseWalks = 16,
};

/// What a thread did to wait for others, or to let them go on.
enum class GraphWaitKind : uint32_t {
  kWaits,     ///< `node` is a call that orders threads and had not come back when the trace ended
  kHolds,     ///< by the call `node` the lock `address` was taken, and not given back
  kReleases,  ///< the call `node` was the last to let others go on at the state `address`, which was no lock of
              ///< `thread`
  kChanges,   ///< `node` wrote at `address` what `thread`, another one, had read just before the call that it waits in
};

struct GraphWait {
  uint64_t node;     ///< number
  uint64_t address;  ///< 0: not known
  uint32_t thread;
  GraphWaitKind kind;
};
static_assert(sizeof(GraphWait) == 24);

/// Begins the tail; then follow GraphChunk[], GraphLate[], late sources u64[], for each output its GraphRun[] and its
/// nodes u64[] (which may be ordinals of input, as in far sources), GraphInput[] ascending by ordinal,
/// GraphUnwritten[] in order of time, GraphRace[], GraphMisuse[] in order of time, GraphWait[], and the functions
/// without an entry in the table of external functions: lines of count and name.
struct GraphTail {
  uint64_t chunks;
  uint64_t executions;
  uint64_t numbers;  ///< of nodes
  uint64_t frames;
  uint64_t late;
  uint64_t late_sources;
  uint64_t last;  ///< where the run ended: a node's number, or kGraphNoNumber
  uint64_t unknown_bytes;
  GraphOutput outputs[kGraphOutputs];
  uint64_t inputs;  ///< GraphInput
  uint64_t ordinals;
  uint64_t unwritten;  ///< GraphUnwritten
  uint64_t races;      ///< GraphRace
  uint64_t misuses;    ///< GraphMisuse
  uint64_t waits;      ///< GraphWait
};
static_assert(sizeof(GraphTail) == 176);

}  // namespace culprit::format
