// Ctrl-C and its relatives as an exception, so that temporary files go and children end before we do.
#pragma once

#include <exception>

namespace culprit {

/// The user (or the system) asked us to stop. `main` ends by the same signal.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  const char* what() const noexcept override { return "interrupted"; }
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// While one exists, SIGINT, SIGTERM and SIGHUP are noted instead of ending the process, and interrupt system calls.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

/// Throws Interrupted when one of those signals came since the scope began.
void throw_if_interrupted();

}  // namespace culprit
