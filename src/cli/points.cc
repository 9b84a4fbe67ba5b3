// `culprit points`: the execution-point ids of a run.

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "build/builder.h"
#include "build/cache.h"
#include "cli/command.h"
#include "cli/execution.h"
#include "cli/make_trace.h"
#include "cli/program_path.h"
#include "index/core_points.h"
#include "index/point_id.h"
#include "index/point_text.h"
#include "index/report_file.h"
#include "index/traced_points.h"
#include "program/source_position.h"
#include "recording/place.h"
#include "recording/recording.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Options {
  std::string program;
  std::vector<std::string> arguments;
  std::string kind = "pepid";
  std::vector<std::string> at;
  bool every_statement = false;
  bool paths = false;
  bool check_unique = false;
  std::string core;
  uint64_t limit = 1000;
  bool as_json = false;
};

/// The positions without instances as the plan wants them, and which instances are to be shown.
struct Wanted {
  std::vector<std::string> lines;
  std::vector<program::SourcePosition> positions;
};

Wanted wanted_points(const Options& options) {
  Wanted wanted;
  for (const std::string& text : options.at) {
    wanted.positions.push_back(program::parse_source_position(text));
    const program::SourcePosition& position = wanted.positions.back();
    wanted.lines.push_back(fmt::format("{}:{}", position.file, position.line));
  }
  return wanted;
}

Plan plan_for(const Options& options, const Wanted& wanted) {
  const PointOptions points{.kind = named_point_options("index-" + options.kind).kind,
                            .places = options.every_statement ? PointPlaces::kStatements
                                      : wanted.lines.empty()  ? PointPlaces::kAllocations
                                                              : PointPlaces::kListed,
                            .listed = wanted.lines,
                            .report = true,
                            .paths_in_irreducible_loops = options.paths};
  if (points.kind == format::PointKind::kNone) {
    throw UserError(fmt::format("there is no kind `{}` of execution-point ids", options.kind),
                    "use pcce, sic, sei, lei or pepid");
  }
  return points_plan("points", points);
}

/// Shows ids as they come, but for those that are not asked for.
class Printer {
 public:
  Printer(const Options& options, const Wanted& wanted, const program::ProgramModel& model)
      : options_(options), wanted_(wanted), model_(model) {
    for (const auto& position : wanted.positions) statements_.push_back(program::find_statements(model, position));
    instances_.assign(wanted.positions.size(), 0);
  }

  void show(const ReportedId& reported, const std::string& source) {
    const PointId id = parse_point_id(kind_of_options(), reported.words, model_, source);
    const uint32_t statement = reported.site - 1;
    ++number_;
    if (!is_wanted(statement)) return;
    ++shown_;
    if (!options_.as_json) {
      fmt::print("{:>6}  {}\n", number_, text_of(id, model_));
      if (id.kind == format::PointKind::kPrecise) fmt::print("        {}\n", precise_id_text(reported.words));
      return;
    }
    json frames = json::array();
    for (const PointFrame& frame : id.frames) {
      if (frame.statement == program::kNone) continue;
      json one{{"function", model_.function_name(model_.function_of_statement(frame.statement))},
               {"position", model_.position_text(frame.statement)},
               {"statement", frame.statement},
               {"entries", frame.entries}};
      if (!frame.counts.empty()) one["counts"] = frame.counts;
      for (const OpenBranch& branch : frame.branches) {
        one["branches"].push_back({{"branch", edge_position_text(model_, branch.edge)}, {"times", branch.times}});
      }
      frames.push_back(std::move(one));
    }
    json_.push_back({{"number", number_}, {"frames", std::move(frames)}});
    if (id.kind == format::PointKind::kPrecise) json_.back()["id"] = precise_id_text(reported.words);
    if (id.kind == format::PointKind::kCount) json_.back()["count"] = id.count;
  }

  size_t finish(const PointReport& report) {
    if (options_.as_json) {
      const json whole{{"kind", options_.kind}, {"reached", report.head.reached}, {"points", json_}};
      fmt::print("{}\n", whole.dump(1));
    } else if (report.head.reached > number_) {
      fmt::print("({} more; --limit shows more)\n", report.head.reached - number_);
    }
    return shown_;
  }

 private:
  format::PointKind kind_of_options() const { return named_point_options("index-" + options_.kind).kind; }

