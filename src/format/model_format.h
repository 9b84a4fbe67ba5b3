// The program model's file (docs/formats.md, "Program model"): written once per build, mapped and read without LLVM.
//
// A ModelHeader, `section_count` ModelSections, then the sections' bytes, each starting at a multiple of 8. Every
// section is an array of fixed-size records (strings: single bytes), stored as they are or as one zstd frame. Little
// endian.
//
// References are 32-bit indices into another section; kNone means "no such". A reference to a string is the offset of
// its first byte in the string section; strings end in a zero byte and offset 0 is the empty string. A member called
// `first_x` starts a run that ends where the next record's run starts; such sections end in one extra record (sentinel)
// that holds only the ends of the runs.
#pragma once

#include <cstdint>

#include "format/operation_format.h"

namespace culprit::format {

inline constexpr char kModelMagic[8] = {'C', 'U', 'L', 'P', 'M', 'O', 'D', 'L'};
inline constexpr uint32_t kModelVersion = 12;
inline constexpr uint32_t kModelAlignment = 8;
inline constexpr uint32_t kNone = 0xffffffff;

struct ModelHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;  ///< sizeof(ModelHeader) of the writer
  uint64_t file_bytes;    ///< whole file
  uint64_t checksum;      ///< XXH3 64 of everything after the header
  uint64_t identity;      ///< XXH3 64 of all records as they are in memory: equal models have equal identities
  uint32_t section_count;
  uint32_t reserved;
};
static_assert(sizeof(ModelHeader) == 48);

/// In the order of the file; a file holds each exactly once.
enum class ModelSectionKind : uint32_t {
  kStrings,
  kFiles,
  kFunctions,  ///< sentinel
  kBlocks,     ///< sentinel
  kEdges,
  kCaseValues,
  kStatements,
  kCalls,
  kScopes,
  kVariables,
  kTypes,  ///< sentinel
  kMembers,
  kLoops,  ///< sentinel
  kLoopHeaders,
  kControlDependences,
  kOperations,  ///< sentinel
  kOperands,
  kAccesses,
  kCells,
  kBases,
  kAnchors,
  kIndexedPlaces,
};
inline constexpr uint32_t kModelSectionKinds = 22;

enum class ModelEncoding : uint32_t { kPlain, kZstd };

struct ModelSection {
  ModelSectionKind kind;
  ModelEncoding encoding;
  uint32_t record_bytes;
  uint32_t reserved;
  uint64_t offset;  ///< from the start of the file
  uint64_t stored_bytes;
  uint64_t records;
};
static_assert(sizeof(ModelSection) == 40);

struct FileRecord {
  uint32_t directory;  ///< string: compilation directory
  uint32_t name;       ///< string: as the compiler was given it, absolute or relative to `directory`
};
static_assert(sizeof(FileRecord) == 8);

enum FunctionFlags : uint32_t {
  kFunctionNative = 1,        ///< no body here: from a library or an object without bitcode; has no blocks
  kFunctionAddressTaken = 2,  ///< may be the target of an indirect call
  kFunctionExported = 4,      ///< visible to other modules
  kFunctionVariadic = 8,
  kFunctionArtificial = 16,  ///< made by the compiler, e.g. an implicit constructor
  kFunctionNoReturn = 32,
  kFunctionReturnsTwice = 64,  ///< setjmp and its like
  kFunctionUnobserved = 128,   ///< has blocks, but traced bodies call it like a native one
  kFunctionResumes = 256,      ///< control can come back into an activation by unwinding or a second return
  kFunctionGrowsFrame = 512,   ///< its user frame has arrays without a constant size, below its base
};

struct FunctionRecord {
  uint32_t linkage_name;    ///< string: the symbol
  uint32_t name;            ///< string: as in the source, without qualification; the symbol when there is no debug info
  uint32_t qualifier;       ///< string: enclosing namespaces and classes, e.g. "Json::Reader"
  uint32_t file;            ///< file or kNone
  uint32_t line;            ///< of the definition; 0 when unknown
  uint32_t type;            ///< a function type, or kNone
  uint32_t signature;       ///< string: machine-level signature, what an indirect call's signature is compared with
  uint32_t flags;           ///< FunctionFlags
  uint32_t first_block;     ///< the first one is the entry
  uint32_t first_scope;     ///< the first one is the function's own
  uint32_t first_variable;  ///< parameters and locals; what follows the last function's are the globals
  uint32_t first_loop;
  uint32_t first_cell;
  uint32_t first_base;
};
static_assert(sizeof(FunctionRecord) == 56);

