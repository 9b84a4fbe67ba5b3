#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <span>
#include <utility>
#include <vector>

namespace culprit::report {
namespace {

// So that it fits a screen.
constexpr size_t kMostActivations = 8;
constexpr size_t kMostPlaces = 5;  // of findings
constexpr size_t kMostOfPlace = 2;
constexpr size_t kMostSuspects = 6;
constexpr size_t kMostVariables = 12;
constexpr size_t kMostOfPath = 6;
constexpr size_t kMostOfRoute = 7;
constexpr size_t kMostOfLine = 60;    // bytes of a step's source
constexpr size_t kMostOfValue = 200;  // bytes of a structure or a text

/// Whether `name`, which may be of several words, stands in the line by itself.
bool has_word(const std::string& line, const std::string& name) {
  const auto is_of_name = [&line](size_t at) {
    return at < line.size() && (std::isalnum(static_cast<unsigned char>(line[at])) != 0 || line[at] == '_');
  };
  for (size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
    if ((at == 0 || !is_of_name(at - 1)) && !is_of_name(at + name.size())) return true;
  }
  return false;
}

/// The beginning of a text, cut between two characters.
std::string beginning_of(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + " …";
}

class Writer {
 public:
  Writer(const Explanation& explanation, const TextStyle& style) : explanation_(explanation), style_(style) {}

  std::string write() {
    if (!explanation_.failure) {
      text_ += explanation_.runs == 1
                   ? fmt::format("{} did not fail.\n", explanation_.command)
                   : fmt::format("{} did not fail in {} runs.\n", explanation_.command, explanation_.runs);
      if (!explanation_.findings.empty()) {
        text_ += "But it did what no program may do, and what may show with another input or on another day.\n";
        write_findings();
      }
    } else {
      write_failure(*explanation_.failure);
      write_activations();
      write_findings();
      write_suspects();
    }
    write_effort();
    return std::move(text_);
  }

 private:
  std::string bold(const std::string& text) const { return style_.colour ? "\x1b[1m" + text + "\x1b[0m" : text; }
  std::string dim(const std::string& text) const { return style_.colour ? "\x1b[2m" + text + "\x1b[0m" : text; }

  static std::string position_text(const SourcePlace& place) {
    return fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
  }

  static std::string place_text(const SourcePlace& place) {
    if (place.line == 0) return place.function;
    return place.function.empty() ? position_text(place)
                                  : fmt::format("{} in {}", position_text(place), place.function);
  }

  void quote(const SourcePlace& place) {
    const std::string line = source_line(place.file, place.line);
    if (!line.empty()) text_ += fmt::format("      {:>5} | {}\n", place.line, line);
  }

  void write_failure(const Failure& failure) {
    text_ += fmt::format("{} {}\n", bold("Failure:"), failure.message);
    if (failure.place.line == 0) return;
    text_ += fmt::format("  at {}\n", bold(place_text(failure.place)));
    quote(failure.place);
    write_origin(failure);
    write_decision(failure);
  }

  void write_origin(const Failure& failure) {
    if (!failure.origin || failure.origin->place.line == 0) return;
    text_ += fmt::format("  {} was {} at {}\n", value_in_words(failure), made_in_words(failure.origin->how),
                         place_text(failure.origin->place));
    quote(failure.origin->place);
    const auto beyond = std::count_if(failure.path.begin(), failure.path.end(), [](const ValueStep& each) {
      return each.how == "decided" || each.how == "tested";
    });
    const size_t known = failure.path.size() - static_cast<size_t>(beyond);
    if (known < 3) return;
    std::string way;
    const size_t steps = known - 1;  // without the origin
    for (size_t each = 0; each < steps; ++each) {
      if (steps > kMostOfPath && each == kMostOfPath / 2) {
        way += fmt::format(", … {} more …", steps - kMostOfPath);
        each = steps - kMostOfPath / 2;
      }
      const ValueStep& step = failure.path[each];
      way += fmt::format("{}{}{}", way.empty() ? "" : ", ", position_text(step.place),
                         step.how == "formatted" ? " (as a number until here)" : "");
    }
    text_ += dim(fmt::format("      and came there by way of (backwards) {}\n", way));
  }

  /// What lies behind the origin.
  void write_decision(const Failure& failure) {
    for (const ValueStep& step : failure.path) {
      if (step.how != "decided" && step.how != "tested") continue;
      text_ +=
          fmt::format("  {} {}\n",
                      step.how == "decided" ? "That it was made there was decided at" : "which tested what was made at",
                      place_text(step.place));
      quote(step.place);
    }
  }

  /// Where the first of the activations is: the failure may be told of the caller of a wrapper that is no user's.
  std::string innermost_text() const {
    const SourcePlace& innermost = explanation_.activations.front().place;
    const bool elsewhere =
        explanation_.failure && innermost.line != 0 &&
        (innermost.file != explanation_.failure->place.file || innermost.line != explanation_.failure->place.line);
    return elsewhere ? fmt::format("At {}", place_text(innermost)) : "There";
  }

