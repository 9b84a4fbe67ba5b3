// What calls to the C library read, write and return, as far as dependences need it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace culprit::program {

enum class EffectKind : uint8_t {
  kReads,      ///< the memory at argument `argument`
  kWrites,     ///< the memory at argument `argument`
  kCopies,     ///< from argument `source` to argument `argument`
  kAllocates,  ///< the memory at the result, which is fresh
  kReturns,    ///< the result is argument `argument`
};

enum class ExtentKind : uint8_t {
  kBytes,     ///< `a` bytes
  kArgument,  ///< argument `a` bytes
  kProduct,   ///< arguments `a` and `b` multiplied
  kResult,    ///< as many bytes as the result says; none when it is negative
  kResultOf,  ///< the result times argument `a`
  kString,    ///< up to and with the zero byte
};

struct Extent {
  ExtentKind kind = ExtentKind::kBytes;
  uint32_t a = 0;
  uint32_t b = 0;
};

struct CallEffect {
  EffectKind kind;
  uint8_t argument = 0;
  uint8_t source = 0;
  Extent extent;
};

struct LibraryCall {
  std::string_view name;
  std::vector<CallEffect> effects;
  int format = -1;  ///< number of the argument that is a printf format, or -1
};

/// Null when nothing is known of it.
const LibraryCall* find_library_call(std::string_view name);

/// Which of the first arguments are strings, as bits: those that effects measure.
uint8_t string_arguments(const LibraryCall& call);

}  // namespace culprit::program
