#include "cli/open_model.h"

#include <fmt/format.h>

#include <cstring>

#include "build/builder.h"
#include "cli/program_path.h"

namespace culprit::cli {

using program::ProgramModel;

namespace {

bool is_model(const std::filesystem::path& path) {
  const MappedFile file(path);
  constexpr size_t kLength = sizeof(format::kModelMagic);
  return file.bytes().size() >= kLength && std::memcmp(file.bytes().data(), format::kModelMagic, kLength) == 0;
}

}  // namespace

ProgramModel open_model(const std::string& typed) {
  if (std::filesystem::is_regular_file(typed) && is_model(typed)) return ProgramModel::open(typed);
  const std::filesystem::path program = program_path(typed);
  Progress progress(fmt::format("build {}", program.filename().string()));
  return ProgramModel::open(build_program({.program = program, .plan = load_plan("fast"), .keep = {}}, progress).model);
}

}  // namespace culprit::cli
