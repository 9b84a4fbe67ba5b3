#include "base/error.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace culprit {

CorruptData::CorruptData(std::string file, uint64_t offset, const std::string& what_is_wrong)
    : std::runtime_error(fmt::format("{}: at byte {}: {}", file, offset, what_is_wrong)),
      file_(std::move(file)),
      offset_(offset) {}

void assertion_failed(const char* condition, const char* file, int line, const std::string& state) {
  fmt::print(stderr, "culprit: internal error: {}:{}: `{}` does not hold: {}\n", file, line, condition, state);
  std::abort();
}

}  // namespace culprit
