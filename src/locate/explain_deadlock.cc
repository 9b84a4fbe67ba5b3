#include "locate/explain_deadlock.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/temporary_directory.h"
#include "depend/dependence_graph.h"
#include "locate/attempt.h"
#include "locate/deadlock.h"
#include "locate/own_statements.h"
#include "locate/suspect_ranking.h"
#include "trace/trace_recording.h"

namespace culprit {

using format::WaitsFor;

namespace {

constexpr size_t kMostSuspects = 100;
constexpr double kWentPast = 100, kTaken = 90, kWritten = 95, kWoken = 50, kWaits = 80, kWaitsForEnd = 20, kCaller = 30;

/// The innermost statement of the program that says something: a short function only wraps a lock or a condition, and
/// its caller knows what for.
uint32_t telling_statement(const program::ProgramModel& model, const std::vector<uint32_t>& active) {
  for (const uint32_t each : active) {
    if (is_own_statement(model, each) && !is_short_function(model, model.function_of_statement(each))) return each;
  }
  return own_statement(model, active);
}

report::SourcePlace place_of(const program::ProgramModel& model, const std::vector<uint32_t>& active) {
  return place_of_statement(model, telling_statement(model, active));
}

/// "line 12 in push", or the file and the line where that is another one than `near`.
std::string text_of(const report::SourcePlace& place, const report::SourcePlace& near) {
  const std::string where = place.file == near.file ? fmt::format("line {}", place.line) : file_and_line(place);
  return place.function.empty() ? where : fmt::format("{} in {}", where, place.function);
}

bool is_waiting(const std::vector<WaitingThread>& threads, uint32_t thread) {
  return std::any_of(threads.begin(), threads.end(), [&](const auto& each) { return each.thread == thread; });
}

std::string called_from(const program::ProgramModel& model, const std::vector<uint32_t>& active) {
  const uint32_t own = telling_statement(model, active);
  const auto at = std::find(active.begin(), active.end(), own);
  if (at == active.end()) return "";
  const auto caller = std::find_if(at + 1, active.end(), [&](uint32_t each) { return is_own_statement(model, each); });
  if (caller == active.end()) return "";
  return fmt::format(" It was called from {}.",
                     text_of(place_of_statement(model, *caller), place_of_statement(model, own)));
}

report::Finding finding_at(const report::SourcePlace& place, const char* kind, std::string evidence) {
  return {.kind = kind, .place = place, .instance = 0, .evidence = std::move(evidence), .proved = true};
}

class DeadlockText {
 public:
  DeadlockText(const program::ProgramModel& model, const std::vector<WaitingThread>& threads,
               report::Explanation& explanation)
      : model_(model), threads_(threads), explanation_(explanation) {}

  void tell() {
    for (const WaitingThread& each : threads_) {
      if (!each.active.empty()) tell_wait(each);
    }
  }

 private:
  void add(const report::SourcePlace& place, const char* kind, std::string evidence) {
    explanation_.findings.push_back(finding_at(place, kind, std::move(evidence)));
  }

  void tell_wait(const WaitingThread& thread) {
    const report::SourcePlace place = place_of(model_, thread.active);
    const std::string calls = called_from(model_, thread.active);
    switch (thread.waits_for) {
      case WaitsFor::kThreadEnd:
        return add(place, "waits-for-thread",
                   fmt::format("Thread {} waits here for the end of thread {}.{}", thread.thread, thread.other, calls));
      case WaitsFor::kMutex:
        add(place, "waits-for-lock",
            fmt::format("Thread {} waits here for a lock that {}.{}", thread.thread, who_holds(thread), calls));
        return tell_holder(thread);
      case WaitsFor::kWakeUp:
        add(place, "waits-for-wake-up",
            fmt::format("Thread {} waits here to be woken, and nobody does.{}{}", thread.thread, last_woken(thread),
                        calls));
        return tell_writes(thread);
    }
  }

  std::string who_holds(const WaitingThread& thread) const {
    if (!thread.holder) return "nobody gives back";
    const uint32_t holder = thread.holder->thread;
    if (holder == thread.thread) return "it holds itself";
    return fmt::format("thread {} holds{}", holder, is_waiting(threads_, holder) ? "" : ", which has ended");
  }

  std::string last_woken(const WaitingThread& thread) const {
    if (thread.woken.empty()) return " Nobody was ever woken there.";
    return fmt::format(" The last wake-up there came from {}.",
                       text_of(place_of(model_, thread.woken), place_of(model_, thread.active)));
  }

  std::string skipped_text(const std::optional<SkippedRelease>& skipped, const report::SourcePlace& near,
                           const char* what) const {
    if (!skipped) return "";
    return fmt::format(" The branch at {} went past line {}, which would {}.",
                       text_of(place_of_branch(model_, skipped->branch), near),
                       place_of_statement(model_, skipped->call).line, what);
  }

