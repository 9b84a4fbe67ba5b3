// `culprit manpage`: man pages from the text that --help shows.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/file.h"
#include "cli/application.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;

/// Text as troff shows it unchanged.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char character : text) {
    const bool starts_line = out.empty() || out.back() == '\n';
    if (starts_line && (character == '.' || character == '\'')) out += "\\&";
    if (character == '\\') {
      out += "\\e";
    } else if (character == '-') {
      out += "\\-";
    } else {
      out += character;
    }
  }
  return out;
}

std::string page_name(std::string command) {
  std::replace(command.begin(), command.end(), ' ', '-');
  return command.empty() ? "culprit" : "culprit-" + command;
}

std::string heading(const std::string& page, const std::string& summary) {
  return fmt::format(".TH {} 1 \"\" \"culprit {}\" \"Culprit\"\n.SH NAME\n{} \\- {}\n", page, CULPRIT_VERSION,
                     escaped(page), escaped(summary));
}

std::string options_text(const CLI::App& app) {
  std::string positional;
  std::string named;
  for (const CLI::Option* option : app.get_options()) {
    std::string& to = option->get_positional() ? positional : named;
    const bool has_value = !option->get_positional() && option->get_items_expected_min() > 0;
    to += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", escaped(option->get_name(option->get_positional(), true)),
                      has_value ? " \\fIVALUE\\fR" : "", escaped(option->get_description()));
  }
  return (positional.empty() ? "" : ".SH ARGUMENTS\n" + positional) + ".SH OPTIONS\n" + named;
}

std::string page_of(const Command& command, const CLI::App& app) {
  const std::string page = page_name(command.name);
  std::string synopsis = "\\fBculprit " + escaped(command.name) + "\\fR [\\fIOPTIONS\\fR]";
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) synopsis += fmt::format(" \\fI{}\\fR", escaped(option->get_name(true)));
  }
  std::string text = heading(page, command.summary) + ".SH SYNOPSIS\n" + synopsis + "\n.SH DESCRIPTION\n" +
                     escaped(command.description) + "\n" + options_text(app) + ".SH EXAMPLES\n";
  for (const Example& example : command.examples) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(example.command), escaped(example.says));
  }
  return text +
         ".SH EXIT STATUS\n0 answered, 1 nothing found, 2 bad usage or input, 3 the environment lacks something\n" +
         ".SH SEE ALSO\n\\fBculprit\\fR(1)\n";
}

std::string main_page() {
  std::string text = heading("culprit", "explains why C and C++ programs fail") +
                     ".SH SYNOPSIS\n\\fBculprit\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const Command& command : commands()) {
    text += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", escaped(page_name(command.name)), escaped(command.summary));
  }
  return text;
}

ExitCode write_all(const Application& application, const fs::path& folder) {
  fs::create_directories(folder);
  write_file_atomically(folder / "culprit.1", main_page());
  for (size_t index = 0; index < commands().size(); ++index) {
    const Command& command = commands()[index];
    write_file_atomically(folder / (page_name(command.name) + ".1"),
                          page_of(command, *application.actions[index].first));
  }
  return ExitCode::kAnswered;
}

struct Options {
  std::vector<std::string> words;
  std::string folder;
};

ExitCode run(const Options& options) {
  const auto application = make_application();
  if (!options.folder.empty()) return write_all(*application, options.folder);
  const std::string name = fmt::format("{}", fmt::join(options.words, " "));
  if (name.empty()) {
    fmt::print("{}", main_page());
    return ExitCode::kAnswered;
  }
  for (size_t index = 0; index < commands().size(); ++index) {
    if (commands()[index].name != name) continue;
    fmt::print("{}", page_of(commands()[index], *application->actions[index].first));
    return ExitCode::kAnswered;
  }
  throw UserError(fmt::format("there is no command `{}`", name), "`culprit --help` lists them");
}

const Registration kRegistration{
    Command{.name = "manpage",
            .summary = "Print the man page of a command",
            .description = "Pages are made from the same text as --help.",
            .examples = {{"culprit manpage build | man -l -", "shows the page of `culprit build`"},
                         {"culprit manpage --all share/man/man1", "writes all pages into a folder"}},
            .configure = [](CLI::App& app) -> std::function<ExitCode()> {
              auto options = std::make_shared<Options>();
              app.add_option("command", options->words, "the command's name; the page of culprit itself without one");
              app.add_option("--all", options->folder, "write every page into this folder");
              return [options] { return run(*options); };
            }}};

}  // namespace
}  // namespace culprit::cli
