#include "index/point_id.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace culprit {
namespace {

using format::PointKind;

/// Reads an id's words from their end, where the last call word is.
class Reader {
 public:
  Reader(PointKind kind, std::span<const uint64_t> words, const program::ProgramModel& model, const std::string& source)
      : kind_(kind), words_(words), model_(model), source_(source), left_(words.size()) {}

  PointId read() {
    PointId id{.kind = kind_, .frames = {}};
    if (kind_ == PointKind::kCount) {
      const uint32_t statement = statement_of(take());
      id.count = take();
      id.frames.push_back({.statement = statement});
      if (left_ != 0) fail("holds more than a count");
      return id;
    }
    while (left_ > 0) id.frames.push_back(read_frame());
    std::reverse(id.frames.begin(), id.frames.end());
    return id;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw CorruptData(source_, left_ * sizeof(uint64_t), "an execution-point id " + what);
  }

  uint64_t take() {
    if (left_ == 0) fail("ends too early");
    return words_[--left_];
  }

  uint32_t statement_of(uint64_t word) const {
    const uint32_t site = format::site_of_word(word);
    if (site > model_.statements().size()) fail("names no statement of the program");
    return site - 1;
  }

  PointFrame read_frame() {
    const uint64_t word = take();
    if (format::site_of_word(word) == 0) {
      return {.statement = program::kNone, .entries = format::entries_of_word(word)};
    }
    PointFrame frame{.statement = statement_of(word), .entries = format::entries_of_word(word)};
    if (kind_ == PointKind::kLightweight) {
      frame.counts.push_back(take());
    } else if (kind_ == PointKind::kPrecise) {
      for (uint32_t loop = loops_around(model_, frame.statement); loop > 0; --loop) frame.counts.push_back(take());
      std::reverse(frame.counts.begin(), frame.counts.end());
    } else if (kind_ == PointKind::kStructural) {
      while (left_ > 1 && (words_[left_ - 1] & format::kBranchMark) != 0) {
        const auto edge = static_cast<uint32_t>(take() & ~uint64_t{format::kBranchMark} & 0xffffffff);
        frame.branches.push_back({.edge = edge, .times = take()});
      }
      std::reverse(frame.branches.begin(), frame.branches.end());
    }
    return frame;
  }

  PointKind kind_;
  std::span<const uint64_t> words_;
  const program::ProgramModel& model_;
  const std::string& source_;
  size_t left_;
};

}  // namespace

uint32_t loops_around(const program::ProgramModel& model, uint32_t statement) {
  uint32_t loops = 0;
  uint32_t loop = model.block(model.block_of_statement(statement)).innermost_loop;
  for (; loop != program::kNone; loop = model.loop(loop).parent) ++loops;
  return loops;
}

PointId parse_point_id(PointKind kind, std::span<const uint64_t> words, const program::ProgramModel& model,
                       const std::string& source) {
  return Reader(kind, words, model, source).read();
}

}  // namespace culprit
