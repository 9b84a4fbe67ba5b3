// Starting culprit-ld.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace culprit::recording {

struct RuntimeEnd {
  int exit_status = 0;  ///< valid when signal is 0
  int signal = 0;
};

/// A process that runs culprit-ld with the caller's standard streams. While it runs, the terminal's interrupt keys are
/// the program's and not this process's.
class RuntimeProcess {
 public:
  /// `inherited` are descriptors that stay open. Throws UserError.
  explicit RuntimeProcess(const std::vector<std::string>& arguments, const std::vector<int>& inherited = {});
  ~RuntimeProcess();
  RuntimeProcess(const RuntimeProcess&) = delete;

  pid_t id() const { return child_; }
  RuntimeEnd wait();

 private:
  pid_t child_ = -1;
  void (*former_interrupt_)(int) = nullptr;
  void (*former_quit_)(int) = nullptr;
};

}  // namespace culprit::recording
