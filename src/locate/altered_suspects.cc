#include "locate/altered_suspects.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>

#include "locate/graph_nodes.h"
#include "locate/own_statements.h"

namespace culprit {
namespace {

constexpr double kChosen = 0.9;  // what an influencing branch led to counts against it
constexpr double kOtherCase =
    1.0;  // the same of a switch that has no case for its value: one belongs beside those it has
constexpr double kNotOfValue = 0.6;   // a branch on whose way the wrong value is not computed
constexpr double kPassedOn = 0.4;     // a statement without which the run succeeds, but that only passes the value on
constexpr double kPasses = 1.5;       // a branch with whose switching what failed is executed and goes well
constexpr double kPassesCheck = 1.2;  // the same of what the program tested: much else satisfies a test, too
constexpr double kGuard = 30;         // a branch that decides directly whether what failed is executed
constexpr double kAvoids = 0.75;      // one with whose switching it is not executed as often

class Altered : SuspectSource {
 public:
  explicit Altered(SuspectRanking& ranking) : SuspectSource(ranking) {}

  void add_all() {
    add_intermittent_branches();
    add_branches();
    add_replaced();
    add_suppressed();
  }

 private:
  /// The first statement with a line along an outgoing edge of a block.
  uint32_t first_statement(uint32_t block, uint32_t way) const {
    const program::Indices edges = model_.edges_of(block);
    if (way >= edges.size()) return program::kNone;
    for (const uint32_t statement : model_.statements_of(model_.edge(edges[way]).target)) {
      if (model_.statement(statement).line != 0) return statement;
    }
    return program::kNone;
  }

  /// Of a branch in a library's header, where the program's own code called that.
  report::SourcePlace own_place(const CriticalBranch& branch) const {
    const report::SourcePlace place = place_of_branch(model_, branch.block);
    if (!is_in_library(place) || !evidence_.slice) return place;
    const depend::Node node = evidence_.slice->run->branch(branch.instance);
    if (node == depend::kNoNode) return place;
    const uint32_t own = own_statement(model_, active_statements(evidence_.slice->run->graph(), node));
    return own == program::kNone ? place : place_of_statement(model_, own);
  }

  void add_branches() {
    double repairing = evidence_.expected_output ? 60 : 30, surviving = 18, further = 35, influencing = 28;
    std::unordered_set<uint32_t> seen;
    std::set<std::tuple<Repair, std::string, uint32_t>> told;
    for (const CriticalBranch& branch : evidence_.critical) {
      if (!branch.verified || !seen.insert(branch.block).second) continue;
      const report::SourcePlace place = own_place(branch);
      // The parts of a condition are one piece of evidence: a longer condition is not more suspect.
      if (!told.emplace(branch.repair, place.file, place.line).second) continue;
      // That a run succeeds whose assertion is not looked at says nothing.
      if (evidence_.failure->kind == "assertion" && is_failing_line(place)) continue;
      switch (branch.repair) {
        case Repair::kRepairs:
          add_repairing(branch, place, repairing);
          repairing *= kNextOfKind;
          break;
        case Repair::kSurvives:
          add(place, surviving + nearness(branch.block),
              "had this branch gone another way, the failure would not show");
          surviving *= kNextOfKind;
          break;
        case Repair::kFurther:
          add(place, further + nearness(branch.block),
              "had this branch gone another way, the output would have been right for longer");
          add_tested_values(branch, (further + nearness(branch.block)) * kTested,
                            "a value that such a branch tests was made here: had it gone another way, the output "
                            "would have been right for longer");
          further *= kNextOfKind;
          break;
        case Repair::kInfluences:
          add_influencing(branch, influencing + nearness(branch.block));
          influencing *= kNextOfKind;
          break;
        case Repair::kNone:
          break;
      }
    }
  }

  void add_repairing(const CriticalBranch& branch, const report::SourcePlace& place, double score) {
    const char* why = branch.then_number == 0
                          ? "had this branch gone another way, the run would have succeeded"
                          : "had this branch and another gone another way, the run would have succeeded";
    // Without an expected output a run may only do less; one that gets past what failed does not.
    const std::optional<bool> passes = evidence_.expected_output ? std::nullopt : passes_failure(branch);
    if (passes) {
      // But for the condition right before what failed: that it lets too much through is how such code fails.
      score = is_guard(branch.block) ? kGuard
              : !*passes             ? score * kAvoids
                                     : score * (declared_ ? kPassesCheck : kPasses);
      if (*passes) why = "had this branch gone another way, what failed would have gone well";
    }
    const double own = score + nearness(branch.block);
    add(place, own, why);
    // What follows on the branch's own line is the rest of its condition.
    const uint32_t not_executed = first_statement(branch.block, branch.other_way);
    if (not_executed != program::kNone && model_.statement(not_executed).line != place.line) {
      add_statement(not_executed, own * (has_no_case(branch.block) ? kOtherCase : kOmitted),
                    "this was not executed, and would have been in a run that succeeds");
    }
    add_tested_values(branch, own * kTested,
                      "a value that such a branch tests was made here: had it gone another way, the run would "
                      "have succeeded");
    if (branch.then_number != 0) {
      add(place_of_branch(model_, branch.then_block), score + nearness(branch.then_block), why);
    }
  }

