#include "depend/output_channels.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string>

namespace culprit::depend {
namespace {

using format::TraceAddress;

constexpr size_t kLongestPath = 32;                    // of those that mean a descriptor
constexpr uint32_t kFirstUnknown = uint32_t{1} << 31;  // no descriptor has such a number

template <typename... Names>
bool is_one_of(std::string_view name, Names... names) {
  return ((name == names) || ...);
}

uint32_t descriptor(uint64_t word) {
  return static_cast<uint32_t>(word);
}

/// The descriptor that a path is another name of.
std::optional<uint32_t> descriptor_named_by(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size()) return number;
  }
  return std::nullopt;
}

}  // namespace

OutputChannels::OutputChannels(const trace::TraceFile& trace, const program::ConstantMemory* constants)
    : constants_(constants), descriptors_{{STDOUT_FILENO, 0}, {STDERR_FILENO, 1}}, next_unknown_(kFirstUnknown) {
  for (const TraceAddress each : {format::kTraceStdout, format::kTraceCout}) {
    streams_[trace.address(each)] = STDOUT_FILENO;
  }
  for (const TraceAddress each : {format::kTraceStderr, format::kTraceCerr, format::kTraceClog}) {
    streams_[trace.address(each)] = STDERR_FILENO;
  }
  streams_.erase(0);  // the program has no such stream
}

std::optional<size_t> OutputChannels::output_of(const program::Place& state) const {
  if (state.kind != program::Place::Kind::kState || !state.key) return std::nullopt;
  if (state.state == "descriptor") return of_descriptor(*state.key);
  const auto stream = streams_.find(*state.key);
  return stream == streams_.end() ? std::nullopt : of_descriptor(stream->second);
}

OutputChannels::Output OutputChannels::of_descriptor(uint64_t each) const {
  const auto found = descriptors_.find(descriptor(each));
  return found == descriptors_.end() ? std::nullopt : found->second;
}

OutputChannels::Output OutputChannels::of_path(const trace::ReturnedCall& call, size_t argument) const {
  std::array<char, kLongestPath> text{};
  const bool is_text = (call.strings >> argument & 1) != 0 && call.lengths[argument] < text.size();
  if (!is_text || !constants_) return std::nullopt;
  const std::span<char> path = std::span(text).first(call.lengths[argument]);
  if (!constants_->read(call.arguments[argument], std::as_writable_bytes(path))) return std::nullopt;
  const auto named = descriptor_named_by({path.data(), path.size()});
  return named ? of_descriptor(*named) : std::nullopt;
}

void OutputChannels::open_stream(uint64_t stream, Output output) {
  if (stream == 0) return;
  const auto [place, is_new] = streams_.try_emplace(stream, next_unknown_);
  if (is_new) ++next_unknown_;
  descriptors_[place->second] = output;
}

void OutputChannels::follow(std::string_view function, const trace::ReturnedCall& call) {
  const uint64_t* arguments = call.arguments;
  const auto opened = [&](Output output) {
    if (static_cast<int32_t>(call.result) >= 0) descriptors_[descriptor(call.result)] = output;
  };
  if (is_one_of(function, "open", "open64", "__open_2", "__open64_2", "creat")) {
    opened(of_path(call, 0));
  } else if (is_one_of(function, "openat", "openat64", "__openat_2", "__openat64_2")) {
    opened(of_path(call, 1));
  } else if (is_one_of(function, "dup", "dup2", "dup3")) {
    opened(of_descriptor(arguments[0]));
  } else if (is_one_of(function, "fcntl", "fcntl64")) {
    const auto command = static_cast<int32_t>(arguments[1]);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) opened(of_descriptor(arguments[0]));
  } else if (function == "close") {
    descriptors_.erase(descriptor(arguments[0]));
  } else if (is_one_of(function, "fopen", "fopen64")) {
    streams_.erase(call.result);
    open_stream(call.result, of_path(call, 0));
  } else if (is_one_of(function, "freopen", "freopen64")) {
    open_stream(call.result, of_path(call, 0));  // of a stream with a known descriptor that stays
  } else if (function == "fdopen") {
    if (call.result != 0) streams_[call.result] = descriptor(arguments[0]);
  } else if (function == "fclose") {
    if (const auto stream = streams_.find(arguments[0]); stream != streams_.end()) {
      descriptors_.erase(stream->second);
      streams_.erase(stream);
    }
  }
}

}  // namespace culprit::depend
