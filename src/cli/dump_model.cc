// `culprit dump model`: what the program model says, as text, JSON or a graph.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/open_model.h"
#include "program/program_model.h"
#include "program/source_position.h"
#include "program/type_name.h"

namespace culprit::cli {
namespace {

using namespace format;
using nlohmann::json;
using program::ProgramModel;

struct Options {
  std::string path;
  std::string functions;  ///< list those whose name holds this
  bool list = false;
  std::string function;  ///< show one
  bool variables = false;
  bool loops = false;
  bool control_dependence = false;
  bool types = false;
  bool as_json = false;
  bool as_dot = false;
};

std::string file_line(const ProgramModel& model, uint32_t file, uint32_t line) {
  return file == kNone ? "" : fmt::format("{}:{}", model.file_path(file), line);
}

std::string detail_text(const ProgramModel& model, uint32_t statement) {
  const StatementRecord& record = model.statement(statement);
  if (record.detail == kNone) return {};
  if (record.kind == StatementKind::kAssignment) return std::string(model.text(model.variable(record.detail).name));
  if (record.kind != StatementKind::kCall) return {};
  const CallRecord& call = model.call(record.detail);
  if (call.kind == CallKind::kDirect) return model.function_name(call.callee);
  if (call.kind == CallKind::kAssembly) return "(assembly)";
  return fmt::format("(indirect {})", model.text(call.signature));
}

std::string home_text(const ProgramModel& model, const VariableRecord& variable) {
  switch (variable.home) {
    case HomeKind::kGlobal:
    case HomeKind::kThreadLocal:
      return fmt::format("{} {}+{}", program::name_of(variable.home), model.text(variable.symbol), variable.offset);
    case HomeKind::kUnknown:
    case HomeKind::kStack:
    case HomeKind::kComputed:
      return std::string(program::name_of(variable.home));
    default:
      return fmt::format("{} {}", program::name_of(variable.home), variable.offset);
  }
}

/// "block 3: true", from the function's own numbering.
std::string dependence_text(const ProgramModel& model, uint32_t edge, uint32_t first_block) {
  return fmt::format("block {} {}", model.source_of_edge(edge) - first_block, model.edge_text(edge));
}

json variable_json(const ProgramModel& model, uint32_t index) {
  const VariableRecord& variable = model.variable(index);
  json each{{"name", model.text(variable.name)},
            {"type", program::type_name(model, variable.type)},
            {"declared", file_line(model, variable.file, variable.line)},
            {"home", home_text(model, variable)}};
  if (variable.argument) each["argument"] = variable.argument;
  if (variable.flags & kVariableArtificial) each["artificial"] = true;
  if (variable.scope != kNone) each["scope_line"] = model.scope(variable.scope).line;
  return each;
}

json block_json(const ProgramModel& model, uint32_t block) {
  json statements = json::array();
  for (const uint32_t index : model.statements_of(block)) {
    json each{
        {"id", index}, {"at", model.position_text(index)}, {"kind", program::name_of(model.statement(index).kind)}};
    if (const std::string detail = detail_text(model, index); !detail.empty()) each["of"] = detail;
    statements.push_back(std::move(each));
  }
  json edges = json::array();
  for (const uint32_t edge : model.edges_of(block)) {
    edges.push_back({{"to", model.edge(edge).target}, {"when", model.edge_text(edge)}});
  }
  json dependences = json::array();
  for (const auto& each : model.dependences_of(block)) {
    dependences.push_back({{"block", model.source_of_edge(each.edge)}, {"when", model.edge_text(each.edge)}});
  }
  json result{{"id", block}, {"statements", statements}, {"edges", edges}, {"depends_on", dependences}};
  if (const uint32_t above = model.block(block).immediate_post_dominator; above != kNone)
    result["post_dominator"] = above;
  if (const uint32_t loop = model.block(block).innermost_loop; loop != kNone) result["loop"] = loop;
  return result;
}

json loop_json(const ProgramModel& model, uint32_t loop) {
  json headers = json::array();
  for (const auto& header : model.headers_of(loop)) headers.push_back(header.block);
  json each{{"id", loop}, {"headers", headers}, {"natural", (model.loop(loop).flags & kLoopNatural) != 0}};
  if (model.loop(loop).parent != kNone) each["parent"] = model.loop(loop).parent;
  if (model.loop(loop).naturalising_header != kNone) each["naturalising_header"] = model.loop(loop).naturalising_header;
  return each;
}

json function_json(const ProgramModel& model, uint32_t index, bool whole) {
  const FunctionRecord& function = model.function(index);
  json each{{"name", model.function_name(index)},
            {"symbol", model.text(function.linkage_name)},
            {"at", file_line(model, function.file, function.line)},
            {"signature", model.text(function.signature)},
            {"native", (function.flags & kFunctionNative) != 0},
            {"address_taken", (function.flags & kFunctionAddressTaken) != 0},
            {"blocks", model.blocks_of(index).size()},
            {"loops", model.loops_of(index).size()}};
  if (function.type != kNone) each["type"] = program::type_name(model, function.type);
  if (!whole) return each;
  each["blocks"] = json::array();
  for (const uint32_t block : model.blocks_of(index)) each["blocks"].push_back(block_json(model, block));
  each["variables"] = json::array();
  for (const uint32_t variable : model.variables_of(index)) each["variables"].push_back(variable_json(model, variable));
  each["loops"] = json::array();
  for (const uint32_t loop : model.loops_of(index)) each["loops"].push_back(loop_json(model, loop));
  return each;
}

json summary_json(const ProgramModel& model) {
  json sections = json::object();
  constexpr const char* kNames[kModelSectionKinds] = {
      "strings",  "files",     "functions", "blocks",  "edges",   "case_values",  "statements",          "calls",
      "scopes",   "variables", "types",     "members", "loops",   "loop_headers", "control_dependences", "operations",
      "operands", "accesses",  "cells",     "bases",   "anchors", "indexed"};
  program::for_each_section(model.sections(), [&](ModelSectionKind kind, const auto& view) {
    sections[kNames[static_cast<size_t>(kind)]] = {{"records", view.size()}, {"bytes", view.size_bytes()}};
  });
  return {{"identity", fmt::format("{:016x}", model.identity())}, {"sections", sections}};
}

void print_summary(const ProgramModel& model) {
  const json summary = summary_json(model);
  fmt::print("identity {}\n", summary["identity"].get<std::string>());
  for (const auto& [name, counts] : summary["sections"].items()) {
    fmt::print("{:<20} {:>9} records {:>10} bytes\n", name, counts["records"].get<size_t>(),
               counts["bytes"].get<size_t>());
  }
}

void print_function_line(const ProgramModel& model, uint32_t index) {
  const FunctionRecord& function = model.function(index);
  std::string marks;
  if (function.flags & kFunctionNative) marks += " native";
  if (function.flags & kFunctionAddressTaken) marks += " address-taken";
  fmt::print("{:>6} {:<40} {} blocks {}{}\n", index, model.function_name(index),
             file_line(model, function.file, function.line), model.blocks_of(index).size(), marks);
}

void print_variable(const ProgramModel& model, uint32_t index) {
  const VariableRecord& variable = model.variable(index);
  fmt::print("    {};  line {}{}, {}{}\n",
             program::type_name(model, variable.type, std::string(model.text(variable.name))), variable.line,
             variable.argument ? fmt::format(", parameter {}", variable.argument) : "", home_text(model, variable),
             variable.flags & kVariableArtificial ? ", artificial" : "");
}

void print_block(const ProgramModel& model, uint32_t block, const Options& options) {
  const uint32_t first = model.function(model.function_of_block(block)).first_block;
  fmt::print("  block {} (id {})", block - first, block);
  for (const uint32_t edge : model.edges_of(block)) {
    fmt::print(", {}: {}", model.edge_text(edge), model.edge(edge).target - first);
  }
  fmt::print("\n");
  if (options.control_dependence) {
    const uint32_t above = model.block(block).immediate_post_dominator;
    fmt::print("    post-dominator: {}\n", above == kNone ? "exit" : fmt::format("block {}", above - first));
    for (const auto& each : model.dependences_of(block)) {
      fmt::print("    depends on {}\n", dependence_text(model, each.edge, first));
    }
  }
  for (const uint32_t index : model.statements_of(block)) {
    fmt::print("    {:>6} {:<24} {:<11} {}\n", index, model.position_text(index),
               program::name_of(model.statement(index).kind), detail_text(model, index));
  }
}

void print_loops(const ProgramModel& model, uint32_t function) {
  const uint32_t first_block = model.function(function).first_block;
  const uint32_t first_loop = model.function(function).first_loop;
  for (const uint32_t index : model.loops_of(function)) {
    const LoopRecord& loop = model.loop(index);
    fmt::print("  loop {}: header", index - first_loop);
    for (const auto& header : model.headers_of(index)) fmt::print(" {}", header.block - first_block);
    if (loop.parent != kNone) fmt::print(", in loop {}", loop.parent - first_loop);
    if (!(loop.flags & kLoopNatural)) {
      fmt::print(", irreducible, {}", loop.naturalising_header == kNone
                                          ? "no naturalising header"
                                          : fmt::format("naturalised by {}", loop.naturalising_header - first_block));
    }
    fmt::print("\n");
  }
}

void print_function(const ProgramModel& model, uint32_t index, const Options& options) {
  print_function_line(model, index);
  if (options.variables) {
    for (const uint32_t variable : model.variables_of(index)) print_variable(model, variable);
  }
  for (const uint32_t block : model.blocks_of(index)) print_block(model, block, options);
  if (options.loops) print_loops(model, index);
}

/// Control flow in black, control dependence (when asked for) dashed.
void print_dot(const ProgramModel& model, uint32_t function, const Options& options) {
  fmt::print("digraph \"{}\" {{\n  node [shape=box, fontname=monospace];\n", model.function_name(function));
  for (const uint32_t block : model.blocks_of(function)) {
    std::string label = fmt::format("block {}\\l", block - model.function(function).first_block);
    for (const uint32_t index : model.statements_of(block)) {
      label += fmt::format("{} {} {}\\l", model.position_text(index), program::name_of(model.statement(index).kind),
                           detail_text(model, index));
    }
    fmt::print("  b{} [label=\"{}\"];\n", block, label);
    for (const uint32_t edge : model.edges_of(block)) {
      fmt::print("  b{} -> b{} [label=\"{}\"];\n", block, model.edge(edge).target, model.edge_text(edge));
    }
    if (!options.control_dependence) continue;
    for (const auto& each : model.dependences_of(block)) {
      fmt::print("  b{} -> b{} [style=dashed, label=\"{}\"];\n", model.source_of_edge(each.edge), block,
                 model.edge_text(each.edge));
    }
  }
  fmt::print("}}\n");
}

void print_type(const ProgramModel& model, uint32_t index) {
  const TypeRecord& type = model.type(index);
  fmt::print("{:>6} {:<12} {}, {} bits{}\n", index, program::name_of(type.kind), program::type_name(model, index),
             type.bits, type.flags & kTypeIncomplete ? ", declared only" : "");
  if (type.kind == TypeKind::kFunction) return;
  for (const MemberRecord& member : model.members_of(index)) {
    if (member.kind == MemberKind::kEnumerator) {
      fmt::print("         {} = {}\n", model.text(member.name), member.value);
    } else if (member.kind == MemberKind::kStatic) {
      fmt::print("         static {};\n", program::type_name(model, member.type, std::string(model.text(member.name))));
    } else {
      fmt::print("         {};  bit {}{}\n",
                 program::type_name(model, member.type, std::string(model.text(member.name))), member.value,
                 member.flags & kMemberBitfield ? fmt::format(", {} bits wide", member.bits) : "");
    }
  }
}

bool shows_functions(const ProgramModel& model, const Options& options) {
  bool any = false;
  json all = json::array();
  for (const uint32_t index : model.functions()) {
    if (model.function_name(index).find(options.functions) == std::string::npos) continue;
    any = true;
    if (options.as_json) {
      all.push_back(function_json(model, index, false));
    } else {
      print_function_line(model, index);
    }
  }
  if (options.as_json) fmt::print("{}\n", all.dump(2, ' ', false, json::error_handler_t::replace));
  return any;
}

void show_function(const ProgramModel& model, const Options& options) {
  json all = json::array();
  for (const uint32_t index : program::find_functions(model, options.function)) {
    if (options.as_json) {
      all.push_back(function_json(model, index, true));
    } else if (options.as_dot) {
      print_dot(model, index, options);
    } else {
      print_function(model, index, options);
    }
  }
  if (options.as_json) fmt::print("{}\n", all.dump(2, ' ', false, json::error_handler_t::replace));
}

ExitCode run(const Options& options) {
  const ProgramModel model = open_model(options.path);
  if (!options.function.empty()) {
    show_function(model, options);
    return ExitCode::kAnswered;
  }
  if (options.list) return shows_functions(model, options) ? ExitCode::kAnswered : ExitCode::kNothingFound;
  if (options.variables) {
    for (const uint32_t index : model.globals()) print_variable(model, index);
  } else if (options.types) {
    for (const uint32_t index : model.types()) print_type(model, index);
  } else if (options.as_json) {
    fmt::print("{}\n", summary_json(model).dump(2));
  } else {
    print_summary(model);
  }
  return ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    .name = "dump model",
    .summary = "Show the program model",
    .description = "The model is what a build knows of the program without running it: functions, blocks, statements,\n"
                   "variables with their homes and types, loops, control dependence. Without options, its size.\n"
                   "A program is built first, or its model taken from the cache.",
    .examples = {{"culprit dump model ./prog --functions parse", "lists the functions with \"parse\" in their names"},
                 {"culprit dump model ./prog --function main --cdg --variables",
                  "shows the blocks and statements of main, what each block depends on, and its variables"},
                 {"culprit dump model ./prog --function main --dot | dot -Tsvg -o main.svg", "draws main"}},
    .configure =
        [](CLI::App& app) {
          auto options = std::make_shared<Options>();
          app.add_option("PROG_OR_MODEL", options->path, "a program compiled with culprit-cc, or a model file")
              ->required();
          auto* functions =
              app.add_option("--functions", options->functions, "list the functions whose name holds PATTERN")
                  ->type_name("PATTERN")
                  ->expected(0, 1);
          auto* function = app.add_option("--function", options->function, "show one function")->type_name("NAME");
          app.add_flag("--variables", options->variables, "its variables; without a function, the globals");
          app.add_flag("--loops", options->loops, "its loops")->needs(function);
          app.add_flag("--cdg", options->control_dependence, "post-dominators and control dependence")->needs(function);
          app.add_flag("--types", options->types, "all types with their members");
          auto* as_json = app.add_flag("--json", options->as_json, "for machines");
          app.add_flag("--dot", options->as_dot, "as a graph for Graphviz")->needs(function)->excludes(as_json);
          functions->excludes(function);
          return [options, functions] {
            options->list = functions->count() > 0;
            return run(*options);
          };
        },
}};

}  // namespace
}  // namespace culprit::cli