  void write_activations() {
    if (explanation_.activations.empty()) return;
    if (explanation_.activations.size() == 1 && explanation_.activations.front().variables.empty()) return;
    const bool has_variables = std::any_of(explanation_.activations.begin(), explanation_.activations.end(),
                                           [](const Activation& each) { return !each.variables.empty(); });
    const char* const what = has_variables ? "the program's variables were" : "these calls were active";
    text_ += fmt::format("\n{}\n", bold(fmt::format("{}, {}:", innermost_text(), what)));
    bool innermost = true;
    size_t shown = 0;
    std::string last;
    for (const Activation& activation : explanation_.activations) {
      const std::string place = place_text(activation.place);
      if (!innermost && place == last && activation.variables.empty()) continue;  // a recursion
      last = place;
      if (++shown > kMostActivations) {
        text_ += fmt::format("  … {} activations in all\n", explanation_.activations.size());
        break;
      }
      if (!innermost) text_ += fmt::format("  called from {}\n", place);
      write_variables(activation);
      innermost = false;
    }
  }

  /// The lines that the report is about, of the file and function of `place`.
  std::vector<std::string> lines_in_question(const SourcePlace& place) const {
    std::vector<std::string> lines = {source_line(place.file, place.line)};
    const auto add = [&](const SourcePlace& each) {
      if (each.file == place.file && each.function == place.function)
        lines.push_back(source_line(each.file, each.line));
    };
    for (const Finding& each : explanation_.findings) add(each.place);
    for (const Suspect& each : explanation_.suspects) {
      if (each.rank <= kMostSuspects) add(each.place);
    }
    return lines;
  }

  /// Of many, first those that the lines in question name.
  void write_variables(const Activation& activation) {
    std::vector<const NamedValue*> shown;
    if (activation.variables.size() > kMostVariables) {
      const std::vector<std::string> lines = lines_in_question(activation.place);
      for (const NamedValue& each : activation.variables) {
        const auto names = [&](const std::string& line) { return has_word(line, each.name); };
        if (std::any_of(lines.begin(), lines.end(), names)) shown.push_back(&each);
      }
    }
    for (const NamedValue& each : activation.variables) {
      if (std::find(shown.begin(), shown.end(), &each) == shown.end()) shown.push_back(&each);
    }
    for (const NamedValue* each : std::span(shown).first(std::min(shown.size(), kMostVariables))) {
      text_ += fmt::format("      {} = {}\n", each->name, beginning_of(each->value, kMostOfValue));
    }
    if (shown.size() > kMostVariables) {
      text_ += fmt::format("      … and {} more variables (--json has all)\n", shown.size() - kMostVariables);
    }
  }

  /// Those about one line together, in the order of the first of each.
  std::vector<std::vector<const Finding*>> findings_by_place() const {
    std::vector<std::vector<const Finding*>> places;
    for (const Finding& finding : explanation_.findings) {
      const auto known = std::find_if(places.begin(), places.end(), [&finding](const auto& place) {
        return place.front()->place.file == finding.place.file && place.front()->place.line == finding.place.line;
      });
      if (known != places.end()) {
        known->push_back(&finding);
      } else {
        places.push_back({&finding});
      }
    }
    return places;
  }

  void write_step(const RouteStep& step) {
    const std::string line = beginning_of(source_line(step.place.file, step.place.line), kMostOfLine);
    const std::string value = step.value.empty() ? "" : fmt::format("  ({})", step.value);
    text_ +=
        fmt::format("        {:<16} {}  {}{}\n", route_word(step.how), position_text(step.place), dim(line), value);
  }

  /// The best finding's steps one by one.
  void write_route(const std::vector<RouteStep>& route) {
    if (route.empty()) {
      text_ += "      No dependence known leads from there to the failure: what was left out may matter.\n";
      return;
    }
    if (route.size() == 1) return;
    const std::vector<RouteStep> steps = most_telling(route);
    const size_t left_out = route.size() - 1 - steps.size();
    text_ += fmt::format("      How it went on from there to the failure{}:\n",
                         left_out == 0 ? "" : fmt::format(" ({} more steps: --json)", left_out));
    for (const RouteStep& step : steps) write_step(step);
  }

  /// As many as a screen has room for: where a value only came by says least, and what lies in the middle.
  static std::vector<RouteStep> most_telling(const std::vector<RouteStep>& route) {
    std::vector<RouteStep> steps(route.begin() + 1, route.end());
    for (size_t at = steps.size() - 1; steps.size() > kMostOfRoute && at-- > 0;) {
      if (steps[at].how == "passed") steps.erase(steps.begin() + static_cast<long>(at));
    }
    if (steps.size() > kMostOfRoute) {
      const auto first = steps.begin() + static_cast<long>(kMostOfRoute / 2);
      steps.erase(first, first + static_cast<long>(steps.size() - kMostOfRoute));
    }
    return steps;
  }

