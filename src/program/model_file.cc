#include "program/model_file.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <array>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "program/check_model.h"

namespace culprit::program {
namespace {

using format::kModelAlignment;
using format::ModelEncoding;
using format::ModelHeader;
using format::ModelSection;

constexpr int kCompressionLevel = 3;
/// Below this many bytes a section is stored as it is.
constexpr size_t kSmallestCompressed = 1024;
/// zstd cannot expand more than this much, so a larger claim is damage and is not allocated.
constexpr uint64_t kGreatestExpansion = 131'072;

uint64_t aligned(uint64_t offset) {
  return (offset + kModelAlignment - 1) / kModelAlignment * kModelAlignment;
}

template <typename Record>
std::span<const std::byte> bytes_of(const std::vector<Record>& table) {
  return std::as_bytes(std::span(table));
}

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
  out.resize(aligned(out.size()));
}

/// The zstd frame of `bytes`, or nothing when that saves less than an eighth.
std::vector<std::byte> compressed(std::span<const std::byte> bytes) {
  if (bytes.size() < kSmallestCompressed) return {};
  std::vector<std::byte> frame(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), kCompressionLevel);
  CULPRIT_ASSERT(!ZSTD_isError(size), ZSTD_getErrorName(size));
  if (size > bytes.size() - bytes.size() / 8) return {};
  frame.resize(size);
  return frame;
}

class Loader {
 public:
  Loader(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  LoadedModel load() {
    read_header();
    uint32_t index = 0;
    for_each_section(model_.sections, [&](format::ModelSectionKind kind, auto& view) { read(kind, index++, view); });
    model_.identity = header_.identity;
    check_model(model_.sections, name_);
    return std::move(model_);
  }

 private:
  [[noreturn]] void fail(uint64_t offset, const std::string& what) const { throw CorruptData(name_, offset, what); }

  void read_header() {
    if (bytes_.size() < sizeof(ModelHeader)) fail(bytes_.size(), "ends within the header of a program model");
    std::memcpy(&header_, bytes_.data(), sizeof(header_));
    if (std::memcmp(header_.magic, format::kModelMagic, sizeof(header_.magic)) != 0) fail(0, "is no program model");
    if (header_.version != format::kModelVersion || header_.header_bytes != sizeof(ModelHeader)) {
      fail(8, fmt::format("is a program model of version {}, this Culprit reads version {}", header_.version,
                          format::kModelVersion));
    }
    if (header_.file_bytes != bytes_.size()) {
      fail(bytes_.size(), fmt::format("has {} bytes, its header says {}", bytes_.size(), header_.file_bytes));
    }
    const auto rest = bytes_.subspan(sizeof(ModelHeader));
    if (XXH3_64bits(rest.data(), rest.size()) != header_.checksum) fail(sizeof(ModelHeader), "checksum does not agree");
    if (header_.section_count != format::kModelSectionKinds ||
        rest.size() < header_.section_count * sizeof(ModelSection)) {
      fail(offsetof(ModelHeader, section_count), "section table does not fit");
    }
  }

  template <typename Record>
  void read(format::ModelSectionKind kind, uint32_t index, std::span<const Record>& view) {
    const uint64_t at = sizeof(ModelHeader) + index * sizeof(ModelSection);
    ModelSection section;
    std::memcpy(&section, bytes_.data() + at, sizeof(section));
    if (section.kind != kind || section.record_bytes != sizeof(Record))
      fail(at, "section of another kind than expected");
    if (section.offset % kModelAlignment != 0 || section.offset > bytes_.size() ||
        section.stored_bytes > bytes_.size() - section.offset) {
      fail(at, "section lies outside the file");
    }
    const auto stored = bytes_.subspan(section.offset, section.stored_bytes);
    // 32-bit references, kNone excluded.
    if (section.records >= format::kNone) fail(at, "too many records");
    const uint64_t plain_bytes = section.records * sizeof(Record);
    if (section.encoding == ModelEncoding::kPlain) {
      if (stored.size() != plain_bytes) fail(at, "section's size is not that of its records");
      view = {reinterpret_cast<const Record*>(stored.data()), section.records};
      return;
    }
    if (section.encoding != ModelEncoding::kZstd) fail(at, "section of unknown encoding");
    if (plain_bytes / kGreatestExpansion > stored.size() ||
        ZSTD_getFrameContentSize(stored.data(), stored.size()) != plain_bytes) {
      fail(section.offset, "compressed section's size is not that of its records");
    }
    auto plain = std::make_unique<std::byte[]>(plain_bytes);
    const size_t size = ZSTD_decompress(plain.get(), plain_bytes, stored.data(), stored.size());
    if (ZSTD_isError(size) || size != plain_bytes) fail(section.offset, "section cannot be decompressed");
    view = {reinterpret_cast<const Record*>(plain.get()), section.records};
    model_.decompressed.push_back(std::move(plain));
  }

  std::span<const std::byte> bytes_;
  const std::string& name_;
  ModelHeader header_{};
  LoadedModel model_;
};

}  // namespace

std::vector<std::byte> model_bytes(const ModelTables& tables) {
  std::array<ModelSection, format::kModelSectionKinds> sections{};
  std::vector<std::byte> contents;
  const uint64_t start = sizeof(ModelHeader) + sizeof(sections);
  XXH3_state_t* identity = XXH3_createState();
  XXH3_64bits_reset(identity);
  uint32_t index = 0;
  for_each_section(tables, [&](format::ModelSectionKind kind, const auto& table) {
    using Record = typename std::decay_t<decltype(table)>::value_type;
    CULPRIT_ASSERT(table.size() < format::kNone, "too many records for 32-bit references");
    const auto plain = bytes_of(table);
    XXH3_64bits_update(identity, plain.data(), plain.size());
    const auto frame = compressed(plain);
    const auto stored = frame.empty() ? plain : std::span<const std::byte>(frame);
    sections[index++] = {.kind = kind,
                         .encoding = frame.empty() ? ModelEncoding::kPlain : ModelEncoding::kZstd,
                         .record_bytes = sizeof(Record),
                         .reserved = 0,
                         .offset = start + contents.size(),
                         .stored_bytes = stored.size(),
                         .records = table.size()};
    append(contents, stored);
  });
  ModelHeader header{};
  std::memcpy(header.magic, format::kModelMagic, sizeof(header.magic));
  header.version = format::kModelVersion;
  header.header_bytes = sizeof(header);
  header.file_bytes = start + contents.size();
  header.identity = XXH3_64bits_digest(identity);
  header.section_count = index;
  XXH3_freeState(identity);

  std::vector<std::byte> file;
  file.reserve(header.file_bytes);
  append(file, std::as_bytes(std::span(&header, 1)));
  append(file, std::as_bytes(std::span(sections)));
  append(file, contents);
  header.checksum = XXH3_64bits(file.data() + sizeof(header), file.size() - sizeof(header));
  std::memcpy(file.data(), &header, sizeof(header));
  return file;
}

void write_model(const std::filesystem::path& path, const ModelTables& tables) {
  const auto bytes = model_bytes(tables);
  write_file_atomically(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

LoadedModel load_model(std::span<const std::byte> bytes, const std::string& name) {
  return Loader(bytes, name).load();
}

}  // namespace culprit::program