  /// Of an inversion of all executions it is not known; that of one of them is, as a rule.
  std::optional<bool> passes_failure(const CriticalBranch& branch) const {
    std::optional<bool> passes = branch.passes_failure;
    for (const CriticalBranch& other : evidence_.critical) {
      const bool tells = other.verified && other.block == branch.block && other.repair == branch.repair;
      if (!branch.passes_failure && tells && other.passes_failure)
        passes = *other.passes_failure || passes.value_or(false);
    }
    return passes;
  }

  /// Whether it decides directly that the failing statement is executed.
  bool is_guard(uint32_t block) const {
    const std::vector<Frame>& frames = *evidence_.frames;
    if (declared_ || frames.empty() || frames.front().statement >= model_.statements().size()) return false;
    const auto dependences = model_.dependences_of(model_.block_of_statement(frames.front().statement));
    return std::any_of(dependences.begin(), dependences.end(),
                       [&](const auto& each) { return model_.source_of_edge(each.edge) == block; });
  }

  void add_tested_values(const CriticalBranch& branch, double score, const char* why) {
    if (!evidence_.slice || !evidence_.slice->run || branch.instance == 0) return;
    for (const uint32_t origin : evidence_.slice->run->origins_of_condition(branch.instance)) {
      // What the branch's own line makes is told with the branch.
      if (!is_own_statement(model_, origin)) continue;
      if (place_of_statement(model_, origin).line == place_of_branch(model_, branch.block).line) continue;
      add_statement(origin, score, why);
      score *= kNextOfKind;
    }
  }

  /// The earliest value first: that of later ones follows from it. Who only passed it on counts little.
  void add_replaced() {
    double score = 55;
    for (const CriticalValue& critical : evidence_.replaced) {
      if (!critical.verified) continue;
      const char* why = "had another value been made here, the run would have succeeded";
      const uint32_t statement = critical.execution.statement, origin = critical.origin.statement;
      const bool made = critical.origin.how == Origin::kComputed || critical.origin.how == Origin::kConstant;
      const bool elsewhere = made && origin != statement && is_own_statement(model_, origin);
      if (elsewhere) add_statement(origin, score + nearness(model_.block_of_statement(origin)), why);
      if (is_own_statement(model_, statement)) {
        const double its = score + nearness(model_.block_of_statement(statement));
        add_statement(statement, elsewhere ? its * kPassedOn : its, why);
      }
      score *= kNextOfKind;
    }
  }

  /// Without what it does a run may succeed though it is right, so this counts less than a branch.
  void add_suppressed() {
    double score = evidence_.expected_output ? 40 : 16;
    for (const CriticalStatement& critical : evidence_.suppressed) {
      if (!critical.verified || !is_own_statement(model_, critical.execution.statement)) continue;
      const double near = nearness(model_.block_of_statement(critical.execution.statement));
      const bool repairs = critical.repair == Repair::kRepairs;
      double its = (repairs ? score : score * kOmitted) + near;
      if (passes_bad_value_on(critical.execution.statement)) its *= kPassedOn;
      add_statement(critical.execution.statement, its,
                    repairs ? "had this been left out, the run would have succeeded"
                            : "had this been left out, the failure would not show");
      score *= kNextOfKind;
    }
  }

  /// Without what the bad value came by the run goes otherwise, whoever made it.
  bool passes_bad_value_on(uint32_t statement) const {
    if (!evidence_.slice || evidence_.slice->value_chain.empty() || evidence_.slice->value_is_input) return false;
    const std::vector<uint32_t>& chain = evidence_.slice->value_chain;
    const auto is_of_its_line = [&](uint32_t each) {
      const report::SourcePlace one = place_of_statement(model_, each), other = place_of_statement(model_, statement);
      return one.line == other.line && one.file == other.file;
    };
    return std::any_of(chain.begin(), chain.end() - 1, is_of_its_line) && !is_of_its_line(chain.back());
  }

  void add_influencing(const CriticalBranch& branch, double score) {
    // Where the way that it took computes the value, the branch is about the value; else about what is made of it.
    const uint32_t chosen = chosen_computation(branch);
    if (evidence_.slice && !evidence_.slice->computed_from.empty() && chosen == program::kNone) score *= kNotOfValue;
    add(place_of_branch(model_, branch.block), score,
        "this branch decides about the first wrong bytes and little else");
    add_statement(chosen != program::kNone ? chosen : first_statement(branch.block, branch.way), score * kChosen,
                  "this was executed because of a branch that decides about the first wrong bytes and little else");
  }

  /// The first statement, where a branch led, of those that the wrong value was computed by; kNone when there is none.
  uint32_t chosen_computation(const CriticalBranch& branch) const {
    const program::Indices edges = model_.edges_of(branch.block);
    if (!evidence_.slice || branch.way >= edges.size()) return program::kNone;
    const auto& computing = evidence_.slice->computed_from;
    for (const uint32_t statement : model_.statements_of(model_.edge(edges[branch.way]).target)) {
      const bool computes = std::any_of(computing.begin(), computing.end(),
                                        [statement](const auto& each) { return each.statement == statement; });
      if (computes && model_.statement(statement).line != 0) return statement;
    }
    return program::kNone;
  }

  void add_intermittent_branches() {
    double score = 60;
    for (const IntermittentBranch& branch : evidence_.intermittent) {
      add(place_of_branch(model_, branch.block), score, "only runs that fail took this branch that way");
      score *= kNextOfKind;
    }
  }
};

}  // namespace

void add_altered_suspects(SuspectRanking& ranking) {
  Altered(ranking).add_all();
}

}  // namespace culprit
