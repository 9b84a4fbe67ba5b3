// The program as its user compiled it, run once: before anything is built, it is known whether there is a failure.
#pragma once

#include <chrono>
#include <filesystem>

#include "locate/failure.h"
#include "session/controlled_run.h"

namespace culprit {

enum class FirstLook : uint8_t { kFails, kPasses, kTakesLong };

/// `launch`: of the program itself. `limit`: longer says nothing.
FirstLook look_first(const Launch& launch, const Expectation& expectation, std::chrono::milliseconds limit);

}  // namespace culprit
