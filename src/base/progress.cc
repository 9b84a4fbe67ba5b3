#include "base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace culprit {
namespace {

constexpr auto kQuietTime = std::chrono::seconds(1);
constexpr auto kTerminalInterval = std::chrono::milliseconds(100);
constexpr auto kPlainInterval = std::chrono::seconds(5);

size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::string task)
    : task_(std::move(task)), is_terminal_(::isatty(STDERR_FILENO) == 1), next_(began_ + kQuietTime) {}

Progress::~Progress() {
  if (shown_ && is_terminal_) fmt::print(stderr, "\r\033[K");
}

void Progress::step(std::string text) {
  step_ = std::move(text);
  refresh();
}

void Progress::refresh() {
  const auto now = Clock::now();
  if (now < next_ || step_.empty()) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - began_).count();
  std::string line = fmt::format("{}: {} ({} s)", task_, step_, seconds);
  if (is_terminal_) {
    line.resize(std::min(line.size(), terminal_width() - 1));
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  shown_ = true;
  next_ = now + (is_terminal_ ? std::chrono::duration_cast<Clock::duration>(kTerminalInterval)
                              : std::chrono::duration_cast<Clock::duration>(kPlainInterval));
}

}  // namespace culprit
