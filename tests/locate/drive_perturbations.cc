// Whether slices of a recorded run hold all that matters: values that are written outside of a criterion's slice are
// altered, each in a replay of its own, and the criterion must not care.
//   drive-perturbations RECORDING EXECUTABLE MODEL SEED OUTSIDE INSIDE [--without-address] CRITERION…
// EXECUTABLE and MODEL are of a plan with hooks = "values" and alterable = true. A CRITERION is `output:N` (N bytes of
// the standard output, chosen at random), `stdout:N` (byte N) or `crash:FILE:LINE:COLUMN` (that the run ends by the
// signal that ended it, where it did). For each OUTSIDE values outside of its slice and INSIDE ones in it are chosen;
// every value is compared with every criterion.
//
// When a criterion differs that the altered value is outside of, the altered run is traced, because a dynamic slice
// does not claim to know what would have been written had something else happened. The criterion's own point is looked
// up there by its precise id; then the altered value has to be in its slice in the altered run, or in the dual slice of
// both runs. Else it is a violation. Runs that do not get to the point, or hang, or crash elsewhere, say nothing.
//
// Prints what it counted and the violations as JSON. With --without-address the slices hold no address dependences and
// both runs are not looked at together, so that a test can see violations.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "altered_run.h"
#include "base/error.h"
#include "depend/criterion.h"
#include "depend/slice.h"
#include "locate/corresponding_executions.h"
#include "locate/dual_slice.h"
#include "locate/run_values.h"

namespace {

using namespace culprit;
using depend::Execution;
using depend::Node;
using Random = std::mt19937_64;

constexpr auto kOutput = depend::OutputStream::kStandardOutput;
constexpr int kAttempts = 60;       // to choose a value
constexpr int kMoreValues = 2;      // for one that is in a slice and changes nothing
constexpr rlim_t kMostSeconds = 1;  // of an altered run
constexpr uint64_t kMostOutput = format::kReplaySlotOutputBytes;

uint64_t below(Random& random, uint64_t bound) {
  return random() % bound;
}

struct Options {
  std::string recording;
  TracedExecutable program;
  uint64_t seed = 0;
  size_t outside = 0, inside = 0;
  bool without_address = false;
  std::vector<std::string> criteria;
};

/// What a write stored: an execution of a statement, the last of its writes that can be altered.
struct Written {
  Execution execution;
  uint32_t statement;
  uint32_t operation;
  uint64_t number;  ///< of the statement's execution, from 1
  uint64_t value = 0;
  auto operator<=>(const Written&) const = default;
};

struct Criterion {
  std::string name;
  std::vector<Node> nodes;
  Node point;  ///< the call that put it out, or what crashed
  bool is_crash = false;
  uint64_t offset = 0;   ///< in the output
  uint64_t in_call = 0;  ///< of what the call put out, which byte it is
  depend::Slice slice;
  std::vector<depend::StatementInstance> instances;

  bool holds(const Written& written) const {
    return std::binary_search(instances.begin(), instances.end(),
                              depend::StatementInstance{written.execution, written.statement});
  }
};

/// The writes of a program that can be altered, by block.
class AlterableWrites {
 public:
  explicit AlterableWrites(const depend::DependenceGraph& graph) : graph_(graph) {
    const program::ProgramModel& model = graph.model();
    by_block_.resize(model.blocks().size());
    for (const uint32_t block : model.blocks()) {
      std::map<uint32_t, uint32_t> last;
      for (const uint32_t operation : model.operations_of(block)) {
        if (is_alterable(model, operation)) last[model.operation(operation).statement] = operation;
      }
      by_block_[block].assign(last.begin(), last.end());
      const uint64_t executed = graph.executions_of(block);
      for (const auto& [statement, operation] : last) {
        if (executed > 0) executed_.push_back({0, statement, operation, executed});
      }
    }
  }

  bool empty() const { return executed_.empty(); }

