#include "index/point_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace culprit {
namespace {

std::string notes_of(const PointFrame& frame, const program::ProgramModel& model) {
  std::string notes;
  if (!frame.counts.empty()) notes += fmt::format(" [{}]", fmt::join(frame.counts, ","));
  if (!frame.branches.empty()) {
    std::vector<std::string> branches;
    for (const OpenBranch& branch : frame.branches) {
      branches.push_back(edge_position_text(model, branch.edge));
      if (branch.times > 1) branches.back() += fmt::format(" ×{}", branch.times);
    }
    notes += fmt::format(" [{}]", fmt::join(branches, ", "));
  }
  if (frame.entries > 1) notes += fmt::format(" ×{}", frame.entries);
  return notes;
}

constexpr std::string_view kPrecisePrefix = "pepid:";

}  // namespace

std::string precise_id_text(std::span<const uint64_t> words) {
  return fmt::format("{}{:x}", kPrecisePrefix, fmt::join(words, "."));
}

std::optional<std::vector<uint64_t>> parse_precise_id(std::string_view text) {
  if (!text.starts_with(kPrecisePrefix)) return std::nullopt;
  std::vector<uint64_t> words;
  const char* at = text.data() + kPrecisePrefix.size();
  const char* const end = text.data() + text.size();
  while (true) {
    const auto [behind, error] = std::from_chars(at, end, words.emplace_back(), 16);
    if (error != std::errc()) return std::nullopt;
    if (behind == end) return words;
    if (*behind != '.') return std::nullopt;
    at = behind + 1;
  }
}

std::string edge_position_text(const program::ProgramModel& model, uint32_t edge) {
  if (edge >= model.sections().edges.size()) return "(instrumentation)";
  const auto statements = model.statements_of(model.source_of_edge(edge));
  const std::string where = statements.empty() ? "?" : model.position_text(statements.back());
  return fmt::format("{} {}", where, model.edge_text(edge));
}

std::string text_of(const PointId& id, const program::ProgramModel& model) {
  std::string text;
  for (const PointFrame& frame : id.frames) {
    if (frame.statement == program::kNone) {
      // The start of the first thread is no news; a later thread begins with its creator's frames.
      if (frame.entries > 1) text += fmt::format("start{}", notes_of(frame, model));
      continue;
    }
    if (!text.empty()) text += " > ";
    text += fmt::format("{} {}{}", model.function_name(model.function_of_statement(frame.statement)),
                        model.position_text(frame.statement), notes_of(frame, model));
  }
  if (id.kind == format::PointKind::kCount) text += fmt::format(" #{}", id.count);
  return text;
}

}  // namespace culprit
