// The `culprit` command: parses the command line, runs one subcommand, turns errors into messages and exit codes.

#include <fmt/format.h>
#include <signal.h>

#include <exception>

#include "base/interrupt.h"
#include "cli/application.h"

namespace culprit::cli {
namespace {

ExitCode run(int argc, char** argv) {
  const auto application = make_application();
  CLI::App& app = application->app;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked_for = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(error);
    return asked_for ? ExitCode::kAnswered : ExitCode::kBadUsage;
  }
  for (const auto& [sub, action] : application->actions) {
    if (sub->parsed()) return action();
  }
  return ExitCode::kBadUsage;
}

}  // namespace
}  // namespace culprit::cli

int main(int argc, char** argv) {
  using culprit::ExitCode;
  try {
    return static_cast<int>(culprit::cli::run(argc, argv));
  } catch (const culprit::UserError& error) {
    fmt::print(stderr, "culprit: {}\n", error.what());
    if (!error.remedy().empty()) fmt::print(stderr, "culprit: remedy: {}\n", error.remedy());
    return static_cast<int>(error.code());
  } catch (const culprit::Interrupted& interrupted) {
    ::signal(interrupted.signal(), SIG_DFL);
    ::raise(interrupted.signal());
    return 128 + interrupted.signal();
  } catch (const culprit::CorruptData& error) {
    fmt::print(stderr, "culprit: damaged file: {}\n", error.what());
    return static_cast<int>(ExitCode::kBadUsage);
  } catch (const std::exception& error) {
    fmt::print(stderr, "culprit: {}\n", error.what());
    return static_cast<int>(ExitCode::kBadUsage);
  }
}
