#include "cli/plan_of_recording.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "capture/capture.h"

namespace culprit::cli {
namespace {

namespace fs = std::filesystem;

BuildResult build(const fs::path& program, const Plan& plan) {
  Progress progress(fmt::format("build {} ({})", program.filename().string(), plan.name));
  return build_program({.program = program, .plan = plan, .keep = {}}, progress);
}

}  // namespace

void use_fast_build(recording::RecordOptions& options) {
  const fs::path program = recording::resolve(options.command).path;
  if (!carries_bitcode(MappedFile(program).bytes())) return;
  const BuildResult fast = build(program, load_plan("fast"));
  options.fast_build = fast.executable;
  options.build_key = fast.key;
}

recording::ChildBuild build_for_child(const fs::path& program, const std::string& plan) {
  if (!carries_bitcode(MappedFile(program).bytes())) return {};
  const BuildResult built = build(program, load_plan(plan));
  return {built.executable, plan == "fast" ? built.key : std::string()};
}

void use_fine_build(recording::RecordOptions& options) {
  options.fast_build = build(recording::resolve(options.command).path, load_plan("fine")).executable;
}

BuildResult build_for_session(const fs::path& program) {
  Plan plan = load_plan("session");
  plan.fast_bodies = true;
  return build(program, plan);
}

BuildResult build_for_replay(const recording::Manifest& manifest, Plan plan) {
  if (manifest.build_key.empty()) {
    throw UserError(fmt::format("{} was recorded as it is, so no other plan can replay it", manifest.program),
                    "compile it with culprit-cc and record it again");
  }
  if (!fs::exists(manifest.program)) {
    throw UserError(fmt::format("the recorded program {} is gone", manifest.program),
                    "put it back: other plans are built from the bitcode in it", ExitCode::kEnvironmentLacks);
  }
  if (build(manifest.program, load_plan("fast")).key != manifest.build_key) {
    throw UserError(
        fmt::format("{} is not the program that was recorded, or Culprit has changed since", manifest.program),
        "record it again", ExitCode::kEnvironmentLacks);
  }
  plan.fast_bodies = true;  // the recorded executable with more in it
  return build(manifest.program, plan);
}

}  // namespace culprit::cli
