#include "depend/graph_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace culprit::depend {

using namespace format;

namespace {

/// Larger counts are no counts: their sizes in bytes would not fit 64 bits.
constexpr uint64_t kMostRecords = uint64_t{1} << 48;

constexpr uint64_t padded(uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

constexpr uint32_t anchors_of(uint32_t executions) {
  return (executions + kGraphAnchorExecutions - 1) / kGraphAnchorExecutions;
}

std::optional<GraphHeader> header_of(std::span<const std::byte> bytes) {
  GraphHeader header;
  if (bytes.size() < sizeof(header)) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.magic, kGraphMagic, sizeof(header.magic)) != 0) return std::nullopt;
  if (header.version != kGraphVersion || header.header_bytes != sizeof(header)) return std::nullopt;
  return header;
}

}  // namespace

bool is_graph_of(const std::filesystem::path& path, uint64_t model_identity, uint64_t trace_identity) {
  if (!std::filesystem::exists(path)) return false;
  const MappedFile file(path);
  const std::optional<GraphHeader> header = header_of(file.bytes());
  return header && header->model_identity == model_identity && header->trace_identity == trace_identity;
}

GraphFile::GraphFile(const std::filesystem::path& file) : file_(file) {
  const std::optional<GraphHeader> header = header_of(file_.bytes());
  if (!header) fail_at(0, "is no dependence graph of this version");
  read_tail(*header);
  check_directory();
  check_inputs();
  opened_.resize(directory_.size());
  opened_frames_.resize(directory_.size());
}

void GraphFile::fail_at(uint64_t offset, const char* what) const {
  throw CorruptData(file_.path().string(), offset, what);
}

void GraphFile::fail(size_t chunk, const char* what) const {
  fail_at(directory_[chunk].offset, what);
}

template <typename Record>
std::span<const Record> GraphFile::records(uint64_t& offset, uint64_t count, uint64_t end) const {
  if (count > kMostRecords || offset > end || count * sizeof(Record) > end - offset) {
    fail_at(offset, "a table goes past its end");
  }
  const std::byte* first = file_.bytes().data() + offset;
  offset += count * sizeof(Record);
  return {reinterpret_cast<const Record*>(first), count};
}

void GraphFile::check(uint64_t offset, uint64_t bytes, uint64_t checksum) const {
  if (offset % alignof(uint64_t) != 0 || offset > file_.bytes().size() || bytes > file_.bytes().size() - offset) {
    fail_at(offset, "goes past the end of the file");
  }
  if (XXH3_64bits(file_.bytes().data() + offset, bytes) != checksum) fail_at(offset, "checksum does not agree");
}

void GraphFile::read_tail(const GraphHeader& header) {
  check(header.tail_offset, header.tail_bytes, header.tail_checksum);
  uint64_t at = header.tail_offset;
  const uint64_t end = at + header.tail_bytes;
  tail_ = records<GraphTail>(at, 1, end).front();
  directory_ = records<GraphChunk>(at, tail_.chunks, end);
  late_ = records<GraphLate>(at, tail_.late, end);
  late_sources_ = records<uint64_t>(at, tail_.late_sources, end);
  for (size_t each = 0; each < kGraphOutputs; ++each) {
    const GraphOutput& sizes = tail_.outputs[each];
    outputs_[each] = {sizes, records<GraphRun>(at, sizes.runs, end), records<uint64_t>(at, sizes.nodes, end)};
  }
  inputs_ = records<GraphInput>(at, tail_.inputs, end);
  unwritten_ = records<GraphUnwritten>(at, tail_.unwritten, end);
  races_ = records<GraphRace>(at, tail_.races, end);
  misuses_ = records<GraphMisuse>(at, tail_.misuses, end);
  waits_ = records<GraphWait>(at, tail_.waits, end);
  const auto names = records<char>(at, tail_.unknown_bytes, end);
  unknown_ = {names.data(), names.size()};
}

void GraphFile::check_directory() const {
  uint64_t executions = 0, number = 0, frames = 0;
  for (size_t each = 0; each < directory_.size(); ++each) {
    const GraphChunk& chunk = directory_[each];
    const bool last = each + 1 == directory_.size();
    if (chunk.executions > kGraphChunkExecutions || (!last && chunk.executions != kGraphChunkExecutions) ||
        chunk.first_number < number || chunk.first_frame != frames) {
      fail(each, "a chunk does not follow the one before");
    }
    number = chunk.first_number;
    executions += chunk.executions;
    frames += chunk.frames;
  }
  if (executions != tail_.executions || frames != tail_.frames || number > tail_.numbers ||
      executions >= kNoExecution || frames >= kNone || tail_.numbers >= kMostNumbers) {
    fail_at(0, "the chunks are not what the tail says");
  }
}

void GraphFile::check_inputs() const {
  uint64_t next = 0;
  for (const GraphInput& each : inputs_) {
    if (each.first != next || each.bytes > tail_.ordinals - next)
      fail_at(0, "the bytes of input do not follow each other");
    if (each.call != kGraphNoNumber && each.call >= tail_.numbers) fail_at(0, "an input's node does not exist");
    if (static_cast<uint16_t>(each.kind) >= kGraphInputKinds || each.state > GraphInputState::kOther) {
      fail_at(0, "an input of an unknown kind");
    }
    next += each.bytes;
  }
  if (next != tail_.ordinals || tail_.ordinals >= kMostNumbers)
    fail_at(0, "the bytes of input are not what the tail says");
}

