// From a failing run to an explanation: the composition behind `culprit why` (DESIGN §8).
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "locate/failure.h"
#include "locate/failure_slice.h"
#include "locate/predicate_switching.h"
#include "locate/recorded_failure.h"
#include "locate/suppression.h"
#include "locate/value_replacement.h"
#include "program/program_model.h"
#include "report/explanation.h"
#include "session/controlled_run.h"

namespace culprit {

struct ExplainRequest {
  Launch launch;                        ///< of the plan "session"
  std::string command;                  ///< as the user typed it
  std::filesystem::path own_program{};  ///< the user's executable; none when the launch is of a recording
  std::string recording;                ///< its name, when the launch is of one
  Expectation expectation;
  uint32_t tries = 5000;                         ///< runs until one fails
  std::chrono::milliseconds try_time{10'000};    ///< for runs until one fails
  std::chrono::milliseconds time_limit{10'000};  ///< of the failing run: longer is a hang
  std::chrono::milliseconds heap_time{8'000};    ///< for altering the heap
  bool stretches = false;                        ///< all times for searching become longer where one run takes long
  SwitchingBudget switching;
  SuppressionBudget suppression;
  ReplacementBudget replacement;
  /// Builds the program by the plan "alterable", for what alters statements: called when switching finds nothing.
  std::function<std::filesystem::path()> alterable{};
  // Called once the run was seen to fail; builds may throw UserError.
  std::function<TracedProgram()> traced{};  ///< to find out what the failure depended on
  /// To record the failing run, so that all that is done afterwards is done to that run. Not needed when the launch is
  /// of a recording.
  std::function<RecordableProgram()> recordable{};
  std::optional<FirstRun> first_run{};  ///< that failed
};

/// Tells the user what is going on; false asks for what is known so far.
using ExplainProgress = std::function<bool(const std::string& step, uint64_t done, uint64_t planned)>;

report::Explanation explain(const ExplainRequest& request, const program::ProgramModel& model,
                            const ExplainProgress& progress);

}  // namespace culprit
