// Calls whose buffers depend on a command word or on nested pointers.
#pragma once

#include "runtime/loader/buffers.h"

namespace culprit::loader {

void special_written(const format::SystemCall& call, const uint64_t* arguments, long result, Extents& to);
void special_read(const format::SystemCall& call, const uint64_t* arguments, long result, Extents& to);

/// The first `bytes` bytes over an iovec array at `vector` with `count` entries.
void add_vector(uint64_t vector, uint64_t count, uint64_t bytes, Extents& to);

}  // namespace culprit::loader
