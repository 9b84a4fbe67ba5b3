// The calls by which threads were created, for the activations that these begin with.
#pragma once

#include <cstdint>
#include <vector>

#include "depend/node.h"
#include "program/program_model.h"

namespace culprit::depend {

class ThreadStarts {
 public:
  explicit ThreadStarts(const program::ProgramModel& model);

  /// A call is made; `callee`: a function of the model, or format::kNone.
  void note(uint32_t callee, NodeNumber call);
  /// Of the next thread that begins: they begin in the order in which they were created. kNoNumber when there is none.
  NodeNumber next();

 private:
  std::vector<uint32_t> makers_;  // functions
  std::vector<NodeNumber> calls_;
  size_t begun_ = 0;
};

}  // namespace culprit::depend