  bool is_wanted(uint32_t statement) {
    if (wanted_.positions.empty()) return true;
    for (size_t each = 0; each < statements_.size(); ++each) {
      const auto& at = statements_[each];
      if (std::find(at.begin(), at.end(), statement) == at.end()) continue;
      // An instance of a line is one of its first statement asked for.
      if (statement == at.front()) ++instances_[each];
      const uint64_t instance = wanted_.positions[each].instance;
      if (instance == 0 || instance == instances_[each]) return true;
    }
    return false;
  }

  const Options& options_;
  const Wanted& wanted_;
  const program::ProgramModel& model_;
  std::vector<std::vector<uint32_t>> statements_;  ///< per wanted position
  std::vector<uint64_t> instances_;
  uint64_t number_ = 0;
  size_t shown_ = 0;
  json json_ = json::array();
};

std::string text_of(const CoreFrame& frame) {
  std::string text = frame.file.empty() ? fmt::format("{}", frame.function.empty() ? "?" : frame.function)
                                        : fmt::format("{}:{} {}", fs::path(frame.file).filename().string(), frame.line,
                                                      frame.function);
  for (const CoreIteration& loop : frame.loops) {
    if (loop.value) {
      text += fmt::format(" [{}={}]", loop.variable, *loop.value);
    } else if (loop.variable.empty()) {
      text += fmt::format(" [loop of line {}: iteration unknown]", loop.line);
    } else {
      text += fmt::format(" [{} not kept]", loop.variable);
    }
  }
  return text;
}

json json_of(const CoreFrame& frame) {
  json one{{"function", frame.function}};
  if (!frame.file.empty()) one.update({{"file", frame.file}, {"line", frame.line}});
  for (const CoreIteration& loop : frame.loops) {
    json iteration{{"line", loop.line}};
    if (!loop.variable.empty()) iteration["variable"] = loop.variable;
    if (loop.value) iteration["value"] = *loop.value;
    one["loops"].push_back(std::move(iteration));
  }
  return one;
}

/// How many loops are around the point, and how many of their iterations are known: the id is unambiguous when all are.
struct LoopsAround {
  size_t all = 0;
  size_t known = 0;
};

LoopsAround loops_around(const CoreThread& thread) {
  LoopsAround loops;
  for (const CoreFrame& frame : thread.frames) {
    loops.all += frame.loops.size();
    loops.known += std::ranges::count_if(frame.loops, [](const CoreIteration& loop) { return loop.value.has_value(); });
  }
  return loops;
}

/// The native program is not run: its core file says where it stood.
ExitCode show_core(const Options& options) {
  const fs::path program = program_path(options.program);
  std::vector<OrderedLoop> loops;
  {
    Progress progress(fmt::format("examine {}", program.filename().string()));
    for (const SourceLoop& loop : find_source_loops(program, progress)) {
      loops.push_back({loop.function, loop.file, loop.variable, loop.first_line, loop.last_line});
    }
  }
  json threads = json::array();
  for (const CoreThread& thread : read_core_points(options.core, program, loops)) {
    if (!options.as_json) fmt::print("thread {}\n", thread.id);
    json frames = json::array();
    for (const CoreFrame& frame : thread.frames) {
      if (options.as_json) {
        frames.push_back(json_of(frame));
      } else {
        fmt::print("  {}\n", text_of(frame));
      }
    }
    const LoopsAround around = loops_around(thread);
    if (!options.as_json) {
      fmt::print("  {} of {} loops around it have a known iteration: this id is {}\n", around.known, around.all,
                 around.known == around.all ? "unambiguous" : "ambiguous");
    }
    threads.push_back({{"thread", thread.id},
                       {"frames", std::move(frames)},
                       {"loops", around.all},
                       {"known_iterations", around.known}});
  }
  if (options.as_json) fmt::print("{}\n", json{{"kind", "stat"}, {"threads", std::move(threads)}}.dump(1));
  return ExitCode::kAnswered;
}

/// Points of the statements at --at, from a traced replay.
ExitCode show_recorded(const Options& options) {
  if (options.at.empty() || options.kind != "pepid") {
    throw UserError("of a recorded run, precise ids of given lines are shown", "add --at FILE:LINE, without --kind");
  }
  const TemporaryDirectory folder(temporary_place("trace"));
  make_trace_of_recording(recording::open_recording(options.program), folder.path());
  const trace::TraceFile trace(folder.path());
  const Wanted wanted = wanted_points(options);
  std::map<uint32_t, std::vector<uint32_t>> statements;  // by block
  for (const program::SourcePosition& position : wanted.positions) {
    for (const uint32_t each : program::find_statements(trace.model(), position)) {
      statements[trace.model().block_of_statement(each)].push_back(each);
    }
  }
  Printer printer(options, wanted, trace.model());
  PointReport report{};
  for (TracedPoints points(trace); report.head.reached < options.limit && points.advance();) {
    const auto here = statements.find(points.block());
    if (here == statements.end()) continue;
    for (const uint32_t statement : here->second) {
      ++report.head.reached;
      printer.show({format::statement_site(statement), std::nullopt, points.words_at(statement)}, "trace");
    }
  }
  return printer.finish(report) > 0 ? ExitCode::kAnswered : ExitCode::kNothingFound;
}

