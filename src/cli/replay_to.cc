// Points: `crash`, `exit`, `tick:THREAD:N`, `FUNCTION()[#INSTANCE]`, `FILE:LINE[:COLUMN][#INSTANCE]`, `pepid:WORDS`.

#include "cli/replay_to.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/temporary_directory.h"
#include "cli/make_trace.h"
#include "cli/plan_of_recording.h"
#include "index/point_text.h"
#include "index/traced_points.h"
#include "program/source_position.h"
#include "recording/event_text.h"
#include "session/frames.h"
#include "session/session.h"
#include "session/variables.h"

namespace culprit::cli {
namespace {

using format::ReplayPoint;
using program::ProgramModel;

constexpr size_t kMostFrames = 200;
constexpr size_t kMostShown = 20;
constexpr const char* kForms =
    "crash, exit, tick:THREAD:N, FUNCTION()[#INSTANCE], FILE:LINE[:COLUMN][#INSTANCE], pepid:WORDS";

uint64_t number_in(std::string_view text, const std::string& point) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw UserError(fmt::format("`{}` is not a number in the point {}", text, point),
                    fmt::format("points: {}", kForms));
  }
  return number;
}

/// The first statement of a function whose parameters have their values by then.
uint32_t first_statement(const ProgramModel& model, uint32_t function) {
  std::optional<uint32_t> first;
  for (const uint32_t block : model.blocks_of(function)) {
    for (const uint32_t statement : model.statements_of(block)) {
      if (model.statement(statement).line > model.function(function).line) return statement;
      if (!first) first = statement;
    }
  }
  if (first) return *first;
  throw UserError(fmt::format("{} has no statements", model.function_name(function)), "name another function");
}

/// By a traced replay: which execution of its statement the id names.
StatementInstance find_in_trace(const recording::Recording& recording, const std::string& text,
                                const std::vector<uint64_t>& id) {
  const TemporaryDirectory folder(temporary_place("trace"));
  const recording::NoStreams nowhere;
  make_trace_of_recording(recording, folder.path(), nowhere.surroundings());
  const auto instance = find_point(trace::TraceFile(folder.path()), id);
  if (!instance) {
    throw UserError(fmt::format("the run does not pass {}", text), "`culprit points --json` prints ids",
                    ExitCode::kNothingFound);
  }
  return *instance;
}

/// `recording` is needed for ids; nullptr: there is none yet.
Point point_of(const std::string& text, const ProgramModel* model, const recording::Recording* recording) {
  if (text == "crash") return {.kind = ReplayPoint::kCrash};
  if (text == "exit") return {.kind = ReplayPoint::kExit};
  if (text.starts_with("tick:")) {
    const size_t colon = text.find(':', 5);
    if (colon == std::string::npos) throw UserError("a tick needs thread and number", "for example tick:0:1000");
    return {.kind = ReplayPoint::kTick,
            .thread = static_cast<uint32_t>(number_in(std::string_view(text).substr(5, colon - 5), text)),
            .number = number_in(std::string_view(text).substr(colon + 1), text)};
  }
  if (model == nullptr) {
    throw UserError("lines and functions are not known of a program that was recorded as it is",
                    "compile it with culprit-cc and record it again");
  }
  Point point{.kind = ReplayPoint::kStatement};
  if (const auto id = parse_precise_id(text)) {
    if (recording == nullptr) {
      throw UserError("an id cannot bound a region: it is looked for in a recorded run",
                      "name a function, a line, a tick, crash or exit");
    }
    const StatementInstance instance = find_in_trace(*recording, text, *id);
    point.statement = instance.statement;
    point.number = instance.number;
    return point;
  }
  if (const size_t call = text.find("()"); call != std::string::npos) {
    const std::string rest = text.substr(call + 2);
    if (!rest.empty()) point.number = number_in(std::string_view(rest).substr(1), text);
    point.statement = first_statement(*model, program::find_functions(*model, text.substr(0, call)).front());
    return point;
  }
  const program::SourcePosition position = program::parse_source_position(text);
  point.statement = program::find_statements(*model, position).front();
  if (position.instance != 0) point.number = position.instance;
  return point;
}

std::string place_of(const ProgramModel& model, const Frame& frame) {
  const std::string function = std::string(model.function_name(model.function_of_block(frame.entry_block)));
  if (frame.statement >= model.statements().size()) return function;
  return fmt::format("{} at {}", function, model.position_text(frame.statement));
}

std::string reached_text(const Position& position) {
  switch (position.reached) {
    case ReplayPoint::kCrash:
      return fmt::format("at {}, address {:#x}", recording::signal_name(position.signal), position.address);
    case ReplayPoint::kExit:
      return "before it exits";
    default:
      return "at the point";
  }
}

