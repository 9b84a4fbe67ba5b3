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
uint64_t begun;  ///< experiments
format::ExperimentRecord* current;

format::ExperimentRecord* experiments() {
  return reinterpret_cast<format::ExperimentRecord*>(reinterpret_cast<char*>(control) + control->experiments_offset);
}

uint32_t worker_count() {
  return control->workers < kMostWorkers ? control->workers : kMostWorkers;
}

struct Text {
  const char* start;
  uint64_t bytes;
};

Text text_at(uint64_t offset, uint64_t bytes) {
  return {.start = reinterpret_cast<char*>(control) + offset, .bytes = bytes};
}

char buffer[1 << 16];

/// The first position in [from, to) of the run's output at which `descriptor` differs from `expected`; ~0: none.
uint64_t first_difference(int descriptor, uint64_t from, uint64_t to, const Text& expected) {
  while (from < to) {
    const uint64_t wanted = to - from < sizeof buffer ? to - from : sizeof buffer;
    const long got = call(__NR_pread64, descriptor, buffer, wanted, from);
    if (got <= 0) return from;
    for (long i = 0; i < got; ++i, ++from) {
      if (from >= expected.bytes || expected.start[from] != buffer[i]) return from;
    }
  }
  return ~uint64_t{0};
}

/// The same for a whole output, of which another descriptor has the part before the switch.
uint64_t first_difference(const Worker& worker, uint64_t output_bytes, const Text& expected) {
  uint64_t difference = first_difference(1, 0, worker.inherited_bytes, expected);
  if (difference == ~uint64_t{0}) {
    difference = first_difference(worker.output, worker.inherited_bytes, output_bytes, expected);
  }
  return difference == ~uint64_t{0} && output_bytes < expected.bytes ? output_bytes : difference;
}

/// How many bytes at the end of the output, `most` at most, are those at the end of `other`.
uint64_t same_end(int descriptor, uint64_t output_bytes, const Text& other, uint64_t most) {
  uint64_t same = 0;
  while (same < most) {
    const uint64_t wanted = most - same < sizeof buffer ? most - same : sizeof buffer;
    const uint64_t from = output_bytes - same - wanted;
    if (call(__NR_pread64, descriptor, buffer, wanted, from) != static_cast<long>(wanted)) return same;
    for (uint64_t i = wanted; i-- > 0; ++same) {
      if (buffer[i] != other.start[other.bytes - same - 1]) return same;
    }
  }
  return same;
}

/// Puts a copy of the whole output into the shared memory, if there is room.
void keep_output(const Worker& worker, format::ExperimentRecord& experiment) {
  experiment.kept_output = ~uint64_t{0};
  const uint64_t begin = control->kept_bytes;
  if (experiment.output_bytes > control->kept_capacity - begin) return;
  char* const target = reinterpret_cast<char*>(control) + control->kept_offset + begin;
  uint64_t copied = 0;
  while (copied < experiment.output_bytes) {
    const bool before_switch = copied < worker.inherited_bytes;
    const uint64_t to = before_switch && worker.inherited_bytes < experiment.output_bytes ? worker.inherited_bytes
                                                                                          : experiment.output_bytes;
    const long got = call(__NR_pread64, before_switch ? 1 : worker.output, target + copied, to - copied, copied);
    if (got <= 0) return;
    copied += static_cast<uint64_t>(got);
  }
  control->kept_bytes = begin + experiment.output_bytes;
  experiment.kept_output = begin;
}

void finish(Worker& worker, int status) {
  format::ExperimentRecord& experiment = *worker.experiment;
  experiment.wait_status = status;
  const long end = call(__NR_lseek, worker.output, 0, kSeekEnd);
  experiment.output_bytes = end > 0 ? static_cast<uint64_t>(end) : 0;
  experiment.first_difference =
      first_difference(worker, experiment.output_bytes, text_at(control->expected_offset, control->expected_bytes));
  const Text unaltered = text_at(control->unaltered_offset, control->unaltered_bytes);
  const uint64_t shorter = experiment.output_bytes < unaltered.bytes ? experiment.output_bytes : unaltered.bytes;
  const uint64_t same = first_difference(worker, experiment.output_bytes, unaltered);
  experiment.same_start = same < shorter ? same : shorter;
  const uint64_t own_part =
      experiment.output_bytes > worker.inherited_bytes ? experiment.output_bytes - worker.inherited_bytes : 0;
  const uint64_t rest = shorter - experiment.same_start;
  experiment.same_end = same_end(worker.output, experiment.output_bytes, unaltered, rest < own_part ? rest : own_part);
  keep_output(worker, experiment);
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
  worker.experiment = next_experiment();
  const long written = call(__NR_lseek, 1, 0, kSeekCurrent);
  worker.inherited_bytes = written > 0 ? static_cast<uint64_t>(written) : 0;
  call(__NR_ftruncate, worker.output, 0);
  call(__NR_ftruncate, worker.output, worker.inherited_bytes);
  call(__NR_lseek, worker.output, worker.inherited_bytes, kSeekSet);
  call(__NR_ftruncate, worker.error, 0);
  call(__NR_lseek, worker.error, 0, kSeekSet);
}

bool is_of_statement(const format::ExperimentRecord& experiment) {
  return experiment.statement != format::kNoStatement;
}

/// A process for the next experiment. True in the new one.
bool fork_experiment() {
  Worker& worker = free_worker();
  prepare(worker);
  ++begun;
  const long child = call(__NR_clone, 17 /*SIGCHLD*/, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) {
    current = worker.experiment;
    call(__NR_prctl, 1 /*PR_SET_PDEATHSIG*/, 9 /*SIGKILL*/);
    seal_world(worker.output, worker.error);
    return true;
  }
  if (child > 0) worker.process = static_cast<int>(child);
  return false;
}

/// Nothing is left to try, and the unaltered run's end is known already.
void end_when_all_are_made() {
  if (next_experiment()) return;
  finish_experiments();
  call(__NR_exit_group, 0);
}

}  // namespace

format::ExperimentRecord* current_experiment() {
  return current;
}

format::ExperimentRecord* next_experiment() {
  return begun < control->experiment_count ? &experiments()[begun] : nullptr;
}

void leave_out_experiment() {
  ++begun;
}

bool begin_branch_experiments(uint64_t instance, uint32_t& way) {
  while (next_experiment() && is_of_statement(*next_experiment()) && next_experiment()->instance < instance) ++begun;
  while (next_experiment() && !is_of_statement(*next_experiment()) && next_experiment()->instance == instance) {
    if (!fork_experiment()) continue;
    way = current->way;
    return true;
  }
  end_when_all_are_made();
  return false;
}

bool begin_statement_experiments(uint64_t passes) {
  const format::ExperimentRecord first = *next_experiment();
  const auto is_here = [&](const format::ExperimentRecord& each) {
    return each.statement == first.statement && each.instance == first.instance && each.passes == passes;
  };
  while (next_experiment() && is_here(*next_experiment())) {
    if (fork_experiment()) return true;
  }
  end_when_all_are_made();
  return false;
}

void finish_experiments() {
  while (reap_one()) {
  }
}

}  // namespace culprit::agent
