// Memory of a process that stands still.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace culprit {

/// Reads memory from an address; false when part of it is not mapped.
using ProcessMemory = std::function<bool(uint64_t address, std::span<std::byte> into)>;

/// That of a ControlledRun or a Session, which must outlive it.
template <typename Process>
ProcessMemory memory_of(const Process& process) {
  return [&process](uint64_t address, std::span<std::byte> into) { return process.read_memory(address, into); };
}

}  // namespace culprit