ExitCode run(const Options& options) {
  if (recording::recording_named(options.program)) return show_recorded(options);
  if (!options.core.empty()) return show_core(options);
  // Build the program so that it keeps ids, and reports the points that are asked for.
  const Wanted wanted = wanted_points(options);
  const fs::path program = program_path(options.program);
  const BuildResult built = [&] {
    Progress progress(fmt::format("build {}", program.filename().string()));
    return build_program({.program = program, .plan = plan_for(options, wanted), .keep = {}}, progress);
  }();
  // Run it. What it prints goes to standard error when the ids are for a machine.
  const TemporaryDirectory place(temporary_place("points"));
  const fs::path file = place.path() / "points";
  const auto form = options.check_unique ? format::ReportForm::kHashes : format::ReportForm::kIds;
  Execution execution{.executable = built.executable, .words = {options.program}, .environment = {}};
  execution.words.insert(execution.words.end(), options.arguments.begin(), options.arguments.end());
  execution.environment[format::kPointsVariable] = points_variable(options.limit, form, file);
  run_and_wait(execution);
  if (!fs::exists(file)) throw UserError("the program reported no points", "does it start at all?");
  // Show them.
  const PointReport report = read_point_report(file);
  if (options.check_unique) {
    const uint64_t clashes = count_clashes(report.hashes);
    fmt::print("points-unique: runs=1 instances={} clashes={}\n", report.hashes.size(), clashes);
    return clashes == 0 ? ExitCode::kAnswered : ExitCode::kNothingFound;
  }
  const auto model = program::ProgramModel::open(built.model);
  Printer printer(options, wanted, model);
  for (const ReportedId& id : report.ids) printer.show(id, file);
  return printer.finish(report) > 0 ? ExitCode::kAnswered : ExitCode::kNothingFound;
}

const Registration kRegistration{Command{
    .name = "points",
    .summary = "Show the execution-point ids of a run",
    .description =
        "Builds PROG so that it keeps execution-point ids, runs it, and prints the id of each allocation, or of each\n"
        "instance of the lines given by --at. An id names a point of the execution so that it can be found again, by\n"
        "kind pepid and sei also in another execution: the calls that led there and the iterations of the loops "
        "around\n"
        "them. Kinds: pcce (calling context), sic (counter), sei (structural), lei (hit counts), pepid (precise).\n"
        "With --core nothing is run: the id is that of each thread in the core file of the program as compiled, its\n"
        "call stack with the variables that tell iterations apart (STAT).",
    .examples = {{"culprit points ./prog -- -v file", "where in the execution memory is allocated"},
                 {"culprit points --at parse.c:88#3 ./prog -- file", "the third time that line 88 is reached"},
                 {"culprit points rec --at parse.c:88", "ids that culprit replay --to takes"},
                 {"culprit points --core core ./prog", "in which iterations a crashed program was"},
                 {"culprit points --statements --unique --limit 5000000 ./prog",
                  "checks that no two points share an id"}},
    .configure = [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_option("program", options->program,
                     "a program compiled with culprit-cc, looked up in PATH; or a recording, with --at")
          ->required();
      app.add_option("arguments", options->arguments, "the program's arguments, after --");
      app.add_option("--kind", options->kind, "pcce, sic, sei, lei or pepid (the default)");
      app.add_option("--at", options->at, "file:line[#instance], may be repeated; allocations without it")
          ->allow_extra_args(false);
      app.add_flag("--statements", options->every_statement, "every statement");
      app.add_flag("--paths", options->paths, "tell ways through loops that no header makes natural apart");
      app.add_flag("--unique", options->check_unique, "print how many ids were not unique instead");
      app.add_option("--core", options->core, "a core file that the program left")->check(CLI::ExistingFile);
      app.add_option("--limit", options->limit, "show at most so many points")->capture_default_str();
      app.add_flag("--json", options->as_json, "for machines");
      return [options] { return run(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
