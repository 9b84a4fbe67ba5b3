// Start of the agent, branch instances, and stops at fatal signals.

#include "runtime/session/agent.h"

#include <asm/unistd.h>

#include "format/replay_control.h"
#include "runtime/session/instances.h"
#include "runtime/stacks.h"

/// Of executables for sessions (overrides.cc).
extern "C" void culprit_session_starts() __attribute__((weak));

namespace culprit::agent {

using format::SessionMode;

format::SessionControl* control;
format::AgentLink loader;
const int kFaultSignals[] = {4 /*ILL*/, 5 /*TRAP*/, 6 /*ABRT*/, 7 /*BUS*/, 8 /*FPE*/, 11 /*SEGV*/, 0};

namespace {

constexpr int kAbort = 6;
constexpr int kLimitStatus = 124;
constexpr uint64_t kSaSiginfo = 4, kSaRestorer = 0x04000000, kSaOnstack = 0x08000000;
constexpr int kFutexWait = 0, kFutexWake = 1;

/// In an altered run that switches a branch again and again: which, and from which way.
uint32_t switched_block, switched_from;

/// Executions of the watched statement, and those that a second branch still has to come to.
uint64_t statements_seen, then_left;

/// Of the altered run, since the switch.
uint64_t rounds;

struct KernelAction {
  SignalHandler handler;
  uint64_t flags;
  void (*restorer)();
  uint64_t mask;
};

struct KernelStack {
  void* base;
  int32_t flags;
  size_t bytes;
};
alignas(64) char signal_stack[64 * 1024];

void watch(uint32_t thread, uint32_t statement) {
  instances_of(thread).watch(statement);
  statements_seen = 0;
}

void watch_in_all_threads(uint32_t statement) {
  for (uint32_t thread = 0; thread < format::kMostCountedThreads; ++thread) {
    Instances& each = instances_of(thread);
    if (each.has_begun() && (thread == culprit_thread.number || each.lives())) each.watch(statement);
  }
  statements_seen = 0;
}

/// Has the spine come back where the next experiment begins. `last`: the one that has just begun.
void await_next_experiment(const format::ExperimentRecord* last) {
  if (const uint32_t own = culprit_thread.number; is_counted(culprit_thread) && instances_of(own).has_begun()) {
    instances_of(own).ask_at(kNoInstance, instances_of(own).so_far());
  }
  const format::ExperimentRecord* next = next_experiment();
  if (!next) return watch(0, format::kNoStatement);
  Instances& instances = instances_of(next->thread);
  if (!instances.has_begun()) return;  // its first branch asks
  const uint64_t now = instances.so_far(), instance = next->instance;
  if (next->statement == format::kNoStatement || instance > now) {
    watch(next->thread, format::kNoStatement);
    return instances.ask_at(instance, now);
  }
  const bool watched = last && last->statement == next->statement && last->instance == instance;
  if (!watched) watch(next->thread, next->statement);
  instances.ask_at(instance == 0 ? kNoInstance : now + 1, now);
}

/// What the altered run may still execute.
uint64_t end_of_altered_run(uint64_t now) {
  return control->branch_limit > now ? control->branch_limit : now + 1;
}

format::StatementAction alter_statement(const format::ExperimentRecord& experiment) {
  culprit_thread.altered_value = experiment.value;
  if (experiment.scope == format::SwitchScope::kInstance) watch(culprit_thread.number, format::kNoStatement);
  return experiment.action;
}

bool is_of_branch(const format::ExperimentRecord& experiment) {
  return experiment.statement == format::kNoStatement;
}

/// A thread of an altered run is about to execute the watched statement.
format::StatementAction in_altered_run(format::ExperimentRecord& experiment) {
  if (!is_of_branch(experiment)) return alter_statement(experiment);
  if (rounds == control->counted_round) ++experiment.executions_in_round;
  if (++experiment.executions == format::kMostCounted) watch_in_all_threads(format::kNoStatement);
  return format::StatementAction::kNone;
}

/// A thread is about to execute the watched statement.
__attribute__((target("general-regs-only"))) format::StatementAction on_statement(bool alterable) {
  using format::StatementAction;
  if (format::ExperimentRecord* experiment = current_experiment()) return in_altered_run(*experiment);
  if (control->mode != SessionMode::kExperiments) {
    ++control->executions;
    return StatementAction::kNone;
  }
  const format::ExperimentRecord* next = next_experiment();
  if (next->passes != statements_seen) {
    ++statements_seen;
    return StatementAction::kNone;
  }
  const bool altered = alterable && begin_statement_experiments(statements_seen);
  if (altered) {
    Instances& instances = instances_of(next->thread);
    instances.ask_at(end_of_altered_run(instances.so_far()), instances.so_far());
    return alter_statement(*current_experiment());
  }
  if (!alterable) leave_out_experiment();
  ++statements_seen;
  await_next_experiment(next);
  return StatementAction::kNone;
}

constexpr int kTrap = 5, kSegmentationFault = 11;
// Of ucontext.uc_mcontext.gregs.
constexpr size_t kResult = 13, kStackPointer = 15, kInstructionPointer = 16;

uint64_t& register_in(void* context, size_t number) {
  return *reinterpret_cast<uint64_t*>(static_cast<char*>(context) + 40 + number * 8);
}

/// Whether the trap was that of the watched statement, which is then answered.
bool answer_statement(void* context) {
  const uint64_t behind = register_in(context, kInstructionPointer);
  if (culprit_thread.watched == 0 || format::watched_by(behind) != culprit_thread.watched) return false;
  const bool alterable = format::can_be_altered(behind);
  const format::StatementAction action = on_statement(alterable);
  if (alterable) register_in(context, kResult) = static_cast<uint64_t>(action);
  return true;
}

ProgramAction program_actions[sizeof kFaultSignals / sizeof kFaultSignals[0]];

/// Lets the kernel deal with `signal` as the program wants it, from now on.
void hand_over(int signal) {
  set_default(signal);
  ProgramAction* own = program_action(signal);
  if (!own) return;
  own->handed_over = true;
  if (!own->handler) return;
  const KernelAction action{.handler = reinterpret_cast<SignalHandler>(own->handler),
                            .flags = own->flags | kSaRestorer,
                            .restorer = culprit_agent_return,
                            .mask = own->mask};
  call(__NR_rt_sigaction, signal, &action, nullptr, sizeof action.mask);
}

void on_interrupt(int, SignalInformation*, void*) {
  if (current_experiment() || control->stop.reason != format::StopReason::kNone) return;
  describe_stop(control->stop, format::StopReason::kInterrupted);
  stop_for_inspection();
}

/// Tells where a fault or a signal that ends the program came, and in the unaltered run waits until that was looked at.
void tell_of_fault(const format::AgentFault& fault, format::StopReason reason) {
  format::ExperimentRecord* experiment = current_experiment();
  format::StopRecord& stop = experiment ? experiment->stop : control->stop;
  if (stop.reason != format::StopReason::kNone) return;
  describe_stop(stop, reason);
  stop.signal = fault.signal;
  stop.signal_code = fault.code;
  stop.address = fault.address;
  stop.instruction = fault.instruction;
  if (experiment) return;
  finish_experiments();
  stop_for_inspection();
}

/// From the loader of a replay.
__attribute__((target("general-regs-only"))) void on_loader_fault(const format::AgentFault& fault) {
  const bool overflow =
      fault.signal == kSegmentationFault && fault.code > 0 &&
      (runtime::is_beneath_stack(fault.address) || runtime::is_below_machine_stack(fault.address, fault.stack));
  tell_of_fault(fault, overflow ? format::StopReason::kStackOverflow : format::StopReason::kFatalSignal);
}

void on_fault(int signal, SignalInformation* information, void* context) {
  if (signal == kTrap && information->code > 0 && answer_statement(context)) return;
  auto reason = format::StopReason::kFatalSignal;
  if (signal == kSegmentationFault && information->code > 0) {
    size_t stack_bytes = 0;
    const auto fault = runtime::examine_fault(information->address, &stack_bytes);
    if (fault == runtime::StackFault::kGrown) return;
    const bool below_stack = runtime::is_below_machine_stack(information->address, register_in(context, kStackPointer));
    if (fault == runtime::StackFault::kOverflow || below_stack) reason = format::StopReason::kStackOverflow;
  }
  tell_of_fault({.signal = signal,
                 .code = information->code,
                 .address = information->address,
                 .instruction = register_in(context, kInstructionPointer),
                 .stack = register_in(context, kStackPointer)},
                reason);
  // The faulting instruction runs again and ends the program as it would have ended; a sent signal is sent again.
  hand_over(signal);
  if (information->code <= 0 || signal == kAbort) {
    call(__NR_tgkill, call(__NR_getpid), call(__NR_gettid), signal);
  }
}

bool starts_with(const char* text, const char* prefix) {
  for (; *prefix; ++text, ++prefix) {
    if (*text != *prefix) return false;
  }
  return true;
}

/// Takes the session's variable out of the environment; -1 when there is none.
int take_descriptor(char** environment) {
  int descriptor = -1;
  char** kept = environment;
  for (char** entry = environment; *entry; ++entry) {
    if (starts_with(*entry, format::kSessionVariable) && (*entry)[__builtin_strlen(format::kSessionVariable)] == '=') {
      descriptor = 0;
      for (const char* digit = *entry + __builtin_strlen(format::kSessionVariable) + 1; *digit; ++digit) {
        descriptor = descriptor * 10 + (*digit - '0');
      }
    } else {
      *kept++ = *entry;
    }
  }
  *kept = nullptr;
  return descriptor;
}

/// A replay's loader may hold a session's descriptor.
int ask_loader() {
  loader.on_fault = on_loader_fault;
  loader.on_call = watch_output;
  loader.on_statement = on_statement;
  return call(format::kAgentCall, &loader) == 0 ? loader.descriptor : -1;
}

void watch_faults() {
  if (on_replay()) return;  // the loader tells of them
  const KernelStack stack{.base = signal_stack, .flags = 0, .bytes = sizeof signal_stack};
  call(__NR_sigaltstack, &stack, nullptr);
  for (const int* signal = kFaultSignals; *signal; ++signal) set_handler(*signal, on_fault, kSaOnstack);
  if (control->stop_for_inspection) set_handler(format::kInterruptSignal, on_interrupt, kSaOnstack);
}

void start(int, char**, char** environment) {
  int descriptor = take_descriptor(environment);
  if (descriptor < 0) descriptor = ask_loader();
  if (descriptor < 0) return;
  constexpr int kReadWrite = 3, kShared = 1;
  const long head = call(__NR_mmap, nullptr, sizeof(format::SessionControl), kReadWrite, kShared, descriptor, 0);
  if (head < 0) return;
  auto* found = reinterpret_cast<format::SessionControl*>(head);
  found->agent_version = format::kSessionVersion;
  const uint64_t bytes = found->bytes;
  const bool same_version = found->version == format::kSessionVersion;
  call(__NR_munmap, head, sizeof(format::SessionControl));
  if (!same_version) return;
  const long whole = call(__NR_mmap, nullptr, bytes, kReadWrite, kShared, descriptor, 0);
  call(__NR_close, descriptor);
  if (whole < 0) return;
  control = reinterpret_cast<format::SessionControl*>(whole);
  instances_of(0).begin(culprit_thread);

  watch_faults();
  if (control->sealed) seal_world(1, 2);
  if (control->mode == SessionMode::kExperiments) {
    await_next_experiment(nullptr);
  } else {
    instances_of(0).ask_at(control->mode == SessionMode::kLogBranches ? 1 : kNoInstance, 0);
    watch(0, control->counted_statement);
  }
  if (culprit_session_starts) culprit_session_starts();
}

using Preinit = void (*)(int, char**, char**);
__attribute__((section(".preinit_array"), used)) const Preinit kStart = start;

/// Whether the altered run has more to alter.
bool looks_at_each_branch() {
  const bool counts_rounds = control->round_block != format::kNoBlock && rounds <= control->counted_round;
  return current_experiment()->scope != format::SwitchScope::kInstance || then_left != 0 || counts_rounds;
}

/// Where a branch goes in the altered run, of which only the thread that was altered is looked at.
uint32_t way_in_altered_run(format::ExperimentRecord& experiment, Instances& instances, uint32_t block, uint32_t way) {
  const uint64_t now = instances.so_far();
  if (culprit_thread.number != experiment.thread) {
    const bool counts = is_of_branch(experiment) && experiment.executions < format::kMostCounted;
    if (now == 1 && counts) instances.watch(control->counted_statement);  // it has just begun
    instances.ask_at(kNoInstance, now);
    return way;
  }
  if (now >= control->branch_limit) {
    describe_stop(experiment.stop, format::StopReason::kLimit);
    call(__NR_exit_group, kLimitStatus);
  }
  if (block == control->round_block) ++rounds;
  const bool is_second = then_left != 0 && block == experiment.then_block && --then_left == 0;
  instances.ask_at(looks_at_each_branch() ? now + 1 : end_of_altered_run(now), now);
  if (is_second) return experiment.then_way;
  if (experiment.scope == format::SwitchScope::kInstance || block != switched_block) return way;
  if (experiment.scope == format::SwitchScope::kEachInverted) return 1 - way;
  return way == switched_from ? experiment.way : way;
}

/// False when another thread would have its turn and there is no room to say so.
bool begin_turn(uint64_t instance, uint64_t own) {
  static uint32_t logged_thread = 0;
  if (culprit_thread.number == logged_thread) return true;
  if (control->turn_count == control->turns_capacity) return false;
  logged_thread = culprit_thread.number;
  auto* turns = reinterpret_cast<format::ThreadTurn*>(reinterpret_cast<char*>(control) + control->turns_offset);
  turns[control->turn_count++] = {.instance = instance, .thread = logged_thread, .reserved = 0, .own_before = own - 1};
  return true;
}

void log_instance(Instances& instances, uint32_t block, uint32_t way) {
  const uint64_t own = instances.so_far(), instance = control->branches + 1;
  if (!begin_turn(instance, own)) return instances.ask_at(kNoInstance, own);
  auto* ring = reinterpret_cast<format::BranchEntry*>(reinterpret_cast<char*>(control) + control->log_offset);
  ring[(instance - 1) % control->log_capacity] = {.block = block, .way = way};
  control->branches = instance;
  instances.ask_at(own + 1, own);
}

/// Where the spine, and what forks from it, goes at a branch.
uint32_t way_in_spine(Instances& instances, uint32_t block, uint32_t way) {
  const uint64_t now = instances.so_far();
  const format::ExperimentRecord* next = next_experiment();
  if (next && next->thread != culprit_thread.number) {
    instances.ask_at(kNoInstance, now);
    return way;
  }
  const uint32_t before = way;
  if (begin_branch_experiments(now, way)) {
    switched_block = block;
    switched_from = before;
    then_left = current_experiment()->then_number;
    watch_in_all_threads(control->counted_statement);
    instances.ask_at(looks_at_each_branch() ? now + 1 : end_of_altered_run(now), now);
  } else {
    await_next_experiment(nullptr);
  }
  return way;
}

}  // namespace

ProgramAction* program_action(int signal) {
  if (on_replay()) return nullptr;
  for (int i = 0; control && kFaultSignals[i]; ++i) {
    if (kFaultSignals[i] == signal) return program_actions[i].handed_over ? nullptr : &program_actions[i];
  }
  return nullptr;
}

void stop_for_inspection() {
  if (!control->stop_for_inspection) return;
  __atomic_store_n(&control->stopped, 1U, __ATOMIC_RELEASE);
  call(__NR_futex, &control->stopped, kFutexWake, INT32_MAX, nullptr);
  while (__atomic_load_n(&control->released, __ATOMIC_ACQUIRE) == 0) {
    call(__NR_futex, &control->released, kFutexWait, 0, nullptr);
  }
}

__attribute__((target("general-regs-only"))) void watch_output(uint64_t number, const uint64_t* arguments) {
  static uint64_t written;
  struct Piece {
    const char* start;
    uint64_t bytes;
  };
  if (current_experiment() || control->output_stop == ~uint64_t{0} || control->stop.reason != format::StopReason::kNone)
    return;
  if (number == __NR_exit_group) {
    // The output ended before the byte that is waited for.
    describe_stop(control->stop, format::StopReason::kOutput);
    return stop_for_inspection();
  }
  if ((number != __NR_write && number != __NR_writev) || arguments[0] != 1) return;
  uint64_t bytes = arguments[2];
  if (number == __NR_writev) {
    const auto* pieces = reinterpret_cast<const Piece*>(arguments[1]);
    const uint64_t count = bytes;
    bytes = 0;
    for (uint64_t i = 0; i < count; ++i) bytes += pieces[i].bytes;
  }
  written += bytes;
  if (written <= control->output_stop) return;
  describe_stop(control->stop, format::StopReason::kOutput);
  stop_for_inspection();
}

void set_handler(int signal, SignalHandler handler, uint64_t flags) {
  const KernelAction action{
      .handler = handler, .flags = kSaSiginfo | kSaRestorer | flags, .restorer = culprit_agent_return, .mask = 0};
  call(__NR_rt_sigaction, signal, &action, nullptr, sizeof action.mask);
}

void set_default(int signal) {
  const KernelAction action{.handler = nullptr, .flags = kSaRestorer, .restorer = culprit_agent_return, .mask = 0};
  call(__NR_rt_sigaction, signal, &action, nullptr, sizeof action.mask);
  const uint64_t unblocked = uint64_t{1} << (signal - 1);
  constexpr int kUnblock = 1;
  call(__NR_rt_sigprocmask, kUnblock, &unblocked, nullptr, sizeof unblocked);
}

void describe_stop(format::StopRecord& stop, format::StopReason reason) {
  stop.reason = reason;
  stop.frames = reinterpret_cast<uint64_t>(culprit_thread.frames);
  stop.thread = culprit_thread.number;
  stop.branches = own_instances();
}

}  // namespace culprit::agent

