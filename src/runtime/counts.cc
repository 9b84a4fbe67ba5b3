// The environment variable CULPRIT_COUNTS names the file; it is taken out of the environment before the program can see
// it. Without it nothing here does anything. Counts of a thread are added to the totals when it ends, by a destructor
// of thread-specific data (a key as low as the first ones needs no allocation); destructors of the program's own keys
// may still tick after that, so it asks to be run again as often as the C library repeats it.
//
// A forked child counts for itself and writes nothing.
#include "runtime/counts.h"

#include <fcntl.h>
#include <linux/limits.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "runtime/decimal.h"
#include "runtime/environment.h"
#include "runtime/raw_syscall.h"
#include "runtime/spin_lock.h"
#include "runtime/thread_state.h"

namespace culprit::runtime {
namespace {

struct Totals {
  uint64_t ticks = 0;
  uint64_t counts[format::kCountKinds] = {};
};

/// A thread whose counts are not in `ended` yet; lives in the thread itself.
struct CountedThread {
  format::ThreadState* state = nullptr;
  CountedThread* next = nullptr;
  CountedThread** link = nullptr;
  unsigned rounds = 0;
};

constexpr unsigned kDestructorRounds = 4;  // PTHREAD_DESTRUCTOR_ITERATIONS of glibc
constexpr char kVariable[] = "CULPRIT_COUNTS=";
constexpr const char* kCountNames[format::kCountKinds] = {"blocks", "loads", "stores", "calls"};

char file[PATH_MAX];
bool wanted = false;
long process = 0;
pthread_key_t key;
int lock = 0;
CountedThread* running = nullptr;
Totals ended;
thread_local CountedThread this_thread __attribute__((tls_model("local-exec")));

class Locked : SpinLock {
 public:
  Locked() : SpinLock(lock, [] { raw_syscall(SYS_sched_yield); }) {}
};

void add(Totals& totals, const format::ThreadState& thread) {
  totals.ticks += thread.granted - static_cast<uint64_t>(thread.budget);
  for (unsigned kind = 0; kind != format::kCountKinds; ++kind) totals.counts[kind] += thread.counts[kind];
}

void forget_thread(void* pointer) {
  auto* thread = static_cast<CountedThread*>(pointer);
  if (++thread->rounds < kDestructorRounds) {
    pthread_setspecific(key, thread);
    return;
  }
  Locked locked;
  add(ended, *thread->state);
  *thread->link = thread->next;
  if (thread->next) thread->next->link = thread->link;
}

char* append(char* at, const char* text) {
  while (*text != '\0') *at++ = *text++;
  return at;
}

char* append(char* at, uint64_t number) {
  for (const char digit : Decimal(number)) *at++ = digit;
  return at;
}

void take_file(char** environment) {
  const char* value = take_variable(environment, kVariable);
  if (!value) return;
  unsigned size = 0;
  while (value[size] != '\0' && size + 1 < sizeof(file)) {
    file[size] = value[size];
    ++size;
  }
  wanted = value[size] == '\0' && size > 0;
}

void start(int, char**, char** environment) {
  take_file(environment);
  if (!wanted) return;
  process = raw_syscall(SYS_getpid);
  wanted = pthread_key_create(&key, forget_thread) == 0;
}

}  // namespace

void count_thread(format::ThreadState& thread) {
  if (!wanted) return;
  Locked locked;
  this_thread = {.state = &thread, .next = running, .link = &running};
  if (running) running->link = &this_thread.next;
  running = &this_thread;
  pthread_setspecific(key, &this_thread);
}

/// Before every constructor of the program.
__attribute__((section(".preinit_array"), used)) void (*const kStart)(int, char**, char**) = start;

/// After every destructor of the program.
__attribute__((destructor(101))) void write_counts() {
  if (!wanted || raw_syscall(SYS_getpid) != process) return;
  Totals totals;
  {
    Locked locked;
    totals = ended;
    for (const CountedThread* thread = running; thread; thread = thread->next) add(totals, *thread->state);
  }
  char text[256];
  char* at = append(append(text, "{\"ticks\":"), totals.ticks);
  for (unsigned kind = 0; kind != format::kCountKinds; ++kind) {
    at = append(append(append(append(at, ",\""), kCountNames[kind]), "\":"), totals.counts[kind]);
  }
  at = append(at, "}\n");
  const long fd = raw_syscall(SYS_openat, AT_FDCWD, as_argument(file), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return;  // the program's own exit status says more than ours
  raw_syscall(SYS_write, fd, as_argument(text), at - text);
  raw_syscall(SYS_close, fd);
}

}  // namespace culprit::runtime
