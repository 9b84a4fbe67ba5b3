// One line of the table applied to one call.
#pragma once

#include "program/external/description.h"

namespace culprit::program::external {

CallEffects apply(const Description& description, const ExternalCall& call, const CalledMemory& memory);

}  // namespace culprit::program::external
