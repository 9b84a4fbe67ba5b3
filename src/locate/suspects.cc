// Evidence of different kinds is weighed by how much it proves. A guarded heap block names the wrong access and release
// outright. A branch whose switching gives the expected output is next; without an expected output it only avoids the
// failure, which many branches do, so the failure's own statement and what directly controls it count about as much.
#include "locate/suspects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "locate/altered_suspects.h"
#include "locate/deciding_branch.h"
#include "locate/findings.h"
#include "locate/graph_nodes.h"
#include "locate/memory_suspects.h"
#include "locate/own_statements.h"
#include "locate/suspect_ranking.h"
#include "report/text.h"

namespace culprit {
namespace {

// Reports show the first few. Who reads on gets what the failure depended on, nearest first.
constexpr size_t kMostSuspects = 100;
constexpr size_t kMostCallers = 4;
constexpr size_t kMostOfSlice = 100;
constexpr size_t kMostComputing = 8;
constexpr size_t kMostComputingOfFunction = 2;
constexpr double kNeverWritten = 75;
constexpr double kGonePast = 42, kNotWrittenAgain = 40, kWrittenAgain = 34;  // in an endless loop
constexpr double kGaveUp = 40;
constexpr const char* kMadeBeforeGivingUp = "the value was made here because of which the program gave up";
constexpr double kGoesRound = 62, kGuards = 0.9;
constexpr double kLetThrough = 36;  // a test of the bad value that did not keep it from the failing statement
constexpr double kOmittedOutput = 44, kSaidWhyNot = 0.6;  // of it, where the program said something instead
constexpr double kMade = 20;
constexpr double kUnchecked = 54;  // a use of input as it is: nothing in the program made that
constexpr double kGivesValue = 34;
constexpr double kNextTest = 0.7;  // what each earlier test of a variable counts against the next

bool is_identifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether `text` has `name` as a whole word.
bool mentions(const std::string& text, const std::string& name) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const bool starts = at == 0 || !is_identifier(text[at - 1]);
    const bool ends = at + name.size() == text.size() || !is_identifier(text[at + name.size()]);
    if (starts && ends) return true;
  }
  return false;
}

class OfFailure : SuspectSource {
 public:
  explicit OfFailure(SuspectRanking& ranking) : SuspectSource(ranking) {}

  void add_places_and_dependences() {
    add_failure_and_callers();
    add_giver_of_value();
    add_omitted_outputs();
    add_loop_exits();
    add_recursion();
    add_controlling_branches();
    add_breach_of_contract();
    add_unwritten();
    add_slice();
    add_tests_of_variables();
  }

 private:
  void add_failure_and_callers() {
    const bool unchecked = evidence_.slice && evidence_.slice->value_is_input && !silent_ && !declared_;
    if (unchecked) {
      add(evidence_.failure->place, kUnchecked, "it uses what was read from the input, whatever that is");
    } else {
      add(evidence_.failure->place, silent_ ? 12 : declared_ ? 24 : 34, "the failure shows here");
    }
    double callers = silent_ ? 10 : 24;
    size_t told = 0;
    for (size_t i = 1; i < evidence_.frames->size() && told < kMostCallers; ++i) {
      const uint32_t statement = (*evidence_.frames)[i].statement;
      if (statement >= model_.statements().size() || !is_own_statement(model_, statement)) continue;
      add_statement(statement, callers, "this call led to the failure");
      callers *= 0.85;
      ++told;
    }
  }

  bool is_on_way_of_value(uint32_t statement) const {
    const report::SourcePlace place = place_of_statement(model_, statement);
    const auto& chain = evidence_.slice->value_chain;
    return std::any_of(chain.begin(), chain.end(), [&](uint32_t each) {
      const report::SourcePlace step = place_of_statement(model_, each);
      return step.line == place.line && step.file == place.file;
    });
  }