  /// Half of them by statement, so that those executed seldom are among them, half by execution.
  Written choose(Random& random) const {
    if (below(random, 2) == 0) {
      Written written = executed_[below(random, executed_.size())];
      written.number = 1 + below(random, written.number);
      const uint32_t block = graph_.model().block_of_statement(written.statement);
      written.execution = graph_.execution_of(block, written.number);
      return written;
    }
    while (true) {
      const auto execution = static_cast<Execution>(below(random, graph_.executions()));
      const auto& writes = by_block_[graph_.block_of(execution)];
      if (writes.empty()) continue;
      const auto& [statement, operation] = writes[below(random, writes.size())];
      return {execution, statement, operation, depend::numbers_of(graph_, {{execution, statement}}).front()};
    }
  }

 private:
  static bool is_alterable(const program::ProgramModel& model, uint32_t operation) {
    const format::OperationRecord& record = model.operation(operation);
    const bool writes = record.kind == format::OperationKind::kStore || record.kind == format::OperationKind::kReturn;
    if (!writes || (record.flags & format::kOperationValued) == 0) return false;
    const auto accesses = model.accesses_of(operation);
    return std::none_of(accesses.begin(), accesses.end(),
                        [](const auto& each) { return each.place == format::PlaceKind::kMoved; });
  }

  const depend::DependenceGraph& graph_;
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> by_block_;  ///< statements and operations
  std::vector<Written> executed_;                                     ///< `number`: how often
};

uint64_t other_value(const program::ProgramModel& model, const Written& written, Random& random) {
  const format::OperationRecord& record = model.operation(written.operation);
  if ((record.flags & format::kOperationGivesAddress) != 0) {
    return below(random, 2) == 0 && written.value != 0 ? 0 : written.value ^ 16;
  }
  const unsigned bits = std::min<unsigned>(record.bytes, 8) * 8;
  const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint64_t masks[] = {1, 2, 0xff, all, random() | 1};
  return written.value ^ (masks[below(random, std::size(masks))] & all);
}

class Oracle {
 public:
  explicit Oracle(const Options& options)
      : options_(options),
        random_(options.seed),
        recording_(recording::open_recording(options.recording)),
        plain_(recording_, options.program, nullptr, 0),
        writes_(plain_.graph()),
        start_(Session::replay(recording_, options.program.executable)) {
    if (plain_.graph().output_bytes(kOutput) != plain_.outcome().output.size()) {
      throw UserError(fmt::format("{} bytes of output are known of {}", plain_.graph().output_bytes(kOutput),
                                  plain_.outcome().output_bytes),
                      "choose a run that puts out little, to standard output alone");
    }
    if (writes_.empty()) throw UserError("nothing that was written can be altered", "choose another run");
    limit_ = 100'000 + 3 * ticks_of_run();
  }

  nlohmann::json run() {
    for (const std::string& each : options_.criteria) add_criteria(each);
    std::vector<Written> chosen = choose();
    find_values(chosen);
    for (const Written& written : chosen) examine(written);
    nlohmann::json result{{"counts", counts_}, {"violations", violations_}};
    result["counts"]["executions"] = plain_.graph().executions();
    result["counts"]["criteria"] = criteria_.size();
    return result;
  }

 private:
  uint64_t ticks_of_run() {
    Session whole = start_.fork();
    const bool crashes = plain_.outcome().exit_signal != 0;
    const auto end = whole.run_to({.kind = crashes ? format::ReplayPoint::kCrash : format::ReplayPoint::kExit});
    if (!end) throw UserError("the end of the recorded run is not reached", "record it again");
    return end->ticks;
  }

  const std::string& output() const { return plain_.outcome().output; }

  void add_criteria(const std::string& text) {
    const size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon), rest = text.substr(colon + 1);
    if (kind == "stdout") return add_output(std::strtoull(rest.c_str(), nullptr, 10));
    if (kind == "crash") return add_crash(rest);
    if (kind != "output" || output().empty()) throw UserError("there is no criterion " + text, "see the source");
    std::set<uint64_t> offsets;
    for (int attempt = 0; offsets.size() < std::strtoull(rest.c_str(), nullptr, 10) && attempt < kAttempts; ++attempt) {
      const uint64_t offset = below(random_, output().size());
      // Blanks and the like seldom depend on more than on being put out.
      if (std::isspace(static_cast<unsigned char>(output()[offset])) == 0) offsets.insert(offset);
    }
    for (const uint64_t offset : offsets) add_output(offset);
  }

