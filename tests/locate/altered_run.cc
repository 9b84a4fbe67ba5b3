#include "altered_run.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "trace/collect.h"

namespace culprit {
namespace {

Outcome run_traced(const recording::Recording& recording, const TracedExecutable& program,
                   const std::filesystem::path& folder, const Alteration* alteration, uint64_t tick_limit) {
  trace::TraceCollector collector(folder, {.model = program.model,
                                           .executable = program.executable,
                                           .contents = format::TraceContents::kValues,
                                           .words = recording.manifest.arguments});
  const int descriptor = ::open(collector.environment_value().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw UserError("cannot open " + folder.string(), "set TMPDIR");
  Outcome outcome;
  {
    Session session = Session::replay(recording, program.executable, descriptor);
    if (alteration) session.apply(*alteration);
    outcome = session.finish(tick_limit);
  }
  ::close(descriptor);
  collector.finish(
      {.exit_status = static_cast<int>(outcome.exit_status), .signal = static_cast<int>(outcome.exit_signal)});
  return outcome;
}

}  // namespace

ValueTrace::ValueTrace(const recording::Recording& recording, const TracedExecutable& program,
                       const Alteration* alteration, uint64_t tick_limit)
    : folder_(temporary_place("perturbed")) {
  outcome_ = run_traced(recording, program, folder_.path(), alteration, tick_limit);
  trace_.emplace(folder_.path());
  graph_.emplace(depend::open_graph(*trace_));
}

bool same_end(const Outcome& one, const Outcome& other) {
  return one.exit_status == other.exit_status && one.exit_signal == other.exit_signal && one.hung == other.hung &&
         one.output == other.output;
}

}  // namespace culprit
