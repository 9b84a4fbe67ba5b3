#include "depend/input_log.h"

#include <cstdio>

namespace culprit::depend {
namespace {

using namespace format;
using program::Effect;
using program::Place;

/// Of a mapped file no more bytes are followed one by one.
constexpr uint64_t kMostMappedBytes = 16 << 20;

template <typename... Names>
bool is_one_of(std::string_view name, Names... names) {
  return ((name == names) || ...);
}

GraphInputState state_of(std::string_view name) {
  if (name == "descriptor") return GraphInputState::kDescriptor;
  return name == "stream" ? GraphInputState::kStream : GraphInputState::kOther;
}

bool is_scanf(std::string_view function) {
  return function.find("scanf") != std::string_view::npos;
}

/// The parameter that is the format.
size_t format_of(std::string_view function) {
  return function.find("fscanf") != std::string_view::npos || function.find("fwscanf") != std::string_view::npos ? 1
                                                                                                                 : 0;
}

int32_t as_int(uint64_t word) {
  return static_cast<int32_t>(word);
}

}  // namespace

InputLog::InputLog(const trace::TraceFile& trace, Definitions& definitions) : trace_(trace), definitions_(definitions) {
  const uint64_t arguments = trace.address(kTraceArguments), environment = trace.address(kTraceEnvironment);
  add_texts(GraphInputKind::kArguments, arguments, environment);
  add_texts(GraphInputKind::kEnvironment, environment, trace.address(kTraceTextsEnd));
}

void InputLog::add_texts(GraphInputKind kind, uint64_t from, uint64_t to) {
  if (from == 0 || to <= from) return;
  define(from, to - from);
  add({.call = kGraphNoNumber,
       .first = 0,
       .bytes = to - from,
       .key = from,
       .argument = 0,
       .text = kGraphNoNumber,
       .text_bytes = 0,
       .kind = kind,
       .state = GraphInputState::kOther,
       .detail = 0});
}

void InputLog::add(GraphInput entry) {
  entry.first = next_;
  next_ += entry.bytes;
  entries_.push_back(entry);
}

void InputLog::define(uint64_t address, uint64_t bytes) {
  for (uint64_t each = 0; each < bytes; ++each) definitions_.define(address + each, 1, input_byte(next_ + each));
}

void InputLog::read(const ReadingCall& call, const Effect& effect) {
  if (effect.sources.empty() || effect.sources.front().kind != Place::Kind::kState) return;
  const Place& source = effect.sources.front();
  const Place& target = effect.target;
  GraphInput entry{.call = call.number.bits,
                   .first = 0,
                   .bytes = 1,
                   .key = source.key.value_or(0),
                   .argument = 0,
                   .text = kGraphNoNumber,
                   .text_bytes = 0,
                   .kind = GraphInputKind::kBytes,
                   .state = state_of(source.state),
                   .detail = 0};
  if (entry.state == GraphInputState::kOther) entry.kind = GraphInputKind::kUnplaced;
  if (is_scanf(call.function)) {
    entry.kind = GraphInputKind::kConverted;
    entry.argument = call.returned.arguments[format_of(call.function)];
    const bool again =
        !entries_.empty() && entries_.back().call == entry.call && entries_.back().kind == GraphInputKind::kConverted;
    entry.detail = static_cast<uint8_t>(again ? entries_.back().detail + 1 : 0);
  } else if (is_one_of(call.function, "pread", "pread64")) {
    entry.kind = GraphInputKind::kPlaced;
    entry.argument = call.returned.arguments[3];
  }
  if (target.kind == Place::Kind::kResult) {
    if (as_int(call.returned.result) == EOF && entry.kind == GraphInputKind::kBytes) return;
    entry.detail = 1;
  } else if (target.kind == Place::Kind::kMemory && target.bytes && *target.bytes > 0) {
    entry.bytes = *target.bytes;
    define(target.address, entry.bytes);
  } else {
    return;
  }
  add(entry);
}

void InputLog::follow(const ReadingCall& call) {
  using enum GraphInputState;
  const std::string_view name = call.function;
  const uint64_t* arguments = call.returned.arguments;
  const uint64_t result = call.returned.result;
  if (is_one_of(name, "fopen", "fopen64")) return open(call, kStream, result, 0);
  if (is_one_of(name, "freopen", "freopen64")) return open(call, kStream, result, 0);
  if (is_one_of(name, "open", "open64", "__open_2", "__open64_2", "creat")) return open(call, kDescriptor, result, 0);
  if (is_one_of(name, "openat", "openat64", "__openat_2", "__openat64_2")) return open(call, kDescriptor, result, 1);
  if (name == "fdopen" && result != 0) {
    return add({.call = call.number.bits,
                .first = 0,
                .bytes = 0,
                .key = result,
                .argument = arguments[0],
                .text = kGraphNoNumber,
                .text_bytes = 0,
                .kind = GraphInputKind::kOpened,
                .state = kStream,
                .detail = 1});
  }
  if (is_one_of(name, "fileno", "fileno_unlocked") && as_int(result) >= 0) {
    return add({.call = call.number.bits,
                .first = 0,
                .bytes = 0,
                .key = result & 0xffffffff,
                .argument = arguments[0],
                .text = kGraphNoNumber,
                .text_bytes = 0,
                .kind = GraphInputKind::kOpened,
                .state = kDescriptor,
                .detail = 2});
  }
  if (is_one_of(name, "lseek", "lseek64") && static_cast<int64_t>(result) >= 0) {
    return move(call, kDescriptor, result, SEEK_SET);
  }
  if (is_one_of(name, "fseek", "fseeko", "fseeko64") && as_int(result) == 0) {
    return move(call, kStream, arguments[1], arguments[2]);
  }
  if (name == "rewind") return move(call, kStream, 0, SEEK_SET);
  if (name == "ungetc" && as_int(result) != EOF) {
    return add({.call = call.number.bits,
                .first = 0,
                .bytes = 0,
                .key = arguments[1],
                .argument = 0,
                .text = kGraphNoNumber,
                .text_bytes = 0,
                .kind = GraphInputKind::kPutBack,
                .state = kStream,
                .detail = 0});
  }
  if (is_one_of(name, "mmap", "mmap64") && as_int(arguments[4]) >= 0 && result != ~uint64_t{0}) {
    const uint64_t bytes = std::min(arguments[1], kMostMappedBytes);
    define(result, bytes);
    add({.call = call.number.bits,
         .first = 0,
         .bytes = bytes,
         .key = arguments[4] & 0xffffffff,
         .argument = arguments[5],
         .text = kGraphNoNumber,
         .text_bytes = 0,
         .kind = GraphInputKind::kPlaced,
         .state = kDescriptor,
         .detail = 0});
  }
}

void InputLog::move(const ReadingCall& call, GraphInputState state, uint64_t offset, uint64_t whence) {
  add({.call = call.number.bits,
       .first = 0,
       .bytes = 0,
       .key = call.returned.arguments[0],
       .argument = offset,
       .text = kGraphNoNumber,
       .text_bytes = 0,
       .kind = GraphInputKind::kMoved,
       .state = state,
       .detail = static_cast<uint8_t>(whence)});
}

void InputLog::open(const ReadingCall& call, GraphInputState state, uint64_t key, size_t path) {
  const bool failed = state == GraphInputState::kStream ? key == 0 : as_int(key) < 0;
  if (failed) return;
  GraphInput entry{.call = call.number.bits,
                   .first = 0,
                   .bytes = 0,
                   .key = state == GraphInputState::kStream ? key : key & 0xffffffff,
                   .argument = 0,
                   .text = kGraphNoNumber,
                   .text_bytes = 0,
                   .kind = GraphInputKind::kOpened,
                   .state = state,
                   .detail = 0};
  if ((call.returned.strings >> path & 1) != 0) {
    entry.text_bytes = call.returned.lengths[path];
    entry.text = call.returned.arguments[path];
    // A path that consists of input as it was read can be told from that; else it is looked for among the constants.
    std::vector<NodeNumber> sources;
    uint64_t first = kGraphNoNumber, found = 0;
    for (uint64_t each = 0; each < entry.text_bytes; ++each) {
      sources.clear();
      definitions_.add_sources(entry.text + each, 1, sources);
      for (const NodeNumber source : sources) {
        if (!is_input_byte(source)) continue;
        if (each == 0) first = source.bits;
        if (source.bits == first + each) ++found;
      }
    }
    if (found == entry.text_bytes && found > 0) entry.text = first;
  }
  add(entry);
}

}  // namespace culprit::depend
