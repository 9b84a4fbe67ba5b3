#include "session/control_block.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/error.h"

namespace culprit {
namespace {

constexpr uint64_t kPart = 64;  // parts start at multiples of a cache line

uint64_t rounded(uint64_t bytes) {
  return (bytes + kPart - 1) / kPart * kPart;
}

}  // namespace

ControlBlock::ControlBlock(const ControlSetup& setup) {
  CULPRIT_ASSERT(std::is_sorted(setup.experiments.begin(), setup.experiments.end(),
                                [](const auto& one, const auto& other) { return one.instance < other.instance; }),
                 "experiments are in order of instance");
  format::SessionControl head{};
  head.version = format::kSessionVersion;
  head.mode = setup.mode;
  head.branch_limit = setup.branch_limit;
  head.workers = std::max(1U, setup.workers);
  head.stop_for_inspection = setup.stop_for_inspection ? 1 : 0;
  head.sealed = setup.sealed ? 1 : 0;
  head.unbuffered = setup.unbuffered ? 1 : 0;
  head.output_stop = setup.output_stop;
  static const uint64_t kClock = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
  head.clock = kClock;  // all runs of this `culprit`
  head.heap = setup.heap;
  head.bounds = setup.bounds;
  head.counted_statement = setup.counted_statement;
  head.round_block = setup.round_block;
  head.counted_round = setup.counted_round;
  head.memory_more = setup.memory_more;
  head.cpu_seconds = setup.cpu_seconds;
  head.log_offset = rounded(sizeof head);
  head.log_capacity = setup.log_capacity;
  head.turns_offset = rounded(head.log_offset + setup.log_capacity * sizeof(format::BranchEntry));
  head.turns_capacity = setup.log_capacity == 0 ? 0 : format::kMostThreadTurns;
  head.experiments_offset = rounded(head.turns_offset + head.turns_capacity * sizeof(format::ThreadTurn));
  head.experiment_count = setup.experiments.size();
  head.expected_offset = rounded(head.experiments_offset + head.experiment_count * sizeof(format::ExperimentRecord));
  head.expected_bytes = setup.expected_output.size();
  head.unaltered_offset = rounded(head.expected_offset + head.expected_bytes);
  head.unaltered_bytes = setup.unaltered_output.size();
  head.kept_offset = rounded(head.unaltered_offset + head.unaltered_bytes);
  head.kept_capacity = setup.keep_outputs;
  head.bytes = rounded(head.kept_offset + head.kept_capacity);

  bytes_ = head.bytes;
  descriptor_ = ::memfd_create("culprit-session", 0);
  if (descriptor_ < 0 || ::ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) {
    throw UserError(fmt::format("cannot get {} bytes of shared memory: {}", bytes_, std::strerror(errno)),
                    "free some memory", ExitCode::kEnvironmentLacks);
  }
  memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory_ == MAP_FAILED) {
    throw UserError(fmt::format("cannot map {} bytes of shared memory: {}", bytes_, std::strerror(errno)),
                    "free some memory", ExitCode::kEnvironmentLacks);
  }
  std::memcpy(memory_, &head, sizeof head);
  layout_ = head;
  auto* records = reinterpret_cast<format::ExperimentRecord*>(at(head.experiments_offset));
  for (size_t i = 0; i < setup.experiments.size(); ++i) {
    const PlannedExperiment& planned = setup.experiments[i];
    records[i].instance = planned.own == 0 ? planned.instance : planned.own;
    records[i].thread = planned.thread;
    records[i].way = planned.way;
    records[i].scope = planned.scope;
    records[i].statement = planned.statement;
    records[i].action = planned.action;
    records[i].passes = planned.passes;
    records[i].value = planned.value;
    records[i].then_block = planned.then_block;
    records[i].then_way = planned.then_way;
    records[i].then_number = planned.then_number;
  }
  std::copy(setup.expected_output.begin(), setup.expected_output.end(),
            reinterpret_cast<char*>(at(head.expected_offset)));
  std::copy(setup.unaltered_output.begin(), setup.unaltered_output.end(),
            reinterpret_cast<char*>(at(head.unaltered_offset)));
}

ControlBlock::~ControlBlock() {
  if (memory_ && memory_ != MAP_FAILED) ::munmap(memory_, bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::span<const format::ExperimentRecord> ControlBlock::experiments() const {
  return {reinterpret_cast<const format::ExperimentRecord*>(at(layout_.experiments_offset)), layout_.experiment_count};
}

std::optional<std::string_view> ControlBlock::output_of(const format::ExperimentRecord& experiment) const {
  if (experiment.kept_output > layout_.kept_capacity) return std::nullopt;
  if (experiment.output_bytes > layout_.kept_capacity - experiment.kept_output) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(at(layout_.kept_offset + experiment.kept_output)),
                          experiment.output_bytes);
}

BranchLog::Place BranchLog::place_of(uint64_t instance) const {
  const auto behind = std::upper_bound(turns.begin(), turns.end(), instance,
                                       [](uint64_t number, const auto& turn) { return number < turn.instance; });
  if (behind == turns.begin()) return {.thread = 0, .own = instance};
  const format::ThreadTurn& turn = *std::prev(behind);
  return {.thread = turn.thread, .own = turn.own_before + (instance - turn.instance) + 1};
}

uint64_t BranchLog::instance_of(Place place) const {
  uint64_t last = 0;
  const uint64_t end = first_instance + entries.size();
  for (size_t each = 0; each <= turns.size(); ++each) {
    const format::ThreadTurn turn =
        each == 0 ? format::ThreadTurn{.instance = 1, .thread = 0, .reserved = 0, .own_before = 0} : turns[each - 1];
    const uint64_t behind = each == turns.size() ? end : turns[each].instance;
    if (turn.thread != place.thread || turn.own_before >= place.own || behind <= turn.instance) continue;
    last = std::min(turn.instance + (place.own - turn.own_before) - 1, behind - 1);
  }
  return last;
}

PlannedExperiment BranchLog::placed(PlannedExperiment planned) const {
  const Place place = place_of(planned.instance);
  planned.thread = place.thread;
  planned.own = place.own;
  return planned;
}

BranchLog ControlBlock::branch_log() const {
  const uint64_t capacity = layout_.log_capacity;
  const uint64_t total = head().branches;
  const uint64_t kept = std::min(total, capacity);
  const auto* ring = reinterpret_cast<const format::BranchEntry*>(at(layout_.log_offset));
  BranchLog log{.first_instance = total - kept + 1, .entries = {}, .turns = {}};
  log.entries.reserve(kept);
  for (uint64_t instance = log.first_instance; instance <= total; ++instance) {
    log.entries.push_back(ring[(instance - 1) % capacity]);
  }
  const auto* turns = reinterpret_cast<const format::ThreadTurn*>(at(layout_.turns_offset));
  for (uint64_t each = 0; each < std::min(head().turn_count, layout_.turns_capacity); ++each) {
    if (!log.turns.empty() && turns[each].instance <= log.turns.back().instance) break;
    if (turns[each].thread >= format::kMostCountedThreads || turns[each].instance == 0) break;
    log.turns.push_back(turns[each]);
  }
  return log;
}

}  // namespace culprit
