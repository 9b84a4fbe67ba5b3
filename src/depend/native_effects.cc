#include "depend/native_effects.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

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

/// Of the call, what a trace holds.
class CallMemory final : public program::MeasuredMemory {
 public:
  CallMemory(const trace::TraceFile& trace, const trace::ReturnedCall& call, const program::ConstantMemory* constants,
             const std::unordered_map<uint64_t, uint64_t>& blocks)
      : MeasuredMemory(std::span(call.arguments, call.count), call.strings, std::span(call.lengths, call.count),
                       constants),
        trace_(trace),
        call_(call),
        blocks_(blocks) {}

  std::optional<uint64_t> pointer_variable(std::string_view name) const override {
    if (name == "stdin") return trace_.address(format::kTraceStdin);
    if (name == "stdout") return trace_.address(format::kTraceStdout);
    if (name == "stderr") return trace_.address(format::kTraceStderr);
    return std::nullopt;
  }

  bool read(When when, uint64_t address, std::span<std::byte> into) const override {
    for (const format::TraceWord& each : call_.words) {
      const uint64_t inside = address - each.address;
      const bool is_of_then = (when == When::kAfter) == (each.after != 0);
      if (!is_of_then || inside >= sizeof(each.word) || into.size() > sizeof(each.word) - inside) continue;
      std::memcpy(into.data(), reinterpret_cast<const std::byte*>(&each.word) + inside, into.size());
      return true;
    }
    return MeasuredMemory::read(when, address, into);
  }

  std::optional<uint64_t> string_length(When when, uint64_t address) const override {
    for (const format::TraceWord& each : call_.words) {
      if (each.length != format::kTraceNoString && each.word == address) return each.length;
    }
    return MeasuredMemory::string_length(when, address);
  }

  std::optional<uint64_t> block_bytes(uint64_t address) const override {
    const auto block = blocks_.find(address);
    return block == blocks_.end() ? std::nullopt : std::optional(block->second);
  }

 private:
  const trace::TraceFile& trace_;
  const trace::ReturnedCall& call_;
  const std::unordered_map<uint64_t, uint64_t>& blocks_;
};

/// Does to definitions and outputs what a call did.
class NativeCall {
 public:
  NativeCall(const OpenExecution& at, uint32_t operation, const trace::ReturnedCall& returned,
             const trace::TraceFile& trace, const GraphWriter& graph, Definitions& definitions,
             std::span<OutputRuns, format::kGraphOutputs> outputs, OutputChannels& channels, const ReadingCall& reading,
             InputLog& inputs, const program::ConstantMemory* constants, std::vector<NodeNumber>& sources)
      : at_(at),
        operation_(operation),
        call_(graph.number(at, operation)),
        returned_(returned),
        trace_(trace),
        graph_(graph),
        definitions_(definitions),
        outputs_(outputs),
        channels_(channels),
        reading_(reading),
        inputs_(inputs),
        constants_(constants),
        sources_(sources) {}

  void apply(const program::CallEffects& effects) {
    const auto writes = std::count_if(effects.effects.begin(), effects.effects.end(), [](const Effect& effect) {
      return is_memory(effect.target) && is_write(effect.kind);
    });
    in_parts_ = writes > 1;
    // What is copied is what was there before the call, though the line may tell of writes there first.
    std::vector<std::vector<uint64_t>> copied(effects.effects.size());
    for (size_t each = 0; each < copied.size(); ++each) {
      const Effect& effect = effects.effects[each];
      if (!is_copy(effect)) continue;
      const Place& source = effect.sources.front();
      const bool overwritten =
          std::any_of(effects.effects.begin(), effects.effects.begin() + static_cast<long>(each),
                      [&](const Effect& earlier) { return changes(earlier) && may_overlap(earlier.target, source); });
      if (overwritten) {
        copied[each] = definitions_.copied(source.address, *effect.target.bytes, copier(), chooser_of(source.address));
      }
    }
    for (size_t each = 0; each < copied.size(); ++each) {
      const Effect& effect = effects.effects[each];
      if (copied[each].empty()) {
        apply(effect);
      } else {
        definitions_.define_each(effect.target.address, copied[each]);
      }
    }
    inputs_.follow(reading_);
    channels_.follow(reading_.function, returned_);
  }

  static bool is_write(EffectKind kind) {
    return kind == EffectKind::kWrite || kind == EffectKind::kFill || kind == EffectKind::kInput ||
           kind == EffectKind::kCopy;
  }

 private:
  static bool changes(const Effect& effect) { return effect.kind == EffectKind::kAllocate || is_write(effect.kind); }

  static bool may_overlap(const Place& written, const Place& read) {
    if (written.kind != Place::Kind::kMemory) return false;
    if (written.address >= read.address) return written.address - read.address < *read.bytes;
    return !written.bytes || read.address - written.address < *written.bytes;
  }

