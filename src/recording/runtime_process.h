// Starting culprit-ld.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace culprit::recording {

struct RuntimeEnd {
  int exit_status = 0;  ///< valid when signal is 0
  int signal = 0;
};

/// What a process starts with instead of the caller's; -1 and empty: the caller's.
struct Surroundings {
  int input = -1;  ///< descriptors that become its standard streams
  int output = -1;
  int error = -1;
  std::string folder{};        ///< current one
  std::string library_path{};  ///< comes first in LD_LIBRARY_PATH; empty: nothing does
};

/// Standard streams of a process that reads nothing and is not heard.
class NoStreams {
 public:
  NoStreams();  ///< throws UserError
  ~NoStreams();
  NoStreams(const NoStreams&) = delete;
  Surroundings surroundings() const;

 private:
  int descriptor_;
};

/// A process that runs culprit-ld with the caller's standard streams or others. While it runs, the terminal's interrupt
/// keys are the program's and not this process's.
class RuntimeProcess {
 public:
  /// `inherited` are descriptors that stay open. Throws UserError.
  explicit RuntimeProcess(const std::vector<std::string>& arguments, const std::vector<int>& inherited = {},
                          const Surroundings& surroundings = {});
  ~RuntimeProcess();
  RuntimeProcess(const RuntimeProcess&) = delete;

  pid_t id() const { return child_; }
  /// Whether the process ends within `limit`.
  bool ends_within(std::chrono::milliseconds limit) const;
  RuntimeEnd wait();
  /// The same; a process that has not ended after `limit` is killed.
  RuntimeEnd wait(std::chrono::milliseconds limit);
  /// Leaves the process, which is then the caller's to wait for.
  pid_t release();

 private:
  pid_t child_ = -1;
  void (*former_interrupt_)(int) = nullptr;
  void (*former_quit_)(int) = nullptr;
};

}  // namespace culprit::recording
