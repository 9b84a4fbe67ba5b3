// Which memory a system call read or wrote, from its description, arguments and result.
#pragma once

#include "format/system_calls.h"

namespace culprit::loader {

struct Extent {
  uint64_t address;
  uint64_t bytes;
};

/// A call's extents; `count` may reach kMost only for calls with very many parts, the rest is then in `truncated`.
struct Extents {
  static constexpr uint32_t kMost = 2200;  ///< two IOV_MAX arrays and the fixed ones
  uint32_t count = 0;
  bool truncated = false;
  Extent list[kMost];

  void clear() { count = 0, truncated = false; }
  void add(uint64_t address, uint64_t bytes) {
    if (address == 0 || bytes == 0) return;
    if (count == kMost) {
      truncated = true;
    } else {
      list[count++] = {address, bytes};
    }
  }
};

/// Words that the kernel overwrites and whose former value bounds what it writes (kPointed): read before the call.
struct Before {
  uint32_t pointed[format::kMaximumBuffers];
};

Before words_before(const format::SystemCall& call, const uint64_t* arguments);

/// Memory written by the call. Reads the program's memory only where the kernel, too, has read it successfully.
void written_extents(const format::SystemCall& call, const uint64_t* arguments, const Before& before, long result,
                     Extents& to);

/// Memory read by the call (only for calls that succeeded).
void read_extents(const format::SystemCall& call, const uint64_t* arguments, long result, Extents& to);

}  // namespace culprit::loader
