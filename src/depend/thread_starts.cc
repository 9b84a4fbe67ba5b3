#include "depend/thread_starts.h"

#include <algorithm>

#include "program/external_roles.h"

namespace culprit::depend {

ThreadStarts::ThreadStarts(const program::ProgramModel& model) {
  for (const uint32_t function : model.functions()) {
    if (program::makes_thread(model.text(model.function(function).linkage_name))) makers_.push_back(function);
  }
}

void ThreadStarts::note(uint32_t callee, NodeNumber call) {
  if (std::find(makers_.begin(), makers_.end(), callee) != makers_.end()) calls_.push_back(call);
}

NodeNumber ThreadStarts::next() {
  return begun_ < calls_.size() ? calls_[begun_++] : kNoNumber;
}

}  // namespace culprit::depend