  void add_output(uint64_t offset) {
    Criterion criterion{.name = fmt::format("stdout:{}", offset),
                        .nodes = depend::output_byte(plain_.graph(), kOutput, offset),
                        .point = {},
                        .offset = offset,
                        .slice = depend::Slice(0),
                        .instances = {}};
    criterion.point = criterion.nodes.back();
    while (criterion.in_call < offset &&
           plain_.graph().output_at(kOutput, offset - criterion.in_call - 1).back() == criterion.point) {
      ++criterion.in_call;
    }
    add(std::move(criterion));
  }

  void add_crash(const std::string& position) {
    const depend::Moment moment = find_moment(plain_.graph(), program::parse_source_position(position));
    Criterion criterion{.name = "crash",
                        .nodes = values_used(plain_.graph(), moment),
                        .point = {},
                        .is_crash = true,
                        .slice = depend::Slice(0),
                        .instances = {}};
    criterion.point = criterion.nodes.front();
    add(std::move(criterion));
  }

  void add(Criterion criterion) {
    criterion.slice = slice_of(plain_, criterion.nodes);
    criterion.instances = statement_instances(plain_.graph(), criterion.slice);
    counts_["instances in slices"] += criterion.instances.size();
    criteria_.push_back(std::move(criterion));
  }

  depend::Slice slice_of(const ValueTrace& run, const std::vector<Node>& nodes) const {
    return backward_slice(run.graph(), nodes, {.address = !options_.without_address, .prune = {}});
  }

  std::vector<Written> choose() {
    std::set<Written> chosen;
    for (const Criterion& criterion : criteria_) {
      size_t outside = 0, inside = 0;
      const int attempts = kAttempts * static_cast<int>(options_.outside + options_.inside);
      for (int attempt = 0; attempt < attempts && (outside < options_.outside || inside < options_.inside); ++attempt) {
        const Written written = writes_.choose(random_);
        const bool holds = criterion.holds(written);
        size_t& count = holds ? inside : outside;
        if (count >= (holds ? options_.inside : options_.outside)) continue;
        // An instance may be in a slice by another of its parts.
        const auto number = plain_.graph().number_of(Node::of(written.execution, written.operation));
        if (holds && !criterion.slice.contains(number.bits)) continue;
        if (chosen.insert(written).second) ++count;
      }
    }
    return {chosen.begin(), chosen.end()};
  }

  void find_values(std::vector<Written>& chosen) const {
    std::vector<bool> wanted(plain_.graph().executions(), false);
    for (const Written& each : chosen) wanted[each.execution] = true;
    const RunValues values(plain_.trace(), wanted);
    std::erase_if(chosen, [&](Written& each) {
      // An execution may have been left before it came to the write.
      const auto value = values.of(Node::of(each.execution, each.operation));
      each.value = value.value_or(0);
      return !value;
    });
  }

  enum class Seen { kSame, kNothing, kDifferent };
  /// Of criteria whose slices hold the value: the most that altering it did.
  using Inside = std::map<const Criterion*, Seen>;

  void examine(const Written& written) {
    Inside inside;
    for (const Criterion& criterion : criteria_) {
      if (criterion.holds(written)) inside.emplace(&criterion, Seen::kSame);
    }
    counts_["outside"] += criteria_.size() - inside.size();
    alter(written, true, inside);
    // Another value may matter where one did not.
    const auto is_same = [](const auto& each) { return each.second == Seen::kSame; };
    for (int more = 0; more < kMoreValues && std::any_of(inside.begin(), inside.end(), is_same); ++more) {
      alter(written, false, inside);
    }
    for (const auto& [criterion, seen] : inside) {
      ++counts_["inside"];
      if (seen == Seen::kDifferent) ++counts_["inside, differs"];
      if (seen == Seen::kNothing) ++counts_["inside, not reached"];
    }
  }

