#include "cli/expression_place.h"

#include <fmt/format.h>

#include "base/error.h"
#include "program/source_position.h"
#include "session/variables.h"

namespace culprit::cli {
namespace {

/// One without a statement where no activation is there, which leaves globals.
Frame chosen_frame(const StoppedReplay& stopped, size_t number) {
  if (!stopped.model) {
    throw UserError("variables are not known of a program that was recorded as it is",
                    "compile it with culprit-cc and record it again");
  }
  const std::vector<Frame> frames = read_frames(memory_of(stopped.session), stopped.position.frames, number + 1);
  if (number < frames.size() && frames[number].statement < stopped.model->statements().size()) return frames[number];
  if (frames.empty() && number == 0) return {.statement = format::kNone};
  throw UserError(fmt::format("there is no activation {} with a statement of the program at this point", number),
                  "culprit replay --to POINT lists the activations");
}

}  // namespace

ExpressionPlace::ExpressionPlace(const StoppedReplay& stopped, size_t frame)
    : stopped_(stopped),
      frame_(chosen_frame(stopped, frame)),
      symbols_(stopped.build.executable, stopped.session.process_id()) {}

std::optional<program::Object> ExpressionPlace::object_named(std::string_view name) const {
  const std::optional<uint32_t> found = program::find_variable(model(), frame_.statement, name);
  if (!found) return std::nullopt;
  const format::VariableRecord& variable = model().variable(*found);
  std::optional<uint64_t> address = frame_address(variable, frame_);
  if (variable.home == format::HomeKind::kGlobal) {
    address = symbols_.address(model().text(variable.symbol));
    if (address) *address += static_cast<uint64_t>(variable.offset);
  }
  if (!address) {
    throw UserError(fmt::format("{} has no place in memory here", name), "ask at another statement of the function");
  }
  return program::Object{variable.type, *address};
}

program::ObjectLookup ExpressionPlace::lookup() const {
  return [this](std::string_view name) { return object_named(name); };
}

program::MemoryReader ExpressionPlace::memory() const {
  return [this](uint64_t address, size_t bytes) -> std::optional<std::vector<std::byte>> {
    std::vector<std::byte> contents(bytes);
    if (!stopped_.session.read_memory(address, contents)) return std::nullopt;
    return contents;
  };
}

}  // namespace culprit::cli
