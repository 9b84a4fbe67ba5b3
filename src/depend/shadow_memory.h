// Who wrote each byte of memory last.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "depend/definition.h"

namespace culprit::depend {

/// One 64-bit definition a byte; kept in pages that exist once something in them is written.
class ShadowMemory {
 public:
  static constexpr uint64_t kUndefined = definition::kUndefined;

  void define(uint64_t address, uint64_t bytes, uint64_t definition) {
    for (; bytes > 0;) {
      uint64_t* page = page_of(address, true);
      const uint64_t offset = address % kPageBytes;
      const uint64_t here = bytes < kPageBytes - offset ? bytes : kPageBytes - offset;
      for (uint64_t each = 0; each < here; ++each) page[offset + each] = definition;
      address += here;
      bytes -= here;
    }
  }
  /// The same with the bytes' numbers in the value that `definition` begins.
  void define_value(uint64_t address, uint64_t bytes, uint64_t definition) {
    const uint64_t offset = address % kPageBytes;
    if (bytes > definition::kWhole || bytes > kPageBytes - offset) {
      for (uint64_t each = 0; each < bytes; ++each) define(address + each, 1, definition::advanced(definition, each));
      return;
    }
    uint64_t* at = page_of(address, true) + offset;
    for (uint64_t each = 0; each < bytes; ++each) at[each] = definition + (each << definition::kByteShift);
  }
  uint64_t at(uint64_t address) {
    const uint64_t* page = page_of(address, false);
    return page ? page[address % kPageBytes] : kUndefined;
  }
  /// Whether `bytes` from `address` on, at least 1, are those of one value from its first on, or have the same
  /// definition, and lie in one page: then it is `definition`.
  bool same(uint64_t address, uint64_t bytes, uint64_t& definition) {
    const uint64_t offset = address % kPageBytes;
    if (bytes > kPageBytes - offset) return false;
    const uint64_t* page = page_of(address, false);
    definition = page ? page[offset] : kUndefined;
    if (!page) return true;
    if (definition != kUndefined && (definition & definition::kByteMask) != 0) return false;
    uint64_t differs = 0, in_order = bytes > definition::kWhole ? 1 : 0;
    for (uint64_t each = 1; each < bytes; ++each) {
      differs |= page[offset + each] ^ definition;
      in_order |= page[offset + each] ^ (definition + (each << definition::kByteShift));
    }
    return differs == 0 || in_order == 0;
  }

 private:
  static constexpr uint64_t kPageBytes = 1024;
  static constexpr uint64_t kCached = 1024;
  struct Cached {
    uint64_t number = ~uint64_t{0};
    uint64_t* page = nullptr;
  };

  uint64_t* page_of(uint64_t address, bool make) {
    const uint64_t number = address / kPageBytes;
    Cached& cached = cache_[number % kCached];
    if (cached.number == number) return cached.page;
    auto at = pages_.find(number);
    if (at == pages_.end()) {
      if (!make) return nullptr;
      at = pages_.emplace(number, std::make_unique<uint64_t[]>(kPageBytes)).first;
      for (uint64_t each = 0; each < kPageBytes; ++each) at->second[each] = kUndefined;
    }
    cached = {number, at->second.get()};
    return cached.page;
  }

  std::unordered_map<uint64_t, std::unique_ptr<uint64_t[]>> pages_;
  Cached cache_[kCached];
};

}  // namespace culprit::depend
