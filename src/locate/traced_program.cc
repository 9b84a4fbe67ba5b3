#include "locate/traced_program.h"

#include "format/trace_format.h"

namespace culprit {

trace::TraceOrigin origin_of_trace(const TracedProgram& traced, const Launch& launch) {
  return {.model = traced.model,
          .executable = traced.executable,
          .contents = format::TraceContents::kValues,
          .words = launch.arguments};
}

CommandResult trace_program(const TracedProgram& traced, const Launch& launch, const std::filesystem::path& place,
                            const std::function<bool(uint64_t bytes)>& enough) {
  trace::TraceCollector collector(place, origin_of_trace(traced, launch));
  CapturedCommand command{.executable = traced.executable,
                          .words = launch.arguments,
                          .input = launch.standard_input,
                          .environment = {{format::kTraceVariable, collector.environment_value()}}};
  if (enough) command.enough = [&] { return enough(collector.received_bytes()); };
  CommandResult ended = run_captured(command);
  collector.finish(ended.end);
  return ended;
}

}  // namespace culprit
