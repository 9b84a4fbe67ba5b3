#include "runtime/loader/memory_hash.h"

#include "format/crc32c.h"
#include "runtime/loader/runtime.h"

namespace culprit::loader {
namespace {

// Bits of /proc/self/pagemap.
constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62, kFileOrShared = uint64_t{1} << 61;

bool all_zero(const uint64_t* words) {
  uint64_t any = 0;
  for (uint64_t each = 0; each < kPage / 8; ++each) any |= words[each];
  return any == 0;
}

/// One range of /proc/self/maps that can be read and written.
uint32_t hash_range(uint32_t hash, int pagemap, uint64_t low, uint64_t high) {
  static uint64_t entries[512];
  for (uint64_t page = low; page < high;) {
    uint64_t count = (high - page) / kPage;
    if (count > 512) count = 512;
    const long got = raw(__NR_pread64, pagemap, word(entries), count * 8, page / kPage * 8);
    if (got <= 0) return hash;
    const uint64_t here = static_cast<uint64_t>(got) / 8;
    for (uint64_t each = 0; each < here; ++each, page += kPage) {
      if (!(entries[each] & (kPresent | kSwapped)) || (entries[each] & kFileOrShared)) continue;
      if (all_zero(reinterpret_cast<const uint64_t*>(page))) continue;
      hash = format::crc32c(hash, &page, sizeof page);
      hash = format::crc32c(hash, reinterpret_cast<const void*>(page), kPage);
    }
  }
  return hash;
}

/// Reads /proc/self/maps line by line.
class MapLines {
 public:
  explicit MapLines(int fd) : fd_(fd) {}
  bool next(uint64_t& low, uint64_t& high, bool& writable) {
    int character = get();
    if (character < 0) return false;
    low = high = 0;
    uint64_t* number = &low;
    for (; character >= 0 && character != ' '; character = get()) {
      if (character == '-') {
        number = &high;
      } else {
        *number = *number * 16 + static_cast<uint64_t>(character <= '9' ? character - '0' : character - 'a' + 10);
      }
    }
    const bool reads = get() == 'r';
    writable = get() == 'w' && reads;
    while (character >= 0 && character != '\n') character = get();
    return true;
  }

 private:
  int get() {
    if (at_ == filled_) {
      const long got = raw(__NR_read, fd_, word(buffer_), sizeof buffer_);
      if (got <= 0) return -1;
      at_ = 0;
      filled_ = static_cast<size_t>(got);
    }
    return static_cast<unsigned char>(buffer_[at_++]);
  }
  int fd_;
  size_t at_ = 0, filled_ = 0;
  char buffer_[4096];
};

}  // namespace

uint32_t hash_program_memory() {
  if (runtime.mode == Mode::kPass) return 0;
  const long maps = raw(__NR_openat, AT_FDCWD, word("/proc/self/maps"), O_RDONLY | O_CLOEXEC, 0);
  const long pagemap = raw(__NR_openat, AT_FDCWD, word("/proc/self/pagemap"), O_RDONLY | O_CLOEXEC, 0);
  uint32_t hash = 0;
  const bool readable = !failed(maps) && !failed(pagemap);
  if (readable) {
    MapLines lines(static_cast<int>(maps));
    uint64_t low, high;
    bool writable;
    while (lines.next(low, high, writable)) {
      const bool own = high > kRuntimeLow && low < kRuntimeHigh;
      if (writable && !own && high <= kProgramHigh) hash = hash_range(hash, static_cast<int>(pagemap), low, high);
    }
  }
  if (!failed(maps)) raw(__NR_close, maps);
  if (!failed(pagemap)) raw(__NR_close, pagemap);
  return readable && hash == 0 ? 1 : hash;
}

}  // namespace culprit::loader
