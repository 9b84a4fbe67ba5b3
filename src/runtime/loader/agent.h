// The loader's side of sessions that the agent inside the program drives (format/agent_link.h).
#pragma once

#include "format/agent_link.h"
#include "runtime/loader/runtime.h"

namespace culprit::loader {

/// The launcher gave a session control block: the program's agent may have it.
void offer_agent(int descriptor);

/// Answers kAgentCall.
long agent_call(format::AgentLink* link);

/// Whether an agent has made itself known: then altered runs end as the program would.
bool has_agent();

void tell_agent_of_fault(const format::AgentFault& fault);
format::StatementAction ask_agent_at_statement(bool alterable);
void tell_agent_of_call(const Call& call);

/// Ends an altered run as the program ends.
[[noreturn]] void end_as_program(int64_t exit_status, int signal);

}  // namespace culprit::loader
