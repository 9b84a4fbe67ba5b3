#include "depend/native_effects.h"

#include <optional>
#include <span>

#include "program/measured_memory.h"

namespace culprit::depend {
namespace {

using program::Effect;
using program::EffectKind;
using program::Place;

/// Larger fresh blocks are not marked: what their memory held before is forgotten only where it is written again.
constexpr uint64_t kMostMarkedBytes = 1 << 20;

bool is_memory(const Place& place) {
  return place.kind == Place::Kind::kMemory && place.bytes.has_value();
}

void add_memory_sources(const Place& place, Definitions& definitions, std::vector<Node>& sources) {
  if (is_memory(place)) definitions.add_sources(place.address, *place.bytes, sources);
}

void apply(const Effect& effect, Node call, Definitions& definitions, std::vector<Node>& sources) {
  const Place& target = effect.target;
  switch (effect.kind) {
    case EffectKind::kRead:
      add_memory_sources(target, definitions, sources);
      break;
    case EffectKind::kCopy:
      if (is_memory(target) && effect.sources.size() == 1 && is_memory(effect.sources.front())) {
        definitions.copy(target.address, effect.sources.front().address, *target.bytes, call);
      }
      break;
    case EffectKind::kAllocate:
      if (is_memory(target) && *target.bytes <= kMostMarkedBytes) {
        definitions.define(target.address, *target.bytes, call);
      }
      break;
    case EffectKind::kWrite:
    case EffectKind::kFill:
    case EffectKind::kInput:
    case EffectKind::kOutput:
    case EffectKind::kReturn:
      for (const Place& source : effect.sources) add_memory_sources(source, definitions, sources);
      // What may have been written is taken as written: the definition before is then missing, and not a false one.
      if (is_memory(target)) definitions.define(target.address, *target.bytes, call);
      break;
    default:
      // Values of arguments are edges of the call already; locks and threads order the trace by themselves.
      break;
  }
}

}  // namespace

bool apply_external_call(std::string_view function, const trace::ReturnedCall& returned, Node call,
                         Definitions& definitions, std::vector<Node>& sources) {
  const std::span<const uint64_t> arguments(returned.arguments, returned.count);
  const program::MeasuredMemory memory(arguments, returned.strings, std::span(returned.lengths, returned.count),
                                       nullptr);
  const std::optional<program::CallEffects> effects =
      program::effects_of_call({.function = function, .arguments = arguments, .result = returned.result}, memory);
  if (!effects) return false;
  // Formats are not in the trace, but which arguments their conversions take as strings was found at build time.
  for (uint32_t each = 0; !effects->complete && each < returned.count; ++each) {
    if (returned.strings >> each & 1) {
      definitions.add_sources(returned.arguments[each], uint64_t{returned.lengths[each]} + 1, sources);
    }
  }
  for (const Effect& effect : effects->effects) apply(effect, call, definitions, sources);
  return true;
}

}  // namespace culprit::depend
