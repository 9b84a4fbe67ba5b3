#include "program/external_roles.h"

#include <algorithm>
#include <array>

#include "program/external/table.h"

namespace culprit::program {
namespace {

using external::Clause;
using external::Description;
using external::Item;
using Verb = external::Clause::Verb;

/// Behind these states stand functions of the program: handlers, virtual functions of streams, destructors.
constexpr std::array<std::string_view, 8> kCallingStates{"parser",  "exits",   "exception", "library",
                                                         "signals", "ostream", "istream",   "stream"};
/// A thread's or the process's own, so that using them is no communication.
constexpr std::array<std::string_view, 5> kPrivateStates{"errno", "locale", "strtok", "rounding", "random"};

template <size_t Count>
bool is_one_of(std::string_view name, const std::array<std::string_view, Count>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool calls(Verb verb) {
  return verb == Verb::kCalls || verb == Verb::kStarts || verb == Verb::kEndsProcess || verb == Verb::kEndsThread ||
         verb == Verb::kJumps;
}
bool allocates(Verb verb) {
  return verb == Verb::kAllocates || verb == Verb::kFrees;
}
bool synchronises(Verb verb) {
  return verb == Verb::kAcquires || verb == Verb::kReleases || verb == Verb::kStarts || verb == Verb::kJoins;
}
bool communicates(Verb verb) {
  return verb == Verb::kInputs || verb == Verb::kOutputs || calls(verb) || allocates(verb) || synchronises(verb);
}

constexpr std::array<std::string_view, 8> kLetTimePass{"sleep",       "usleep",        "nanosleep",  "clock_nanosleep",
                                                       "sched_yield", "pthread_yield", "thrd_yield", "thrd_sleep"};

/// Where input comes from.
constexpr std::array<std::string_view, 3> kInputStates{"descriptor", "stream", "istream"};

template <typename Test>
bool any_state(const Clause& clause, Test test) {
  const auto tests = [&](const Item& item) { return item.form == Item::Form::kState && test(item.text); };
  return std::any_of(clause.targets.begin(), clause.targets.end(), tests) ||
         std::any_of(clause.sources.begin(), clause.sources.end(), tests);
}

/// Bytes of a stream, or of a file that is mapped.
bool brings_input(const Clause& clause) {
  const auto is_input = [](const Item& item) {
    return item.form == Item::Form::kState && is_one_of(item.text, kInputStates);
  };
  const auto is_memory = [](const Item& item) { return item.form != Item::Form::kState; };
  if (clause.verb == Verb::kInputs) return true;
  return clause.verb == Verb::kWrites && std::any_of(clause.targets.begin(), clause.targets.end(), is_memory) &&
         std::any_of(clause.sources.begin(), clause.sources.end(), is_input);
}

}  // namespace

ExternalRole external_role(std::string_view symbol) {
  const Description* described = external::built_in_table().find(symbol);
  if (!described) return {};
  ExternalRole role{
      .allocates = false, .synchronises = false, .releases = false, .calls_back = false, .keeps_to_itself = true};
  for (const Clause& clause : described->clauses) {
    role.allocates |= allocates(clause.verb);
    role.synchronises |= synchronises(clause.verb);
    role.releases |= clause.verb == Verb::kReleases;
    role.calls_back |=
        calls(clause.verb) || any_state(clause, [](std::string_view name) { return is_one_of(name, kCallingStates); });
    role.brings_input |= brings_input(clause);
    role.keeps_to_itself &= !communicates(clause.verb) &&
                            !any_state(clause, [](std::string_view name) { return !is_one_of(name, kPrivateStates); });
  }
  return role;
}

bool waits_for_others(std::string_view symbol) {
  if (is_one_of(symbol, kLetTimePass)) return true;
  const Description* described = external::built_in_table().find(symbol);
  if (!described) return false;
  const auto waits = [](const Clause& clause) {
    return clause.verb == Verb::kAcquires &&
           any_state(clause, [](std::string_view name) { return name == "condition"; });
  };
  return std::any_of(described->clauses.begin(), described->clauses.end(), waits);
}

bool makes_thread(std::string_view symbol) {
  return symbol == "pthread_create" || symbol == "thrd_create" || symbol.starts_with("_ZNSt6thread15_M_start_thread");
}

}  // namespace culprit::program
