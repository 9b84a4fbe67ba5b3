#include "trace/collect.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "format/trace_format.h"
#include "program/program_model.h"
#include "trace/trace_file.h"

namespace culprit::trace {
namespace {

namespace fs = std::filesystem;

constexpr int kCompressionLevel = 1;
constexpr int kPollMilliseconds = 20;
constexpr int kPipeBytes = 1 << 20;

[[noreturn]] void fail(const fs::path& path, const char* what) {
  throw UserError(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)),
                  "choose another folder with -o", ExitCode::kEnvironmentLacks);
}

/// Bytes up to the last that is not zero: unused room is zero, and no event ends in the middle of the unused room.
size_t used_bytes(std::span<const std::byte> events) {
  size_t size = events.size();
  while (size > 0 && events[size - 1] == std::byte{0}) --size;
  return size;
}

}  // namespace

class TraceCollector::Work {
 public:
  Work(const fs::path& folder, TraceOrigin origin) : folder_(fs::absolute(folder)), origin_(std::move(origin)) {
    fs::create_directories(folder_);
    descriptor_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0) fail(folder_, "open");
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename().string().starts_with(format::kTraceBufferPrefix)) fs::remove(entry.path());
    }
    fs::remove(folder_ / format::kTraceStartFile);
    fs::remove(folder_ / format::kTraceSkip);
    if (origin_.skip_parts != 0) {
      const auto* count = reinterpret_cast<const char*>(&origin_.skip_parts);
      write_file_atomically(folder_ / format::kTraceSkip, std::string(count, sizeof(origin_.skip_parts)));
    }
    const fs::path pipe = folder_ / format::kTracePipe;
    fs::remove(pipe);
    if (::mkfifo(pipe.c_str(), 0600) != 0) fail(pipe, "make");
    // Open for writing, too: the pipe does not end when the program closes it.
    pipe_ = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (pipe_ < 0) fail(pipe, "open");
    ::fcntl(pipe_, F_SETPIPE_SZ, kPipeBytes);
    fs::copy_file(origin_.model, folder_ / kModelFile, fs::copy_options::overwrite_existing);
    file_.open(folder_ / kChunksFile, std::ios::binary | std::ios::trunc);
    if (!file_) fail(folder_ / kChunksFile, "write");
    format::TraceHeader header{};
    std::memcpy(header.magic, format::kTraceMagic, sizeof(header.magic));
    header.version = format::kTraceVersion;
    header.header_bytes = sizeof(header);
    header.contents = origin_.contents;
    header.begins_late = origin_.skip_parts != 0 ? 1 : 0;
    header.model_identity = program::ProgramModel::open(folder_ / kModelFile).identity();
    write(&header, sizeof(header));
    thread_ = std::thread([this] { receive(); });
  }

  ~Work() {
    stop();
    if (pipe_ >= 0) ::close(pipe_);
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  const fs::path& folder() const { return folder_; }
  int folder_descriptor() const { return descriptor_; }

  uint64_t received_bytes() const { return received_; }

  void let_begin() {
    // Not another file: this one is mapped.
    std::fstream skip(folder_ / format::kTraceSkip, std::ios::binary | std::ios::in | std::ios::out);
    const uint64_t parts = 1;
    skip.write(reinterpret_cast<const char*>(&parts), sizeof(parts));
    skip.close();
    if (!skip) fail(folder_ / format::kTraceSkip, "write");
  }

  bool has_begun() const { return origin_.skip_parts == 0 || fs::exists(folder_ / format::kTraceStartFile); }

  CollectedTrace finish(const ProcessEnd& end) {
    stop();
    take_buffers();
    file_.close();
    if (!file_) fail(folder_ / kChunksFile, "write");
    write_manifest(end);
    fs::remove(folder_ / format::kTracePipe);
    fs::remove(folder_ / format::kTraceSkip);
    if (origin_.skip_parts != 0 && origin_.skip_parts != kSkipAll && !has_begun()) {
      throw UserError("the run ended before its trace began", "let the trace begin earlier");
    }
    return result_;
  }

 private:
  void stop() {
    ended_ = true;
    if (thread_.joinable()) thread_.join();
  }

  void write(const void* bytes, size_t size) {
    file_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    result_.stored_bytes += size;
  }

  /// Until the program has ended and the pipe is empty.
  void receive() {
    std::vector<std::byte> pending;
    std::vector<std::byte> read(kPipeBytes);
    while (true) {
      const ssize_t got = ::read(pipe_, read.data(), read.size());
      if (got > 0) {
        pending.insert(pending.end(), read.begin(), read.begin() + got);
        take_chunks(pending);
        continue;
      }
      if (ended_) return;
      pollfd wait{.fd = pipe_, .events = POLLIN, .revents = 0};
      ::poll(&wait, 1, kPollMilliseconds);
    }
  }

  void take_chunks(std::vector<std::byte>& pending) {
    size_t at = 0;
    while (pending.size() - at >= sizeof(format::TraceChunk)) {
      format::TraceChunk chunk;
      std::memcpy(&chunk, pending.data() + at, sizeof(chunk));
      if (pending.size() - at - sizeof(chunk) < chunk.plain_bytes) break;
      add(chunk.thread, chunk.sequence, std::span(pending).subspan(at + sizeof(chunk), chunk.plain_bytes));
      at += sizeof(chunk) + chunk.plain_bytes;
    }
    pending.erase(pending.begin(), pending.begin() + static_cast<ptrdiff_t>(at));
  }

  void add(uint32_t thread, uint64_t sequence, std::span<const std::byte> events) {
    if (sequence != next_of_[thread]) return;  // its buffer was sent, and not emptied before the program was killed
    ++next_of_[thread];
    compressed_.resize(ZSTD_compressBound(events.size()));
    const size_t size =
        ZSTD_compress(compressed_.data(), compressed_.size(), events.data(), events.size(), kCompressionLevel);
    CULPRIT_ASSERT(!ZSTD_isError(size), ZSTD_getErrorName(size));
    const bool smaller = size < events.size();
    const std::span<const std::byte> stored = smaller ? std::span<const std::byte>(compressed_.data(), size) : events;
    format::TraceChunk chunk{};
    std::memcpy(chunk.magic, format::kTraceChunkMagic, sizeof(chunk.magic));
    chunk.codec = smaller ? format::kTraceZstd : format::kTracePlain;
    chunk.thread = thread;
    chunk.plain_bytes = static_cast<uint32_t>(events.size());
    chunk.stored_bytes = static_cast<uint32_t>(stored.size());
    chunk.sequence = sequence;
    chunk.checksum = XXH3_64bits(stored.data(), stored.size());
    write(&chunk, sizeof(chunk));
    write(stored.data(), stored.size());
    result_.plain_bytes += events.size();
    received_ = result_.plain_bytes;
    ++result_.chunks;
  }

  void take_buffers() {
    std::map<uint32_t, fs::path> buffers;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(format::kTraceBufferPrefix)) continue;
      buffers[static_cast<uint32_t>(std::stoul(name.substr(std::strlen(format::kTraceBufferPrefix))))] = entry.path();
    }
    for (const auto& [thread, path] : buffers) {
      {
        const MappedFile file(path);
        format::TraceBuffer buffer;
        if (file.bytes().size() >= sizeof(buffer)) {
          std::memcpy(&buffer, file.bytes().data(), sizeof(buffer));
          const auto events = file.bytes().subspan(sizeof(buffer));
          if (thread == 0 && !has_begun()) {
            result_.skipped_parts = buffer.sequence;
          } else if (const size_t used = used_bytes(events); used > 0) {
            add(thread, buffer.sequence, events.first(used));
          }
        }
      }
      fs::remove(path);
    }
  }

  void write_manifest(const ProcessEnd& end) {
    nlohmann::json json{{"version", format::kTraceVersion},
                        {"executable", origin_.executable.string()},
                        {"words", origin_.words},
                        {"exit_status", end.exit_status},
                        {"signal", end.signal},
                        {"plain_bytes", result_.plain_bytes}};
    std::vector<uint64_t> anchors;
    if (const fs::path file = folder_ / format::kTraceAnchors; fs::exists(file)) {
      const std::string bytes = read_file(file);
      anchors.resize(bytes.size() / sizeof(uint64_t));
      std::memcpy(anchors.data(), bytes.data(), anchors.size() * sizeof(uint64_t));
      fs::remove(file);
    }
    anchors.resize(std::max<size_t>(anchors.size(), format::kTraceAddresses));
    const auto first_anchor = anchors.begin() + format::kTraceAddresses;
    json["addresses"] = std::vector<uint64_t>(anchors.begin(), first_anchor);
    json["anchors"] = std::vector<uint64_t>(first_anchor, anchors.end());
    write_file_atomically(folder_ / kManifestFile, json.dump(1) + "\n");
  }

  fs::path folder_;
  TraceOrigin origin_;
  int pipe_ = -1, descriptor_ = -1;
  std::atomic<uint64_t> received_ = 0;
  std::ofstream file_;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
  std::map<uint32_t, uint64_t> next_of_;
  std::vector<std::byte> compressed_;
  CollectedTrace result_;
};

TraceCollector::TraceCollector(const fs::path& folder, TraceOrigin origin)
    : work_(std::make_unique<Work>(folder, std::move(origin))) {}
TraceCollector::~TraceCollector() = default;

uint64_t TraceCollector::received_bytes() const {
  return work_->received_bytes();
}

void TraceCollector::let_begin() {
  work_->let_begin();
}

bool TraceCollector::has_begun() const {
  return work_->has_begun();
}

int TraceCollector::folder_descriptor() const {
  return work_->folder_descriptor();
}

std::string TraceCollector::environment_value() const {
  return work_->folder().string();
}

CollectedTrace TraceCollector::finish(const ProcessEnd& end) {
  return work_->finish(end);
}

}  // namespace culprit::trace
