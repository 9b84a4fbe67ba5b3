#include "program/external/real_call.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ostream>

#include "program/external/application.h"

namespace culprit::program::external {
namespace {

constexpr size_t kMemoryBytes = 2048;
constexpr size_t kCanaryBytes = 24;
constexpr size_t kMostWords = 10;
constexpr size_t kMostNumbers = 8;
constexpr unsigned char kFlips[] = {0x01, 0xff};

/// A result in both registers of the System V ABI for AMD64.
struct Both {
  uint64_t word;
  double number;
};
using Any = Both (*)(...);

alignas(16) std::array<unsigned char, kMemoryBytes> watched;

uint64_t watched_address() {
  return std::bit_cast<uint64_t>(watched.data());
}

enum class Use : uint8_t { kCanary, kFlippable, kFixed };

struct Run {
  std::array<unsigned char, kMemoryBytes> before{};
  std::array<unsigned char, kMemoryBytes> after{};
  std::array<Use, kMemoryBytes> use{};
  std::vector<uint64_t> words;  ///< all arguments, as the table's evaluation takes them
  Both result{};
  std::string output;  ///< of the sink
  std::string input;   ///< of the input stream
  long consumed = 0;   ///< where the input stream stands
  std::string file;    ///< what the descriptor's file holds afterwards
  std::string fresh;   ///< contents of fresh blocks
  CallEffects effects;
};

/// Reads the watched memory from the snapshots, all else from this process.
class SnapshotMemory : public CalledMemory {
 public:
  explicit SnapshotMemory(const Run& run) : run_(run) {}
  bool read(When when, uint64_t address, std::span<std::byte> into) const override {
    const uint64_t begin = watched_address();
    if (address >= begin && address + into.size() <= begin + kMemoryBytes) {
      const auto& snapshot = when == When::kBefore ? run_.before : run_.after;
      std::memcpy(into.data(), snapshot.data() + (address - begin), into.size());
      return true;
    }
    const iovec local{into.data(), into.size()};
    const iovec remote{std::bit_cast<void*>(address), into.size()};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(into.size());
  }
  std::optional<uint64_t> block_bytes(uint64_t) const override { return std::nullopt; }

 private:
  const Run& run_;
};

bool writes_memory(EffectKind kind) {
  return kind == EffectKind::kWrite || kind == EffectKind::kCopy || kind == EffectKind::kFill ||
         kind == EffectKind::kInput;
}

/// Lays the arguments out, calls, and asks the table what has happened.
class Caller {
 public:
  Caller(const RealCall& call, const Description& description) : call_(call), description_(description) {}
  ~Caller() {
    if (stream_ != nullptr) std::fclose(stream_);
    if (descriptor_ >= 0) close(descriptor_);
    std::free(sink_text_);
  }
  Caller(const Caller&) = delete;

  Run run(std::optional<size_t> flipped, unsigned char flip) {
    for (size_t index = 0; index < kMemoryBytes; ++index)
      watched[index] = static_cast<unsigned char>(0xa1 + index % 61);
    for (const Argument& argument : call_.arguments) std::visit([this](const auto& each) { lay_out(each); }, argument);
    if (flipped) watched[*flipped] ^= flip;
    if (call_.before != nullptr) call_.before();
    run_.before = watched;
    const auto function = std::bit_cast<Any>(dlsym(RTLD_DEFAULT, call_.function.c_str()));
    if (function == nullptr) throw std::runtime_error("the C library has no " + call_.function);
    words_.resize(kMostWords);
    numbers_.resize(kMostNumbers);
    errno = 0;
    const auto& w = words_;
    const auto& d = numbers_;
    run_.result = function(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], d[0], d[1], d[2], d[3], d[4],
                           d[5], d[6], d[7]);
    run_.after = watched;
    finish_streams();
    const ExternalCall called{call_.function, run_.words,
                              description_.result == ValueType::kVoid ? std::nullopt : std::optional(run_.result.word)};
    run_.effects = apply(description_, called, SnapshotMemory(run_));
    release_fresh_blocks();
    return run_;
  }

 private:
  /// Their addresses differ from call to call: wherever one stands, 1 is put instead.
  void release_fresh_blocks() {
    for (const Effect& effect : run_.effects.effects) {
      const uint64_t address = effect.target.address;
      if (writes_memory(effect.kind) && address - watched_address() >= kMemoryBytes) keep(effect.target);
      if (effect.kind != EffectKind::kAllocate) continue;
      if (run_.result.word == address) run_.result.word = 1;
      for (size_t index = 0; index < kMemoryBytes; index += sizeof(address)) {
        constexpr uint64_t kOne = 1;
        if (std::memcmp(run_.after.data() + index, &address, sizeof(address)) == 0) {
          std::memcpy(run_.after.data() + index, &kOne, sizeof(kOne));
        }
      }
      blocks_.push_back(address);
    }
    for (const uint64_t block : blocks_) std::free(std::bit_cast<void*>(block));
  }

