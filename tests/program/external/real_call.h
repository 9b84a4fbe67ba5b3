// Calls of real library functions on memory that is watched: what the table says of them is checked against what they
// do.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "program/external/table.h"

namespace culprit::program::external {

/// An argument of a call under test. Texts, buffers and cells lie in the watched memory with canaries around them.
struct Text {
  std::string bytes;   ///< its terminator is added
  bool fixed = false;  ///< not to be changed when it is tried which bytes matter (formats, structures with pointers)
};
struct Bytes {
  std::string bytes;
  bool fixed = false;
};
struct Buffer {
  size_t bytes;  ///< filled with canaries
};
struct Cell {
  size_t argument;  ///< a pointer to the place of this earlier argument
};
struct Same {
  size_t argument;  ///< that earlier argument's place again
  int64_t offset = 0;
};
struct CxxString {
  std::string text;  ///< of a std::string whose characters lie inside: at most 15
};
struct Vectors {
  std::vector<std::pair<size_t, uint64_t>> buffers;  ///< struct iovec: earlier arguments and sizes
};
struct Descriptor {
  std::string text;  ///< of a file that is open at its start
};
struct Input {
  std::string text;  ///< a FILE * that reads it
};
struct Sink {};  ///< a FILE * whose output is kept
using Callback = int (*)(const void*, const void*);
using Argument = std::variant<int64_t, double, Text, Bytes, Buffer, Cell, Same, CxxString, Vectors, Descriptor, Input,
                              Sink, Callback>;

struct RealCall {
  std::string function;
  std::vector<Argument> arguments;
  void (*before)() = nullptr;  ///< sets hidden state up
};

/// For test names.
void PrintTo(const RealCall& call, std::ostream* out);

/// Makes the call again and again with changed memory. A line for everything that contradicts the table.
std::vector<std::string> contradictions(const RealCall& call, const Table& table);

}  // namespace culprit::program::external
