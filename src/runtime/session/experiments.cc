// Experiments: the spine is the unaltered run; at each listed branch instance it forks, and the child goes on with the
// branch switched, in a world of its own (DESIGN §5; FIC §4.1). A fork costs 0.1 ms where starting the program anew
// costs its whole run up to the branch.

#include <asm/unistd.h>

#include "runtime/session/agent.h"

namespace culprit::agent {
namespace {

constexpr uint32_t kMostWorkers = 64;
constexpr int kSeekCurrent = 1, kSeekSet = 0, kSeekEnd = 2;

struct Worker {
  int process;  // 0: free
  int output;
  int error;
  format::ExperimentRecord* experiment;
  uint64_t inherited_bytes;  // of standard output, written before the switch
};

Worker workers[kMostWorkers];
uint64_t next_experiment;
format::ExperimentRecord* current;

format::ExperimentRecord* experiments() {
  return reinterpret_cast<format::ExperimentRecord*>(reinterpret_cast<char*>(control) + control->experiments_offset);
}

uint32_t worker_count() {
  return control->workers < kMostWorkers ? control->workers : kMostWorkers;
}

/// The first position in [from, from + bytes) of the run's output at which `descriptor` differs from what is expected.
uint64_t first_difference(int descriptor, uint64_t from, uint64_t to) {
  static char buffer[1 << 16];
  const char* expected = reinterpret_cast<char*>(control) + control->expected_offset;
  while (from < to) {
    const uint64_t wanted = to - from < sizeof buffer ? to - from : sizeof buffer;
    const long got = call(__NR_pread64, descriptor, buffer, wanted, from);
    if (got <= 0) return from;
    for (long i = 0; i < got; ++i, ++from) {
      if (from >= control->expected_bytes || expected[from] != buffer[i]) return from;
    }
  }
  return ~uint64_t{0};
}

void finish(Worker& worker, int status) {
  format::ExperimentRecord& experiment = *worker.experiment;
  experiment.wait_status = status;
  const long end = call(__NR_lseek, worker.output, 0, kSeekEnd);
  experiment.output_bytes = end > 0 ? static_cast<uint64_t>(end) : 0;
  uint64_t difference = first_difference(1, 0, worker.inherited_bytes);
  if (difference == ~uint64_t{0}) {
    difference = first_difference(worker.output, worker.inherited_bytes, experiment.output_bytes);
  }
  if (difference == ~uint64_t{0} && experiment.output_bytes < control->expected_bytes) {
    difference = experiment.output_bytes;
  }
  experiment.first_difference = difference;
  __atomic_store_n(&experiment.finished, 1U, __ATOMIC_RELEASE);
  worker.process = 0;
}

/// Waits for one altered run to end. False when none is running.
bool reap_one() {
  bool any = false;
  for (Worker& worker : workers) any = any || worker.process != 0;
  if (!any) return false;
  int status = 0;
  const long process = call(__NR_wait4, -1, &status, 0x40000000 /*__WALL*/, nullptr);
  for (Worker& worker : workers) {
    if (process > 0 && worker.process == process) finish(worker, status);
  }
  return true;
}

Worker& free_worker() {
  while (true) {
    for (uint32_t i = 0; i < worker_count(); ++i) {
      if (workers[i].process == 0) return workers[i];
    }
    reap_one();
  }
}

void prepare(Worker& worker) {
  if (worker.experiment == nullptr) {
    worker.output = static_cast<int>(call(__NR_memfd_create, "stdout", 1 /*CLOEXEC*/));
    worker.error = static_cast<int>(call(__NR_memfd_create, "stderr", 1));
  }
  worker.experiment = &experiments()[next_experiment];
  const long written = call(__NR_lseek, 1, 0, kSeekCurrent);
  worker.inherited_bytes = written > 0 ? static_cast<uint64_t>(written) : 0;
  call(__NR_ftruncate, worker.output, 0);
  call(__NR_ftruncate, worker.output, worker.inherited_bytes);
  call(__NR_lseek, worker.output, worker.inherited_bytes, kSeekSet);
  call(__NR_ftruncate, worker.error, 0);
  call(__NR_lseek, worker.error, 0, kSeekSet);
}

}  // namespace

format::ExperimentRecord* current_experiment() {
  return current;
}

uint64_t next_experiment_instance() {
  return next_experiment < control->experiment_count ? experiments()[next_experiment].instance : ~uint64_t{0};
}

bool begin_experiment(uint64_t instance, uint32_t& way) {
  bool altered = false;
  while (!altered && next_experiment_instance() == instance) {
    Worker& worker = free_worker();
    prepare(worker);
    const long child = call(__NR_clone, 17 /*SIGCHLD*/, nullptr, nullptr, nullptr, nullptr);
    if (child == 0) {
      current = worker.experiment;
      altered = true;
      way = current->way;
      call(__NR_prctl, 1 /*PR_SET_PDEATHSIG*/, 9 /*SIGKILL*/);
      seal_world(worker.output, worker.error);
    } else if (child > 0) {
      worker.process = static_cast<int>(child);
    }
    ++next_experiment;
  }
  if (!altered && next_experiment_instance() == ~uint64_t{0} && control->mode == format::SessionMode::kExperiments) {
    // Nothing is left to try, and the unaltered run's end is known already.
    finish_experiments();
    call(__NR_exit_group, 0);
  }
  return altered;
}

void finish_experiments() {
  while (reap_one()) {
  }
}

}  // namespace culprit::agent
