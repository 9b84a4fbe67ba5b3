// `culprit dump trace`: a trace as the walk through the program that it describes.

#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "trace/control_stream.h"

namespace culprit::cli {
namespace {

using program::ProgramModel;
using trace::Step;
using trace::StepKind;

struct Options {
  std::string folder;
  uint64_t steps = 0;
  bool summary = false;
};

std::string operation_text(const ProgramModel& model, uint32_t operation) {
  if (operation == format::kNone) return "-";
  return model.position_text(model.operation(operation).statement);
}

std::string heap_text(uint64_t bytes) {
  if (bytes == format::kTraceHeapFreed) return "given back";
  return bytes == format::kTraceHeapKept ? "kept" : fmt::format("of {} bytes", bytes);
}

void print_step(const ProgramModel& model, const Step& step) {
  switch (step.kind) {
    case StepKind::kEnter:
      fmt::print("{} enter {} frame {} from {}{}\n", step.thread, model.function_name(step.function), step.frame,
                 operation_text(model, step.operation), step.by_native ? " (by native code)" : "");
      return;
    case StepKind::kRun:
      fmt::print("{} run frame {} block {} operations {}-{}{}{}\n", step.thread, step.frame, step.block, step.first,
                 step.end, step.starts ? "" : " (goes on)", step.cut ? " (cut)" : "");
      return;
    case StepKind::kReturned:
      fmt::print("{} returned frame {} {} result {:#x}\n", step.thread, step.frame,
                 operation_text(model, step.operation), step.returned->result);
      return;
    case StepKind::kLeave:
      fmt::print("{} leave {} frame {}\n", step.thread, model.function_name(step.function), step.frame);
      return;
    case StepKind::kUnwound:
      fmt::print("{} unwound {} frame {}\n", step.thread, model.function_name(step.function), step.frame);
      return;
    case StepKind::kHeap:
      fmt::print("{} heap {:#x} {}\n", step.thread, step.heap.address, heap_text(step.heap.bytes));
      return;
    case StepKind::kEnd:
      return;
  }
}

ExitCode dump(const Options& options) {
  const trace::TraceFile file(options.folder);
  trace::ControlStream stream(file);
  uint64_t steps = 0, runs = 0, operations = 0, frames = 0;
  while (true) {
    const Step& step = stream.next();
    if (step.kind == StepKind::kEnd || (options.steps != 0 && steps == options.steps)) break;
    ++steps;
    runs += step.kind == StepKind::kRun && step.starts;
    operations += step.kind == StepKind::kRun ? step.end - step.first : 0;
    frames += step.kind == StepKind::kEnter;
    if (options.summary) continue;
    print_step(file.model(), step);
    for (const trace::StoredValue& each : stream.values()) {
      const bool returns = file.model().operation(each.operation).kind == format::OperationKind::kReturn;
      fmt::print("{}   {} {} {}\n", step.thread, returns ? "returns" : "stores",
                 operation_text(file.model(), each.operation), static_cast<int64_t>(each.value));
    }
  }
  if (options.summary) {
    fmt::print("threads {}\nsteps {}\nblock executions {}\noperations {}\nactivations {}\nsignal {}\n", file.threads(),
               steps, runs, operations, frames, file.wait_signal());
  }
  return ExitCode::kAnswered;
}

const Registration kRegistration{
    Command{.name = "dump trace",
            .summary = "Show a trace",
            .description =
                "Prints the steps of a trace in their order: activations, executions of blocks, returns from native\n"
                "code; and what stores stored, if it was made with --values. Each line begins with the number of the thread.",
            .examples = {{"culprit dump trace t --steps 100", "the first hundred steps"},
                         {"culprit dump trace t --summary", "counts only"}},
            .configure = [](CLI::App& app) {
              auto options = std::make_shared<Options>();
              app.add_option("trace", options->folder, "the trace's folder")->required();
              app.add_option("--steps", options->steps, "end after so many steps");
              app.add_flag("--summary", options->summary, "counts only");
              return [options] { return dump(*options); };
            }}};

}  // namespace
}  // namespace culprit::cli