  /// Functions that were given the bad value pass it on. The one that gave it to them, and was not given it, got it
  /// from elsewhere and did not look at it.
  void add_giver_of_value() {
    if (silent_ || declared_ || !evidence_.slice) return;
    uint32_t giver = program::kNone;
    for (size_t i = 1; i < evidence_.frames->size(); ++i) {
      const uint32_t call = (*evidence_.frames)[i].statement;
      if (!is_own_statement(model_, call) || !is_on_way_of_value(call)) break;
      giver = call;
    }
    add_statement(giver, kGivesValue, "the value that the failing statement uses is given to it by this call");
  }

  void add_omitted_outputs() {
    double score = kOmittedOutput * (evidence_.slice && evidence_.slice->message ? kSaidWhyNot : 1);
    for (const OmittedOutput& each : evidence_.omitted) {
      add_gone_past(each.block, each.statement, score, "put something out where the output ends too early");
      score *= kNextOfKind;
    }
  }

  /// A branch that went past a statement, and what that would do.
  void add_gone_past(uint32_t branch, uint32_t statement, double score, const char* would) {
    add(place_of_branch(model_, branch), score,
        fmt::format("it goes past line {}, which would {}", place_of_statement(model_, statement).line, would));
  }

  /// What decides whether an endless loop is left.
  void add_tested(const LoopExit& exit, const TestedValue& value) {
    if (value.written == program::kNone || !is_own_statement(model_, value.written)) return;
    add_statement(value.written, value.again ? kWrittenAgain : kNotWrittenAgain,
                  value.again ? "this is written each time the endless loop turns, and never lets it be left"
                              : "the endless loop waits for a value that was written here, and not since");
    for (const uint32_t each : value.from) {
      add_statement(each, kWrittenAgain * kNextOfKind,
                    "what changes in the endless loop is computed from what was written here");
    }
    add(place_of_branch(model_, exit.block), kNotWrittenAgain * (exit.changes() ? kOmitted : kTested),
        "the endless loop could be left here, and was not");
    double score = kGonePast;
    for (const SkippedWrite& skipped : value.skipped) {
      add_gone_past(skipped.branch, skipped.write, score, "write what the endless loop waits for");
      score *= kNextOfKind;
    }
  }

  /// The calls that go round, and what let them be made; a condition elsewhere only ends the run before it comes there.
  void add_recursion() {
    if (!evidence_.recursion) return;
    double score = kGoesRound;
    for (const uint32_t call : evidence_.recursion->calls) {
      if (!is_own_statement(model_, call)) continue;
      add_statement(call, score, "the recursion without end goes round by this call");
      double guards = score * kGuards;
      for (const auto& dependence : model_.dependences_of(model_.block_of_statement(call))) {
        add(place_of_branch(model_, model_.source_of_edge(dependence.edge)), guards,
            "this branch decided that the recursion goes on");
        guards *= kNextOfKind;
      }
      score *= kNextOfKind;
    }
  }

  /// An endless run could have ended where its loop can be left.
  void add_loop_exits() {
    if (!evidence_.endless) return;
    for (const LoopExit& exit : evidence_.turns.exits) {
      for (const TestedValue& value : exit.tested) add_tested(exit, value);
    }
    add_statements(evidence_.turns.slice, 20, "whether the endless loop is left depends on it");
    double score = 30;
    for (const uint32_t block : evidence_.endless->exits) {
      add(place_of_branch(model_, block), score, "the endless loop could be left here, and was not");
      score *= kNextOfKind;
    }
  }

  /// Only a write that is missing can be the cause.
  void add_unwritten() {
    if (!evidence_.slice) return;
    double score = kNeverWritten;
    for (const UnwrittenVariable& each : evidence_.slice->unwritten) {
      const uint32_t statement = model_.operation(each.begins.operation()).statement;
      add(place_of_declaration(model_, each.variable, model_.function_of_statement(statement)),
          each.is_bad_value ? kNeverWritten : score *= kNextTest,
          fmt::format("{}, declared here, was read before anything was written into it",
                      model_.text(model_.variable(each.variable).name)));
    }
  }

