#include "cli/kept_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Beside the recording's trace.
constexpr const char* kFile = "slices";

/// The members of a question that are texts or switches, with their options.
struct TextMember {
  const char* option;
  std::string SliceQuestion::*value;
};
struct SwitchMember {
  const char* option;
  bool SliceQuestion::*value;
};
constexpr TextMember kTexts[] = {{"--at", &SliceQuestion::at},
                                 {"--var", &SliceQuestion::variable},
                                 {"--expr", &SliceQuestion::expression},
                                 {"--memory", &SliceQuestion::memory},
                                 {"--from", &SliceQuestion::from}};
constexpr SwitchMember kSwitches[] = {{"--crash", &SliceQuestion::crash},
                                      {"--forward", &SliceQuestion::forward},
                                      {"--no-control", &SliceQuestion::no_control},
                                      {"--no-address", &SliceQuestion::no_address}};
constexpr const char* kPrune = "--prune";

json json_of(const SliceQuestion& question) {
  json result = json::object();
  for (const TextMember& each : kTexts) {
    if (!(question.*each.value).empty()) result[each.option] = question.*each.value;
  }
  for (const SwitchMember& each : kSwitches) {
    if (question.*each.value) result[each.option] = true;
  }
  if (!question.prune.empty()) result[kPrune] = question.prune;
  return result;
}

SliceQuestion question_from(const json& from) {
  SliceQuestion question;
  for (const TextMember& each : kTexts) question.*each.value = from.value(each.option, std::string());
  for (const SwitchMember& each : kSwitches) question.*each.value = from.value(each.option, false);
  question.prune = from.value(kPrune, std::vector<std::string>());
  return question;
}

void write(const fs::path& recording, uint64_t next, const std::vector<KeptSlice>& slices) {
  json all = json::array();
  for (const KeptSlice& each : slices) {
    all.push_back({{"number", each.number},
                   {"question", json_of(each.question)},
                   {"statements", each.statements},
                   {"instances", each.instances}});
  }
  write_file_atomically(recording / kFile, json{{"next", next}, {"slices", all}}.dump(1) + "\n");
}

struct Contents {
  uint64_t next = 1;  ///< numbers are not given again
  std::vector<KeptSlice> slices;
};

Contents read(const fs::path& recording) {
  const fs::path file = recording / kFile;
  if (!fs::exists(file)) return {};
  try {
    const json whole = json::parse(read_file(file));
    Contents contents{.next = whole.at("next"), .slices = {}};
    for (const json& each : whole.at("slices")) {
      contents.slices.push_back(
          {each.at("number"), question_from(each.at("question")), each.at("statements"), each.at("instances")});
    }
    return contents;
  } catch (const json::exception& error) {
    throw CorruptData(file.string(), 0, error.what());
  }
}

[[noreturn]] void no_such_slice(uint64_t number) {
  throw UserError(fmt::format("there is no slice {}", number), "culprit slice NAME --list");
}

}  // namespace

std::string text_of(const SliceQuestion& question) {
  std::string text;
  for (const TextMember& each : kTexts) {
    if (!(question.*each.value).empty()) text += fmt::format(" {} {}", each.option, question.*each.value);
  }
  for (const SwitchMember& each : kSwitches) {
    if (question.*each.value) text += fmt::format(" {}", each.option);
  }
  for (const std::string& each : question.prune) text += fmt::format(" {} {}", kPrune, each);
  return text.empty() ? text : text.substr(1);
}

std::vector<KeptSlice> kept_slices(const fs::path& recording) {
  return read(recording).slices;
}

uint64_t keep_slice(const fs::path& recording, const SliceQuestion& question, uint64_t statements, uint64_t instances) {
  Contents contents = read(recording);
  const auto known = std::find_if(contents.slices.begin(), contents.slices.end(),
                                  [&](const KeptSlice& each) { return each.question == question; });
  if (known != contents.slices.end()) return known->number;
  contents.slices.push_back({contents.next, question, statements, instances});
  write(recording, contents.next + 1, contents.slices);
  return contents.next;
}

SliceQuestion question_of(const fs::path& recording, uint64_t number) {
  for (const KeptSlice& each : read(recording).slices) {
    if (each.number == number) return each.question;
  }
  no_such_slice(number);
}

void forget_slice(const fs::path& recording, uint64_t number) {
  Contents contents = read(recording);
  if (std::erase_if(contents.slices, [&](const KeptSlice& each) { return each.number == number; }) == 0) {
    no_such_slice(number);
  }
  write(recording, contents.next, contents.slices);
}

}  // namespace culprit::cli
