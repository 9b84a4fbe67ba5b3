#include "program/external_effects.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/external/application.h"
#include "program/external/table.h"

namespace culprit::program {
namespace {

std::string place_text(const Place& place) {
  switch (place.kind) {
    case Place::Kind::kMemory:
      return place.bytes ? fmt::format("[{:#x}, +{})", place.address, *place.bytes)
                         : fmt::format("[{:#x}, ...)", place.address);
    case Place::Kind::kArgument:
      return fmt::format("argument {}", place.argument + 1);
    case Place::Kind::kResult:
      return "result";
    case Place::Kind::kState:
      return fmt::format("@{}{}{}", place.state, place.key ? fmt::format("({:#x})", *place.key) : "",
                         place.bytes ? fmt::format(" +{}", *place.bytes) : "");
    case Place::Kind::kConstant:
      return "constant";
    case Place::Kind::kOutside:
      return "outside";
  }
  return {};
}

}  // namespace

bool is_described(std::string_view function) {
  return external::built_in_table().find(function) != nullptr;
}

std::optional<CallEffects> effects_of_call(const ExternalCall& call, const CalledMemory& memory) {
  const external::Description* description = external::built_in_table().find(call.function);
  if (!description) return std::nullopt;
  return external::apply(*description, call, memory);
}

uint64_t address_parameters(std::string_view function) {
  const external::Description* description = external::built_in_table().find(function);
  return description ? description->pointer_parameters : 0;
}

bool returns_straight(std::string_view function) {
  using Verb = external::Clause::Verb;
  const external::Description* description = external::built_in_table().find(function);
  if (!description) return false;
  return std::none_of(description->clauses.begin(), description->clauses.end(), [](const external::Clause& clause) {
    switch (clause.verb) {
      case Verb::kCalls:
      case Verb::kStarts:
      case Verb::kAcquires:
      case Verb::kReleases:
      case Verb::kJoins:
      case Verb::kEndsProcess:
      case Verb::kEndsThread:
      case Verb::kJumps:
        return true;
      default:
        return false;
    }
  });
}

namespace {

bool has_clause(std::string_view function, external::Clause::Verb verb) {
  const external::Description* description = external::built_in_table().find(function);
  return description && std::any_of(description->clauses.begin(), description->clauses.end(),
                                    [verb](const external::Clause& clause) { return clause.verb == verb; });
}

}  // namespace

bool copies_memory(std::string_view function) {
  return has_clause(function, external::Clause::Verb::kCopies);
}

bool puts_bytes_out(std::string_view function) {
  return has_clause(function, external::Clause::Verb::kOutputs);
}

std::vector<std::string_view> described_functions() {
  std::vector<std::string_view> names;
  for (const external::Description& description : external::built_in_table().descriptions()) {
    names.push_back(description.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string_view name_of(EffectKind kind) {
  static constexpr std::string_view kNames[] = {"read",         "write",       "copy",       "fill",    "input",
                                                "output",       "allocate",    "free",       "return",  "return-copy",
                                                "return-point", "callback",    "acquire",    "release", "start-thread",
                                                "join-thread",  "end-process", "end-thread", "jump"};
  return kNames[static_cast<size_t>(kind)];
}

std::string effect_text(const Effect& effect) {
  std::string text =
      fmt::format("{}{} {}", effect.certain ? "" : "may ", name_of(effect.kind), place_text(effect.target));
  for (size_t index = 0; index < effect.sources.size(); ++index) {
    text += (index == 0 ? " from " : ", ") + place_text(effect.sources[index]);
  }
  return text;
}

}  // namespace culprit::program
