#include "locate/heap_experiments.h"

#include <sys/wait.h>

#include <algorithm>

#include "locate/failure.h"

namespace culprit {
namespace {

using Clock = std::chrono::steady_clock;
using format::HeapAlteration;

constexpr uint64_t kAllBlocks = ~uint64_t{0};
constexpr uint64_t kRoom = 4096;
constexpr uint8_t kOneFill = 0x00;
constexpr uint8_t kOtherFills[] = {0xa5, 0x7f};  // a negative and a large positive number, as any integer type
constexpr uint64_t kLogCapacity = uint64_t{1} << 24;
constexpr size_t kMostFrames = 64;

/// What tells one end of a run from another.
struct Ending {
  bool timed_out = false;
  int wait_status = 0;
  std::string output;
  uint32_t statement = format::kNone;  ///< where a fatal signal came
  bool operator==(const Ending&) const = default;
};

Ending ending_of(const ObservedEnd& end) {
  return {.timed_out = end.timed_out,
          .wait_status = end.wait_status,
          .output = end.output,
          .statement = end.frames.empty() ? format::kNone : end.frames.front().statement};
}

struct HeapRun {
  ObservedEnd end;
  format::HeapControl heap;
  BranchLog log;
};

class Search {
 public:
  Search(const Launch& launch, const Oracle& oracle, std::chrono::milliseconds time, std::function<bool()> wanted)
      : launch_(launch), oracle_(oracle), deadline_(Clock::now() + time), wanted_(std::move(wanted)) {}

  bool over() const { return Clock::now() >= deadline_ || !wanted_(); }
  uint64_t runs() const { return runs_; }

  HeapRun run(format::HeapControl heap, bool log = false) {
    ++runs_;
    ControlSetup setup;
    setup.mode = log ? format::SessionMode::kLogBranches : format::SessionMode::kRun;
    setup.log_capacity = log ? kLogCapacity : 1;
    setup.stop_for_inspection = true;
    setup.sealed = true;
    setup.heap = heap;
    const ControlBlock control(setup);
    ControlledRun process(launch_, control);
    HeapRun result;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
    if (process.wait_for_stop(std::max(left, std::chrono::milliseconds(500)))) {
      result.end.stop = control.head().stop;
      result.end.frames = read_frames(memory_of(process), result.end.stop.frames, kMostFrames);
      process.release();
    }
    result.end.wait_status = process.end().wait_status;
    result.end.timed_out = process.end().timed_out;
    result.end.output = process.standard_output();
    result.end.error = process.standard_error();
    result.heap = control.head().heap;
    if (log) result.log = control.branch_log();
    return result;
  }

  /// The smallest number of blocks for which the alteration makes the run end as it does when all blocks are altered.
  /// (Not: for which it ends otherwise than without, because what a damaged heap holds changes with any of them.)
  uint64_t decisive_block(format::HeapControl heap, const Ending& with, uint64_t blocks) {
    uint64_t none = 0, some = blocks;
    while (some - none > 1 && !over()) {
      heap.last = none + (some - none) / 2;
      if (ending_of(run(heap).end) == with) {
        some = heap.last;
      } else {
        none = heap.last;
      }
    }
    return some - none == 1 ? some : 0;
  }

  bool is_good(const ObservedEnd& end) const { return is_good_end(end, oracle_); }

