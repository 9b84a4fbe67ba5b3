// Children that execute a program which is to be recorded: the launcher makes a directory for the recording and names
// the executable that is to run (format/child_request.h).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/file.h"

namespace culprit::recording {

/// What runs in the place of a program, and the build's key.
struct ChildBuild {
  std::filesystem::path executable;
  std::string key;
};

/// The build of a program; one without executable when it is not to be recorded. Called in a thread of its own.
using BuildChild = std::function<ChildBuild(const std::filesystem::path& program)>;

/// Answers children's requests while it lives.
class ExecutedChildren {
 public:
  /// `recording` is the launcher's. Throws UserError.
  ExecutedChildren(const std::filesystem::path& recording, BuildChild build);
  ~ExecutedChildren();
  ExecutedChildren(const ExecutedChildren&) = delete;

 private:
  void serve();
  void answer(int connection) const;

  std::filesystem::path recording_;
  BuildChild build_;
  int listening_ = -1;
  int wake_[2] = {-1, -1};
  std::thread thread_;
};

}  // namespace culprit::recording
