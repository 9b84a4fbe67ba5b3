#include "build/content_hash.h"

#include <fmt/format.h>

#include "base/file.h"

namespace culprit {

ContentHash::ContentHash() : state_(XXH3_createState()) {
  XXH3_128bits_reset(state_.get());
}

void ContentHash::add(std::span<const std::byte> bytes) {
  const uint64_t size = bytes.size();
  XXH3_128bits_update(state_.get(), &size, sizeof size);
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
}

void ContentHash::add(std::string_view text) {
  add(std::as_bytes(std::span(text)));
}

std::string ContentHash::digest() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string hash_of_file(const std::filesystem::path& path) {
  ContentHash hash;
  hash.add(MappedFile(path).bytes());
  return hash.digest();
}

}  // namespace culprit
