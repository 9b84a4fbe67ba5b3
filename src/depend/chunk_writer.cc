#include "depend/chunk_writer.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace culprit::depend {

using namespace format;

void FilledChunk::clear() {
  far.clear();
  anchors.clear();
  blocks.clear();
  slots.clear();
  frame_of.clear();
  frames.clear();
}

ChunkWriter::ChunkWriter(const std::filesystem::path& path, size_t blocks) : path_(path), counted_(blocks) {
  if (path_.empty()) return;
  file_.open(path_, std::ios::binary | std::ios::trunc);
  const GraphHeader header{};
  write_bytes(std::as_bytes(std::span(&header, 1)));
  thread_ = std::thread([this] { run(); });
}

ChunkWriter::~ChunkWriter() {
  if (thread_.joinable()) {
    {
      const std::scoped_lock lock(mutex_);
      waiting_.reset();
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  std::error_code ignored;  // what is left over says nothing
  if (!path_.empty() && !is_closed_) std::filesystem::remove(path_, ignored);
}

void ChunkWriter::fail() const {
  throw UserError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)),
                  "make room on the disk, or look at the end only: culprit trace --last 200 RECORDING",
                  ExitCode::kEnvironmentLacks);
}

void ChunkWriter::write(FilledChunk& chunk) {
  if (path_.empty()) return chunk.clear();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !waiting_ || failed_; });
  if (failed_) std::rethrow_exception(failed_);
  waiting_ = std::move(chunk);
  chunk = {};
  if (!spare_.empty()) {
    chunk = std::move(spare_.back());
    spare_.pop_back();
  }
  lock.unlock();
  changed_.notify_all();
}

void ChunkWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return waiting_ || ends_; });
    if (!waiting_) return;
    FilledChunk chunk = std::move(*waiting_);
    waiting_.reset();
    lock.unlock();
    changed_.notify_all();
    std::exception_ptr failed;
    try {
      write_chunk(chunk);
    } catch (...) {
      failed = std::current_exception();  // write() or finish() throws it
    }
    chunk.clear();
    lock.lock();
    spare_.push_back(std::move(chunk));
    if (!failed) continue;
    failed_ = failed;
    changed_.notify_all();
    return;
  }
}

const std::vector<GraphChunk>& ChunkWriter::finish() {
  if (thread_.joinable()) {
    {
      const std::scoped_lock lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  if (failed_) std::rethrow_exception(failed_);
  return written_;
}

void ChunkWriter::write_chunk(const FilledChunk& chunk) {
  const std::vector<GraphCount> counts = this->counts(chunk);
  GraphChunk record{};
  record.offset = offset_;
  record.first_number = chunk.first_number;
  record.executions = static_cast<uint32_t>(chunk.blocks.size());
  record.slots = static_cast<uint32_t>(chunk.slots.size());
  record.far = static_cast<uint32_t>(chunk.far.size());
  record.counts = static_cast<uint32_t>(counts.size());
  record.first_frame = chunk.first_frame;
  record.frames = static_cast<uint32_t>(chunk.frames.size());
  const auto bytes = [](const auto& records) { return std::as_bytes(std::span(records)); };
  record.dependences_checksum =
      write_parts({bytes(chunk.far), bytes(chunk.anchors), bytes(chunk.blocks), bytes(chunk.slots)});
  record.counts_checksum = write_parts({bytes(counts)});
  record.frames_checksum = write_parts({bytes(chunk.frames), bytes(chunk.frame_of)});
  written_.push_back(record);
}

std::vector<GraphCount> ChunkWriter::counts(const FilledChunk& chunk) {
  std::vector<uint32_t> executed;
  for (const uint32_t block : chunk.blocks) {
    if (counted_[block]++ == 0) executed.push_back(block);
  }
  std::sort(executed.begin(), executed.end());
  std::vector<GraphCount> counts;
  for (const uint32_t block : executed) counts.push_back({block, std::exchange(counted_[block], 0)});
  return counts;
}

uint64_t ChunkWriter::write_parts(std::initializer_list<std::span<const std::byte>> parts) {
  constexpr std::array<std::byte, sizeof(uint64_t)> kZeros{};
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> hash(XXH3_createState(), &XXH3_freeState);
  if (!hash) throw std::bad_alloc();
  XXH3_64bits_reset(hash.get());
  const auto take = [&](std::span<const std::byte> bytes) {
    XXH3_64bits_update(hash.get(), bytes.data(), bytes.size());
    write_bytes(bytes);
  };
  for (const std::span<const std::byte> part : parts) take(part);
  take(std::span(kZeros).first((kZeros.size() - offset_ % kZeros.size()) % kZeros.size()));
  return XXH3_64bits_digest(hash.get());
}

void ChunkWriter::write_bytes(std::span<const std::byte> bytes) {
  offset_ += bytes.size();
  file_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file_) fail();
}

void ChunkWriter::close(std::string_view tail, const GraphHeader& header) {
  if (path_.empty()) return;
  write_bytes(std::as_bytes(std::span(tail)));
  file_.seekp(0);
  file_.write(reinterpret_cast<const char*>(&header), sizeof(header));
  file_.close();
  if (!file_) fail();
  is_closed_ = true;
}

}  // namespace culprit::depend
