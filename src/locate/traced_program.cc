#include "locate/traced_program.h"

#include "base/temporary_directory.h"
#include "format/trace_format.h"
#include "trace/trace_file.h"

namespace culprit {

trace::TraceOrigin origin_of_trace(const TracedProgram& traced, const Launch& launch) {
  return {.model = traced.model,
          .executable = traced.executable,
          .contents = format::TraceContents::kValues,
          .words = launch.arguments};
}

CommandResult trace_program(const TracedProgram& traced, const Launch& launch, const std::filesystem::path& place,
                            const std::function<bool(uint64_t bytes)>& enough, FreedBlocks freed) {
  trace::TraceCollector collector(place, origin_of_trace(traced, launch));
  CapturedCommand command{.executable = traced.executable,
                          .words = launch.arguments,
                          .input = launch.standard_input,
                          .environment = {{format::kTraceVariable, collector.environment_value()}}};
  if (freed == FreedBlocks::kStay) command.environment.emplace(format::kTraceKeepsFreedVariable, "1");
  if (enough) command.enough = [&] { return enough(collector.received_bytes()); };
  CommandResult ended = run_captured(command);
  collector.finish(ended.end);
  return ended;
}

void look_at_run(const TracedProgram& traced, const Launch& launch,
                 const std::function<void(const depend::DependenceGraph&, const trace::TraceFile&)>& look,
                 FreedBlocks freed) {
  const TemporaryDirectory folder(temporary_place("why"));
  const std::filesystem::path place = folder.path() / "trace";
  trace_program(traced, launch, place, {}, freed);
  const trace::TraceFile file(place);
  look(depend::open_graph(file), file);
}

}  // namespace culprit
