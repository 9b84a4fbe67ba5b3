// The shared memory through which a session talks to the agent inside the program (format/session_abi.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "format/session_abi.h"

namespace culprit {

/// What an altered run does otherwise: a branch instance, or an execution of a statement (format::ExperimentRecord).
struct PlannedExperiment {
  uint64_t instance;  ///< in the order of the list; the thread's own, or, with `own`, of all threads
  uint32_t way = 0;   ///< position among the block's outgoing edges
  format::SwitchScope scope = format::SwitchScope::kInstance;
  uint32_t statement = format::kNoStatement;
  format::StatementAction action = format::StatementAction::kNone;
  uint64_t passes = 0;
  uint64_t value = 0;
  uint32_t then_block = 0;
  uint32_t then_way = 0;
  uint64_t then_number = 0;
  uint32_t thread = 0;  ///< format::ThreadState::number
  uint64_t own = 0;     ///< which of the thread's own instances that is; 0: the same number
};

/// The branch instances of a run, of one thread or of all.
struct BranchLog {
  uint64_t first_instance = 1;  ///< the number of the first entry's; entries before it were not kept
  std::vector<format::BranchEntry> entries;
  std::vector<format::ThreadTurn> turns;  ///< ascending; before the first it is thread 0's
  /// Which instance of which thread.
  struct Place {
    uint32_t thread = 0;
    uint64_t own = 0;
  };
  Place place_of(uint64_t instance) const;
  /// The number of a thread's own instance; of the last of them that comes before it when it is not in the log.
  uint64_t instance_of(Place place) const;
  /// So that it names the thread's own instance.
  PlannedExperiment placed(PlannedExperiment planned) const;
};

/// What goes into the block before the program starts.
struct ControlSetup {
  format::SessionMode mode = format::SessionMode::kRun;
  uint64_t branch_limit = ~uint64_t{0};        ///< branch instances an altered run may execute in all
  uint64_t log_capacity = 0;                   ///< branch entries kept; older ones are overwritten
  std::vector<PlannedExperiment> experiments;  ///< ascending by instance
  uint32_t counted_statement = format::kNoStatement;
  uint32_t round_block = format::kNoBlock;
  uint64_t counted_round = 0;
  uint64_t memory_more = uint64_t{4} << 30;  ///< bytes that an altered run may need beyond what it has at its start
  uint64_t cpu_seconds = 5;                  ///< that it may take
  std::string_view expected_output;
  std::string_view unaltered_output;
  uint64_t keep_outputs = 0;  ///< bytes of room for outputs of altered runs
  uint32_t workers = 2;
  bool stop_for_inspection = false;
  bool sealed = false;
  bool unbuffered = false;
  uint64_t output_stop = ~uint64_t{0};
  format::HeapControl heap{};
  format::BoundsControl bounds{};
};

/// Owns the mapping and its descriptor. The controlled program can write there, and one that writes where it should not
/// may: what it tells is to be checked before it is used as an index. Throws UserError (kEnvironmentLacks) when the
/// memory cannot be had.
class ControlBlock {
 public:
  explicit ControlBlock(const ControlSetup& setup);
  ~ControlBlock();
  ControlBlock(const ControlBlock&) = delete;
  ControlBlock& operator=(const ControlBlock&) = delete;

  int descriptor() const { return descriptor_; }
  format::SessionControl& head() const { return *static_cast<format::SessionControl*>(memory_); }
  std::span<const format::ExperimentRecord> experiments() const;

  /// An altered run's whole standard output; nothing when it was not kept.
  std::optional<std::string_view> output_of(const format::ExperimentRecord& experiment) const;

  /// The logged branch instances still in the ring, oldest first.
  BranchLog branch_log() const;

 private:
  std::byte* at(uint64_t offset) const { return static_cast<std::byte*>(memory_) + offset; }
  int descriptor_ = -1;
  void* memory_ = nullptr;
  format::SessionControl layout_{};  ///< the head as it was made
  size_t bytes_ = 0;
};

}  // namespace culprit