  /// Other findings' in a line.
  void write_short_route(const std::vector<RouteStep>& route) {
    if (route.empty()) return write_route(route);
    if (route.size() == 1) return;
    std::string way;
    for (const RouteStep& step : most_telling(route)) {
      way += (way.empty() ? "" : ", ") + position_text(step.place) + (step.how == "left-out" ? " (not executed)" : "");
    }
    text_ += dim(fmt::format("      It went on to the failure by way of {}\n", way));
  }

  void write_findings() {
    size_t shown = 0;
    bool routed = false;
    for (const auto& findings : findings_by_place()) {
      if (shown == 0) text_ += fmt::format("\n{}\n", bold("What was found:"));
      if (shown >= kMostPlaces) break;
      const bool proved = std::all_of(findings.begin(), findings.end(), [](auto each) { return each->proved; });
      text_ += fmt::format("  {} {}\n", place_text(findings.front()->place),
                           dim(proved ? "(proved by a re-run)" : "(not proved by a re-run)"));
      quote(findings.front()->place);
      std::vector<std::string_view> said;  // several findings may come to the same words
      for (const Finding* each : findings) {
        if (said.size() == kMostOfPlace) break;
        if (std::find(said.begin(), said.end(), each->evidence) != said.end()) continue;
        text_ += fmt::format("      {}\n", said.emplace_back(each->evidence));
      }
      // What is said of a value's origin has its way.
      const Finding& first = *findings.front();
      if (first.route && first.kind != "value-origin") {
        std::exchange(routed, true) ? write_short_route(*first.route) : write_route(*first.route);
      }
      ++shown;
    }
    const size_t places = findings_by_place().size();
    if (places > shown) text_ += fmt::format("  … and at {} more places (--json has all)\n", places - shown);
  }

  void write_suspects() {
    if (explanation_.suspects.empty()) return;
    text_ += fmt::format("\n{}\n", bold("Suspects:"));
    for (const Suspect& suspect : explanation_.suspects) {
      if (suspect.rank > kMostSuspects) {
        text_ += fmt::format("  … and {} more (--json has all)\n", explanation_.suspects.size() - kMostSuspects);
        break;
      }
      text_ += fmt::format("  {}. {}: {}\n", suspect.rank, place_text(suspect.place), suspect.why);
    }
  }

  void write_effort() {
    if (explanation_.effort.experiments > 0) {
      text_ += dim(fmt::format("\n{} experiments in {:.1f} s{}.\n", explanation_.effort.experiments,
                               explanation_.effort.seconds, end_of_search(explanation_.effort)));
    }
    for (const std::string& limit : explanation_.limits) text_ += dim(fmt::format("Not done: {}\n", limit));
    if (!explanation_.next_steps.empty()) text_ += "\nTo go on:\n";
    for (const std::string& step : explanation_.next_steps) text_ += fmt::format("  $ {}\n", step);
  }

  const Explanation& explanation_;
  const TextStyle& style_;
  std::string text_;
};

}  // namespace

std::string end_of_search(const Effort& effort) {
  if (effort.complete) return {};
  return effort.enough ? "; that was enough to stop the search" : "; the search did not finish";
}

std::span<const Suspect> first_suspects(const Explanation& explanation) {
  constexpr size_t kMost = 10;
  return std::span(explanation.suspects).first(std::min(explanation.suspects.size(), kMost));
}

std::string route_word(const std::string& how) {
  if (how == "start") return "it began";
  if (how == "passed") return "value passed";
  if (how == "computed") return "computed from it";
  if (how == "chosen") return "chosen by it";
  if (how == "executed") return "then executed";
  if (how == "left-out") return "not executed";
  if (how == "kept") return "old value used";
  return how;
}

std::string route_text(const RouteStep& step) {
  return step.value.empty() ? route_word(step.how) : fmt::format("{}: {}", route_word(step.how), step.value);
}

std::string value_in_words(const Failure& failure) {
  if (failure.origin_is_of_output) return "The first wrong byte of the output";
  if (!failure.origin_was_tested) return "The value there";
  return failure.kind == "uncaught-exception" ? "What was tested before it was thrown"
                                              : "What was tested before that was said";
}

std::string made_in_words(const std::string& how) {
  if (how == "constant") return "written as a constant";
  if (how == "unwritten") return "never written into the variable declared";
  if (how == "initial") return "there from the beginning, and read";
  if (how == "input") return "read from the input";
  if (how == "library") return "got from the library";
  return how;
}

std::string source_line(const std::string& file, uint32_t line) {
  std::ifstream in(file);
  std::string text;
  for (uint32_t at = 0; at < line; ++at) {
    if (!std::getline(in, text)) return {};
  }
  const auto start = text.find_first_not_of(" \t");
  return line == 0 || start == std::string::npos ? std::string() : text.substr(start);
}

std::string to_text(const Explanation& explanation, const TextStyle& style) {
  return Writer(explanation, style).write();
}

}  // namespace culprit::report
