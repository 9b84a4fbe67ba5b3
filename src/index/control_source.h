// What alignment reads of an execution: the walk of one thread through the program's blocks.
#pragma once

#include <cstdint>

#include "format/model_format.h"

namespace culprit {

enum class ControlKind : uint8_t {
  kEnter,  ///< an activation begins; a kBlock follows
  kBlock,  ///< a block begins in the innermost activation
  kLeave,  ///< the innermost activation ends
  kEnd,
};

struct ControlEvent {
  ControlKind kind = ControlKind::kEnd;
  /// kEnter: which of the block's calls, ascending in order of execution, but for the first activation (0). kBlock: the
  /// block, in the program model's numbers.
  uint32_t number = 0;
};

/// The events of one thread, in order. After kEnd comes kEnd.
class ControlSource {
 public:
  virtual ~ControlSource() = default;
  virtual ControlEvent next() = 0;
};

}  // namespace culprit