  /// What the failure depended on, the nearest first, and above all where its value was made.
  void add_slice() {
    if (!evidence_.slice) return;
    if (!evidence_.slice->value_chain.empty()) {
      const uint32_t origin = evidence_.slice->value_chain.back();
      const auto& unwritten = evidence_.slice->unwritten;
      const bool was_made = unwritten.empty() || !unwritten.front().is_bad_value;
      const bool uses = !evidence_.slice->thrown_by;  // else it is told below
      if (uses && was_made && !evidence_.slice->value_is_input && is_own_statement(model_, origin)) {
        const bool negative = evidence_.slice->negative_length.has_value();
        add_statement(origin, negative ? 44 : 26,
                      negative ? "the negative number of bytes was made here"
                               : "the value that the failing statement uses was made here");
      }
      add_origin(origin);
      add_makers();
    }
    double let_through = kLetThrough;
    for (const uint32_t block : evidence_.slice->let_through) {
      if (silent_ || declared_) break;
      add(place_of_branch(model_, block), let_through,
          "it tests the value that the failing statement uses, and let it pass");
      let_through *= kNextTest;
    }
    // A program that declares a failure has found a wrong value: that which it tested just before.
    double tested = declared_ ? kGaveUp : 0;
    for (const uint32_t origin : evidence_.slice->decided_on) {
      if (!declared_ || !is_own_statement(model_, origin)) continue;
      add_statement(origin, tested, kMadeBeforeGivingUp);
      tested *= kNextOfKind;
    }
    if (silent_) add_computations();
    add_statements(*evidence_.slice, silent_ && evidence_.slice->computed_from.empty() ? 20 : 14,
                   "the failure depends on it");
  }

  /// The nearest first.
  void add_statements(const MeasuredSlice& slice, double score, const std::string& why) {
    std::unordered_set<uint64_t> lines;
    for (const DependentStatement& each : slice.statements) {
      if (lines.size() == kMostOfSlice) break;
      if (!is_own_statement(model_, each.statement)) continue;
      const auto& record = model_.statement(each.statement);
      if (record.line == evidence_.failure->place.line) continue;  // no news
      const uint64_t line = uint64_t{model_.file_of_scope(record.scope)} << 32 | record.line;
      if (!lines.insert(line).second) continue;
      add_statement(each.statement, score, why);
      score *= kNextOfKind;
    }
  }

  /// A value such as a count is what it is by the calls that led to where it was made, and are no longer active.
  void add_makers() {
    const depend::Node made = evidence_.slice->value_made;
    const std::optional<ValueOrigin>& origin = evidence_.slice->origin;
    if (made == depend::kNoNode || !evidence_.slice->run || !origin || origin->how != Origin::kComputed) return;
    const std::vector<uint32_t> active = active_statements(evidence_.slice->run->graph(), made);
    double score = kMade;
    for (size_t each = 1, told = 0; each < active.size() && told < kMostCallers; ++each) {
      const bool fails = std::any_of(evidence_.frames->begin(), evidence_.frames->end(),
                                     [&](const Frame& frame) { return frame.statement == active[each]; });
      if (fails || !is_own_statement(model_, active[each])) continue;
      add_statement(active[each], score, "by this call the value was made that the failing statement uses");
      score *= kNextOfKind;
      ++told;
    }
  }

  /// Where the number was made whose text is wrong.
  void add_origin(uint32_t end_of_chain) {
    const std::optional<ValueOrigin>& origin = evidence_.slice->origin;
    if (!origin || origin->statement == end_of_chain || origin->how == Origin::kInput ||
        origin->how == Origin::kUnknown) {
      return;
    }
    if (!is_own_statement(model_, origin->statement)) return;
    if (evidence_.slice->thrown_by) {
      add_statement(origin->statement, kGaveUp, kMadeBeforeGivingUp);
    } else {
      add_statement(origin->statement, 26, "the number was made here whose text is wrong");
    }
  }

  /// What the wrong value was computed from: of each function the nearest, for a function that turns a value into
  /// another is looked at as a whole first.
  void add_computations() {
    double score = 20;
    std::unordered_map<uint32_t, size_t> of_function;
    size_t told = 0;
    for (const ComputingStatement& each : evidence_.slice->computed_from) {
      if (told == kMostComputing) break;
      if (!is_own_statement(model_, each.statement)) continue;
      if (++of_function[model_.function_of_statement(each.statement)] > kMostComputingOfFunction) continue;
      add_statement(each.statement, score, "the wrong value was computed from what this statement made");
      score *= kNextOfKind;
      ++told;
    }
  }