/// Called by observed bodies at a branch or switch when ThreadState::branches_left has run out, with the position of
/// the outgoing edge that the program would take; returns that of the edge to take.
extern "C" uint32_t culprit_branch(uint32_t block, uint32_t way) {
  using namespace culprit::agent;
  if (!control || !is_counted(culprit_thread)) {
    culprit_thread.branches_left = kNever;
    // Under a replay that a session drives, the loader may want to know.
    const long answer = control ? -1 : call(culprit::format::kBranchCall, block, way);
    return answer < 0 ? way : static_cast<uint32_t>(answer);
  }
  Instances& instances = instances_of(culprit_thread.number);
  instances.begin(culprit_thread);
  if (culprit::format::ExperimentRecord* experiment = current_experiment()) {
    return way_in_altered_run(*experiment, instances, block, way);
  }
  switch (control->mode) {
    case SessionMode::kLogBranches:
      log_instance(instances, block, way);
      return way;
    case SessionMode::kExperiments:
      return way_in_spine(instances, block, way);
    case SessionMode::kRun:
      instances.ask_at(kNoInstance, instances.so_far());
      return way;
  }
  return way;
}

/// Called by observed bodies before an access to element `index` of an array of `elements` elements that has no such
/// one; returns the index to use.
extern "C" uint64_t culprit_out_of_bounds(uint32_t statement, uint64_t index, uint64_t elements) {
  using namespace culprit::agent;
  if (!control) return index;
  culprit::format::BoundsControl& bounds = control->bounds;
  uint64_t none = 0;
  const bool first = !current_experiment() && __atomic_compare_exchange_n(&bounds.elements, &none, elements, false,
                                                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  if (first) {
    bounds.statement = statement;
    bounds.index = static_cast<int64_t>(index);
    if (bounds.stop != 0) {
      describe_stop(control->stop, culprit::format::StopReason::kOutOfBounds);
      stop_for_inspection();
    }
  }
  return bounds.clamp != 0 ? elements - 1 : index;
}
