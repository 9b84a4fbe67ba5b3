// A hash of the program's memory, to compare the end of a replay with the end of the recorded run.
#pragma once

#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/memory_lines.h"

namespace culprit::loader {

/// Hash over address and contents of every private page that was written and is not all zeros; 0 when /proc is not
/// there or nothing is recorded.
uint32_t hash_of_program();

/// Whether a word points to a machine stack or to code of the executable, which lie elsewhere in other plans.
bool is_plans_own(uint64_t value);

/// As the last event has it, and what a replay compares with that.
class FinalMemory {
 public:
  FinalMemory();
  FinalMemory(const FinalMemory&) = delete;

  /// Of two plans of a program only what they share is compared.
  MemoryComparison compare(const format::Event& recorded) const;

  /// Hash over address and contents of every private page that was written and is not all zeros. 0: not known (a child
  /// that is not recorded, or /proc is not there).
  uint32_t all() const { return all_; }
  static constexpr uint32_t kParts = 3;
  const PartSource* parts() const { return parts_; }

 private:
  LineTable lines_, shared_lines_;
  uint32_t all_;
  /// Hash of what all plans of a program share: variables and user stacks. Words that point to code or
  /// machine stacks count as zero, also as setjmp stores them, and so does what lies around the thread's own variables.
  /// A program that is not captured shares nothing with another: 0.
  uint32_t shared_;
  PartSource parts_[kParts];
};

}  // namespace culprit::loader