  /// The branch on which it depended directly that the failing statement was executed, or those when it is not known.
  /// What the failing line itself decides (`c ? a / b : 0`) says nothing that the failure's place does not, so what
  /// decided that is told, too; but a test on whose line the program gives up is a decision like others.
  void add_controlling_branches() {
    const std::optional<uint32_t> frame = decided_in(model_, *evidence_.frames, 0);
    if (!frame) return;
    const uint32_t failing_block = model_.block_of_statement((*evidence_.frames)[*frame].statement);
    std::unordered_set<uint32_t> seen;
    std::vector<uint32_t> open{failing_block};
    for (size_t next = 0; next < open.size(); ++next) {
      const std::optional<uint32_t> decided = latest_decision(model_, evidence_.run->log, open[next]);
      for (const auto& dependence : model_.dependences_of(open[next])) {
        const uint32_t block = model_.source_of_edge(dependence.edge);
        if ((decided && block != *decided) || cleans_up(model_, block) || !seen.insert(block).second) continue;
        const report::SourcePlace place = place_of_branch(model_, block);
        if (has_no_case(block)) {
          add(place, 46, "this switch has no case for the value, and the program gave up");
        } else {
          add(place, silent_ ? 9 : 28, "this branch decided that the failing statement was executed");
        }
        if (!declared_ && is_failing_line(place)) open.push_back(block);
      }
    }
  }

  /// What a function demands of its caller, and finds not to be so, the caller is to blame for: the nearest that chose
  /// to make the call.
  void add_breach_of_contract() {
    if (!declared_ || !evidence_.slice || !evidence_.slice->decided_by_caller) return;
    const std::optional<uint32_t> demanded = decided_in(model_, *evidence_.frames, 0);
    if (!demanded) return;
    const std::optional<uint32_t> called = decided_in(model_, *evidence_.frames, *demanded + 1);
    if (!called) return;
    const uint32_t block = model_.block_of_statement((*evidence_.frames)[*demanded].statement);
    const auto dependences = model_.dependences_of(block);
    if (has_no_case(model_.source_of_edge(dependences.front().edge))) return;
    add_statement((*evidence_.frames)[*called].statement, 44,
                  "this call was made though what the called function demands did not hold");
  }

  /// Executed branches of the failing function that test a variable which the failing statement uses.
  void add_tests_of_variables() {
    if (evidence_.variables->empty() || failing_function() == program::kNone || silent_) return;
    const report::SourcePlace& place = evidence_.failure->place;
    const std::string failing_line = report::source_line(place.file, place.line);
    // Latest first: what was tested long before is followed by other tests.
    std::vector<uint32_t> blocks;
    std::unordered_set<uint32_t> tested;
    const auto& entries = evidence_.run->log.entries;
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
      if (tested.insert(entry->block).second && model_.function_of_block(entry->block) == failing_function()) {
        blocks.push_back(entry->block);
      }
    }
    for (const VariableValue& variable : evidence_.variables->front()) {
      if (!mentions(failing_line, variable.name)) continue;
      const bool null = variable.value == "0x0" && !evidence_.endless;
      double score = null ? 44 : 10;
      for (const uint32_t block : blocks) {
        const report::SourcePlace test = place_of_branch(model_, block);
        if (test.line == place.line || test.file != place.file) continue;
        if (!mentions(report::source_line(test.file, test.line), variable.name)) continue;
        add(test, score,
            null ? fmt::format("it tests {}, which is null where the program fails", variable.name)
                 : fmt::format("it tests {}, which the failing statement uses", variable.name));
        score *= kNextTest;
      }
    }
  }
};

}  // namespace

std::vector<report::Suspect> rank_suspects(const program::ProgramModel& model, const Evidence& evidence) {
  SuspectRanking ranking(model, evidence);
  add_memory_suspects(ranking);
  add_altered_suspects(ranking);
  OfFailure(ranking).add_places_and_dependences();
  return ranking.strongest(kMostSuspects);
}

}  // namespace culprit
