// A program's model, from what the user types.
#pragma once

#include <string>

#include "program/program_model.h"

namespace culprit::cli {

/// A model file, or the model that comes with a build of a program, which is built if the cache has none.
program::ProgramModel open_model(const std::string& typed);

}  // namespace culprit::cli
