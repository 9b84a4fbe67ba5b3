#include "build/parallel_tasks.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <map>

#include "base/error.h"

namespace culprit {
namespace {

constexpr size_t kMostSteps = 8;
constexpr int kFailedStatus = 1;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What a task's process tells its parent; lives in memory that both share.
struct Shared {
  size_t steps;
  std::array<char[64], kMostSteps> names;
  std::array<double, kMostSteps + 1> began;  ///< one more than steps: when the last one ended
  char message[1024];
  char remedy[256];
};

void copy_text(const std::string& text, char* to, size_t size) {
  const size_t length = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

/// The tasks' processes and the memory shared with them.
class Running {
 public:
  explicit Running(size_t tasks) : tasks_(tasks) {
    void* memory = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CULPRIT_ASSERT(memory != MAP_FAILED, std::strerror(errno));
    shared_ = static_cast<Shared*>(memory);
  }
  ~Running() {
    for (const auto& [pid, task] : children_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    ::munmap(shared_, bytes());
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  Shared& shared(size_t task) { return shared_[task]; }
  size_t count() const { return children_.size(); }

  void start(const ParallelTask& task, size_t index, const std::function<void(const std::string&)>& announce) {
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0)
      throw UserError(fmt::format("cannot start a process: {}", std::strerror(errno)), "free some memory or processes",
                      ExitCode::kEnvironmentLacks);
    if (pid > 0) {
      children_[pid] = index;
      return;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kFailedStatus);
    ::_exit(run_here(task, shared_[index], announce));
  }

  /// Waits until one task ends well; throws when it failed.
  void wait_for_one(const std::vector<ParallelTask>& tasks) {
    int status = 0;
    pid_t pid = 0;
    while ((pid = ::wait(&status)) < 0) CULPRIT_ASSERT(errno == EINTR, std::strerror(errno));
    const auto found = children_.find(pid);
    if (found == children_.end()) return;
    const size_t index = found->second;
    children_.erase(found);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    const Shared& told = shared_[index];
    const std::string step = told.steps > 0 ? told.names[told.steps - 1] : "start";
    const std::string where = fmt::format("the step `{}` of {}", step, tasks[index].name);
    if (told.message[0]) throw UserError(fmt::format("{} failed: {}", where, told.message), told.remedy);
    const std::string how = WIFSIGNALED(status) ? fmt::format("crashed ({})", ::strsignal(WTERMSIG(status)))
                                                : fmt::format("ended with status {}", WEXITSTATUS(status));
    throw UserError(fmt::format("{} {}", where, how),
                    "this is a fault of the compiler or of Culprit: please report it with the bitcode (--keep DIR)");
  }

 private:
  size_t bytes() const { return std::max<size_t>(1, tasks_) * sizeof(Shared); }

  static int run_here(const ParallelTask& task, Shared& told, const std::function<void(const std::string&)>& announce) {
    try {
      task.body([&](const std::string& step) {
        CULPRIT_ASSERT(told.steps < kMostSteps, step);
        copy_text(step, told.names[told.steps], sizeof told.names[0]);
        told.began[told.steps] = seconds_now();
        ++told.steps;
        announce(fmt::format("{} {}", step, task.name));
      });
      told.began[told.steps] = seconds_now();
      return 0;
    } catch (const UserError& error) {
      copy_text(error.what(), told.message, sizeof told.message);
      copy_text(error.remedy(), told.remedy, sizeof told.remedy);
    } catch (const std::exception& error) {
      copy_text(error.what(), told.message, sizeof told.message);
    }
    return kFailedStatus;
  }

  size_t tasks_;
  Shared* shared_;
  std::map<pid_t, size_t> children_;
};

}  // namespace

std::vector<StepTime> run_tasks(const std::vector<ParallelTask>& tasks, unsigned width,
                                const std::function<void(const std::string&)>& announce) {
  Running running(tasks.size());
  for (size_t index = 0; index < tasks.size(); ++index) {
    if (running.count() >= std::max(1U, width)) running.wait_for_one(tasks);
    running.start(tasks[index], index, announce);
  }
  while (running.count() > 0) running.wait_for_one(tasks);

  std::vector<StepTime> times;
  for (size_t index = 0; index < tasks.size(); ++index) {
    const Shared& told = running.shared(index);
    for (size_t step = 0; step < told.steps; ++step) {
      times.push_back(
          {fmt::format("{} {}", told.names[step], tasks[index].name), told.began[step + 1] - told.began[step]});
    }
  }
  return times;
}

}  // namespace culprit
