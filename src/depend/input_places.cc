#include "depend/input_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <tuple>

#include "depend/scanned_text.h"

namespace culprit::depend {

using format::GraphInput;
using format::GraphInputKind;
using format::GraphInputState;

namespace {

constexpr uint64_t kLongestText = 1 << 16;

}  // namespace

InputPlaces::InputPlaces(const DependenceGraph& graph, const trace::TraceFile& trace,
                         const recording::RecordedInputs* recorded)
    : graph_(graph),
      entries_(graph.file().inputs()),
      recorded_(recorded),
      taken_(recorded ? recorded->inputs.size() : 0),
      stdin_stream_(trace.address(format::kTraceStdin)) {
  if (std::filesystem::exists(trace.executable())) {
    constants_.emplace(trace.executable(), trace.address(format::kTraceImage));
  }
  for (size_t each = 0; each < entries_.size(); ++each) {
    const GraphInput& entry = entries_[each];
    const bool goes_on =
        each > 0 && entries_[each - 1].kind == GraphInputKind::kConverted && entries_[each - 1].call == entry.call;
    if (entry.kind == GraphInputKind::kConverted && goes_on) continue;
    if (placed_.size() < each + 1) placed_.resize(each + 1);
    switch (entry.kind) {
      case GraphInputKind::kArguments:
      case GraphInputKind::kEnvironment:
        place_texts(entry, trace);
        break;
      case GraphInputKind::kConverted:
        place_conversions(each);
        break;
      case GraphInputKind::kOpened:
        open(entry);
        break;
      case GraphInputKind::kMoved:
      case GraphInputKind::kPutBack:
        move(entry);
        break;
      default:
        place(entry);
    }
  }
  placed_.resize(entries_.size());
}

size_t InputPlaces::add_source(std::string name, std::optional<std::string> text) {
  sources_.push_back({std::move(name), std::move(text)});
  return sources_.size() - 1;
}

/// Arguments and variables are inputs of their own.
void InputPlaces::place_texts(const GraphInput& entry, const trace::TraceFile& trace) {
  const bool arguments = entry.kind == GraphInputKind::kArguments;
  std::vector<std::string> texts;
  if (recorded_ && entry.key >= recorded_->stack_address &&
      entry.key - recorded_->stack_address + entry.bytes <= recorded_->stack.size()) {
    const std::string block = recorded_->stack.substr(entry.key - recorded_->stack_address, entry.bytes);
    for (size_t at = 0; at < block.size();) {
      texts.emplace_back(block.c_str() + at);
      at += texts.back().size() + 1;
    }
  } else if (arguments) {
    texts = trace.words();
  }
  uint64_t ordinal = entry.first;
  for (size_t each = 0; each < texts.size(); ++each) {
    const uint64_t bytes = texts[each].size() + 1;
    if (ordinal + bytes > entry.first + entry.bytes) break;
    const std::string name =
        arguments ? fmt::format("argument {}", each)
                  : fmt::format("variable {} of the environment", texts[each].substr(0, texts[each].find('=')));
    texts_[ordinal] = {add_source(name, texts[each] + '\0'), 0, bytes, false};
    ordinal += bytes;
  }
  if (ordinal == entry.first + entry.bytes) return;
  const size_t rest = add_source(arguments ? "arguments" : "the environment", std::nullopt);
  texts_[ordinal] = {rest, 0, entry.first + entry.bytes - ordinal, false};
}

/// Of the recorded inputs the first that has not been taken.
std::optional<std::string> InputPlaces::take_recorded(const std::optional<std::string>& path, int descriptor) {
  if (!recorded_) return std::nullopt;
  for (size_t each = 0; each < taken_.size(); ++each) {
    const recording::RecordedInput& input = recorded_->inputs[each];
    if (taken_[each] || (path ? input.path != *path : input.descriptor != descriptor || !input.path.empty())) continue;
    taken_[each] = true;
    return input.bytes;
  }
  return std::nullopt;
}

InputPlaces::Cursor& InputPlaces::cursor_of(const GraphInput& entry) {
  const Key key{entry.state, entry.key};
  const auto known = cursors_.find(key);
  if (known != cursors_.end()) return known->second;
  const bool is_stdin = entry.state == GraphInputState::kStream ? entry.key == stdin_stream_ : entry.key == 0;
  size_t source = kNoSource;
  if (is_stdin) {
    const auto before =
        std::find_if(sources_.begin(), sources_.end(), [](const InputSource& each) { return each.name == "stdin"; });
    source = before != sources_.end() ? static_cast<size_t>(before - sources_.begin())
                                      : add_source("stdin", take_recorded(std::nullopt, 0));
  } else if (entry.state == GraphInputState::kDescriptor) {
    source =
        add_source(fmt::format("descriptor {}", entry.key), take_recorded(std::nullopt, static_cast<int>(entry.key)));
  } else {
    source = add_source(fmt::format("the file read at {}", statement_of(entry)), std::nullopt);
  }
  return cursors_[key] = {source, 0};
}

void InputPlaces::place(const GraphInput& entry) {
  Placed& placed = placed_.back();
  if (entry.kind == GraphInputKind::kUnplaced || entry.state == GraphInputState::kOther) {
    placed.source = source_of_statement(entry);
    placed.first = read_at_[placed.source];
    read_at_[placed.source] += entry.bytes;
    return;
  }
  Cursor& cursor = cursor_of(entry);
  placed.source = cursor.source;
  placed.first = entry.kind == GraphInputKind::kPlaced ? entry.argument : cursor.position;
  if (entry.kind == GraphInputKind::kBytes) cursor.position += entry.bytes;
}

void InputPlaces::open(const GraphInput& entry) {
  const Key key{entry.state, entry.key};
  if (entry.detail != 0) {
    GraphInput other = entry;
    other.state = entry.detail == 1 ? GraphInputState::kDescriptor : GraphInputState::kStream;
    other.key = entry.argument;
    // A descriptor that is asked for again goes on from where it is.
    if (entry.detail == 2 && cursors_.contains(key)) return;
    const Cursor cursor = cursor_of(other);
    cursors_[key] = cursor;
    return;
  }
  const std::optional<std::string> path = path_of(entry);
  const std::string name = path ? *path : fmt::format("the file opened at {}", statement_of(entry));
  cursors_[key] = {add_source(name, path ? take_recorded(path, -1) : std::nullopt), 0};
}

void InputPlaces::move(const GraphInput& entry) {
  Cursor& cursor = cursor_of(entry);
  if (entry.kind == GraphInputKind::kPutBack) {
    if (cursor.position > 0) --cursor.position;
    return;
  }
  if (entry.detail == SEEK_SET) cursor.position = entry.argument;
  if (entry.detail == SEEK_CUR) cursor.position += entry.argument;
  if (entry.detail != SEEK_END) return;
  const std::optional<std::string>& text = sources_[cursor.source].text;
  cursor.position = text ? text->size() + entry.argument : 0;
}

void InputPlaces::place_conversions(size_t first) {
  size_t end = first;
  while (end < entries_.size() && entries_[end].kind == GraphInputKind::kConverted &&
         entries_[end].call == entries_[first].call) {
    ++end;
  }
  placed_.resize(end);
  const bool has_cursor = entries_[first].state != GraphInputState::kOther;
  Cursor* cursor = has_cursor ? &cursor_of(entries_[first]) : nullptr;
  const std::optional<std::string> format = constant_text(entries_[first].argument, kLongestText);
  ScannedText scanned{{}, 0};
  if (cursor && sources_[cursor->source].text && format) {
    scanned = scan_text(*format, *sources_[cursor->source].text, cursor->position);
    cursor->position = scanned.end;
  }
  for (size_t each = first; each < end; ++each) {
    Placed& placed = placed_[each];
    if (each - first < scanned.parts.size()) {
      const ScannedPart& part = scanned.parts[each - first];
      placed = {cursor->source, part.first, part.bytes, !part.is_text};
    } else {
      placed.source = source_of_statement(entries_[each]);
      placed.first = read_at_[placed.source];
      read_at_[placed.source] += entries_[each].bytes;
    }
  }
}

size_t InputPlaces::source_of_statement(const GraphInput& entry) {
  const std::string name = fmt::format("what was read at {}", statement_of(entry));
  const auto [at, is_new] = statements_.try_emplace(name, sources_.size());
  if (is_new) add_source(name, std::nullopt);
  if (read_at_.size() < sources_.size()) read_at_.resize(sources_.size());
  return at->second;
}

std::string InputPlaces::statement_of(const GraphInput& entry) const {
  const Node node = graph_.node_of({entry.call});
  return graph_.model().position_text(graph_.model().operation(node.operation()).statement);
}

std::optional<std::string> InputPlaces::path_of(const GraphInput& entry) const {
  if (entry.text == format::kGraphNoNumber) return std::nullopt;
  if (!is_input_byte({entry.text})) return constant_text(entry.text, entry.text_bytes);
  std::string path;
  for (uint64_t each = 0; each < entry.text_bytes; ++each) {
    const std::optional<InputRange> place = place_of(ordinal_of({entry.text}) + each);
    const std::optional<std::string> text = place ? text_of(*place) : std::nullopt;
    if (!text) return std::nullopt;
    path += *text;
  }
  return path;
}

std::optional<std::string> InputPlaces::constant_text(uint64_t address, uint64_t most) const {
  if (!constants_) return std::nullopt;
  std::string text;
  for (char c = 0; text.size() < most; text += c) {
    if (!constants_->read(address + text.size(), std::as_writable_bytes(std::span(&c, 1)))) return std::nullopt;
    if (c == '\0') break;
  }
  return text;
}

std::optional<InputRange> InputPlaces::place_of(uint64_t ordinal) const {
  const GraphInput& entry = graph_.file().input_of(ordinal);
  if (entry.kind == GraphInputKind::kArguments || entry.kind == GraphInputKind::kEnvironment) {
    const auto text = std::prev(texts_.upper_bound(ordinal));
    return InputRange{text->second.source, ordinal - text->first, 1};
  }
  const auto number = static_cast<size_t>(&entry - entries_.data());
  if (number >= placed_.size() || placed_[number].source == kNoSource) return std::nullopt;
  const Placed& placed = placed_[number];
  if (placed.is_one) return InputRange{placed.source, placed.first, placed.bytes};
  const uint64_t offset = ordinal - entry.first;
  if (placed.bytes != 0 && offset >= placed.bytes) return std::nullopt;
  return InputRange{placed.source, placed.first + offset, 1};
}

std::vector<InputRange> InputPlaces::ranges(const OrdinalSets& sets, OrdinalSet all, OrdinalSet precise) const {
  std::vector<InputRange> places;
  sets.for_each(all, [&](uint64_t ordinal) {
    std::optional<InputRange> place = place_of(ordinal);
    if (!place) return;
    place->precise = sets.contains(precise, ordinal);
    places.push_back(*place);
  });
  const auto key = [](const InputRange& range) {
    return std::tuple(range.source, range.first, range.bytes, !range.precise);
  };
  std::sort(places.begin(), places.end(), [&](const auto& one, const auto& other) { return key(one) < key(other); });
  std::vector<InputRange> ranges;
  for (const InputRange& place : places) {
    if (!ranges.empty()) {
      InputRange& last = ranges.back();
      const uint64_t end = last.first + last.bytes;
      // The same byte may have been read twice; the stronger, which comes first, stays.
      if (last.source == place.source && place.first + place.bytes <= end) continue;
      if (last.source == place.source && place.first == end && last.precise == place.precise) {
        last.bytes += place.bytes;
        continue;
      }
    }
    ranges.push_back(place);
  }
  return ranges;
}

std::optional<std::string> InputPlaces::text_of(const InputRange& range) const {
  const std::optional<std::string>& text = sources_[range.source].text;
  if (!text || range.first > text->size() || range.bytes > text->size() - range.first) return std::nullopt;
  return text->substr(range.first, range.bytes);
}

}  // namespace culprit::depend
