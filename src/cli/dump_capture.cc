// `culprit dump capture`: what a program compiled with culprit-cc carries.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "capture/capture.h"
#include "cli/command.h"

namespace culprit::cli {
namespace {
namespace fs = std::filesystem;
using nlohmann::json;

struct Options {
  std::string program;
  bool as_json = false;
  std::string extract_to;
};

std::string words_text(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

json units_json(const Capture& capture) {
  json units = json::array();
  for (const Unit& unit : capture.units) {
    units.push_back({{"source", unit.source},
                     {"directory", unit.directory},
                     {"producer", unit.producer},
                     {"bytes", unit.bitcode.size()},
                     {"hash", fmt::format("{:016x}", unit.hash)}});
  }
  return units;
}

json link_json(const LinkRecord& link) {
  json inputs = json::array();
  for (const LinkInput& input : link.inputs) {
    json each{{"kind", name_of(input.kind)}, {"words", input.words}};
    if (!input.path.empty()) each["path"] = input.path;
    if (input.parts) {
      each["parts"] = input.parts;
      each["captured_parts"] = input.captured_parts;
    }
    if (input.content_hash) each["embedded"] = true;
    inputs.push_back(std::move(each));
  }
  return {{"directory", link.directory}, {"compiler", link.compiler},   {"cxx", link.is_cxx},
          {"shared", link.is_shared},    {"lto", link.is_lto},          {"output", link.output},
          {"arguments", link.arguments}, {"inputs", std::move(inputs)}, {"tool_version", link.tool_version}};
}

void print_json(const Capture& capture) {
  json lacking = json::array();
  if (capture.link) {
    for (const LinkInput& input : capture.link->inputs) {
      if (lacks_bitcode(input)) lacking.push_back(input.path);
    }
  }
  json all{{"path", capture.path.string()}, {"units", units_json(capture)}, {"without_bitcode", lacking}};
  if (capture.link) all["link"] = link_json(*capture.link);
  for (const LinkRecord& partial : capture.partial_links) all["partial_links"].push_back(link_json(partial));
  for (const EmbeddedFile& file : capture.embedded_files) {
    all["embedded_files"].push_back({{"path", file.path}, {"bytes", file.content.size()}});
  }
  fmt::print("{}\n", all.dump(2, ' ', false, json::error_handler_t::replace));
}

void print_link(const LinkRecord& link) {
  fmt::print("\n{} as {} in {}\n", link.is_relocatable ? "Partly linked" : "Linked", link.is_cxx ? "C++" : "C",
             link.directory);
  for (const LinkInput& input : link.inputs) {
    std::string note;
    if (lacks_bitcode(input)) {
      note = fmt::format("  {} of {} without bitcode{}", input.parts - input.captured_parts, input.parts,
                         input.content_hash ? ", content kept" : "");
      if (input.kind == LinkInputKind::kSharedLibrary) note = "  without bitcode";
    } else if (input.captured_parts > 0 && input.kind == LinkInputKind::kLibrary) {
      note = "  with bitcode: " + input.path;
    }
    fmt::print("  {:<14} {}{}\n", name_of(input.kind), words_text(input.words), note);
  }
}

void print_text(const Capture& capture) {
  uint64_t total = 0;
  fmt::print("{:>10}  {:<16}  source\n", "bytes", "hash");
  for (const Unit& unit : capture.units) {
    total += unit.bitcode.size();
    fmt::print("{:>10}  {:016x}  {}\n", unit.bitcode.size(), unit.hash,
               (fs::path(unit.directory) / unit.source).lexically_normal().string());
  }
  fmt::print("{} units, {} bytes of bitcode\n", capture.units.size(), total);
  for (const LinkRecord& partial : capture.partial_links) print_link(partial);
  if (capture.link) {
    print_link(*capture.link);
  } else if (capture.partial_links.empty()) {
    fmt::print("\nNo record of a link: an object, an archive, or linked by something other than culprit-cc\n");
  }
}

/// Writes each unit as NNNN-SOURCE.bc, numbered in the linker's order since names may repeat.
void extract(const Capture& capture, const fs::path& folder) {
  fs::create_directories(folder);
  for (size_t index = 0; index < capture.units.size(); ++index) {
    const Unit& unit = capture.units[index];
    const fs::path file = folder / fmt::format("{:04}-{}.bc", index, fs::path(unit.source).filename().string());
    write_file_atomically(file, {reinterpret_cast<const char*>(unit.bitcode.data()), unit.bitcode.size()});
  }
}

ExitCode dump(const Options& options) {
  const Capture capture = read_capture(options.program);
  if (!options.extract_to.empty()) extract(capture, options.extract_to);
  if (options.as_json) {
    print_json(capture);
  } else {
    print_text(capture);
  }
  return ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    .name = "dump capture",
    .summary = "List what a program compiled with culprit-cc carries",
    .description =
        "Prints the units of an executable, a shared library, an object or an archive with the size and hash of "
        "their bitcode, then how the program was linked and which of its inputs lack bitcode.",
    .examples = {{"culprit dump capture ./prog", "Lists units, linker inputs and what lacks bitcode."},
                 {"culprit dump capture ./prog --extract units", "Also writes every unit's bitcode into units/."}},
    .configure = [](CLI::App& app) -> std::function<ExitCode()> {
      auto options = std::make_shared<Options>();
      app.add_option("program", options->program, "Executable, shared library, object or archive")->required();
      app.add_flag("--json", options->as_json, "Print JSON");
      app.add_option("--extract", options->extract_to, "Write the units as .bc files into this folder");
      return [options] { return dump(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
