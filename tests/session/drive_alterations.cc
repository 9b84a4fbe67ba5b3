// Alters a recorded run by a Session, for tests:
//   drive-alterations RECORDING EXECUTABLE MODEL [ALTERATION …]
// Each ALTERATION is tried in a fork of its own at the program's start, except `write` ones, which are at the
// statement:
//   suppress FILE:LINE[:COLUMN]#N VALUE      replace FILE:LINE[:COLUMN]#N VALUE
//   read FILE:LINE[:COLUMN]#N VARIABLE VALUE write FILE:LINE[:COLUMN]#N VARIABLE VALUE
// as one word, its parts separated by blanks. VARIABLE is a local int. Prints what each run printed, and at
// the end what the unaltered one did.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/error.h"
#include "program/program_model.h"
#include "program/source_position.h"
#include "recording/recording.h"
#include "session/frames.h"
#include "session/session.h"
#include "session/variables.h"

namespace {

using namespace culprit;

struct Words {
  std::string what, at, variable, value;
};

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  stream >> words.what >> words.at;
  if (words.what == "read" || words.what == "write") stream >> words.variable;
  stream >> words.value;
  return words;
}

class Trial {
 public:
  Trial(Session& start, const program::ProgramModel& model) : start_(start), model_(model) {}

  Outcome make(const Words& words) {
    const program::SourcePosition at = program::parse_source_position(words.at);
    const uint32_t statement = program::find_statements(model_, at).front();
    const uint64_t value = std::strtoull(words.value.c_str(), nullptr, 0);
    if (words.what == "suppress") {
      return finish({SuppressStatement{.statement = statement, .number = at.instance, .result = value}});
    }
    if (words.what == "replace") {
      return finish({ReplaceWrite{.statement = statement, .number = at.instance, .value = value}});
    }
    Session there = start_.fork();
    const auto position = there.run_to(
        {.kind = format::ReplayPoint::kStatement, .thread = 0, .statement = statement, .number = at.instance});
    if (!position) throw UserError("the statement is not reached: " + words.at, "");
    const uint64_t address = address_of(there, *position, statement, words.variable);
    if (words.what == "read") {
      return finish({ReplaceRead{.statement = statement, .number = at.instance, .address = address, .value = value}});
    }
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    bytes.resize(4);
    return there.start_experiment(WriteMemory{.address = address, .bytes = bytes}).outcome();
  }

 private:
  Outcome finish(const Alteration& alteration) { return start_.start_experiment(alteration).outcome(); }

  uint64_t address_of(const Session& session, const Position& position, uint32_t statement, const std::string& name) {
    const std::vector<Frame> frames = read_frames(memory_of(session), position.frames, 1);
    const std::optional<uint32_t> variable = program::find_variable(model_, statement, name);
    const auto address = variable ? frame_address(model_.variable(*variable), frames.front()) : std::nullopt;
    if (!address) throw UserError("no local variable is called " + name, "");
    return *address;
  }

  Session& start_;
  const program::ProgramModel& model_;
};

void drive(int count, char** words) {
  const recording::Recording recording = recording::open_recording(words[1]);
  const program::ProgramModel model = program::ProgramModel::open(words[3]);
  Session start = Session::replay(recording, words[2]);
  Trial trial(start, model);
  for (int i = 4; i < count; ++i) {
    const Words alteration = words_of(words[i]);
    const Outcome outcome = trial.make(alteration);
    fmt::print("{}: took_effect={} status={} signal={} {}", words[i], outcome.took_effect, outcome.exit_status,
               outcome.exit_signal, outcome.output);
    if (!outcome.output.ends_with('\n')) fmt::print("{}\n", outcome.said);
  }
  const Outcome unaltered = start.finish();
  fmt::print("unaltered: status={} signal={} {}", unaltered.exit_status, unaltered.exit_signal, unaltered.output);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 4) throw UserError("drive-alterations RECORDING EXECUTABLE MODEL [ALTERATION …]", "");
    drive(argc, argv);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "drive-alterations: {}\n", error.what());
    return 1;
  }
}
