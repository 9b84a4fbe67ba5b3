#include "build/absorb.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"

namespace culprit {
namespace fs = std::filesystem;

namespace {

/// Paths of the libraries with bitcode that a link names, in its order.
std::vector<std::string> captured_libraries_of(const Capture& capture) {
  std::vector<std::string> paths;
  if (!capture.link) return paths;
  for (const LinkInput& input : capture.link->inputs) {
    const bool is_shared = input.kind == LinkInputKind::kSharedLibrary ||
                           (input.kind == LinkInputKind::kLibrary && input.path.find(".so") != std::string::npos);
    if (is_shared && input.captured_parts > 0) paths.push_back(input.path);
  }
  return paths;
}

class Search {
 public:
  explicit Search(const Capture& program) {
    for (const std::string& path : captured_libraries_of(program)) note(path, program);
    for (size_t next = 0; next < found_.libraries.size(); ++next) {
      const std::vector<std::string> paths = captured_libraries_of(found_.libraries[next]);
      for (const std::string& path : paths) needs_[next].push_back(note(path, found_.libraries[next]));
    }
    visited_.resize(found_.libraries.size());
    for (size_t each = 0; each < found_.libraries.size(); ++each) visit(each);
  }

  AbsorbedLibraries found() { return std::move(found_); }

 private:
  size_t note(const std::string& path, const Capture& user) {
    if (!fs::exists(path)) {
      throw UserError(fmt::format("{} uses {}, which is gone", user.path.string(), path),
                      "put the library back, or build the program again", ExitCode::kEnvironmentLacks);
    }
    const std::string real = fs::canonical(path);
    const auto [known, is_new] = index_.emplace(real, found_.libraries.size());
    if (is_new) found_.libraries.push_back(read_capture(real));
    return known->second;
  }

  void visit(size_t library) {
    if (visited_[library]) return;
    visited_[library] = true;
    for (const size_t needed : needs_[library]) visit(needed);
    found_.constructor_order.push_back(library);
  }

  AbsorbedLibraries found_;
  std::map<std::string, size_t> index_;
  std::map<size_t, std::vector<size_t>> needs_;
  std::vector<bool> visited_;
};

}  // namespace

AbsorbedLibraries absorbed_libraries(const Capture& program) {
  return Search(program).found();
}

}  // namespace culprit