  static bool is_copy(const Effect& effect) {
    return effect.kind == EffectKind::kCopy && is_memory(effect.target) && effect.sources.size() == 1 &&
           is_memory(effect.sources.front());
  }

  void apply(const Effect& effect) {
    const Place& target = effect.target;
    switch (effect.kind) {
      case EffectKind::kRead:
        add_memory(target, sources_);
        break;
      case EffectKind::kCopy:
        if (is_copy(effect)) {
          const uint64_t source = effect.sources.front().address;
          definitions_.copy(target.address, source, *target.bytes, copier(), chooser_of(source));
        }
        break;
      case EffectKind::kAllocate:
        if (is_memory(target) && *target.bytes - effect.offset <= kMostMarkedBytes) {
          definitions_.define(target.address + effect.offset, *target.bytes - effect.offset, call_);
        }
        break;
      case EffectKind::kWrite:
      case EffectKind::kFill:
      case EffectKind::kInput:
      case EffectKind::kOutput:
      case EffectKind::kReturn:
        for (const Place& source : effect.sources) add_memory(source, sources_);
        if (effect.kind == EffectKind::kOutput) put_out(effect);
        // What may have been written is taken as written: the definition before is then missing, and not a false one.
        if (is_memory(target)) write(effect);
        if (effect.kind == EffectKind::kInput) inputs_.read(reading_, effect);
        break;
      default:
        // Values of arguments are edges of the call already; locks and threads order the trace by themselves.
        break;
    }
  }

  void write(const Effect& effect) {
    const Place& target = effect.target;
    uint32_t in_a_row = 0;
    for (const Place& source : effect.sources) {
      if (in_parts_ && is_memory(source))
        in_a_row = std::max(in_a_row, definitions_.in_a_row(source.address, *source.bytes));
    }
    // What is computed again and again from what was computed before would be told with all that ever went into it:
    // then the call made it, from all that it read.
    if (!in_parts_ || in_a_row >= CopyTable::kMostInARow) {
      return definitions_.define(target.address, *target.bytes, call_);
    }
    definitions_.define_from(target.address, *target.bytes, call_.as_transfer(), sources_of(effect), in_a_row);
  }

  Definitions::Copier copier() const { return {call_.as_transfer(), operation_}; }

  std::vector<NodeNumber> sources_of(const Effect& effect) {
    std::vector<NodeNumber> sources;
    for (const Place& source : effect.sources) {
      add_memory(source, sources);
      add_pointer(source, sources);
      if (source.kind == Place::Kind::kArgument) add_argument(source.argument, sources);
    }
    return sources;
  }

  /// Which memory a conversion such as %s takes, its argument decides.
  void add_pointer(const Place& place, std::vector<NodeNumber>& sources) {
    for (uint32_t each = 0; is_memory(place) && each < returned_.count; ++each) {
      if (returned_.arguments[each] == place.address) add_argument(each, sources);
    }
    for (const format::TraceWord& each : returned_.words) {
      const bool names = is_memory(place) && each.length != format::kTraceNoString && each.word == place.address;
      if (names) definitions_.add_sources(each.address, sizeof(each.word), sources);
    }
  }

  bool is_constant(uint64_t address) const {
    std::byte byte;
    return constants_ && constants_->read(address, {&byte, 1});
  }

  /// Nobody made a text that the source holds, but someone chose it: who made the pointer to it. kNoNumber where the
  /// text is no such, or the pointer is not known.
  NodeNumber chooser_of(uint64_t text) const {
    if (!is_constant(text)) return kNoNumber;
    const program::ModelView& sections = trace_.model().sections();
    NodeNumber chooser = kNoNumber;
    for (uint32_t each = 0; each < returned_.count; ++each) {
      const uint32_t operand = sections.operations[operation_].first_operand + each;
      if (returned_.arguments[each] != text || operand >= sections.operations[operation_ + 1].first_operand) continue;
      if (const NodeNumber source = graph_.source_of_operand(at_, operand); source != kNoNumber) chooser = source;
    }
    std::vector<NodeNumber> stored;
    for (const format::TraceWord& each : returned_.words) {
      if (each.length != format::kTraceNoString && each.word == text) {
        definitions_.add_sources(each.address, sizeof(each.word), stored);
      }
    }
    return stored.empty() ? chooser : stored.back();
  }

