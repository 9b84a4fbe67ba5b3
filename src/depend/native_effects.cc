#include "depend/native_effects.h"

#include <algorithm>
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

/// Does to definitions what a call did.
class NativeCall {
 public:
  NativeCall(Node call, const DependenceGraph& graph, Definitions& definitions, std::vector<Node>& sources)
      : call_(call), graph_(graph), definitions_(definitions), sources_(sources) {}

  void apply(const program::CallEffects& effects) {
    const auto writes = std::count_if(effects.effects.begin(), effects.effects.end(), [](const Effect& effect) {
      return is_memory(effect.target) && is_write(effect.kind);
    });
    in_parts_ = writes > 1;
    for (const Effect& effect : effects.effects) apply(effect);
  }

 private:
  static bool is_write(EffectKind kind) {
    return kind == EffectKind::kWrite || kind == EffectKind::kFill || kind == EffectKind::kInput ||
           kind == EffectKind::kCopy;
  }

  void apply(const Effect& effect) {
    const Place& target = effect.target;
    switch (effect.kind) {
      case EffectKind::kRead:
        add_memory(target, sources_);
        break;
      case EffectKind::kCopy:
        if (is_memory(target) && effect.sources.size() == 1 && is_memory(effect.sources.front())) {
          definitions_.copy(target.address, effect.sources.front().address, *target.bytes, call_.as_transfer());
        }
        break;
      case EffectKind::kAllocate:
        if (is_memory(target) && *target.bytes <= kMostMarkedBytes) {
          definitions_.define(target.address, *target.bytes, call_);
        }
        break;
      case EffectKind::kWrite:
      case EffectKind::kFill:
      case EffectKind::kInput:
      case EffectKind::kOutput:
      case EffectKind::kReturn:
        for (const Place& source : effect.sources) add_memory(source, sources_);
        // What may have been written is taken as written: the definition before is then missing, and not a false one.
        if (is_memory(target)) write(effect);
        break;
      default:
        // Values of arguments are edges of the call already; locks and threads order the trace by themselves.
        break;
    }
  }

  void write(const Effect& effect) {
    const Place& target = effect.target;
    if (!in_parts_) return definitions_.define(target.address, *target.bytes, call_);
    std::vector<Node> sources;
    for (const Place& source : effect.sources) {
      add_memory(source, sources);
      if (source.kind == Place::Kind::kArgument) add_argument(source.argument, sources);
    }
    definitions_.define_from(target.address, *target.bytes, call_.as_transfer(), sources);
  }

  void add_memory(const Place& place, std::vector<Node>& sources) {
    if (is_memory(place)) definitions_.add_sources(place.address, *place.bytes, sources);
  }

  void add_argument(uint32_t argument, std::vector<Node>& sources) {
    const uint32_t operand = graph_.model().operation(call_.operation()).first_operand + argument;
    if (operand >= graph_.model().operation(call_.operation() + 1).first_operand) return;
    graph_.for_each_source(call_, operand, [&](Node source) { sources.push_back(source); });
  }

  Node call_;
  const DependenceGraph& graph_;
  Definitions& definitions_;
  std::vector<Node>& sources_;
  /// Whether the call wrote several things, each of which depends on its own sources only.
  bool in_parts_ = false;
};

}  // namespace

bool apply_external_call(std::string_view function, const trace::ReturnedCall& returned, Node call,
                         const DependenceGraph& graph, const program::ConstantMemory* constants,
                         Definitions& definitions, std::vector<Node>& sources) {
  const std::span<const uint64_t> arguments(returned.arguments, returned.count);
  const program::MeasuredMemory memory(arguments, returned.strings, std::span(returned.lengths, returned.count),
                                       constants);
  const std::optional<program::CallEffects> effects =
      program::effects_of_call({.function = function, .arguments = arguments, .result = returned.result}, memory);
  if (!effects) return false;
  // A format may not be readable, but which arguments its conversions take as strings was found at build time.
  for (uint32_t each = 0; !effects->complete && each < returned.count; ++each) {
    if (returned.strings >> each & 1) {
      definitions.add_sources(returned.arguments[each], uint64_t{returned.lengths[each]} + 1, sources);
    }
  }
  NativeCall(call, graph, definitions, sources).apply(*effects);
  return true;
}

}  // namespace culprit::depend
