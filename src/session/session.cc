#include "session/session.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "recording/replay.h"
#include "recording/runtime_process.h"

namespace culprit {

using format::ReplayCommand;
using format::ReplayControl;
using format::ReplayPoint;
using format::ReplayReport;
using format::ReplayState;
using format::StatementAction;

namespace {

constexpr uint32_t kMostSessions = 1024;
constexpr size_t kMostEnding = 16;  // processes at a time that are not waited for yet

[[noreturn]] void fail(const char* what) {
  throw UserError(fmt::format("{}: {}", what, std::strerror(errno)), "check the limits on memory, files and processes",
                  ExitCode::kEnvironmentLacks);
}

}  // namespace

/// The shared memory of all sessions of one replay.
class Session::Slots {
 public:
  Slots() : descriptor_(::memfd_create("culprit-session", MFD_CLOEXEC)) {
    constexpr size_t kBytes = kMostSessions * format::kReplaySlotBytes;
    if (descriptor_ < 0 || ::ftruncate(descriptor_, kBytes) != 0) fail("cannot share memory with the replay");
    void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (memory == MAP_FAILED) fail("cannot share memory with the replay");
    memory_ = static_cast<std::byte*>(memory);
    for (uint32_t slot = kMostSessions; slot-- > 0;) free_.push_back(slot);
  }
  ~Slots() {
    for (const pid_t each : ending_) {
      while (::waitpid(each, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    ::munmap(memory_, kMostSessions * format::kReplaySlotBytes);
    ::close(descriptor_);
  }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  int descriptor() const { return descriptor_; }
  uint32_t take() {
    const std::lock_guard locked(mutex_);
    if (free_.empty()) {
      throw UserError("too many sessions of one replay", fmt::format("at most {} at a time", kMostSessions));
    }
    const uint32_t slot = free_.back();
    free_.pop_back();
    std::memset(memory_ + slot * format::kReplaySlotBytes, 0, format::kReplaySlotHeadBytes);
    control(slot).session = 1;
    return slot;
  }
  void give_back(uint32_t slot) {
    const std::lock_guard locked(mutex_);
    free_.push_back(slot);
  }
  /// Waits for a process that is about to end, though not at once.
  void reap_later(pid_t process) {
    const std::lock_guard locked(mutex_);
    ending_.push_back(process);
    while (!ending_.empty()) {
      const bool must = ending_.size() > kMostEnding;
      const pid_t reaped = ::waitpid(ending_.front(), nullptr, must ? 0 : WNOHANG);
      if (reaped == 0) return;
      if (reaped > 0 || errno != EINTR) ending_.pop_front();
    }
  }
  const ReplayReport& report(uint32_t slot) const {
    return *reinterpret_cast<const ReplayReport*>(memory_ + slot * format::kReplaySlotBytes);
  }
  ReplayControl& control(uint32_t slot) const {
    return *reinterpret_cast<ReplayControl*>(memory_ + slot * format::kReplaySlotBytes + format::kReplayControlOffset);
  }
  const char* output(uint32_t slot) const {
    return reinterpret_cast<const char*>(memory_ + slot * format::kReplaySlotBytes + format::kReplaySlotHeadBytes);
  }

 private:
  int descriptor_;
  std::byte* memory_ = nullptr;
  std::mutex mutex_;
  std::vector<uint32_t> free_;
  std::deque<pid_t> ending_;
};

struct Session::Process {
  std::shared_ptr<Slots> slots;
  uint32_t slot = 0;
  std::unique_ptr<recording::RuntimeProcess> first;  ///< of the session that was not forked
  pid_t id = -1;
  bool ended = false;

  ReplayControl& control() const { return slots->control(slot); }
  bool has_ended() const {
    return __atomic_load_n(&slots->report(slot).state, __ATOMIC_ACQUIRE) != ReplayState::kRunning;
  }

  ~Process() {
    if (!first && id > 0) {
      // One that has ended takes its memory down, which need not be waited for.
      if (!has_ended()) ::kill(id, SIGKILL);
      slots->reap_later(id);
    }
    first.reset();
    slots->give_back(slot);
  }

  /// The stop that follows as many commands as were given, or the end of the process.
  void wait_for_stop() const {
    ReplayControl& control = this->control();
    const uint32_t wanted = control.go_on + 1;
    for (;;) {
      const uint32_t now = __atomic_load_n(&control.stopped, __ATOMIC_ACQUIRE);
      if (now >= wanted) return;
      const timespec patience = {0, 200'000'000};  // then look whether somebody killed it
      const long waited = ::syscall(SYS_futex, &control.stopped, FUTEX_WAIT, now, &patience, nullptr, 0);
      if (waited == 0 || errno != ETIMEDOUT) continue;
      siginfo_t info{};
      if (::waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == id) {
        return;
      }
    }
  }

  void command(ReplayCommand what) {
    ReplayControl& control = this->control();
    control.command = what;
    __atomic_fetch_add(&control.go_on, 1, __ATOMIC_RELEASE);
    ::syscall(SYS_futex, &control.go_on, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
};

Session::Session(std::shared_ptr<Process> process) : process_(std::move(process)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Session Session::replay(const recording::Recording& recording, const std::filesystem::path& executable,
                        int hook_output) {
  auto process = std::make_shared<Process>();
  process->slots = std::make_shared<Slots>();
  process->slot = process->slots->take();
  process->first = recording::start_replay(
      recording.directory, recording.stream,
      {.executable = executable, .slots = process->slots->descriptor(), .hook_output = hook_output},
      process->slots->descriptor());
  process->id = process->first->id();
  process->wait_for_stop();
  if (process->control().stopped == 0) {
    throw UserError("the replay could not be started", "see the message above", ExitCode::kEnvironmentLacks);
  }
  return Session(process);
}

std::optional<Position> Session::run_to(const Point& point) {
  ReplayControl& control = process_->control();
  CULPRIT_ASSERT(point.kind != ReplayPoint::kStatement || control.alter_number == 0,
                 "a session that waits for an altered statement watches no other");
  control.point = point.kind;
  control.thread = point.thread;
  control.statement = point.statement;
  control.number = point.number;
  process_->command(ReplayCommand::kGoOn);
  process_->wait_for_stop();
  if (process_->has_ended() || control.stopped != control.go_on + 1) return std::nullopt;
  return Position{.reached = control.reached,
                  .thread = control.at_thread,
                  .ticks = control.ticks,
                  .events = control.events,
                  .frames = control.frames,
                  .instruction = control.instruction,
                  .signal = control.signal,
                  .address = control.address};
}

namespace {

/// Writes an alteration into the memory that is shared with the process.
struct Request {
  Session& session;
  ReplayControl& control;

  void operator()(const SwitchBranch& branch) const {
    control.switch_block = branch.block;
    control.switch_way = branch.way;
    control.switch_number = branch.number;
  }
  void operator()(const SuppressStatement& each) const {
    alter(StatementAction::kSuppress, each.statement, each.number, each.result, 0);
  }
  void operator()(const ReplaceWrite& each) const {
    alter(StatementAction::kReplaceWrite, each.statement, each.number, each.value, 0);
  }
  void operator()(const ReplaceRead& each) const {
    alter(StatementAction::kReplaceRead, each.statement, each.number, each.value, each.address);
  }
  void operator()(const WriteMemory& each) const {
    if (session.write_memory(each.address, each.bytes)) return;
    throw UserError(fmt::format("{} bytes at {:#x} cannot be written", each.bytes.size(), each.address),
                    "name memory that the program may write");
  }
  void alter(StatementAction action, uint32_t statement, uint64_t number, uint64_t value, uint64_t address) const {
    control.alter_action = action;
    control.alter_statement = statement;
    control.alter_number = number;
    control.alter_value = value;
    control.alter_address = address;
  }
};

}  // namespace

std::shared_ptr<Session::Process> Session::make_copy() {
  auto copy = std::make_shared<Process>();
  copy->slots = process_->slots;
  copy->slot = copy->slots->take();
  return copy;
}

void Session::start_copy(Process& copy) {
  ReplayControl& control = process_->control();
  control.fork_slot = copy.slot;
  process_->command(ReplayCommand::kFork);
  process_->wait_for_stop();
  if (control.forked <= 0) {
    errno = -control.forked;
    fail("cannot fork the replay");
  }
  copy.id = control.forked;
}

Session Session::fork() {
  std::shared_ptr<Process> copy = make_copy();
  start_copy(*copy);
  copy->wait_for_stop();
  return Session(copy);
}

Session Session::start_experiment(const Alteration& alteration, uint64_t tick_limit) {
  if (std::holds_alternative<WriteMemory>(alteration)) {
    Session experiment = fork();
    experiment.apply(alteration);
    experiment.start_to_finish(tick_limit);
    return experiment;
  }
  Session experiment(make_copy());
  experiment.apply(alteration);
  // The command is there before the process.
  experiment.start_to_finish(tick_limit);
  start_copy(*experiment.process_);
  return experiment;
}

void Session::apply(const Alteration& alteration) {
  ReplayControl& control = process_->control();
  control.altered = 1;
  std::visit(Request{*this, control}, alteration);
}

bool Session::write_memory(uint64_t address, std::span<const std::byte> bytes) {
  process_->control().altered = 1;
  const iovec from = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  const iovec to = {reinterpret_cast<void*>(address), bytes.size()};
  return ::process_vm_writev(process_->control().process, &from, 1, &to, 1, 0) == static_cast<ssize_t>(bytes.size());
}

bool Session::read_memory(uint64_t address, std::span<std::byte> into) const {
  const iovec to = {into.data(), into.size()};
  const iovec from = {reinterpret_cast<void*>(address), into.size()};
  return ::process_vm_readv(process_->control().process, &to, 1, &from, 1, 0) == static_cast<ssize_t>(into.size());
}

void Session::start_to_finish(uint64_t tick_limit) {
  ReplayControl& control = process_->control();
  control.point = ReplayPoint::kNone;
  control.tick_limit = tick_limit;
  process_->command(ReplayCommand::kGoOn);
}

Outcome Session::outcome() {
  process_->wait_for_stop();
  const ReplayReport& report = process_->slots->report(process_->slot);
  const ReplayControl& control = process_->control();
  Outcome outcome{.state = report.state,
                  .exit_status = report.exit_status,
                  .exit_signal = report.exit_signal,
                  .hung = control.hung != 0,
                  .took_effect = control.took_effect != 0,
                  .said = {},
                  .output_bytes = control.output_bytes,
                  .output = {}};
  outcome.said.assign(report.said, strnlen(report.said, sizeof report.said));
  if (outcome.state == ReplayState::kRunning) {
    outcome.state = ReplayState::kFailed;
    outcome.said = "the replaying process was ended from outside";
  }
  outcome.output.assign(process_->slots->output(process_->slot),
                        std::min<uint64_t>(outcome.output_bytes, format::kReplaySlotOutputBytes));
  return outcome;
}

pid_t Session::process_id() const {
  return process_->id;
}

Outcome Session::finish(uint64_t tick_limit) {
  start_to_finish(tick_limit);
  return outcome();
}

}  // namespace culprit