  void keep(const Place& place) {
    if (place.kind == Place::Kind::kMemory) {
      run_.fresh.append(std::bit_cast<const char*>(place.address), place.bytes.value_or(0));
    }
  }

  void push_word(uint64_t word) {
    words_.push_back(word);
    run_.words.push_back(word);
    places_.push_back(word);
  }

  void push_memory(const void* bytes, size_t size, Use use) {
    next_ += kCanaryBytes;
    next_ = (next_ + 7) / 8 * 8;
    if (bytes != nullptr) std::memcpy(watched.data() + next_, bytes, size);
    std::fill_n(run_.use.begin() + static_cast<ptrdiff_t>(next_), size, use);
    push_word(watched_address() + next_);
    next_ += size;
    if (next_ + kCanaryBytes > kMemoryBytes) throw std::runtime_error("the arguments need more memory");
  }

  void lay_out(int64_t number) { push_word(static_cast<uint64_t>(number)); }
  void lay_out(double number) {
    numbers_.push_back(number);
    run_.words.push_back(std::bit_cast<uint64_t>(number));
    places_.push_back(0);
  }
  void lay_out(const Text& text) {
    push_memory(text.bytes.c_str(), text.bytes.size() + 1, text.fixed ? Use::kFixed : Use::kFlippable);
  }
  void lay_out(const Bytes& bytes) {
    push_memory(bytes.bytes.data(), bytes.bytes.size(), bytes.fixed ? Use::kFixed : Use::kFlippable);
  }
  void lay_out(const Buffer& buffer) { push_memory(nullptr, buffer.bytes, Use::kFlippable); }
  void lay_out(const Cell& cell) { push_memory(&places_[cell.argument], sizeof(uint64_t), Use::kFixed); }
  void lay_out(const Same& same) { push_word(places_[same.argument] + static_cast<uint64_t>(same.offset)); }
  void lay_out(const CxxString& string) {
    std::array<unsigned char, sizeof(std::string)> bytes{};
    push_memory(nullptr, bytes.size(), Use::kFixed);
    const uint64_t begin = places_.back();
    const uint64_t characters = begin + 16;
    const uint64_t size = string.text.size();
    std::memcpy(bytes.data(), &characters, sizeof(characters));
    std::memcpy(bytes.data() + 8, &size, sizeof(size));
    std::memcpy(bytes.data() + 16, string.text.c_str(), size + 1);
    std::memcpy(watched.data() + (begin - watched_address()), bytes.data(), bytes.size());
  }
  void lay_out(const Vectors& vectors) {
    std::vector<uint64_t> words;
    for (const auto& [argument, size] : vectors.buffers) {
      words.push_back(places_[argument]);
      words.push_back(size);
    }
    push_memory(words.data(), words.size() * sizeof(uint64_t), Use::kFixed);
  }
  void lay_out(const Descriptor& file) {
    descriptor_ = memfd_create("file", MFD_CLOEXEC);
    if (descriptor_ < 0 || write(descriptor_, file.text.data(), file.text.size()) < 0 ||
        lseek(descriptor_, 0, SEEK_SET) != 0) {
      throw std::runtime_error("no file can be made in memory");
    }
    push_word(static_cast<uint64_t>(descriptor_));
  }
  void lay_out(const Input& input) {
    run_.input = input.text;
    input_text_ = input.text;
    stream_ = fmemopen(input_text_.data(), input_text_.size(), "r");
    push_word(std::bit_cast<uint64_t>(stream_));
  }
  void lay_out(const Sink&) {
    stream_ = open_memstream(&sink_text_, &sink_size_);
    push_word(std::bit_cast<uint64_t>(stream_));
  }
  void lay_out(Callback callback) { push_word(std::bit_cast<uint64_t>(callback)); }

  void finish_streams() {
    if (descriptor_ >= 0) {
      run_.file.resize(1024);
      const ssize_t bytes = pread(descriptor_, run_.file.data(), run_.file.size(), 0);
      run_.file.resize(static_cast<size_t>(std::max<ssize_t>(bytes, 0)));
    }
    if (stream_ == nullptr) return;
    if (run_.input.empty()) {
      std::fflush(stream_);
      run_.output.assign(sink_text_, sink_size_);
    } else {
      run_.consumed = std::ftell(stream_);
    }
  }

