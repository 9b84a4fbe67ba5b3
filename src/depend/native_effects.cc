#include "depend/native_effects.h"

namespace culprit::depend {
namespace {

/// Larger fresh blocks are not marked: what their memory held before is forgotten only where it is written again.
constexpr uint64_t kMostMarkedBytes = 1 << 20;

uint64_t argument(const trace::ReturnedCall& returned, uint32_t number) {
  return number < returned.count ? returned.arguments[number] : 0;
}

uint64_t bytes_of(const program::Extent& extent, const trace::ReturnedCall& returned, uint8_t string) {
  using enum program::ExtentKind;
  const uint64_t result = static_cast<int64_t>(returned.result) > 0 ? returned.result : 0;
  switch (extent.kind) {
    case kBytes:
      return extent.a;
    case kArgument:
      return argument(returned, extent.a);
    case kProduct:
      return argument(returned, extent.a) * argument(returned, extent.b);
    case kResult:
      return result;
    case kResultOf:
      return result * argument(returned, extent.a);
    case kString:
      return returned.strings >> string & 1 ? uint64_t{returned.lengths[string]} + 1 : 0;
  }
  return 0;
}

void apply(const program::CallEffect& effect, const trace::ReturnedCall& returned, Node call, Definitions& definitions,
           std::vector<Node>& sources) {
  using enum program::EffectKind;
  const uint64_t address = argument(returned, effect.argument);
  const uint64_t bytes = bytes_of(effect.extent, returned, effect.kind == kCopies ? effect.source : effect.argument);
  switch (effect.kind) {
    case kReads:
      if (address != 0) definitions.add_sources(address, bytes, sources);
      break;
    case kWrites:
      if (address != 0) definitions.define(address, bytes, call);
      break;
    case kCopies:
      definitions.copy(address, argument(returned, effect.source), bytes, call);
      break;
    case kAllocates:
      if (returned.result != 0 && bytes <= kMostMarkedBytes) definitions.define(returned.result, bytes, call);
      break;
    case kReturns:
      break;
  }
}

}  // namespace

void apply_library_call(const program::LibraryCall& known, const trace::ReturnedCall& returned, Node call,
                        Definitions& definitions, std::vector<Node>& sources) {
  // The strings that a format names, and others that are measured.
  for (uint32_t each = 0; known.format >= 0 && each < returned.count; ++each) {
    if (returned.strings >> each & 1) {
      definitions.add_sources(returned.arguments[each], uint64_t{returned.lengths[each]} + 1, sources);
    }
  }
  for (const program::CallEffect& effect : known.effects) apply(effect, returned, call, definitions, sources);
}

}  // namespace culprit::depend
