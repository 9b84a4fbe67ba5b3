#include "session/variables.h"

#include <optional>

#include "program/print_value.h"
#include "program/source_position.h"

namespace culprit {
namespace {

constexpr uint64_t kMostBytes = 1 << 16;  // of one variable

}  // namespace

std::optional<uint64_t> frame_address(const format::VariableRecord& variable, const Frame& frame) {
  const auto offset = static_cast<uint64_t>(variable.offset);
  if (variable.home == format::HomeKind::kPrivateSlot && frame.private_frame != 0) return frame.private_frame + offset;
  if (variable.home == format::HomeKind::kUserStack && frame.user_frame != 0) return frame.user_frame + offset;
  return std::nullopt;
}

std::vector<VariableValue> read_variables(const ProcessMemory& process, const program::ProgramModel& model,
                                          const Frame& frame) {
  std::vector<VariableValue> values;
  if (frame.statement >= model.statements().size()) return values;
  const program::MemoryReader memory = [&process](uint64_t address,
                                                  size_t bytes) -> std::optional<std::vector<std::byte>> {
    std::vector<std::byte> contents(bytes);
    if (!process(address, contents)) return std::nullopt;
    return contents;
  };
  for (const uint32_t index : program::variables_in_reach(model, frame.statement)) {
    const format::VariableRecord& variable = model.variable(index);
    if (variable.scope == format::kNone || (variable.flags & format::kVariableArtificial)) continue;
    const std::optional<uint64_t> address = frame_address(variable, frame);
    if (!address || variable.type == format::kNone) continue;
    const uint64_t bytes = std::min((model.type(variable.type).bits + 7) / 8, kMostBytes);
    const std::vector<std::byte> contents = memory(*address, bytes).value_or(std::vector<std::byte>());
    values.push_back(
        {.variable = index,
         .name = std::string(model.text(variable.name)),
         .value = program::print_value(model, variable.type, contents, memory,
                                       {.tells_unwritten = variable.home == format::HomeKind::kPrivateSlot})});
  }
  return values;
}

}  // namespace culprit