  const RealCall& call_;
  const Description& description_;
  Run run_;
  size_t next_ = 0;
  std::vector<uint64_t> words_;
  std::vector<double> numbers_;
  std::vector<uint64_t> places_;  ///< per argument
  std::vector<uint64_t> blocks_;  ///< made by the call
  FILE* stream_ = nullptr;
  int descriptor_ = -1;
  std::string input_text_;
  char* sink_text_ = nullptr;
  size_t sink_size_ = 0;
};

/// Marks the watched bytes of a place.
void mark(std::array<bool, kMemoryBytes>& marks, const Place& place) {
  if (place.kind != Place::Kind::kMemory) return;
  const uint64_t begin = place.address - watched_address();
  for (uint64_t index = begin; index < begin + place.bytes.value_or(kMemoryBytes) && index < kMemoryBytes; ++index) {
    marks[index] = true;
  }
}

struct Declared {
  std::array<bool, kMemoryBytes> read{};
  std::array<bool, kMemoryBytes> written{};
  std::array<bool, kMemoryBytes> surely_written{};
};

Declared declared_by(const Run& run) {
  Declared declared;
  for (const Effect& effect : run.effects.effects) {
    if (effect.kind == EffectKind::kRead) mark(declared.read, effect.target);
    for (const Place& source : effect.sources) {
      mark(declared.read, source);
      // What a callback does with a pointer is its own affair.
      if (effect.kind != EffectKind::kCallback || source.kind != Place::Kind::kArgument) continue;
      for (uint64_t at = run.words[source.argument] - watched_address(); at < kMemoryBytes; ++at) {
        if (run.use[at] == Use::kCanary) break;
        declared.read[at] = true;
      }
    }
    if (!writes_memory(effect.kind)) continue;
    mark(declared.written, effect.target);
    if (effect.certain) mark(declared.surely_written, effect.target);
  }
  return declared;
}

class Checker {
 public:
  Checker(const RealCall& call, const Description& description) : call_(call), description_(description) {}

  std::vector<std::string> check() {
    const Run run = Caller(call_, description_).run(std::nullopt, 0);
    declared_ = declared_by(run);
    if (!run.effects.complete) complain("some places could not be located");
    check_changes(run);
    for (const Effect& effect : run.effects.effects) check_values(run, effect);
    check_output(run);
    check_input(run);
    check_undeclared_bytes(run);
    check_declared_bytes(run);
    return std::move(complaints_);
  }

 private:
  void complain(const std::string& text) {
    if (complaints_.size() < 5) complaints_.push_back(call_.function + ": " + text);
  }

  void check_changes(const Run& run) {
    for (size_t index = 0; index < kMemoryBytes; ++index) {
      if (run.before[index] != run.after[index] && !declared_.written[index]) {
        complain(fmt::format("byte {} changed, which no effect writes", index));
      }
    }
  }

  unsigned char byte_at(const std::array<unsigned char, kMemoryBytes>& snapshot, const Place& place, uint64_t offset) {
    const uint64_t index = place.address - watched_address() + offset;
    return index < kMemoryBytes ? snapshot[index] : 0;
  }

  bool is_watched(const Place& place) const {
    return place.kind == Place::Kind::kMemory && place.address - watched_address() < kMemoryBytes;
  }

  /// Values that the table promises.
  void check_values(const Run& run, const Effect& effect) {
    const auto argument = [&] { return run.words[effect.sources.front().argument]; };
    if (effect.kind == EffectKind::kReturnCopy && run.result.word != argument()) complain("the result is no copy");
    if (effect.kind == EffectKind::kReturnPoint && run.result.word - watched_address() >= kMemoryBytes) {
      complain("the result points elsewhere");
    }
    if (!effect.certain || !is_watched(effect.target) || !effect.target.bytes) return;
    for (uint64_t offset = 0; offset < *effect.target.bytes; ++offset) {
      const unsigned char now = byte_at(run.after, effect.target, offset);
      if (effect.kind == EffectKind::kCopy && is_watched(effect.sources.front()) &&
          now != byte_at(run.before, effect.sources.front(), offset)) {
        return complain(fmt::format("byte {} of a copy differs", offset));
      }
      if (effect.kind == EffectKind::kFill && now != static_cast<unsigned char>(argument())) {
        return complain(fmt::format("byte {} was not filled", offset));
      }
    }
  }

  void check_output(const Run& run) {
    const std::string& output = run.file.empty() ? run.output : run.file;
    uint64_t total = 0;
    for (const Effect& effect : run.effects.effects) {
      if (effect.kind != EffectKind::kOutput) continue;
      if (!effect.target.bytes) return complain("an output's length is not known");
      if (effect.offset != total) return complain("outputs leave a gap");
      for (uint64_t offset = 0; offset < *effect.target.bytes && effect.unchanged; ++offset) {
        const Place& source = effect.sources.front();
        const unsigned char expected = source.kind == Place::Kind::kArgument
                                           ? static_cast<unsigned char>(run.words[source.argument])
                                           : byte_at(run.before, source, offset);
        if (total + offset >= output.size() || static_cast<unsigned char>(output[total + offset]) != expected) {
          return complain(fmt::format("byte {} of the output is no copy", total + offset));
        }
      }
      total += *effect.target.bytes;
    }
    const bool puts_out = total != 0 || run.file.empty();
    if (puts_out && total != output.size())
      complain(fmt::format("{} bytes of output instead of {}", output.size(), total));
  }

