// The calls by which the table is checked against the C library.
#pragma once

#include <vector>

#include "program/external/real_call.h"

namespace culprit::program::external {

std::vector<RealCall> real_calls();

}  // namespace culprit::program::external
