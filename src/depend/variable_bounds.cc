#include "depend/variable_bounds.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace culprit::depend {

using namespace format;

uint64_t bytes_of_type(const program::ProgramModel& model, uint32_t type) {
  for (int step = 0; type != kNone && step < 64; ++step) {
    const TypeRecord& record = model.type(type);
    if (record.bits != 0) return (record.bits + 7) / 8;
    type = record.base;
  }
  return 0;
}

VariableBounds::VariableBounds(const program::ProgramModel& model, const std::vector<uint64_t>& anchors,
                               const StackVariables& stack)
    : stack_(stack) {
  std::unordered_map<std::string_view, uint64_t> address_of;
  const auto& symbols = model.sections().anchors;
  for (size_t each = 0; each < symbols.size() && each < anchors.size(); ++each) {
    address_of.emplace(model.text(symbols[each].symbol), anchors[each]);
  }
  for (const uint32_t each : model.globals()) {
    const VariableRecord& variable = model.variable(each);
    const uint64_t bytes = bytes_of_type(model, variable.type);
    const auto symbol = address_of.find(model.text(variable.symbol));
    if (variable.home != HomeKind::kGlobal || bytes == 0 || symbol == address_of.end() || symbol->second == 0) continue;
    const uint64_t first = symbol->second + static_cast<uint64_t>(variable.offset);
    globals_.push_back({first, first + bytes, each, kNone});
  }
  std::sort(globals_.begin(), globals_.end(),
            [](const VariableExtent& one, const VariableExtent& other) { return one.first < other.first; });
}

std::optional<VariableExtent> VariableBounds::at(uint64_t address) const {
  const auto behind = std::upper_bound(globals_.begin(), globals_.end(), address,
                                       [](uint64_t at, const VariableExtent& each) { return at < each.first; });
  if (behind != globals_.begin() && address < std::prev(behind)->end) return *std::prev(behind);
  return stack_.whole(address);
}

}  // namespace culprit::depend
