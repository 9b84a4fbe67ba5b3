// Where on the user stack variables were, but of functions that have returned. The user stack holds nothing else than
// variables whose address the program can see, so what is below the innermost frame belongs to nobody.
#pragma once

#include <cstdint>
#include <vector>

#include "depend/activation.h"
#include "program/program_model.h"

namespace culprit::depend {

class DeadStack {
 public:
  explicit DeadStack(const program::ProgramModel& model);

  /// Of the thread that all the following is about.
  void set_thread(uint32_t thread);
  void enter(const Activation& activation);
  void leave(uint32_t frame);

  /// Whether a byte of the thread's user stack was a variable's and no longer is. Not known is not dead: of activations
  /// whose arrays have no constant size, of functions that native code may lie beneath, and of stacks that the program
  /// switches to.
  bool holds(uint64_t address) const { return address - first_ < bytes_; }

 private:
  struct Frame {
    uint32_t frame;
    uint64_t end;  ///< what is below it is dead; 0: not known
  };
  struct Thread {
    std::vector<Frame> frames;
    uint32_t activations = 0;
    uint64_t first_base = 0;
    uint64_t lowest = 0;  ///< of all bases so far
    uint64_t top = 0;     ///< behind the variables of outermost frames
  };

  void look();

  const program::ProgramModel& model_;
  std::vector<uint32_t> base_;    ///< per function: which of its bases is that of its user frame, or kNone
  std::vector<uint64_t> extent_;  ///< of the variables in that frame
  std::vector<Thread> threads_;
  Thread* thread_ = nullptr;
  uint64_t first_ = 0, bytes_ = 0;
};

/// Which of a function's bases is that of its frame on the user stack; kNone: it has none.
uint32_t user_base_of(const program::ProgramModel& model, uint32_t function);

}  // namespace culprit::depend
