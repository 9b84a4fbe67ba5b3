#include "base/interrupt.h"

#include <signal.h>

#include <array>

namespace culprit {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// A signal handler can reach nothing but global state.
volatile sig_atomic_t noted_signal = 0;
int scopes = 0;
std::array<struct sigaction, kSignals.size()> before;

void note(int signal) {
  noted_signal = signal;
}

}  // namespace

InterruptScope::InterruptScope() {
  if (scopes++ > 0) return;
  noted_signal = 0;
  struct sigaction action {};
  action.sa_handler = note;  // no SA_RESTART: waiting calls return with EINTR
  for (size_t index = 0; index < kSignals.size(); ++index) {
    ::sigaction(kSignals[index], nullptr, &before[index]);
    // A signal that our parent made us ignore (nohup) stays ignored.
    if (before[index].sa_handler != SIG_IGN) ::sigaction(kSignals[index], &action, nullptr);
  }
}

InterruptScope::~InterruptScope() {
  if (--scopes > 0) return;
  for (size_t index = 0; index < kSignals.size(); ++index) ::sigaction(kSignals[index], &before[index], nullptr);
}

void throw_if_interrupted() {
  if (noted_signal != 0) throw Interrupted(noted_signal);
}

}  // namespace culprit
