#include "index/corresponding_functions.h"

#include <algorithm>
#include <map>

namespace culprit {
namespace {

using Functions = std::map<std::string_view, std::vector<uint32_t>>;

/// Those with bodies, by symbol.
Functions by_symbol(const program::ProgramModel& model) {
  Functions functions;
  for (const uint32_t each : model.functions()) {
    if (!model.blocks_of(each).empty()) functions[source_symbol(model, each)].push_back(each);
  }
  return functions;
}

}  // namespace

std::string_view source_symbol(const program::ProgramModel& model, uint32_t function) {
  const std::string_view symbol = model.text(model.function(function).linkage_name);
  const size_t end = symbol.find_last_not_of("0123456789");
  const bool numbered = end != std::string_view::npos && end > 0 && end + 1 < symbol.size() && symbol[end] == '.';
  return numbered ? symbol.substr(0, end) : symbol;
}

std::vector<FunctionPair> corresponding_functions(const program::ProgramModel& left, const program::ProgramModel& right,
                                                  const VersionSources& sources) {
  const Functions lefts = by_symbol(left);
  Functions rights = by_symbol(right);
  std::vector<FunctionPair> pairs;
  for (const uint32_t function : left.functions()) {
    if (left.blocks_of(function).empty()) continue;
    FunctionPair& pair = pairs.emplace_back(FunctionPair{.left = function, .right = {}});
    const std::string_view symbol = source_symbol(left, function);
    const auto named = rights.find(symbol);
    if (named == rights.end()) continue;
    std::vector<uint32_t>& candidates = named->second;
    auto found = std::ranges::find_if(candidates, [&](uint32_t other) {
      return sources.files_correspond(left.function(function).file, right.function(other).file);
    });
    // A function that was moved to another file.
    if (found == candidates.end() && candidates.size() == 1 && lefts.at(symbol).size() == 1) found = candidates.begin();
    if (found == candidates.end()) continue;
    pair.right = *found;
    candidates.erase(found);
  }
  for (const uint32_t function : right.functions()) {
    const auto named = rights.find(source_symbol(right, function));
    if (named == rights.end()) continue;
    if (std::ranges::find(named->second, function) != named->second.end()) {
      pairs.push_back({.left = {}, .right = function});
    }
  }
  return pairs;
}

}  // namespace culprit
