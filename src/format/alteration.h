// What an altered run does otherwise in one execution of a statement. Bodies with session hooks ask at the start of
// each statement that can be altered; whoever answers (runtime/loader/points.h, runtime/session/agent.h) says one of
// these.
#pragma once

#include <cstdint>

namespace culprit::format {

enum class StatementAction : uint32_t {
  kNone,
  kSuppress,      ///< it writes nothing; its call is not made and yields ThreadState::altered_value
  kReplaceWrite,  ///< it writes, or returns, ThreadState::altered_value instead
  kReplaceRead,   ///< what it reads at ThreadState::altered_address is ThreadState::altered_value
};

}  // namespace culprit::format
