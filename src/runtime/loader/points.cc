#include "runtime/loader/points.h"

#include "format/runtime_abi.h"
#include "runtime/loader/agent.h"
#include "runtime/loader/deep_stacks.h"
#include "runtime/loader/files.h"
#include "runtime/loader/intercept.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/threads.h"
#include "runtime/loader/ticks.h"

namespace culprit::loader {
namespace {

using format::ReplayCommand;
using format::ReplayControl;
using format::ReplayPoint;
using format::ThreadState;

constexpr uint64_t kChildSignal = 17;
constexpr long kBranchesUnlimited = INT64_MAX;

ReplayControl* control;
int slots = -1;
uint64_t statements_seen, branches_seen, processes_seen;

ThreadState* state_of(const Thread& thread) {
  return reinterpret_cast<ThreadState*>(thread.tick_state);
}

uint32_t watched() {
  if (control->point == ReplayPoint::kStatement) return format::kWatchedBase + control->statement;
  return control->alter_number != 0 ? format::kWatchedBase + control->alter_statement : 0;
}

void map_slot(uint32_t index) {
  const long mapped = raw(__NR_mmap, kReportAddress, format::kReplaySlotBytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_FIXED, slots, index * format::kReplaySlotBytes);
  if (failed(mapped)) fail("cannot map a slot of the session", mapped);
  control = reinterpret_cast<ReplayControl*>(kReportAddress + format::kReplayControlOffset);
}

/// The n-th stop waits for the n-th command.
void wait_for_command() {
  const uint32_t wanted = control->stopped;
  for (;;) {
    const uint32_t now = __atomic_load_n(&control->go_on, __ATOMIC_ACQUIRE);
    if (now >= wanted) return;
    raw(__NR_futex, word(&control->go_on), FUTEX_WAIT, now, 0);
  }
}

void say_stopped() {
  __atomic_fetch_add(&control->stopped, 1, __ATOMIC_RELEASE);
  raw(__NR_futex, word(&control->stopped), FUTEX_WAKE, INT32_MAX);
}

/// The new process waits in the place of this one, with a slot of its own.
void fork_session() {
  const uint32_t slot = control->fork_slot;
  // Before an alteration nothing of the program is open. A table of its own would be as large as the limit on
  // descriptors, near which the runtime keeps its own.
  const uint64_t files = runtime.altered ? 0 : CLONE_FILES;
  const long child = raw(__NR_clone, CLONE_PARENT | files | kChildSignal, 0, 0, 0, 0);
  if (child != 0) {
    control->forked = static_cast<int32_t>(child);
    return;
  }
  raw(__NR_prctl, PR_SET_PDEATHSIG, kSigkill);
  map_slot(slot);
  control->process = runtime.process = static_cast<int32_t>(raw(__NR_getpid));
  intercept_calls_again(runtime.interception);
}

void alter_statement(ThreadState& state, Context& context) {
  state.altered_value = control->alter_value;
  state.altered_address = control->alter_address;
  context.rax = static_cast<uint64_t>(control->alter_action);
  control->took_effect = 1;
}

/// What was asked for with the command to go on comes in force.
void begin_request() {
  statements_seen = branches_seen = 0;
  if (control->altered && !runtime.altered) {
    limit_first_stack();
    runtime.altered = true;
  }
  for_each_thread([](Thread& thread) { watch_thread(thread); });
}

void obey() {
  for (;;) {
    wait_for_command();
    switch (control->command) {
      case ReplayCommand::kGoOn:
        return begin_request();
      case ReplayCommand::kFork:
        fork_session();
        say_stopped();
        break;
      case ReplayCommand::kEnd:
        raw(__NR_exit_group, 0);
    }
  }
}

}  // namespace

ReplayControl* session_control() {
  return control;
}

void say_ended() {
  if (control != nullptr) say_stopped();
}

void open_slots(int descriptor) {
  slots = move_high(descriptor);
  map_slot(0);
  control->process = runtime.process;
  say_stopped();
  obey();
}

void stop_at(ReplayPoint point, Thread& thread, uint64_t instruction, int signal, uint64_t address) {
  control->reached = point;
  control->at_thread = thread.index;
  control->instruction = instruction;
  control->signal = signal;
  control->address = address;
  control->ticks = ticks_of(thread);
  control->events = log_place().events;
  control->frames = thread.tick_state == 0 ? 0 : word(state_of(thread)->frames);
  say_stopped();
  obey();
}

void stop_before_end(ReplayPoint point, Thread& thread, uint64_t instruction, int signal, uint64_t address) {
  if (control != nullptr && control->point == point) stop_at(point, thread, instruction, signal, address);
}

void count_process(Thread& thread, uint64_t instruction) {
  ++processes_seen;
  if (control == nullptr || control->point != ReplayPoint::kProcess || control->number != processes_seen) return;
  stop_at(ReplayPoint::kProcess, thread, instruction);
}

void watch_thread(Thread& thread) {
  if (control == nullptr || thread.tick_state == 0 || !thread.alive) return;
  ThreadState& state = *state_of(thread);
  state.watched = watched();
  state.branches_left = control->switch_number != 0 ? 0 : kBranchesUnlimited;
}

long ticks_until_point(const Thread& thread, uint64_t ticks, long granted) {
  if (control == nullptr || control->point != ReplayPoint::kTick || control->thread != thread.index) return granted;
  if (control->number <= ticks) return granted;
  const uint64_t until = control->number - ticks;
  return until < static_cast<uint64_t>(granted) ? static_cast<long>(until) : granted;
}

bool is_tick_point(Thread& thread, uint64_t ticks, uint64_t instruction) {
  if (control == nullptr || control->point != ReplayPoint::kTick || control->thread != thread.index) return false;
  if (control->number != ticks) return false;
  stop_at(ReplayPoint::kTick, thread, instruction);
  return true;
}

bool answer_watched_statement(Thread& thread, Context& context) {
  if (thread.tick_state == 0 || (control == nullptr && !has_agent())) return false;
  const uint32_t watching = state_of(thread)->watched;
  if (watching == 0 || format::watched_by(context.rip) != watching) return false;
  const bool alterable = format::can_be_altered(context.rip);
  if (control == nullptr) {
    const format::StatementAction action = ask_agent_at_statement(alterable);
    if (alterable) context.rax = static_cast<uint64_t>(action);
    return true;
  }
  if (control->point == ReplayPoint::kStatement) {
    if (++statements_seen == control->number) stop_at(ReplayPoint::kStatement, thread, context.rip);
  } else if (control->alter_number != 0 && --control->alter_number == 0) {
    if (alterable) alter_statement(*state_of(thread), context);
    for_each_thread([](Thread& each) { watch_thread(each); });
  }
  return true;
}

long branch_call(Thread& thread, Context& context) {
  if (control == nullptr || control->switch_number == 0 || thread.tick_state == 0) return -ENOSYS;
  ThreadState& state = *state_of(thread);
  state.branches_left = 0;
  if (context.rdi != control->switch_block || ++branches_seen != control->switch_number) {
    return static_cast<long>(context.rsi);
  }
  control->switch_number = 0;
  control->took_effect = 1;
  state.branches_left = kBranchesUnlimited;
  return control->switch_way;
}

}  // namespace culprit::loader
