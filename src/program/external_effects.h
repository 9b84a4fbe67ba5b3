// What a call of a library function read, wrote and returned, by the table of external functions
// (src/program/external/functions/*.txt; docs/formats.md, "Table of external functions").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::program {

/// What the table has to know of the program to say what a call did.
class CalledMemory {
 public:
  enum class When : uint8_t { kBefore, kAfter };  ///< the call

  virtual ~CalledMemory() = default;
  /// Fills `into` from the program's memory; false when some of it is not known.
  virtual bool read(When when, uint64_t address, std::span<std::byte> into) const = 0;
  /// Characters before the terminator of the string at `address`, where that is known though its bytes are not.
  virtual std::optional<uint64_t> string_length(When, uint64_t) const { return std::nullopt; }
  /// Size of the heap block that starts at `address`, before the call.
  virtual std::optional<uint64_t> block_bytes(uint64_t) const { return std::nullopt; }
  /// Value before the call of a pointer variable of a library: "stdin", "stdout", "stderr".
  virtual std::optional<uint64_t> pointer_variable(std::string_view) const { return std::nullopt; }
};

/// A call as a trace has it. Every argument is one word in the order of the source: floating-point numbers as the bits
/// of a double, those narrower than 64 bits in the low bits (the rest is ignored), long double as any one word,
/// structures passed by value as the words that they are passed in.
struct ExternalCall {
  std::string_view function;            ///< symbol
  std::span<const uint64_t> arguments;  ///< variadic ones at the end
  std::optional<uint64_t> result;       ///< nothing while the call has not returned, or when it returns no word
};

/// A place that a call takes something from, or puts something to.
struct Place {
  enum class Kind : uint8_t {
    kMemory,
    kArgument,  ///< the value of an argument
    kResult,    ///< the returned value
    kState,     ///< what a library or the system keeps, e.g. a stream's position
    kConstant,  ///< nothing of the program: zeros, a character of the function's own
    kOutside,   ///< of an allocation or a start: what did not exist before
  };
  Kind kind = Kind::kConstant;
  uint32_t argument = 0;          ///< kArgument: index
  std::string_view state = {};    ///< kState: its name in the table; lives as long as the program
  std::optional<uint64_t> key{};  ///< kState: which one of them (a FILE *, a descriptor, a lock's address)
  uint64_t address = 0;           ///< kMemory
  /// kMemory: nothing when it is not known how far it goes. kState of an output or input: how many bytes went through.
  std::optional<uint64_t> bytes{};

  bool operator==(const Place&) const = default;
};

enum class EffectKind : uint8_t {
  kRead,    ///< `target` was looked at; what was made of it, other effects say. Sources of copies and outputs are
            ///< not repeated here
  kWrite,   ///< `target` got values computed from `sources`
  kCopy,    ///< `target` got the values of the one source, byte by byte, unchanged
  kFill,    ///< every byte of `target` got the low byte of the one source
  kInput,   ///< `target` (memory or the result) got bytes from the state in `sources`, in order, whose position moved
  kOutput,  ///< bytes went to the state `target`, from `offset` of what the call put out: copies of, or computed from,
            ///< `sources`
  kAllocate,     ///< memory `target` is fresh from `offset` on
  kFree,         ///< the block at `target`.address is gone
  kReturn,       ///< `target` is the result, computed from `sources`
  kReturnCopy,   ///< the result is the one source's value (an argument's) unchanged
  kReturnPoint,  ///< the result points into what the one source (an argument) points at
  kCallback,     ///< the function in `target` (an argument) is called, or will be, with `sources`
  kAcquire,      ///< `target` is a state: lock taken, event waited for; orders this after its last release
  kRelease,
  kStartThread,  ///< like kCallback, in a new thread
  kJoinThread,   ///< `target` is the state of the thread that ended
  kEndProcess,   ///< and the call does not return
  kEndThread,
  kJump,  ///< the call does not return, control goes on where the buffer at `target` was filled
};

struct Effect {
  EffectKind kind = EffectKind::kRead;
  bool certain = true;  ///< false: may have happened; what did not change by it is not known
  bool unchanged =
      false;            ///< kOutput: the bytes are copies of the source's; kCallback: called after this call returned
  uint64_t offset = 0;  ///< kOutput: bytes of this call that went before; kAllocate: of the block, those that stayed
  Place target{};
  std::vector<Place> sources{};
  uint64_t address_arguments = 0;  ///< bit i: argument i decided where `target` and `sources` lie or how far they go
};

/// Whether the table describes the function.
bool is_described(std::string_view function);

/// What a call did, in the order of the function's line. Ranges at the null pointer are left out.
struct CallEffects {
  std::vector<Effect> effects;
  bool complete = true;  ///< false: for some place it could not be told where it lies, and it is missing
};

/// Nothing when the table does not describe the function.
std::optional<CallEffects> effects_of_call(const ExternalCall& call, const CalledMemory& memory);

/// What effects_of_call asks of the memory at a function's arguments (bit i: argument i), for those who note it
/// beforehand.
struct AskedMemory {
  uint64_t strings = 0;  ///< the length of the string there; without its bytes some ranges are upper bounds
  uint64_t changed = 0;  ///< of those: asked as it was before the call, which may write there
  std::array<std::optional<uint32_t>, 64> limits{};  ///< the argument that bounds all looks at the string
  uint64_t pointers = 0;                             ///< a word there, before or after the call
  /// So many whole words from the argument on, each before or after the call; 0 where it is not known how far that
  /// goes.
  std::array<uint8_t, 64> words{};
  std::optional<uint32_t> printf_format;  ///< the format's characters, and the strings that its conversions name
  std::optional<uint32_t> printf_list;    ///< a va_list with what those take
  std::optional<uint32_t> scanf_format;
};

/// Nothing when the table does not describe the function.
std::optional<AskedMemory> asked_memory(std::string_view function);

/// Parameters whose values only say where the memory lies that a described function reads or writes (bit i: i).
uint64_t address_parameters(std::string_view function);

/// Whether control comes straight back from a described function: it calls nothing of the program's, orders no threads
/// and does not jump.
bool returns_straight(std::string_view function);

/// Whether a described function puts bytes elsewhere unchanged.
bool copies_memory(std::string_view function);

/// Whether a described function puts bytes out to a stream or descriptor.
bool puts_bytes_out(std::string_view function);

/// Names of all described functions, ascending.
std::vector<std::string_view> described_functions();

std::string_view name_of(EffectKind kind);
/// "copy [0x7ffe10, +12) from [0x5040, +12)".
std::string effect_text(const Effect& effect);

}  // namespace culprit::program
