// Execution-point ids in words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/point_id.h"

namespace culprit {

/// One line, outermost activation first: "main main.c:9:5 [2,0] > get main.c:5:9". In brackets: iterations of the loops
/// around the call (kPrecise), its hit count (kLightweight), the open branches and how often they were taken in a row
/// (kStructural). "×3": the third entry from outside of what it calls.
std::string text_of(const PointId& id, const program::ProgramModel& model);

/// A precise id for commands: "pepid:" and its words in hexadecimal with dots between them.
std::string precise_id_text(std::span<const uint64_t> words);
/// Nothing when it is no such text.
std::optional<std::vector<uint64_t>> parse_precise_id(std::string_view text);

/// "file.c:12:3 true", or what is known of an edge that the instrumentation made.
std::string edge_position_text(const program::ProgramModel& model, uint32_t edge);

}  // namespace culprit
