// What `culprit why` found, as plain data: made by the analyses, written as text or JSON by this room. A claim that was
// not checked by running the program again says so (`proved`).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace culprit::report {

/// A place in the program's source.
struct SourcePlace {
  std::string file;  ///< absolute path, or as the compiler knew it
  uint32_t line = 0;
  uint32_t column = 0;
  std::string function;
};

/// A variable and its value in words, e.g. {"divisor", "0"}.
struct NamedValue {
  std::string name;
  std::string value;
};

/// An activation of a function at the failure, innermost first.
struct Activation {
  SourcePlace place;
  std::vector<NamedValue> variables;
};

/// A place that a wrong value came by.
struct ValueStep {
  SourcePlace place;
  /// Stable word: "passed" or "formatted"; "decided" and "tested" beyond the origin; where it was made, "computed",
  /// "constant", "initial", …
  std::string how;
};

struct Failure {
  std::string kind;  ///< stable word: "null-dereference", "division", "abort", "assertion", "wrong-output", "hang", …
  std::string message;  ///< one sentence
  SourcePlace place;
  bool only_own_program = false;                   ///< the user's executable shows it, and no build of Culprit's
  std::optional<ValueStep> origin = std::nullopt;  ///< made the value that is wrong there
  bool origin_was_tested = false;    ///< of an exception or a message: what decided that it came
  bool origin_is_of_output = false;  ///< the value is that of the first wrong byte, and the place is an error before it
  /// That it took, from the failure back to its origin, and perhaps to what decided that it was made there.
  std::vector<ValueStep> path{};
};

/// The step of the route that follows from the one before, in a word or two: "then executed", …
std::string route_word(const std::string& how);

/// Which value a failure's origin is of: "The value there", …
std::string value_in_words(const Failure& failure);

/// How a value was made, to go on from "it was": "computed", "read from the input", …
std::string made_in_words(const std::string& how);

/// A step from a finding to the failure.
struct RouteStep {
  SourcePlace place;
  /// Stable word, how it follows from the step before: "start", "executed", "passed", "computed", "chosen", "left-out",
  /// "kept".
  std::string how;
  uint64_t instance = 0;  ///< which execution of the place, from 1; 0: it was not executed
  std::string value{};    ///< what it stored or returned then, "n = 3"; empty: nothing, or not known
};

/// How the step follows and what it made: "computed from it: n = 3".
std::string route_text(const RouteStep& step);

/// One piece of evidence.
struct Finding {
  std::string kind;  ///< stable word: "critical-branch", "failure-point", …
  SourcePlace place;
  uint64_t instance = 0;  ///< which execution of the statement, from 1; 0 when not about one
  std::string evidence;   ///< one sentence
  bool proved = false;    ///< by a re-run
  /// Of a "critical-value": what would have repaired the run, as `culprit suppress --value` takes it.
  std::optional<int64_t> instead = std::nullopt;
  /// Stable word, of a branch: which executions were switched. "one"; "each", to the branch's other side; "later", that
  /// one and all after it that went its way. Empty when the finding is not about a switched branch.
  std::string executions{};
  /// How it travelled to the failure, the finding itself first; empty: no dependence leads there; nothing: not looked
  /// for.
  std::optional<std::vector<RouteStep>> route = std::nullopt;
};

struct Suspect {
  uint32_t rank = 0;  ///< from 1
  SourcePlace place;
  std::string why;
};

/// What the search cost.
struct Effort {
  uint64_t experiments = 0;
  double seconds = 0;
  bool complete = true;  ///< false when the budget ended the search or it was interrupted
  bool enough = false;   ///< not complete, because what was found suffices
};

/// How the search ended, to follow a number of seconds: empty when it is complete.
std::string end_of_search(const Effort& effort);

struct Explanation {
  std::string command;             ///< the program's command line
  std::optional<Failure> failure;  ///< nothing: the run did not fail
  uint32_t runs = 1;               ///< as they are, until it was known whether one fails
  std::vector<Activation> activations;
  std::vector<Finding> findings;
  std::vector<Suspect> suspects;
  Effort effort;
  std::vector<std::string> limits;      ///< what could not be done, and why
  std::vector<std::string> next_steps;  ///< commands to go on with
};

/// Those that are worth a look one by one.
std::span<const Suspect> first_suspects(const Explanation& explanation);

}  // namespace culprit::report