 private:
  const Launch& launch_;
  const Oracle& oracle_;
  Clock::time_point deadline_;
  std::function<bool()> wanted_;
  uint64_t runs_ = 0;
};

std::vector<uint32_t> statements_of(const format::HeapSite& site) {
  return {site.statements, site.statements + std::min(site.count, format::kMostHeapFrames)};
}

/// Fills in what a run says of its decisive block; the access when the run stopped at the guard.
void add_what_run_tells(HeapFault& fault, const HeapRun& run) {
  fault.bytes = run.heap.block_bytes;
  fault.allocated = statements_of(run.heap.allocated);
  if (run.heap.freed.count) fault.freed = statements_of(run.heap.freed);
  const format::StopRecord& stop = run.end.stop;
  const bool at_guard = stop.reason == format::StopReason::kFatalSignal && stop.address >= run.heap.guard_begin &&
                        stop.address < run.heap.guard_end && run.heap.guard_end != 0;
  // A library function may read a whole aligned piece at once, from before the block's start.
  if (at_guard && stop.address >= run.heap.block_address) {
    fault.offset = static_cast<int64_t>(stop.address - run.heap.block_address);
  }
  if (at_guard || stop.reason == format::StopReason::kInvalidFree) {
    fault.access = run.end.frames;
  }
}

/// Where two runs part that differ in one block's contents only.
void add_first_difference(HeapFault& fault, const BranchLog& with,
                          const BranchLog& without) {
  if (with.first_instance != 1 || without.first_instance != 1) return;
  const auto [ours, theirs] =
      std::mismatch(with.entries.begin(), with.entries.end(), without.entries.begin(), without.entries.end(),
                    [](auto a, auto b) { return a.block == b.block && a.way == b.way; });
  if (ours == with.entries.end() || theirs == without.entries.end() || ours->block != theirs->block) return;
  fault.first_different_branch = ours->block;
}

/// A block on whose contents it depends how the run ends.
struct DecisiveFill {
  uint64_t block;
  bool repairs;  ///< a run with one of both contents in all blocks is good
};

/// Of all blocks that `heap` fills: with the one content up to `last`, with the other behind.
std::optional<DecisiveFill> decisive_fill(Search& search, format::HeapControl heap) {
  heap.last = kAllBlocks;
  const HeapRun one = search.run(heap);
  heap.last = 0;
  const HeapRun other = search.run(heap);
  if (ending_of(one.end) == ending_of(other.end)) return std::nullopt;
  const uint64_t blocks = std::max(one.heap.allocations, other.heap.allocations);
  const uint64_t block = search.decisive_block(heap, ending_of(one.end), blocks);
  if (block == 0) return std::nullopt;
  return DecisiveFill{block, search.is_good(one.end) || search.is_good(other.end)};
}

std::optional<HeapFault> find_uninitialised(Search& search, uint8_t other_fill) {
  format::HeapControl heap{};
  heap.alteration = HeapAlteration::kFill;
  heap.fill = kOneFill;
  heap.fill_after = other_fill;
  const std::optional<DecisiveFill> fill = decisive_fill(search, heap);
  if (!fill) return std::nullopt;

  // The two runs that differ in this block only: where do they part?
  heap.last = fill->block;
  const HeapRun with = search.run(heap, true);
  heap.last = fill->block - 1;
  const HeapRun without = search.run(heap, true);
  HeapFault fault;
  fault.error = HeapError::kUninitialised;
  fault.block = fill->block;
  fault.repairs = fill->repairs;
  add_what_run_tells(fault, with);
  add_first_difference(fault, with.log, without.log);
  return fault;
}

/// What the guarded decisive block tells; no access where it was not accessed.
HeapFault fault_at(Search& search, uint64_t block, HeapAlteration guard) {
  format::HeapControl heap{};
  heap.alteration = guard;
  heap.last = block;
  const HeapRun guarded = search.run(heap);
  HeapFault fault;
  fault.error = guard == HeapAlteration::kGuardEnd                            ? HeapError::kOutOfBounds
                : guarded.end.stop.reason == format::StopReason::kInvalidFree ? HeapError::kFreedTwice
                                                                              : HeapError::kUsedAfterFree;
  fault.block = block;
  add_what_run_tells(fault, guarded);
  return fault;
}

/// Bisects by `alteration`, then guards the block by `guard`.
std::optional<HeapFault> find_misused(Search& search, const Ending& failing, HeapAlteration alteration,
                                      HeapAlteration guard) {
  format::HeapControl heap{};
  heap.alteration = alteration;
  heap.room = kRoom;
  heap.last = kAllBlocks;
  const HeapRun altered = search.run(heap);
  if (ending_of(altered.end) == failing) return std::nullopt;
  const uint64_t block = search.decisive_block(heap, ending_of(altered.end), altered.heap.allocations);
  if (block == 0) return std::nullopt;
  HeapFault fault = fault_at(search, block, guard);
  fault.repairs = search.is_good(altered.end);
  // Another placement of blocks may change a run for other reasons: only the access itself proves it.
  if (fault.access.empty()) return std::nullopt;
  return fault;
}

/// Reads of freed blocks that nobody else got: keeping such a block changes nothing, but what it holds does. All blocks
/// lie where they lay, so this is proved without an access, too: a guarded block may be spared because it lies
/// elsewhere.
std::optional<HeapFault> find_freed_read(Search& search) {
  format::HeapControl heap{};
  heap.alteration = HeapAlteration::kFillFreed;
  heap.fill = kOneFill;
  heap.fill_after = kOtherFills[0];
  const std::optional<DecisiveFill> fill = decisive_fill(search, heap);
  if (!fill) return std::nullopt;
  HeapFault fault = fault_at(search, fill->block, HeapAlteration::kGuardFreed);
  if (!fault.access.empty()) return fault;
  heap.last = fill->block;
  const HeapRun with = search.run(heap, true);
  heap.last = fill->block - 1;
  add_first_difference(fault, with.log, search.run(heap, true).log);
  return fault;
}

}  // namespace

HeapSearch search_heap(const Launch& launch, const ObservedEnd& failing, const Oracle& oracle,
                       std::chrono::milliseconds time, const std::function<bool()>& still_wanted) {
  Search search(launch, oracle, time, still_wanted);
  HeapSearch result;
  const Ending expected = ending_of(failing);
  // Blocks are counted but left alone: the failure must show here too, or differences would mean nothing.
  format::HeapControl unaltered{};
  unaltered.alteration = HeapAlteration::kMoreRoom;
  result.reproduced = ending_of(search.run(unaltered).end).wait_status == expected.wait_status;
  if (result.reproduced) {
    const Ending sealed = ending_of(search.run(unaltered).end);
    if (auto fault = find_misused(search, sealed, HeapAlteration::kKeepFreed, HeapAlteration::kGuardFreed)) {
      result.faults.push_back(std::move(*fault));
    }
    if (auto fault = find_misused(search, sealed, HeapAlteration::kMoreRoom, HeapAlteration::kGuardEnd)) {
      result.faults.push_back(std::move(*fault));
    }
    if (result.faults.empty()) {
      if (auto fault = find_freed_read(search)) result.faults.push_back(std::move(*fault));
    }
    // What a block holds that is used after its release looks like memory that was never written.
    for (const uint8_t fill : kOtherFills) {
      if (!result.faults.empty()) break;
      auto fault = find_uninitialised(search, fill);
      if (!fault) continue;
      result.faults.push_back(std::move(*fault));
      break;
    }
  }
  result.runs = search.runs();
  return result;
}

}  // namespace culprit