  void tell_holder(const WaitingThread& thread) {
    if (!thread.holder || thread.holder->taken.empty()) return;
    const LockHolder& holder = *thread.holder;
    const report::SourcePlace place = place_of(model_, holder.taken);
    add(place, "lock-held",
        fmt::format("Thread {} took that lock here, and has not given it back.{}{}", holder.thread,
                    skipped_text(holder.skipped, place, "give it back"), called_from(model_, holder.taken)));
  }

  void tell_writes(const WaitingThread& thread) {
    for (const UnansweredWrite& each : thread.writes) {
      const report::SourcePlace place = place_of_statement(model_, own_statement(model_, each.active));
      add(place, "no-wake-up",
          fmt::format(
              "Thread {} wrote here what thread {} had looked at before it began to wait, and thread {} was not "
              "woken to look again.{}{}",
              each.thread, thread.thread, thread.thread, skipped_text(each.skipped, place, "wake it"),
              called_from(model_, each.active)));
    }
  }

  const program::ProgramModel& model_;
  const std::vector<WaitingThread>& threads_;
  report::Explanation& explanation_;
};

void add_skipped(const program::ProgramModel& model, const std::optional<SkippedRelease>& skipped, double score,
                 const char* would, SuspectRanking& ranking) {
  if (!skipped) return;
  ranking.add(
      place_of_branch(model, skipped->branch), score,
      fmt::format("it goes past line {}, which would {}", place_of_statement(model, skipped->call).line, would));
}

void add_callers(const program::ProgramModel& model, const std::vector<uint32_t>& active, SuspectRanking& ranking) {
  const uint32_t own = telling_statement(model, active);
  double score = kCaller;
  for (auto each = std::find(active.begin(), active.end(), own); each != active.end(); ++each) {
    if (*each == own) continue;
    ranking.add_statement(*each, score, "by this call a thread came to where it waits for ever");
    score *= kNextOfKind;
  }
}

std::vector<report::Suspect> suspects_of(const program::ProgramModel& model, const Evidence& evidence,
                                         const std::vector<WaitingThread>& threads) {
  SuspectRanking ranking(model, evidence);
  double weight = 1;
  for (const WaitingThread& thread : threads) {
    if (thread.active.empty()) continue;
    const uint32_t waits = telling_statement(model, thread.active);
    if (thread.waits_for == WaitsFor::kThreadEnd) {
      ranking.add_statement(waits, kWaitsForEnd, "it waits for the end of a thread that waits itself");
      continue;
    }
    ranking.add_statement(waits, kWaits * weight,
                          thread.waits_for == WaitsFor::kMutex ? "it waits for a lock that nobody gives back"
                                                               : "it waits to be woken, and nobody does");
    add_callers(model, thread.active, ranking);
    if (thread.holder && !thread.holder->taken.empty()) {
      ranking.add_statement(telling_statement(model, thread.holder->taken), kTaken * weight,
                            "the lock that another thread waits for is taken here, and not given back");
      add_skipped(model, thread.holder->skipped, kWentPast * weight, "give back the lock", ranking);
    }
    double written = kWritten * weight;
    for (const UnansweredWrite& each : thread.writes) {
      ranking.add_statement(own_statement(model, each.active), written,
                            "it changes what a waiting thread asks for, and nobody wakes that");
      add_skipped(model, each.skipped, kWentPast * written / kWritten, "wake the waiting thread", ranking);
      written *= kNextOfKind;
    }
    if (!thread.woken.empty()) {
      ranking.add_statement(telling_statement(model, thread.woken), kWoken * weight,
                            "the last time that somebody was woken there was here");
    }
    weight *= kNextOfKind;
  }
  return ranking.strongest(kMostSuspects);
}

std::vector<WaitingThread> traced_threads(const TracedProgram& traced, const Launch& launch,
                                          const std::vector<format::WaitPart>& waits) {
  const TemporaryDirectory folder(temporary_place("why"));
  const std::filesystem::path place = folder.path() / "trace";
  const recording::NoStreams nowhere;
  trace::trace_recording(*launch.recording, place, origin_of_trace(traced, launch), nowhere.surroundings());
  const trace::TraceFile file(place);
  return waiting_threads(depend::open_graph(file), waits);
}

}  // namespace

void explain_deadlock(const ExplainRequest& request, const program::ProgramModel& model, const Launch& launch,
                      const std::vector<format::WaitPart>& waits, const Evidence& evidence,
                      report::Explanation& explanation) {
  if (!request.traced || !launch.recording) {
    explanation.limits.push_back("finding who waits for whom: the run was not traced");
    return;
  }
  attempt("finding who waits for whom", explanation, [&] {
    const std::vector<WaitingThread> threads = traced_threads(request.traced(), launch, waits);
    if (threads.empty() || threads.front().active.empty()) return;
    explanation.failure->place = place_of(model, threads.front().active);
    for (const uint32_t each : threads.front().active) {
      // A library's headers between them say nothing.
      if (!is_own_statement(model, each)) continue;
      explanation.activations.push_back({.place = place_of_statement(model, each), .variables = {}});
    }
    DeadlockText(model, threads, explanation).tell();
    explanation.suspects = suspects_of(model, evidence, threads);
  });
}

}  // namespace culprit
