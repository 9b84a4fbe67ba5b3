#include "locate/suspect_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "locate/deciding_branch.h"
#include "locate/own_statements.h"

namespace culprit {
namespace {

constexpr double kBeforeRecursion = -15;

/// The strongest piece of evidence, and of each further one less: much of one kind gathers where a function only sets
/// up what others decide by.
double sum(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end(), std::greater<>());
  double total = 0, counts = 1;
  for (const double each : scores) {
    total += each * counts;
    counts /= 2;
  }
  return total;
}

}  // namespace

SuspectRanking::SuspectRanking(const program::ProgramModel& model, const Evidence& evidence)
    : model_(model), evidence_(evidence) {
  if (!evidence.frames->empty() && evidence.frames->front().statement < model.statements().size()) {
    failing_function_ = model.function_of_statement(evidence.frames->front().statement);
  }
  const std::string& kind = evidence.failure->kind;
  silent_ = kind == "wrong-output" || kind == "exit-status" || kind == "predicate";
  const bool said = evidence.slice && evidence.slice->message;
  silent_ = silent_ && !said;
  declared_ = said || kind == "assertion" || kind == "abort" || kind == "uncaught-exception";
}

void SuspectRanking::add(const report::SourcePlace& place, double score, const std::string& why) {
  if (place.line == 0) return;
  // What a library's header does, it does for its caller.
  const report::SourcePlace& failing = evidence_.failure->place;
  if (is_in_library(place) && (place.file != failing.file || place.line != failing.line)) return;
  const std::string key = fmt::format("{}:{}", place.file, place.line);
  const auto [at, fresh] = index_.try_emplace(key, candidates_.size());
  if (fresh) {
    candidates_.push_back({.place = place, .scores = {score}, .why = why});
    return;
  }
  Candidate& known = candidates_[at->second];
  if (score > *std::max_element(known.scores.begin(), known.scores.end())) known.why = why;
  known.scores.push_back(score);
}

void SuspectRanking::add_statement(uint32_t statement, double score, const std::string& why) {
  if (statement < model_.statements().size()) add(place_of_statement(model_, statement), score, why);
}

std::vector<report::Suspect> SuspectRanking::strongest(size_t most) const {
  std::vector<std::pair<double, const Candidate*>> sorted;
  for (const Candidate& each : candidates_) sorted.emplace_back(sum(each.scores), &each);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  std::vector<report::Suspect> suspects;
  for (const auto& [score, each] : sorted) {
    if (suspects.size() == most) break;
    suspects.push_back({.rank = static_cast<uint32_t>(suspects.size() + 1), .place = each->place, .why = each->why});
  }
  return suspects;
}

double SuspectRanking::nearness(uint32_t block) const {
  if (evidence_.recursion && !is_in_recursion(block)) return kBeforeRecursion;
  const uint32_t function = model_.function_of_block(block);
  if (function == failing_function_) return 15;
  for (const Frame& frame : *evidence_.frames) {
    if (frame.statement < model_.statements().size() && model_.function_of_statement(frame.statement) == function)
      return 6;
  }
  return 0;
}

bool SuspectRanking::is_in_recursion(uint32_t block) const {
  const auto& calls = evidence_.recursion->calls;
  return std::any_of(calls.begin(), calls.end(), [&](uint32_t call) {
    return call < model_.statements().size() && model_.function_of_statement(call) == model_.function_of_block(block);
  });
}

bool SuspectRanking::has_no_case(uint32_t block) const {
  const std::optional<uint32_t> frame = declared_ ? decided_in(model_, *evidence_.frames, 0) : std::nullopt;
  if (!frame) return false;
  const auto dependences = model_.dependences_of(model_.block_of_statement((*evidence_.frames)[*frame].statement));
  return std::any_of(dependences.begin(), dependences.end(), [&](const auto& dependence) {
    return model_.source_of_edge(dependence.edge) == block &&
           model_.edge_kind(dependence.edge) == format::EdgeKind::kDefault;
  });
}

}  // namespace culprit
