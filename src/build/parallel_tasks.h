// Steps that run side by side, each in a forked process that inherits what they work on in memory, so that a crash inside
// LLVM ends one process only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "build/job.h"

namespace culprit {

/// Told by a task when a step begins; steps end when the next begins.
using BeginStep = std::function<void(const std::string& step)>;

struct ParallelTask {
  std::string name;
  std::function<void(const BeginStep&)> body;  ///< changes only its own process's memory, so its result is a file
};

/// Runs all tasks, at most `width` at a time, and returns their steps' times in the order of the tasks.
/// `announce` is called (in the task's process) as each step begins. The first failure ends the others and is thrown as
/// UserError; a crash names the step that crashed.
std::vector<StepTime> run_tasks(const std::vector<ParallelTask>& tasks, unsigned width,
                                const std::function<void(const std::string&)>& announce);

}  // namespace culprit
