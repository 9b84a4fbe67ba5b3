#include "depend/thread_order.h"

#include <algorithm>
#include <span>

#include "program/measured_memory.h"
#include "trace/control_stream.h"

namespace culprit::depend {
namespace {

using program::CallEffects;
using program::Effect;
using program::EffectKind;

void join(std::vector<ThreadClock>& clock, const std::vector<ThreadClock>& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  for (size_t each = 0; each < other.size(); ++each) clock[each] = std::max(clock[each], other[each]);
}

/// A state is found by its address, as what an atomic operation accesses is: guards of variables are used by both.
constexpr uint64_t kKeyBytes = 4;

std::optional<uint64_t> key_of(const program::Place& state) {
  if (state.kind != program::Place::Kind::kState || !state.key) return std::nullopt;
  return *state.key / kKeyBytes;
}

}  // namespace

ThreadOrder::ThreadOrder(const trace::TraceFile& trace) : calls_(trace.model()) {
  look_ahead(trace);
  for (Thread& each : threads_) each.pending.clear();
}

void ThreadOrder::look_ahead(const trace::TraceFile& trace) {
  trace::ControlStream stream(trace);
  while (true) {
    const trace::Step& step = stream.next();
    if (step.kind == trace::StepKind::kEnd) return;
    if (step.kind == trace::StepKind::kRun) {
      Thread& thread = at(step.thread);
      const std::vector<uint32_t>& ordering = calls_.operations();
      for (auto call = std::lower_bound(ordering.begin(), ordering.end(), step.first);
           call != ordering.end() && *call < step.end; ++call) {
        thread.pending.push_back(thread.made.size());
        // Until it comes back, if it does, it is not known what.
        thread.made.push_back({.operation = *call, .releases_all = calls_.releases(*call), .releases = {}});
      }
    }
    if (step.kind != trace::StepKind::kReturned || !calls_.contains(step.operation)) continue;
    Made* made = came_back(at(step.thread), step.operation);
    const trace::ReturnedCall& returned = *step.returned;
    const program::ModelView& sections = trace.model().sections();
    const uint32_t callee = sections.calls[sections.operations[step.operation].detail].callee;
    const std::span<const uint64_t> arguments(returned.arguments, returned.count);
    const std::optional<CallEffects> effects = program::effects_of_call(
        {.function = trace.model().text(sections.functions[callee].linkage_name),
         .arguments = arguments,
         .result = returned.result},
        program::MeasuredMemory(arguments, returned.strings, std::span(returned.lengths, returned.count), nullptr));
    if (!made || !effects) continue;
    if (!returned.words.empty() && calls_.makes_thread(step.operation)) made->makes = returned.words.front().word;
    made->releases_all = !effects->complete;
    for (const Effect& each : effects->effects) {
      if (each.kind != EffectKind::kRelease) continue;
      const auto key = key_of(each.target);
      if (key) made->releases.push_back(*key);
      made->releases_all |= !key;
    }
  }
}

/// Calls that were left by an exception or a jump never come back.
ThreadOrder::Made* ThreadOrder::came_back(Thread& thread, uint32_t operation) {
  while (!thread.pending.empty()) {
    Made& made = thread.made[thread.pending.back()];
    thread.pending.pop_back();
    if (made.operation == operation) return &made;
  }
  return nullptr;
}

ThreadOrder::Thread& ThreadOrder::at(uint32_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  return threads_[thread];
}

ThreadOrder::Clock& ThreadOrder::clock_of(uint32_t thread) {
  Clock& clock = at(thread).clock;
  if (clock.size() <= thread) clock.resize(thread + 1);
  if (clock[thread] == 0) clock[thread] = 1;
  return clock;
}

NodeNumber ThreadOrder::thread_begins(uint32_t thread, uint64_t handle) {
  Thread& began = at(thread);
  if (began.has_begun) return kNoNumber;
  began.has_begun = true;
  began.handle = handle;
  for (const Thread& each : threads_) began.ended_before.push_back(each.has_ended);
  auto start = std::find_if(starts_.begin(), starts_.end(), [&](const Start& each) { return each.handle == handle; });
  if (start == starts_.end()) {
    start = std::find_if(starts_.begin(), starts_.end(), [](const Start& each) { return each.handle == 0; });
  }
  if (thread == 0) return kNoNumber;
  if (start == starts_.end()) {
    // A library made it, and may have waited for anything before.
    for (size_t other = 0; other < threads_.size(); ++other) {
      if (other != thread) join(threads_[thread].clock, threads_[other].clock);
    }
    return kNoNumber;
  }
  join(began.clock, start->clock);
  const NodeNumber call = start->call;
  starts_.erase(start);
  return call;
}

void ThreadOrder::thread_ends(uint32_t thread) {
  at(thread).has_ended = true;
}

bool ThreadOrder::ended_before(uint32_t thread, uint32_t other) const {
  return other < threads_.size() && thread < threads_[other].ended_before.size() &&
         threads_[other].ended_before[thread];
}

void ThreadOrder::call_made(uint32_t thread, uint32_t operation, NodeNumber call) {
  if (!calls_.contains(operation)) return;
  Thread& caller = at(thread);
  if (caller.next == caller.made.size()) return;
  caller.pending.push_back(caller.next);
  const Made& made = caller.made[caller.next++];
  if (calls_.makes_thread(operation)) {
    has_begun_ = true;
    starts_.push_back({made.makes, call, clock_of(thread)});
    tick(thread);
  }
  release(thread, made);
}

void ThreadOrder::call_returned(uint32_t thread, uint32_t operation, const CallEffects& effects) {
  if (!calls_.contains(operation)) return;
  // What callbacks did in between is released as well.
  if (const Made* made = came_back(at(thread), operation)) release(thread, *made);
  if (!effects.complete) acquire_all(thread);
  for (const Effect& each : effects.effects) {
    if (each.kind == EffectKind::kAcquire) {
      const auto key = key_of(each.target);
      if (key) {
        acquire(thread, *key);
      } else {
        acquire_all(thread);
      }
    } else if (each.kind == EffectKind::kJoinThread) {
      join_thread(thread, each.target.key);
    }
  }
}

void ThreadOrder::join_thread(uint32_t thread, std::optional<uint64_t> handle) {
  const auto is_it = [&](const Thread& each) { return each.has_begun && handle && each.handle == *handle; };
  // A later thread may have the handle of one that has ended.
  const auto latest = std::find_if(threads_.rbegin(), threads_.rend(), is_it);
  if (latest != threads_.rend()) return join(at(thread).clock, latest->clock);
  Clock& clock = clock_of(thread);
  for (const Thread& each : threads_) {
    if (each.has_ended) join(clock, each.clock);
  }
}

void ThreadOrder::before_atomic(uint32_t thread, uint64_t address, uint64_t bytes) {
  for (uint64_t key = address / kKeyBytes; key * kKeyBytes < address + bytes; ++key) acquire(thread, key);
}

void ThreadOrder::after_atomic(uint32_t thread, uint64_t address, uint64_t bytes) {
  for (uint64_t key = address / kKeyBytes; key * kKeyBytes < address + bytes; ++key) release(thread, key);
  tick(thread);
}

void ThreadOrder::acquire(uint32_t thread, uint64_t key) {
  Clock& clock = clock_of(thread);
  if (const auto released = released_.find(key); released != released_.end()) join(clock, released->second);
  join(clock, released_somewhere_);
}

void ThreadOrder::acquire_all(uint32_t thread) {
  Clock& clock = clock_of(thread);
  for (const auto& [key, released] : released_) join(clock, released);
  join(clock, released_somewhere_);
}

void ThreadOrder::release(uint32_t thread, const Made& made) {
  if (made.releases.empty() && !made.releases_all) return;
  for (const uint64_t key : made.releases) release(thread, key);
  if (made.releases_all) join(released_somewhere_, clock_of(thread));
  tick(thread);
}

void ThreadOrder::release(uint32_t thread, uint64_t key) {
  join(released_[key], clock_of(thread));
}

}  // namespace culprit::depend