/// Activations, innermost first, with the variables of those that are shown.
nlohmann::ordered_json activations(const Session& session, const ProgramModel& model, const Position& position) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Frame& frame : read_frames(memory_of(session), position.frames, kMostFrames)) {
    if (frame.entry_block >= model.blocks().size()) break;  // overwritten by the program
    nlohmann::ordered_json entry = {{"place", place_of(model, frame)}, {"variables", nlohmann::ordered_json::object()}};
    if (list.size() < kMostShown) {
      for (const VariableValue& each : read_variables(memory_of(session), model, frame)) {
        if (!entry["variables"].contains(each.name)) entry["variables"][each.name] = each.value;
      }
    }
    list.push_back(std::move(entry));
  }
  return list;
}

void print(const nlohmann::ordered_json& found) {
  fmt::print("stopped {} (thread {}, tick {})\n", found["reached"].get<std::string>(), found["thread"].get<uint32_t>(),
             found["ticks"].get<uint64_t>());
  size_t number = 0;
  for (const auto& each : found["activations"]) {
    if (number == kMostShown) {
      fmt::print("… {} more\n", found["activations"].size() - number);
      break;
    }
    fmt::print("#{} {}\n", number++, each["place"].get<std::string>());
    for (const auto& [name, value] : each["variables"].items())
      fmt::print("     {} = {}\n", name, value.get<std::string>());
  }
}

/// Whether the recording is one of a region and the point an execution of a statement, which is counted from there.
bool counts_from_region(const recording::Recording& recording, const std::string& text, const Point& point) {
  return !recording.manifest.from.empty() && recording.manifest.from != text && point.kind == ReplayPoint::kStatement &&
         !parse_precise_id(text);
}

void say_not_reached(Session& session, const std::string& text) {
  const Outcome outcome = session.outcome();
  const std::string how = outcome.said.empty()
                              ? (outcome.exit_signal ? recording::signal_name(static_cast<int>(outcome.exit_signal))
                                                     : fmt::format("exit status {}", outcome.exit_status))
                              : outcome.said;
  const bool cut_off = outcome.state == format::ReplayState::kLogEnded;
  fmt::print(stderr, "culprit: the run ends without reaching {}: {}\n", text,
             cut_off ? "there the recording ends" : how);
}

}  // namespace

RegionPoint check_region_point(const std::string& text, const std::filesystem::path& program, bool captured) {
  std::optional<ProgramModel> model;
  const bool names_statement = text != "crash" && text != "exit" && !text.starts_with("tick:");
  if (names_statement && captured) model.emplace(ProgramModel::open(build_for_session(program).model));
  const Point point = point_of(text, model ? &*model : nullptr, nullptr);
  RegionPoint region{.is_statement = point.kind == ReplayPoint::kStatement};
  if (point.kind == ReplayPoint::kTick) {
    if (!captured) {
      throw UserError("a program that was not compiled with culprit-cc has no ticks", "name crash or exit");
    }
    region.thread = point.thread;
    region.tick = point.number;
  }
  return region;
}

std::optional<StoppedReplay> stop_replay(const recording::Recording& recording, const std::string& text) {
  // Where the program's statements and variables are known, its bodies with homes run.
  BuildResult build;
  std::optional<ProgramModel> model;
  if (!recording.manifest.build_key.empty()) {
    build = build_for_replay(recording.manifest, load_plan("session"));
    model.emplace(ProgramModel::open(build.model));
  }
  const ProgramModel* known = model ? &*model : nullptr;
  Point point = point_of(text, known, &recording);

  Session session = Session::replay(recording, build.executable);
  std::optional<Position> position;
  if (counts_from_region(recording, text, point)) {
    const std::string& first = recording.manifest.from;
    const Point from = point_of(first, known, &recording);
    position = session.run_to(from);
    if (!position) {
      say_not_reached(session, first);
      return std::nullopt;
    }
    // The execution at which it stands is the region's first.
    const bool is_counted = from.kind == ReplayPoint::kStatement && from.statement == point.statement;
    if (is_counted) --point.number;
  }
  if (!position || point.number != 0) position = session.run_to(point);
  if (!position) {
    say_not_reached(session, text);
    return std::nullopt;
  }
  return StoppedReplay{std::move(build), std::move(model), std::move(session), *position};
}

ExitCode replay_to(const recording::Recording& recording, const std::string& text, bool json) {
  const std::optional<StoppedReplay> stopped = stop_replay(recording, text);
  if (!stopped) return ExitCode::kNothingFound;
  const Position& position = stopped->position;
  nlohmann::ordered_json found = {{"reached", reached_text(position)},
                                  {"thread", position.thread},
                                  {"ticks", position.ticks},
                                  {"activations", nlohmann::ordered_json::array()}};
  if (stopped->model) found["activations"] = activations(stopped->session, *stopped->model, position);
  if (json) {
    fmt::print("{}\n", found.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    print(found);
  }
  return ExitCode::kAnswered;
}

}  // namespace culprit::cli
