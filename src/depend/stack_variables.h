// Which variables of the activations that have not ended lie where on the user stack, and since when. What memory held
// before an activation began was never given to its variables.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "depend/activation.h"
#include "depend/definition.h"
#include "program/program_model.h"
#include "trace/control_stream.h"

namespace culprit::depend {

/// Bytes of one variable.
struct StackBytes {
  uint64_t first = 0, end = 0;  ///< addresses
  uint64_t since = 0;           ///< the number of the activation's first node
  uint64_t variable = 0;        ///< as of definition::unwritten
};

/// All of one.
struct VariableExtent {
  uint64_t first = 0, end = 0;        ///< addresses
  uint32_t variable = format::kNone;  ///< of the program model
  uint32_t frame = format::kNone;     ///< whose variable it is; kNone: a global
};

class StackVariables {
 public:
  explicit StackVariables(const program::ProgramModel& model);

  /// Of the thread that all the following is about.
  void set_thread(uint32_t thread);
  /// `number`: that its first node will have.
  void enter(const Activation& activation, uint64_t number);
  void leave(uint32_t frame);
  /// Native code of which it is not known what it wrote: when it was given an address, it may have written to any
  /// variable that it could find.
  void note_unseen(const trace::ReturnedCall& call);

  /// What was defined from this number on is no variable's earlier content.
  uint64_t latest_entry() const { return frames_->empty() ? 0 : frames_->back().since; }
  /// The first bytes of [address, address + bytes) that belong to a variable to which all writes are known.
  std::optional<StackBytes> find(uint64_t address, uint64_t bytes) const;
  /// The variable that a byte belongs to.
  std::optional<VariableExtent> whole(uint64_t address) const;

 private:
  struct Variable {
    uint64_t offset, bytes;
    uint32_t variable;
  };
  struct Function {
    bool is_known = false;
    uint32_t base = format::kNone;  ///< of its frame, by number; kNone: nothing of it is to be looked at
    std::vector<Variable> variables;
  };
  struct Frame {
    uint64_t base, since;
    uint32_t frame, function;
  };
  struct Thread {
    std::vector<Frame> frames;
    size_t unseen = 0;  ///< the outer ones: native code may have written there
  };

  const Function& function(uint32_t number);

  const program::ProgramModel& model_;
  std::vector<Function> functions_;
  std::vector<bool> has_assembly_;  ///< by function
  std::vector<Thread> threads_;
  std::vector<Frame>* frames_ = nullptr;
  size_t* unseen_ = nullptr;
};

}  // namespace culprit::depend
