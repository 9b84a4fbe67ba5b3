#include "index/traced_points.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace culprit {

namespace {

constexpr std::array<std::string_view, 7> kReturnTwice{"setjmp",     "_setjmp", "sigsetjmp", "__sigsetjmp",
                                                       "getcontext", "vfork",   "savectx"};

}  // namespace

using trace::Step;
using trace::StepKind;

ControlEvent TracedControl::next() {
  while (true) {
    const Step& step = stream_.next();
    if (step.kind == StepKind::kEnd) return {};
    if (step.thread != thread_) continue;
    switch (step.kind) {
      case StepKind::kEnter:
        // Operations of a block are numbered in order.
        enter(step);
        return {ControlKind::kEnter, waiting_.size() > 2 ? number_of(waiting_[waiting_.size() - 2].operation) : 0};
      case StepKind::kRun:
        // A call is the last operation of what is executed before it.
        if (waiting_.back().operation != step.end - 1) waiting_.back() = {.operation = step.end - 1, .entries = 0};
        if (step.starts) return {ControlKind::kBlock, step.block};
        break;
      case StepKind::kReturned:
        // A jump back is a loop that the flow graph does not show: what the activation does is done once more.
        if (returns_twice(step.operation)) ++waiting_[waiting_.size() - 2].entries;
        break;
      case StepKind::kLeave:
      case StepKind::kUnwound:
        waiting_.pop_back();
        return {ControlKind::kLeave, 0};
      default:
        break;
    }
  }
}

uint32_t TracedControl::number_of(uint32_t operation) const {
  return version_ && operation != format::kNone ? version_->operation[operation] : operation;
}

bool TracedControl::returns_twice(uint32_t operation) const {
  const auto& model = trace_.model();
  if (operation == format::kNone) return false;
  const uint32_t call = model.operation(operation).detail;
  if (model.operation(operation).kind != format::OperationKind::kCall || call == format::kNone) return false;
  const uint32_t callee = model.call(call).callee;
  return callee != format::kNone && std::ranges::find(kReturnTwice, model.function_name(callee)) != kReturnTwice.end();
}

void TracedControl::enter(const Step& step) {
  const auto& model = trace_.model();
  Waiting& caller = waiting_.back();
  const bool by_call = !step.by_native && step.operation != format::kNone;
  if (!by_call || (model.operation(step.operation).flags & format::kOperationEnters) == 0) ++caller.entries;
  waiting_.push_back({});
}

std::vector<uint64_t> TracedPoints::words_with(uint32_t site) const {
  const auto call_word = [](uint64_t entries, uint32_t call) { return entries << 32 | call; };
  const std::vector<TracedControl::Waiting>& waiting = control_.waiting();
  const std::vector<CursorFrame>& frames = cursor_.frames();
  std::vector<uint64_t> words{call_word(waiting.front().entries, 0)};
  for (size_t each = 0; each < frames.size(); ++each) {
    const CursorFrame& frame = frames[each];
    for (uint16_t level = 0; level < tables_.block(frame.block).level; ++level) {
      words.push_back(cursor_.iteration(frame, level));
    }
    if (each + 1 == frames.size()) break;
    const TracedControl::Waiting& call = waiting[each + 1];
    words.push_back(call_word(call.entries, site_of(call.operation)));
  }
  words.push_back(site);
  return words;
}

std::optional<StatementInstance> find_point(const trace::TraceFile& trace, std::span<const uint64_t> words) {
  const uint32_t site = words.empty() ? 0 : format::site_of_word(words.back());
  if (site == 0 || site > trace.model().statements().size()) return std::nullopt;
  StatementInstance found{.statement = site - 1, .number = 0};
  const uint32_t block = trace.model().block_of_statement(found.statement);
  for (TracedPoints points(trace); points.advance();) {
    if (points.block() != block) continue;
    ++found.number;
    if (std::ranges::equal(points.words_at(found.statement), words)) return found;
  }
  return std::nullopt;
}

}  // namespace culprit