struct BlockRecord {
  uint32_t first_statement;
  uint32_t first_edge;                ///< its outgoing edges
  uint32_t first_dependence;          ///< the edges that it is directly control dependent on
  uint32_t immediate_post_dominator;  ///< block, or kNone for the virtual exit
  uint32_t innermost_loop;            ///< loop or kNone
  uint32_t first_operation;
};
static_assert(sizeof(BlockRecord) == 24);

enum class EdgeKind : uint32_t {
  kAlways,
  kTrue,  ///< the branch's condition holds
  kFalse,
  kCase,  ///< the switch's value is the case value
  kDefault,
  kReturned,  ///< an invoke's callee returned
  kUnwound,   ///< an exception leaves the callee, or is passed on by a catch switch
  kLabel,     ///< a jump out of inline assembly, or an indirect branch
};

struct EdgeRecord {
  uint32_t target;   ///< block
  uint32_t meaning;  ///< EdgeKind in the low 3 bits, above them the index of the case value
};
static_assert(sizeof(EdgeRecord) == 8);
inline constexpr uint32_t kEdgeKindBits = 3;

struct CaseValueRecord {
  int64_t value;  ///< sign-extended; a case wider than 64 bits keeps the low 64
};
static_assert(sizeof(CaseValueRecord) == 8);

enum class StatementKind : uint8_t {
  kExpression,  ///< a value used in other blocks only
  kAssignment,  ///< writes memory; detail: the variable when it is written directly
  kCall,        ///< detail: call
  kBranch,      ///< conditional
  kSwitch,
  kJump,  ///< break, continue, goto, or the end of a loop body
  kReturn,
  kUnreachable,  ///< control never gets past here
  kUnwind,       ///< passes an exception on
  kPrologue,     ///< parameters get their homes
};
inline constexpr uint8_t kStatementKinds = 10;

enum StatementFlags : uint8_t {
  kStatementLoads = 1,   ///< reads memory or a variable
  kStatementStores = 2,  ///< writes memory or a variable
};

struct StatementRecord {
  uint32_t line;    ///< 0 when the compiler gave none
  uint16_t column;  ///< 0 when unknown or above 65,535
  StatementKind kind;
  uint8_t flags;    ///< StatementFlags
  uint32_t scope;   ///< innermost scope: gives file, function and the variables in reach
  uint32_t detail;  ///< by kind, or kNone
};
static_assert(sizeof(StatementRecord) == 16);

enum class CallKind : uint8_t { kDirect, kIndirect, kAssembly };
inline constexpr uint8_t kCallKinds = 3;

struct CallRecord {
  uint32_t statement;
  uint32_t callee;     ///< function when direct, else kNone
  uint32_t signature;  ///< string: of the call site
  CallKind kind;
  uint8_t reserved;
  uint16_t arguments;
};
static_assert(sizeof(CallRecord) == 16);

enum class ScopeKind : uint8_t {
  kFunction,
  kBlock,            ///< braces
  kInlinedCall,      ///< a call replaced by the callee's body: position of the call
  kInlinedFunction,  ///< that callee; parent is the kInlinedCall
};
inline constexpr uint8_t kScopeKinds = 4;

struct ScopeRecord {
  uint32_t parent;  ///< scope of the same function with a lower index, or kNone
  uint32_t file;    ///< file or kNone
  uint32_t line;    ///< where it begins
  uint16_t column;
  ScopeKind kind;
  uint8_t reserved;
  uint32_t name;  ///< string: kInlinedFunction's function
};
static_assert(sizeof(ScopeRecord) == 20);

/// Where a variable lives.
enum class HomeKind : uint8_t {
  kUnknown,      ///< nowhere in memory, e.g. a compile-time constant
  kPrivateSlot,  ///< offset: slot; a register in fast and traced bodies
  kUserStack,    ///< offset: bytes from the function's user stack frame
  kGlobal,       ///< symbol + offset
  kThreadLocal,  ///< symbol + offset
  kArgument,     ///< only as the machine-level argument number `offset`
  kStack,        ///< in the machine's stack frame: not placed (native layout)
  kPointee,      ///< where the machine-level argument number `offset` points (passed by value in memory)
  kIndirect,     ///< the private slot `offset` holds its address
  kComputed,     ///< at an address computed while running (variable-length array)
};
inline constexpr uint8_t kHomeKinds = 10;