  /// With `outside` what differs of other criteria than those of `inside` is looked into.
  void alter(const Written& written, bool outside, Inside& inside) {
    const uint64_t value = other_value(plain_.graph().model(), written, random_);
    const Alteration alteration =
        ReplaceWrite{.statement = written.statement, .number = written.number, .value = value};
    const Outcome outcome = outcome_of(alteration);
    if (!outcome.took_effect) {
      throw UserError(fmt::format("{}#{} is not executed in an altered run",
                                  plain_.graph().model().position_text(written.statement), written.number),
                      "the trace and the session count executions differently");
    }
    std::vector<const Criterion*> differing;
    for (const Criterion& criterion : criteria_) {
      const Seen seen = look(criterion, outcome);
      if (const auto own = inside.find(&criterion); own != inside.end()) {
        own->second = std::max(own->second, seen);
      } else if (outside && seen == Seen::kNothing) {
        ++counts_["outside, not reached"];
      } else if (outside && seen == Seen::kDifferent) {
        ++counts_["outside, differs"];
        differing.push_back(&criterion);
      }
    }
    if (!differing.empty()) trace_and_compare(written, value, alteration, outcome, differing);
  }

  /// A loop that computes alone passes no ticks, so processor time is limited as well.
  Outcome outcome_of(const Alteration& alteration) {
    Session experiment = start_.start_experiment(alteration, limit_);
    const rlimit seconds{kMostSeconds, kMostSeconds};
    if (::prlimit(experiment.process_id(), RLIMIT_CPU, &seconds, nullptr) != 0) {
      throw UserError("the processor time of an altered run cannot be limited", "check the limits on processes");
    }
    Outcome outcome = experiment.outcome();
    if (outcome.state == format::ReplayState::kFailed) outcome.hung = true;
    return outcome;
  }

  /// What an altered run says of a criterion as far as its end and its output tell.
  Seen look(const Criterion& criterion, const Outcome& outcome) const {
    if (outcome.hung) return Seen::kNothing;
    if (criterion.is_crash) {
      if (outcome.exit_signal == plain_.outcome().exit_signal) return Seen::kSame;
      return outcome.exit_signal == 0 ? Seen::kDifferent : Seen::kNothing;
    }
    if (outcome.output.size() <= criterion.offset) return Seen::kNothing;
    return outcome.output[criterion.offset] == output()[criterion.offset] ? Seen::kSame : Seen::kDifferent;
  }

  void trace_and_compare(const Written& written, uint64_t value, const Alteration& alteration, const Outcome& outcome,
                         const std::vector<const Criterion*>& differing) {
    if (outcome.output_bytes > kMostOutput) {
      counts_["outside, too different"] += differing.size();
      return;
    }
    const ValueTrace altered(recording_, options_.program, &alteration, limit_);
    if (!same_end(altered.outcome(), outcome)) {
      throw UserError(fmt::format("{}#{} as {:#x}: traced, the altered run ends otherwise",
                                  plain_.graph().model().position_text(written.statement), written.number, value),
                      "look at both with culprit suppress");
    }
    const ComparedRun left{plain_.trace(), plain_.graph()}, right{altered.trace(), altered.graph()};
    const Correspondence correspondence = corresponding_executions(left, right);
    for (const Criterion* criterion : differing) {
      ++counts_[compare(*criterion, written, value, altered, correspondence)];
    }
  }

  /// Bytes of a call's output in the altered run: the first and the one behind the last.
  static std::pair<uint64_t, uint64_t> bytes_of(const depend::DependenceGraph& graph, Node call) {
    uint64_t first = 0;
    const uint64_t all = graph.output_bytes(kOutput);
    while (first < all && graph.output_at(kOutput, first).back() != call) ++first;
    uint64_t end = first;
    while (end < all && graph.output_at(kOutput, end).back() == call) ++end;
    return {first, end};
  }

