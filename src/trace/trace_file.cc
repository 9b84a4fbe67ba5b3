#include "trace/trace_file.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/whole_json.h"
#include "format/trace_format.h"

namespace culprit::trace {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kMostThreads = 1 << 20;
constexpr uint32_t kMostChunkBytes = format::kTraceChunkBytes + format::kTraceSlackBytes;

fs::path checked(const fs::path& folder) {
  if (fs::exists(folder / kChunksFile) && fs::exists(folder / kModelFile)) return folder;
  throw UserError(fmt::format("{} is no trace", folder.string()), "make one: culprit trace -o FOLDER -- PROGRAM");
}

}  // namespace

TraceFile::TraceFile(const fs::path& folder)
    : folder_(checked(folder)), model_(program::ProgramModel::open(folder / kModelFile)), file_(folder / kChunksFile) {
  read_chunks();
  read_manifest();
}

void TraceFile::read_chunks() {
  const std::span<const std::byte> bytes = file_.bytes();
  const std::string name = file_.path().string();
  format::TraceHeader header;
  if (bytes.size() < sizeof(header)) throw CorruptData(name, bytes.size(), "ends within the header of a trace");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.magic, format::kTraceMagic, sizeof(header.magic)) != 0) {
    throw CorruptData(name, 0, "is no trace");
  }
  if (header.version != format::kTraceVersion) {
    throw CorruptData(
        name, offsetof(format::TraceHeader, version),
        fmt::format("is a trace of version {}, this Culprit reads version {}", header.version, format::kTraceVersion));
  }
  if (header.model_identity != model_.identity()) {
    throw CorruptData(name, offsetof(format::TraceHeader, model_identity), "belongs to another program model");
  }
  if (header.contents > format::TraceContents::kValues) {
    throw CorruptData(name, offsetof(format::TraceHeader, contents), "unknown contents");
  }
  contents_ = header.contents;
  if (header.begins_late != 0) beginning_ = read_beginning(folder_ / format::kTraceStartFile, model_);
  uint64_t at = header.header_bytes;
  while (at < bytes.size()) {
    format::TraceChunk chunk;
    if (bytes.size() - at < sizeof(chunk)) throw CorruptData(name, at, "ends within the header of a chunk");
    std::memcpy(&chunk, bytes.data() + at, sizeof(chunk));
    const bool known = std::memcmp(chunk.magic, format::kTraceChunkMagic, sizeof(chunk.magic)) == 0;
    if (!known || chunk.thread >= kMostThreads || chunk.plain_bytes > kMostChunkBytes) {
      throw CorruptData(name, at, "no chunk begins here");
    }
    const uint64_t content = at + sizeof(chunk);
    if (chunk.stored_bytes > bytes.size() - content) throw CorruptData(name, at, "chunk goes past the end");
    if (chunks_.size() <= chunk.thread) chunks_.resize(chunk.thread + 1);
    std::vector<ChunkPlace>& chunks = chunks_[chunk.thread];
    if (chunk.sequence != chunks.size()) throw CorruptData(name, at, "a chunk is missing before this one");
    chunks.push_back({content, chunk.stored_bytes, chunk.plain_bytes, chunk.codec, chunk.checksum});
    at = content + chunk.stored_bytes;
  }
}

void TraceFile::read_manifest() {
  const std::filesystem::path path = folder_ / kManifestFile;
  try {
    const nlohmann::json json = parse_whole_json(read_file(path));
    if (!json.is_object()) throw CorruptData(path.string(), 0, "is no JSON object");
    signal_ = json.value("signal", 0);
    words_ = json.value("words", std::vector<std::string>());
    executable_ = json.value("executable", std::string());
    addresses_ = json.value("addresses", std::vector<uint64_t>());
    anchors_ = json.value("anchors", std::vector<uint64_t>());
  } catch (const nlohmann::json::exception& error) {
    throw CorruptData(path.string(), 0, fmt::format("is no manifest of a trace: {}", error.what()));
  }
  addresses_.resize(format::kTraceAddresses);
  anchors_.resize(model_.sections().anchors.size());
}

std::vector<uint8_t> TraceFile::events(const ChunkPlace& chunk) const {
  const std::byte* stored = file_.bytes().data() + chunk.offset;
  const auto fail = [&](const char* what) { throw CorruptData(file_.path().string(), chunk.offset, what); };
  if (XXH3_64bits(stored, chunk.stored_bytes) != chunk.checksum) fail("checksum of a chunk does not agree");
  std::vector<uint8_t> events(chunk.plain_bytes);
  if (chunk.codec == format::kTraceZstd) {
    const size_t size = ZSTD_decompress(events.data(), events.size(), stored, chunk.stored_bytes);
    if (ZSTD_isError(size) || size != events.size()) fail("chunk cannot be decompressed");
  } else if (chunk.codec == format::kTracePlain && chunk.stored_bytes == chunk.plain_bytes) {
    std::memcpy(events.data(), stored, events.size());
  } else {
    fail("chunk of unknown encoding");
  }
  return events;
}

}  // namespace culprit::trace
