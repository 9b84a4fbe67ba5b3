// `culprit cache`: what finished builds take, and away with them.

#include "build/cache.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace culprit::cli {
namespace {

struct Options {
  bool clear = false;
  bool json = false;
};

constexpr double kMebibyte = 1024.0 * 1024.0;

ExitCode run(const Options& options) {
  const Cache cache = Cache::of_user();
  const CacheUse use = options.clear ? cache.clear() : cache.use();
  if (options.json) {
    fmt::print("{}\n", nlohmann::json{{"directory", cache.directory().string()},
                                      {"entries", use.entries},
                                      {"bytes", use.bytes},
                                      {"limit", use.limit},
                                      {"cleared", options.clear}}
                           .dump(1));
  } else if (options.clear) {
    fmt::print("removed {} builds, {:.1f} MiB\n", use.entries, static_cast<double>(use.bytes) / kMebibyte);
  } else {
    fmt::print("{}: {} builds, {:.1f} of {:.0f} MiB\n", cache.directory().string(), use.entries,
               static_cast<double>(use.bytes) / kMebibyte, static_cast<double>(use.limit) / kMebibyte);
  }
  return ExitCode::kAnswered;
}

const Registration kRegistration{Command{
    .name = "cache",
    .summary = "Show or clear the cache of finished builds",
    .description =
        "Builds are kept in CULPRIT_CACHE, or in culprit/ under XDG_CACHE_HOME or ~/.cache. When they take more than\n"
        "CULPRIT_CACHE_LIMIT (10G when not set), those not used for longest are removed.",
    .examples = {{"culprit cache", "says how many builds there are and what they take"},
                 {"culprit cache --clear", "removes them all"}},
    .configure = [](CLI::App& app) {
      auto options = std::make_shared<Options>();
      app.add_flag("--clear", options->clear, "remove all builds");
      app.add_flag("--json", options->json, "print JSON");
      return [options] { return run(*options); };
    }}};

}  // namespace
}  // namespace culprit::cli