enum VariableFlags : uint8_t {
  kVariableParameter = 1,
  kVariableArtificial = 2,   ///< made by the compiler: this, __range, VLA bounds
  kVariableStaticLocal = 4,  ///< a global whose scope is a function's
};

struct VariableRecord {
  uint32_t name;    ///< string; globals: qualified
  uint32_t type;    ///< type, or kNone
  uint32_t scope;   ///< scope; kNone for globals
  uint32_t file;    ///< of the declaration, or kNone
  uint32_t line;    ///< of the declaration
  uint32_t symbol;  ///< string: globals
  HomeKind home;
  uint8_t flags;      ///< VariableFlags
  uint16_t argument;  ///< position among the source's parameters from 1; 0: not a parameter
  uint32_t reserved;
  int64_t offset;  ///< by home
};
static_assert(sizeof(VariableRecord) == 40);

enum class TypeKind : uint8_t {
  kBase,
  kPointer,
  kReference,
  kRvalueReference,
  kMemberPointer,  ///< base: what is pointed at; the class is not kept
  kConst,
  kVolatile,
  kRestrict,
  kAtomic,
  kTypedef,
  kStruct,
  kClass,
  kUnion,
  kVariant,
  kEnumeration,  ///< base: underlying type
  kArray,        ///< one dimension; base: element
  kVector,       ///< SIMD
  kFunction,     ///< base: result; members: parameters
  kUnspecified,  ///< e.g. decltype(nullptr)
};
inline constexpr uint8_t kTypeKinds = 19;

enum class BaseEncoding : uint8_t {
  kNotBase,
  kBoolean,
  kSigned,
  kUnsigned,
  kSignedCharacter,
  kUnsignedCharacter,
  kUnicodeCharacter,
  kFloat,
  kComplex,
  kOther,
};
inline constexpr uint8_t kBaseEncodings = 10;

enum TypeFlags : uint16_t {
  kTypeIncomplete = 1,  ///< declared only
  kTypeVariadic = 2,    ///< function type with "..."
  kTypeScoped = 4,      ///< enum class
};

inline constexpr uint64_t kUnknownCount = ~uint64_t{0};

struct TypeRecord {
  uint32_t name;  ///< string: qualified; empty for types that have none
  uint32_t base;  ///< by kind; kNone is void
  uint32_t first_member;
  TypeKind kind;
  BaseEncoding encoding;
  uint16_t flags;  ///< TypeFlags
  uint64_t bits;   ///< size; 0 when unknown
  uint64_t count;  ///< elements of arrays and vectors; kUnknownCount: flexible or variable
};
static_assert(sizeof(TypeRecord) == 32);

enum class MemberKind : uint8_t { kField, kBase, kVirtualBase, kStatic, kParameter, kEnumerator, kVirtualTable };
inline constexpr uint8_t kMemberKinds = 7;

enum MemberFlags : uint8_t {
  kMemberBitfield = 1,
  kMemberArtificial = 2,
};

struct MemberRecord {
  uint32_t name;  ///< string
  uint32_t type;  ///< type; kNone: void, or an enumerator
  uint32_t bits;  ///< size of a bit-field
  MemberKind kind;
  uint8_t flags;  ///< MemberFlags
  uint16_t reserved;
  int64_t value;  ///< fields and bases: offset in bits; enumerators: value; virtual bases: offset in the virtual table
};
static_assert(sizeof(MemberRecord) == 24);

enum LoopFlags : uint32_t {
  kLoopNatural = 1,  ///< exactly one header, which dominates the loop
};

struct LoopRecord {
  uint32_t parent;  ///< enclosing loop (of a lower index), or kNone
  uint32_t first_header;
  uint32_t naturalising_header;  ///< block whose incoming edges alone break all cycles through headers, or kNone
  uint32_t flags;                ///< LoopFlags
};
static_assert(sizeof(LoopRecord) == 16);

struct LoopHeaderRecord {
  uint32_t block;
};
static_assert(sizeof(LoopHeaderRecord) == 4);

struct ControlDependenceRecord {
  uint32_t edge;
};
static_assert(sizeof(ControlDependenceRecord) == 4);

}  // namespace culprit::format
