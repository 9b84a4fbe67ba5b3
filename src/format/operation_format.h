// The dependence tables of the program model (docs/formats.md, "Operations"): per block, in order of execution, what
// each machine-level operation reads, computes and writes. With them and a trace (trace_format.h) every dynamic
// dependence can be found without LLVM.
//
// An operation is one instruction of the unoptimised, placed bitcode. Its value is used by later operations as an
// operand. Variables that are registers in traced bodies are cells: parts of a function's private frame that are always
// accessed as wholes or in runs. All other memory is accessed by address.
#pragma once

#include <cstdint>

namespace culprit::format {

enum class OperationKind : uint8_t {
  kCompute,  ///< a new value from its operands
  /// The value of its operands, perhaps converted: casts, parts of aggregates. detail: its first `bytes` bytes are
  /// those of operand 0 from there on, others are no copies; kNone: not by the byte.
  kCopy,
  kStep,        ///< operand 0 as a pointer, moved by the others
  kChoice,      ///< select: operand 0 decides
  kPhi,         ///< the operand whose `from` is the block that control came from
  kLoad,        ///< access 0
  kStore,       ///< operand 0 to access 0
  kUpdate,      ///< reads and writes access 0 at once
  kCopyMemory,  ///< from access 1 to access 0
  kSetMemory,   ///< a value to access 0
  kCall,        ///< detail: call
  kReturn,
  kBranch,      ///< conditional branch or switch: one event of the trace says which edge
  kLandingPad,  ///< begins a block that unwinding enters
  kUnwind,      ///< passes an exception on
  /// va_start: to access 0; detail: how many of the machine-level arguments are named
  kStartVariadic,
};
inline constexpr uint8_t kOperationKinds = 16;

/// Bits mean something for operations of one kind.
enum OperationFlags : uint8_t {
  kOperationEnters = 1,        ///< call: the callee's body follows in the trace without an event
  kOperationReturnsTwice = 2,  ///< call: each return is named by the activation
  kOperationTail = 4,          ///< call: no event follows, since nothing may come after it in the function
  kOperationIndirect = 8,      ///< call: a pointer decides who is called
  kOperationCleansUp = 1,      ///< branch: it says how the clean-up of a scope goes on, and is in no source
  kOperationBeginsVariable =
      1,                        ///< memory is set to the pattern that a variable holds until something is written to it
  kOperationAtomic = 2,         ///< load, store
  kOperationKeepsBits = 1,      ///< load: of the neighbours of a bit-field, to store them again beside its new value
  kOperationValued = 16,        ///< store, return: a trace with values has what it stores or returns
  kOperationDivides = 16,       ///< computes an integer quotient or remainder; operand 1 is the divisor
  kOperationEquals = 32,        ///< computes whether its operands are equal
  kOperationDiffers = 64,       ///< computes whether they are not
  kOperationNegates = 128,      ///< the opposite of a truth value
  kOperationGivesAddress = 32,  ///< store, return: that is a pointer
  kOperationGivesFloating = 64,  ///< store, return: that is a floating-point number
};

struct OperationRecord {
  uint32_t statement;
  uint32_t first_operand;
  uint32_t first_access;
  uint32_t detail;  ///< by kind, or kNone
  OperationKind kind;
  uint8_t flags;   ///< OperationFlags
  uint16_t bytes;  ///< kCopy; of a store or return with a value, those of the value
};
static_assert(sizeof(OperationRecord) == 20);

enum class OperandKind : uint8_t {
  kConstant,   ///< no dependence: a number, or the address of a variable or function
  kOperation,  ///< value: an operation of the same function
  kArgument,   ///< value: the function's machine-level argument number
};
inline constexpr uint8_t kOperandKinds = 3;

enum class OperandRole : uint8_t {
  kData,
  kAddress,  ///< decides which memory is accessed
  kCallee,   ///< decides who is called
  kChooses,  ///< decides which of the others is the value
};
inline constexpr uint8_t kOperandRoles = 4;

enum OperandFlags : uint16_t {
  kOperandIsNumber = 1,  ///< constant: `value` is the number, as signed 32 bits
  // Arguments of calls that pass variadic ones: where the ABI puts them when there is room, else on the stack.
  kOperandInGeneral = 2,  ///< as many general registers as it has words, or none
  kOperandInVector = 4,   ///< one vector register
  kOperandOnStack = 8,
  kOperandAligned = 16,  ///< on the stack: at a multiple of 16
  // Above them the number of its 8-byte words.
};
inline constexpr uint16_t kOperandPassed = kOperandInGeneral | kOperandInVector | kOperandOnStack;
inline constexpr uint16_t kOperandWordsShift = 5;
inline constexpr uint16_t kOperandMostWords = (1 << (16 - kOperandWordsShift)) - 1;

struct OperandRecord {
  uint32_t value;  ///< by kind
  uint32_t from;   ///< of a phi: block; else kNone
  OperandKind kind;
  OperandRole role;
  uint16_t flags;  ///< OperandFlags, and words
};
static_assert(sizeof(OperandRecord) == 12);

/// Where an access finds its memory.
enum class PlaceKind : uint8_t {
  kCells,     ///< value: first cell
  kFrame,     ///< value: base of the function (BaseRecord); plus offset
  kGlobal,    ///< value: anchor; plus offset
  kRecorded,  ///< value: site, whose latest address in this block execution; plus offset
  kArgument,  ///< value: argument passed by value in memory; plus offset
  kLength,    ///< value: site; no access, but the bytes of the operation's accesses
  kConstant,  ///< memory that is never written
  kIndexed,   ///< value: IndexedRecord; plus offset
  kKept,      ///< no access: value: site, whose address, or number, is base `bytes` from here on
  kMoved,     ///< no access: base `bytes` is base `value` (kNone: 0) plus offset from here on
  // Of va_start, no accesses; value: site, whose address is where the va_list finds
  kSavedArguments,  ///< the registers that arguments may be in
  kStackArguments,  ///< the first variadic argument on the stack
};
inline constexpr uint8_t kPlaceKinds = 12;

enum AccessFlags : uint8_t {
  kAccessReads = 1,
  kAccessWrites = 2,
  kAccessRecorded = 4,    ///< the trace holds the site's address here
  kAccessOfArgument = 8,  ///< call: the callee gets a copy of this memory; `cells` is the argument's number
};

struct AccessRecord {
  int32_t offset;
  uint32_t bytes;  ///< kNone: as the operation's kLength says
  uint32_t value;  ///< by place
  uint16_t cells;  ///< kCells: how many
  PlaceKind place;
  uint8_t flags;  ///< AccessFlags
};
static_assert(sizeof(AccessRecord) == 16);

/// A part of a function's private frame.
struct CellRecord {
  uint32_t offset;
  uint32_t bytes;
};
static_assert(sizeof(CellRecord) == 8);

/// An address that a function records once, at entry, or the value of a variable that it records or derives whenever it
/// changes.
struct BaseRecord {
  uint32_t site;            ///< kNone: of a variable's value
  uint32_t private_offset;  ///< kNone: base of the user frame; kValueBase; else the private slot of the variable
};
static_assert(sizeof(BaseRecord) == 8);
inline constexpr uint32_t kValueBase = 0xfffffffe;

/// A place that depends on a counter: place + (index + addend) * scale.
struct IndexedRecord {
  uint32_t value;  ///< of `place`
  uint32_t index;  ///< base: the counter
  int32_t addend;
  int32_t scale;
  PlaceKind place;  ///< kFrame or kGlobal
  uint8_t flags;    ///< IndexFlags
  uint16_t reserved;
};
static_assert(sizeof(IndexedRecord) == 20);
enum IndexFlags : uint8_t {
  kIndexIs32Bits = 1,  ///< it and its sum with the addend wrap around
  kIndexUnsigned = 2,  ///< of 32 bits: extended with zeros
};

/// A symbol whose address is the same during a run.
struct AnchorRecord {
  uint32_t symbol;  ///< string
};
static_assert(sizeof(AnchorRecord) == 4);

}  // namespace culprit::format
