// What an answer can do without, but knows less then, and says so.
#pragma once

#include <functional>

#include "report/explanation.h"

namespace culprit {

/// Does it. Where that ends by UserError, CorruptData or for want of memory, `what` and why are among the limits.
void attempt(const char* what, report::Explanation& explanation, const std::function<void()>& step);

}  // namespace culprit