  void put_out(const Effect& effect) {
    const std::optional<size_t> number = channels_.output_of(effect.target);
    if (!number) return;
    OutputRuns* const output = &outputs_[*number];
    if (!effect.target.bytes) return output->lose(call_);
    const uint64_t bytes = *effect.target.bytes;
    const bool copied = effect.unchanged && effect.sources.size() == 1 && is_memory(effect.sources.front());
    if (!copied) {
      std::vector<NodeNumber> sources = sources_of(effect);
      sources.push_back(call_.as_transfer());
      return output->add(bytes, sources);
    }
    const uint64_t address = effect.sources.front().address;
    for (uint64_t at = 0; at < bytes;) {
      const uint64_t run = definitions_.same_bytes(address + at, bytes - at);
      std::vector<NodeNumber> sources;
      definitions_.add_pieces(address + at, 1, sources);
      const NodeNumber chooser = sources.empty() && is_constant(address + at) ? chooser_of(address) : kNoNumber;
      if (chooser != kNoNumber) {
        sources.push_back(piece(chooser, {0, 1}, format::kGraphWhole));
      } else {
        add_pointer(effect.sources.front(), sources);
      }
      sources.push_back(call_.as_transfer());
      output->add(run, sources);
      at += run;
    }
  }

  void add_memory(const Place& place, std::vector<NodeNumber>& sources) {
    if (is_memory(place)) definitions_.add_sources(place.address, *place.bytes, sources);
  }

  void add_argument(uint32_t argument, std::vector<NodeNumber>& sources) {
    const program::ModelView& sections = trace_.model().sections();
    const uint32_t operand = sections.operations[operation_].first_operand + argument;
    if (operand >= sections.operations[operation_ + 1].first_operand) return;
    // Those are edges of the call already.
    if (sections.operands[operand].role == format::OperandRole::kAddress) return;
    if (const NodeNumber source = graph_.source_of_operand(at_, operand); source != kNoNumber)
      sources.push_back(source);
  }

  const OpenExecution& at_;
  uint32_t operation_;
  NodeNumber call_;
  const trace::ReturnedCall& returned_;
  const trace::TraceFile& trace_;
  const GraphWriter& graph_;
  Definitions& definitions_;
  std::span<OutputRuns, format::kGraphOutputs> outputs_;
  OutputChannels& channels_;
  const ReadingCall& reading_;
  InputLog& inputs_;
  const program::ConstantMemory* constants_;  ///< none when the executable is gone
  std::vector<NodeNumber>& sources_;
  /// Whether the call wrote several things, each of which depends on its own sources only.
  bool in_parts_ = false;
};

}  // namespace

NativeEffects::NativeEffects(const trace::TraceFile& trace, const GraphWriter& graph, Definitions& definitions,
                             std::span<OutputRuns, format::kGraphOutputs> outputs, InputLog& inputs)
    : trace_(trace), graph_(graph), definitions_(definitions), outputs_(outputs), inputs_(inputs) {
  if (std::filesystem::exists(trace.executable())) {
    constants_.emplace(trace.executable(), trace.address(format::kTraceImage));
  }
  channels_.emplace(trace, constants_ ? &*constants_ : nullptr);
}

bool NativeEffects::apply(std::string_view function, const trace::ReturnedCall& returned, const OpenExecution& at,
                          uint32_t call, std::vector<NodeNumber>& sources) {
  const CallMemory memory(trace_, returned, constants_ ? &*constants_ : nullptr, blocks_);
  std::optional<program::CallEffects> effects = program::effects_of_call(
      {.function = function, .arguments = std::span(returned.arguments, returned.count), .result = returned.result},
      memory);
  knew_writes_ =
      effects && effects->complete &&
      std::none_of(effects->effects.begin(), effects->effects.end(), [](const Effect& each) {
        return NativeCall::is_write(each.kind) && each.target.kind == Place::Kind::kMemory && !each.target.bytes;
      });
  if (!effects) return false;
  // A format may not be readable, but which arguments its conversions take as strings was found at build time.
  for (uint32_t each = 0; !effects->complete && each < returned.count; ++each) {
    if (returned.strings >> each & 1) {
      definitions_.add_sources(returned.arguments[each], uint64_t{returned.lengths[each]} + 1, sources);
    }
  }
  const ReadingCall reading{function, returned, graph_.number(at, call)};
  NativeCall(at, call, returned, trace_, graph_, definitions_, outputs_, *channels_, reading, inputs_,
             constants_ ? &*constants_ : nullptr, sources)
      .apply(*effects);
  effects_ = std::move(*effects);
  follow_blocks();
  return true;
}

void NativeEffects::follow_blocks() {
  for (const Effect& each : effects_.effects) {
    if (!each.certain) continue;
    if (each.kind == EffectKind::kFree) blocks_.erase(each.target.address);
    if (each.kind == EffectKind::kAllocate && is_memory(each.target)) {
      blocks_[each.target.address] = *each.target.bytes;
    }
  }
}

}  // namespace culprit::depend
