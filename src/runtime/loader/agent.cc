#include "runtime/loader/agent.h"

#include "format/tick_call.h"
#include "runtime/loader/deep_stacks.h"
#include "runtime/loader/intercept.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/threads.h"

namespace culprit::loader {
namespace {

bool offered;
format::AgentLink* agent;

long system_call(uint64_t number, const uint64_t* arguments) {
  return raw(static_cast<long>(number), arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
             arguments[5]);
}

void begin_altered() {
  limit_first_stack();
  runtime.altered = true;
  const auto process = static_cast<int32_t>(raw(__NR_getpid));
  if (process == runtime.process) return;
  runtime.process = process;
  intercept_calls_again(runtime.interception);
}

bool thread_lives(const void* state) {
  for (uint32_t slot = 0; const Thread* thread = thread_in_slot(slot); ++slot) {
    if (thread->alive && thread->tick_state == word(state)) return true;
  }
  return false;
}

}  // namespace

void offer_agent(int descriptor) {
  const long moved = raw(__NR_dup3, descriptor, format::kHookDescriptor, O_CLOEXEC);
  if (failed(moved)) fail("cannot keep the session's descriptor", moved);
  raw(__NR_close, descriptor);
  offered = true;
}

long agent_call(format::AgentLink* link) {
  if (!offered) return -ENOSYS;
  link->descriptor = format::kHookDescriptor;
  link->system_call = system_call;
  link->begin_altered = begin_altered;
  link->thread_lives = thread_lives;
  agent = link;
  return 0;
}

bool has_agent() {
  return agent != nullptr;
}

void tell_agent_of_fault(const format::AgentFault& fault) {
  if (agent != nullptr) agent->on_fault(fault);
}

void tell_agent_of_call(const Call& call) {
  if (agent != nullptr) agent->on_call(call.number, call.arguments);
}

format::StatementAction ask_agent_at_statement(bool alterable) {
  return agent->on_statement(alterable);
}

void end_as_program(int64_t exit_status, int signal) {
  if (signal != 0) kill_by(signal);
  raw(__NR_exit_group, static_cast<uint64_t>(exit_status));
  __builtin_trap();
}

}  // namespace culprit::loader