  /// What becomes of a difference outside of the slice.
  std::string compare(const Criterion& criterion, const Written& written, uint64_t value, const ValueTrace& altered,
                      const Correspondence& correspondence) {
    const depend::DependenceGraph& graph = altered.graph();
    const Execution there = correspondence.other[kLeft][criterion.point.execution()];
    std::vector<Node> nodes;
    if (criterion.is_crash) {
      // Where the altered run gets there without a crash, what it used differs; else the other end is looked into.
      for (const Node node : criterion.nodes) {
        if (node.execution() != criterion.point.execution() || there == depend::kNoExecution) continue;
        nodes.push_back(Node::of(there, node.operation()));
      }
      if (nodes.empty() && graph.last() != depend::kNoNode) nodes.push_back(graph.last());
    } else {
      if (there == depend::kNoExecution) return "outside, another point";
      if (graph.output_bytes(kOutput) != altered.outcome().output.size()) return "outside, too different";
      const Node call = Node::of(there, criterion.point.operation());
      const auto [first, end] = bytes_of(graph, criterion.point.is_transfer() ? call.as_transfer() : call);
      if (first + criterion.in_call >= end) return "outside, another point";
      if (altered.outcome().output[first + criterion.in_call] == output()[criterion.offset]) return "outside, moved";
      nodes = graph.output_at(kOutput, first + criterion.in_call);
    }
    const Execution own = correspondence.other[kLeft][written.execution];
    const depend::Slice slice = slice_of(altered, nodes);
    const auto instances = statement_instances(graph, slice);
    if (std::binary_search(instances.begin(), instances.end(), depend::StatementInstance{own, written.statement})) {
      return "outside, in the altered run's slice";
    }
    if (!options_.without_address && is_in_dual_slice(criterion, written, altered, nodes, correspondence)) {
      return "outside, in the dual slice";
    }
    violations_.push_back({{"criterion", criterion.name},
                           {"position", plain_.graph().model().position_text(written.statement)},
                           {"statement", written.statement},
                           {"number", written.number},
                           {"value", written.value},
                           {"instead", value}});
    return "violations";
  }

  bool is_in_dual_slice(const Criterion& criterion, const Written& written, const ValueTrace& altered,
                        const std::vector<Node>& nodes, const Correspondence& correspondence) const {
    const ComparedRun left{plain_.trace(), plain_.graph()}, right{altered.trace(), altered.graph()};
    const DualSlice both = dual_slice(left, right, correspondence, {criterion.nodes, nodes});
    return std::any_of(both.instances.begin(), both.instances.end(), [&](const DualInstance& each) {
      return each.statement == written.statement && each.execution[kLeft] == written.execution;
    });
  }

  const Options& options_;
  Random random_;
  recording::Recording recording_;
  ValueTrace plain_;
  AlterableWrites writes_;
  Session start_;
  uint64_t limit_ = 0;
  std::vector<Criterion> criteria_;
  std::map<std::string, uint64_t> counts_;
  nlohmann::json violations_ = nlohmann::json::array();
};

Options options_of(int count, char** words) {
  constexpr int kFixed = 7;
  if (count <= kFixed) {
    throw UserError("too few words", "drive-perturbations RECORDING EXECUTABLE MODEL SEED OUTSIDE INSIDE CRITERION…");
  }
  Options options{.recording = words[1], .program = {.executable = words[2], .model = words[3]}, .criteria = {}};
  options.seed = std::strtoull(words[4], nullptr, 10);
  options.outside = std::strtoull(words[5], nullptr, 10);
  options.inside = std::strtoull(words[6], nullptr, 10);
  for (int each = kFixed; each < count; ++each) {
    const std::string word = words[each];
    if (word == "--without-address") {
      options.without_address = true;
    } else {
      options.criteria.push_back(word);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = options_of(argc, argv);
    fmt::print("{}\n", Oracle(options).run().dump(1));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "drive-perturbations: {}\n", error.what());
    return 1;
  }
}
