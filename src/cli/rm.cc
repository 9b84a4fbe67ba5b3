#include <fmt/format.h>

#include "cli/command.h"
#include "recording/manifest.h"
#include "recording/place.h"

namespace culprit::cli {
namespace {

ExitCode run(const std::vector<std::string>& names) {
  // All are looked up before the first is removed: a misspelt name removes nothing.
  std::vector<std::filesystem::path> directories;
  for (const std::string& name : names) {
    directories.push_back(recording::find_recording(name));
    if (!std::filesystem::exists(directories.back() / "manifest.json")) {
      throw UserError(fmt::format("{} is not a recording", directories.back().string()), "nothing was removed");
    }
  }
  for (const std::filesystem::path& directory : directories) {
    std::filesystem::remove_all(directory);
    const std::filesystem::path latest = directory.parent_path() / "latest";
    if (std::filesystem::is_symlink(latest) && !std::filesystem::exists(latest)) std::filesystem::remove(latest);
  }
  return ExitCode::kAnswered;
}

const Registration kRegistration{
    Command{"rm",
            "Remove recordings",
            "Removes the directories of the named recordings.",
            {{"culprit rm prog-1 prog-2", "removes two recordings"}},
            [](CLI::App& app) {
              auto names = std::make_shared<std::vector<std::string>>();
              app.add_option("recordings", *names, "Directories, or names that `culprit ls` shows")->required();
              return [names] { return run(*names); };
            }}};

}  // namespace
}  // namespace culprit::cli
