#include "program/external_functions.h"

#include <algorithm>
#include <unordered_map>

#include "program/external_effects.h"

namespace culprit::program {

std::vector<ExternalFunction> external_functions(const ProgramModel& model) {
  std::unordered_map<uint32_t, uint32_t> calls;
  for (const format::CallRecord& call : model.sections().calls) {
    if (call.callee != kNone) ++calls[call.callee];
  }
  std::vector<ExternalFunction> found;
  for (const uint32_t index : model.functions()) {
    const format::FunctionRecord& function = model.function(index);
    const std::string_view symbol = model.text(function.linkage_name);
    if ((function.flags & format::kFunctionNative) == 0 || symbol.starts_with("llvm.")) continue;
    const bool address_taken = (function.flags & format::kFunctionAddressTaken) != 0;
    const auto called = calls.find(index);
    if (called == calls.end() && !address_taken) continue;
    found.push_back({.symbol = symbol,
                     .calls = called == calls.end() ? 0 : called->second,
                     .address_taken = address_taken,
                     .described = is_described(symbol)});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.symbol < b.symbol; });
  return found;
}

}  // namespace culprit::program