  void check_input(const Run& run) {
    if (run.input.empty()) return;
    size_t at = 0;
    for (const Effect& effect : run.effects.effects) {
      if (effect.kind != EffectKind::kInput || call_.function.find("scanf") != std::string::npos) continue;
      if (effect.target.kind == Place::Kind::kResult) {
        if (static_cast<char>(run.result.word) != run.input[at++]) complain("the result is not the byte put in");
        continue;
      }
      for (uint64_t offset = 0; offset < effect.target.bytes.value_or(0); ++offset) {
        if (is_watched(effect.target) &&
            static_cast<char>(byte_at(run.after, effect.target, offset)) != run.input[at]) {
          return complain(fmt::format("byte {} of the input arrived elsewhere", at));
        }
        ++at;
      }
    }
    const bool partly = std::any_of(run.effects.effects.begin(), run.effects.effects.end(), [](const Effect& effect) {
      return writes_memory(effect.kind) && !effect.certain;  // an element that the stream's end cut off
    });
    if (at != 0 && at != static_cast<size_t>(run.consumed) && !partly) complain("more was taken from the stream");
  }

  /// Whether result or memory differ; `ignored` is a byte that differed before, or kMemoryBytes.
  std::string difference(const Run& run, const Run& other, size_t ignored) const {
    switch (description_.result) {
      case ValueType::kVoid:
      case ValueType::kLongDouble:
        break;
      case ValueType::kWord:
        if (run.result.word != other.result.word) return "the result";
        break;
      case ValueType::kInt:
      case ValueType::kUnsigned:
        if (static_cast<uint32_t>(run.result.word) != static_cast<uint32_t>(other.result.word)) return "the result";
        break;
      case ValueType::kDouble:
        if (std::bit_cast<uint64_t>(run.result.number) != std::bit_cast<uint64_t>(other.result.number))
          return "the result";
        break;
      case ValueType::kFloat:
        if (static_cast<uint32_t>(std::bit_cast<uint64_t>(run.result.number)) !=
            static_cast<uint32_t>(std::bit_cast<uint64_t>(other.result.number))) {
          return "the result";
        }
        break;
    }
    for (size_t index = 0; index < kMemoryBytes; ++index) {
      if (run.after[index] != other.after[index] && index != ignored) return fmt::format("byte {}", index);
    }
    if (run.output != other.output) return "the output";
    if (run.file != other.file) return "the file";
    return run.fresh == other.fresh ? "" : "a fresh block";
  }

  /// Nothing may depend on a byte that is not declared read; what is surely written keeps nothing of what was there.
  void check_undeclared_bytes(const Run& run) {
    for (size_t index = 0; index < kMemoryBytes; ++index) {
      if (declared_.read[index]) continue;
      for (const unsigned char flip : kFlips) {
        const Run other = Caller(call_, description_).run(index, flip);
        const size_t ignored = declared_.surely_written[index] ? kMemoryBytes : index;
        const std::string what = difference(run, other, ignored);
        if (!what.empty()) complain(fmt::format("{} depends on byte {}, which no effect reads", what, index));
      }
    }
  }

  /// Of the bytes that are declared read, one at least matters.
  void check_declared_bytes(const Run& run) {
    bool any = false;
    for (size_t index = 0; index < kMemoryBytes; ++index) {
      if (!declared_.read[index] || run.use[index] != Use::kFlippable) continue;
      any = true;
      for (unsigned flip = 1; flip < 256; ++flip) {
        const Run other = Caller(call_, description_).run(index, static_cast<unsigned char>(flip));
        if (!difference(run, other, declared_.surely_written[index] ? kMemoryBytes : index).empty()) return;
      }
    }
    if (any) complain("nothing depends on the bytes that it is said to read");
  }

  const RealCall& call_;
  const Description& description_;
  Declared declared_;
  std::vector<std::string> complaints_;
};

}  // namespace

void PrintTo(const RealCall& call, std::ostream* out) {
  *out << call.function;
}

std::vector<std::string> contradictions(const RealCall& call, const Table& table) {
  const Description* description = table.find(call.function);
  if (description == nullptr) return {call.function + ": not in the table"};
  return Checker(call, *description).check();
}

}  // namespace culprit::program::external