const GraphInput& GraphFile::input_of(uint64_t ordinal) const {
  if (ordinal >= tail_.ordinals) fail_at(0, "a byte of input does not exist");
  return *std::prev(std::partition_point(inputs_.begin(), inputs_.end(),
                                         [&](const GraphInput& each) { return each.first <= ordinal; }));
}

GraphFile::Parts GraphFile::parts_of(const GraphChunk& chunk) {
  const uint64_t anchors = anchors_of(chunk.executions) * sizeof(GraphAnchor);
  return {.dependences = chunk.far * sizeof(uint64_t) + anchors +
                         padded((uint64_t{chunk.executions} + chunk.slots) * sizeof(uint32_t)),
          .counts = chunk.counts * sizeof(GraphCount),
          .frames = chunk.frames * sizeof(GraphFrame) + padded(chunk.executions * sizeof(uint32_t))};
}

size_t GraphFile::chunk_of_number(uint64_t number) const {
  const auto next = std::partition_point(directory_.begin(), directory_.end(),
                                         [&](const GraphChunk& chunk) { return chunk.first_number <= number; });
  if (next == directory_.begin() || number >= tail_.numbers) fail_at(0, "a node has a number that does not exist");
  return static_cast<size_t>(next - directory_.begin()) - 1;
}

size_t GraphFile::chunk_of_frame(uint32_t frame) const {
  const auto next = std::partition_point(directory_.begin(), directory_.end(),
                                         [&](const GraphChunk& chunk) { return chunk.first_frame <= frame; });
  if (next == directory_.begin() || frame >= tail_.frames) fail_at(0, "a frame has a number that does not exist");
  return static_cast<size_t>(next - directory_.begin()) - 1;
}

const GraphFile::Chunk& GraphFile::open(size_t number) const {
  const GraphChunk& record = directory_[number];
  uint64_t at = record.offset;
  const uint64_t bytes = parts_of(record).dependences;
  check(at, bytes, record.dependences_checksum);
  const uint64_t end = at + bytes;
  Chunk& chunk = opened_[number];
  chunk.first_number = record.first_number;
  chunk.end_number = number + 1 < directory_.size() ? directory_[number + 1].first_number : tail_.numbers;
  chunk.first_execution = static_cast<Execution>(number * kGraphChunkExecutions);
  chunk.far = records<uint64_t>(at, record.far, end);
  chunk.anchors = records<GraphAnchor>(at, anchors_of(record.executions), end);
  chunk.blocks = records<uint32_t>(at, record.executions, end);
  chunk.slots = records<uint32_t>(at, record.slots, end);
  if (chunk.blocks.empty()) fail(number, "a chunk without executions is asked for one");
  return chunk;
}

std::span<const GraphCount> GraphFile::counts(size_t number) const {
  const GraphChunk& record = directory_[number];
  const Parts parts = parts_of(record);
  uint64_t at = record.offset + parts.dependences;
  check(at, parts.counts, record.counts_checksum);
  return records<GraphCount>(at, record.counts, at + parts.counts);
}

const GraphFile::FrameChunk& GraphFile::frame_chunk(size_t number) const {
  FrameChunk& chunk = opened_frames_[number];
  if (!chunk.frames.empty() || !chunk.frame_of.empty()) return chunk;
  const GraphChunk& record = directory_[number];
  const Parts parts = parts_of(record);
  uint64_t at = record.offset + parts.dependences + parts.counts;
  check(at, parts.frames, record.frames_checksum);
  const uint64_t end = at + parts.frames;
  chunk.first_frame = record.first_frame;
  chunk.frames = records<GraphFrame>(at, record.frames, end);
  chunk.frame_of = records<uint32_t>(at, record.executions, end);
  return chunk;
}

void GraphFile::release(size_t chunk) const {
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t first = (directory_[chunk].offset + page - 1) / page * page;
  const Parts parts = parts_of(directory_[chunk]);
  const uint64_t end = (directory_[chunk].offset + parts.dependences + parts.counts + parts.frames) / page * page;
  if (end <= first || end > file_.bytes().size()) return;
  // Of a file that is mapped to be read, this takes back pages that can be read again; when it fails, they stay.
  ::madvise(const_cast<std::byte*>(file_.bytes().data()) + first, end - first, MADV_DONTNEED);
}

void GraphFile::check_all() const {
  for (size_t each = 0; each < directory_.size(); ++each) {
    const GraphChunk& record = directory_[each];
    check(record.offset, parts_of(record).dependences, record.dependences_checksum);
    release(each);
    counts(each);
    frame_chunk(each);
  }
}

std::optional<uint64_t> GraphFile::late(size_t chunk, uint32_t slot) const {
  const auto at = std::partition_point(late_.begin(), late_.end(), [&](const GraphLate& each) {
    return each.chunk < chunk || (each.chunk == chunk && each.slot < slot);
  });
  if (at == late_.end() || at->chunk != chunk || at->slot != slot) return std::nullopt;
  return at->source;
}

}  // namespace culprit::depend
