// Progress on standard error: nothing during the first second, then one line that is rewritten on a terminal, or a new
// line every few seconds elsewhere.
#pragma once

#include <chrono>
#include <string>

namespace culprit {

class Progress {
 public:
  /// `task` begins every line ("build lua").
  explicit Progress(std::string task);
  /// Takes the line away again.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A step begins.
  void step(std::string text);
  /// Shows the running step when it is time to; call it now and then.
  void refresh();

 private:
  using Clock = std::chrono::steady_clock;
  std::string task_;
  std::string step_;
  bool is_terminal_;
  bool shown_ = false;
  Clock::time_point began_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace culprit
