// `culprit completion`: what a shell needs to complete command names and options.

#include <fmt/format.h>

#include <memory>

#include "cli/application.h"

namespace culprit::cli {
namespace {

/// The words that may follow `culprit WORDS…`: subcommands, else options.
struct Place {
  std::string words;                                      ///< "", "build", "dump", "dump capture"
  std::vector<std::pair<std::string, std::string>> next;  ///< word and what it means, one line
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

void collect(CLI::App& app, const std::string& words, std::vector<Place>& places) {
  Place place{.words = words, .next = {}};
  const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  for (CLI::App* each : subcommands) place.next.emplace_back(each->get_name(), first_line(each->get_description()));
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      place.next.emplace_back("--" + name, first_line(option->get_description()));
    }
    for (const std::string& name : option->get_snames()) {
      place.next.emplace_back("-" + name, first_line(option->get_description()));
    }
  }
  places.push_back(std::move(place));
  for (CLI::App* each : subcommands)
    collect(*each, words.empty() ? each->get_name() : words + " " + each->get_name(), places);
}

std::vector<Place> all_places() {
  const auto application = make_application();
  std::vector<Place> places;
  collect(application->app, "", places);
  return places;
}

/// In single quotes, for all three shells.
std::string single_quoted(const std::string& text) {
  std::string out = "'";
  for (const char character : text) out += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return out + "'";
}

/// The place is found by the words without a dash; `dump` is the one command of two words.
std::string bash_text(const std::vector<Place>& places) {
  std::string cases;
  for (const Place& place : places) {
    std::string words;
    for (const auto& [word, meaning] : place.next) words += (words.empty() ? "" : " ") + word;
    cases += fmt::format("    {}) words={} ;;\n", single_quoted(place.words), single_quoted(words));
  }
  return fmt::format(R"(_culprit() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} place= words= index
  for ((index = 1; index < COMP_CWORD; ++index)); do
    case ${{COMP_WORDS[index]}} in
      --) return ;;
      -*) ;;
      *) if [[ -z $place || $place == dump ]]; then place="${{place:+$place }}${{COMP_WORDS[index]}}"; fi ;;
    esac
  done
  case $place in
{}  esac
  if [[ $current == -* || -z $place || $place == dump ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}}
complete -o default -F _culprit culprit
)",
                     cases);
}

std::string zsh_text(const std::vector<Place>& places) {
  return "#compdef culprit\nautoload -U +X bashcompinit && bashcompinit\n" + bash_text(places);
}

std::string fish_text(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places) {
    const std::string condition = place.words.empty()
                                      ? "__fish_use_subcommand"
                                      : fmt::format("string match -q -- 'culprit {} *' (commandline -cp)", place.words);
    for (const auto& [word, meaning] : place.next) {
      std::string option = "-a " + word;
      if (word.starts_with("--"))
        option = "-l " + word.substr(2);
      else if (word.starts_with("-"))
        option = "-s " + word.substr(1);
      text +=
          fmt::format("complete -c culprit -n {} {} -d {}\n", single_quoted(condition), option, single_quoted(meaning));
    }
  }
  return text;
}

ExitCode run(const std::string& shell) {
  const std::vector<Place> places = all_places();
  if (shell == "bash") {
    fmt::print("{}", bash_text(places));
  } else if (shell == "zsh") {
    fmt::print("{}", zsh_text(places));
  } else if (shell == "fish") {
    fmt::print("{}", fish_text(places));
  } else {
    throw UserError(fmt::format("there is no completion for {}", shell), "use bash, zsh or fish");
  }
  return ExitCode::kAnswered;
}

const Registration kRegistration{
    Command{.name = "completion",
            .summary = "Print what a shell needs to complete culprit's commands and options",
            .description = "For bash, zsh and fish.",
            .examples = {{"source <(culprit completion bash)", "completes in this bash"},
                         {"culprit completion fish > ~/.config/fish/completions/culprit.fish", "for every fish"}},
            .configure = [](CLI::App& app) -> std::function<ExitCode()> {
              auto shell = std::make_shared<std::string>();
              app.add_option("shell", *shell, "bash, zsh or fish")->required();
              return [shell] { return run(*shell); };
            }}};

}  // namespace
}  // namespace culprit::cli
