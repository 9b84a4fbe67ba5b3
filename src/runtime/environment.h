// Variables of the environment that are meant for the runtime: taken out before the program can see them.
#pragma once

namespace culprit::runtime {

/// Removes `name` ("NAME=") from the environment; its value, or null.
const char* take_variable(char** environment, const char* name);

}  // namespace culprit::runtime
