// A hash over several contents, and the hash of a file.
#pragma once

#include <xxhash.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace culprit {

/// XXH3 with 128 bits: finds accidents, not attacks.
class ContentHash {
 public:
  ContentHash();
  /// Adds a content with its length, so that two contents never look like another two.
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  /// 32 hexadecimal digits.
  std::string digest() const;

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

/// Throws UserError when the file cannot be read.
std::string hash_of_file(const std::filesystem::path& path);

}  // namespace culprit
