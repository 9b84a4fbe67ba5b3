// Points that are reached go to a file (format/points_abi.h, kPointsVariable): ids, or hashes where there are many. A
// forked child reports nothing.
#include <fcntl.h>
#include <sys/syscall.h>

#include "runtime/environment.h"
#include "runtime/index/points.h"
#include "runtime/raw_syscall.h"

namespace culprit::runtime {
namespace {

constexpr size_t kBufferBytes = 1 << 16;

struct Report {
  long file = -1;
  long process = 0;
  format::ReportForm form = format::ReportForm::kIds;
  uint64_t limit = 0;
  uint64_t reached = 0;
  int lock = 0;
  size_t used = 0;
  char buffer[kBufferBytes];
};
Report report;

class Locked {
 public:
  Locked() {
    while (__atomic_exchange_n(&report.lock, 1, __ATOMIC_ACQUIRE) != 0) raw_syscall(SYS_sched_yield);
  }
  ~Locked() { __atomic_store_n(&report.lock, 0, __ATOMIC_RELEASE); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

void flush() {
  size_t written = 0;
  while (written < report.used) {
    const long done = raw_syscall(SYS_write, report.file, as_argument(report.buffer + written),
                                  static_cast<long>(report.used - written));
    if (done <= 0) break;  // the file will be seen to be too short
    written += static_cast<size_t>(done);
  }
  report.used = 0;
}

void append(const void* bytes, size_t count) {
  const auto* from = static_cast<const char*>(bytes);
  while (count > 0) {
    if (report.used == kBufferBytes) flush();
    const size_t part = count < kBufferBytes - report.used ? count : kBufferBytes - report.used;
    __builtin_memcpy(report.buffer + report.used, from, part);
    report.used += part;
    from += part;
    count -= part;
  }
}

uint64_t take_number(const char*& text) {
  uint64_t number = 0;
  while (*text >= '0' && *text <= '9') number = number * 10 + static_cast<uint64_t>(*text++ - '0');
  if (*text == ' ') ++text;
  return number;
}

void write_head(bool finished) {
  const format::ReportHead head{.version = format::kPointsVersion,
                                .kind = culprit_point_plan.kind,
                                .form = report.form,
                                .finished = finished,
                                .reached = report.reached,
                                .stack_bytes = finished ? most_point_bytes() : 0};
  raw_syscall(SYS_pwrite64, report.file, as_argument(&head), sizeof head, 0);
}

void start(int, char**, char** environment) {
  if (!&culprit_point_plan) return;
  const char* value = take_variable(environment, "CULPRIT_POINTS=");
  if (!value) return;
  report.limit = take_number(value);
  report.form = static_cast<format::ReportForm>(take_number(value));
  report.file = raw_syscall(SYS_openat, AT_FDCWD, as_argument(value), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (report.file < 0) return;
  report.process = raw_syscall(SYS_getpid);
  // Out of the way of descriptors that the program counts on.
  const long high = raw_syscall(SYS_fcntl, report.file, F_DUPFD_CLOEXEC, 1000);
  if (high >= 0) {
    raw_syscall(SYS_close, report.file);
    report.file = high;
  }
  write_head(false);
  raw_syscall(SYS_lseek, report.file, sizeof(format::ReportHead), 0);
}

/// A context is reported decoded: readers do not have the numbers' meaning.
void report_context(uint32_t site) {
  constexpr size_t kMost = 4096;
  static uint64_t id_bytes[2 * kMost];
  static uint32_t statements[kMost];
  auto* id = reinterpret_cast<culprit_point*>(id_bytes);
  size_t frames = 0;
  if (culprit_point_current(CULPRIT_POINT_CONTEXT, id, sizeof id_bytes) <= sizeof id_bytes) {
    frames = culprit_point_frames(id, statements, kMost);
    if (frames > kMost) frames = kMost;
  }
  const format::ReportedPoint point{.site = site, .words = static_cast<uint32_t>(frames)};
  append(&point, sizeof point);
  for (size_t each = 0; each < frames; ++each) {
    const uint64_t word = format::statement_site(statements[each]);
    append(&word, sizeof word);
  }
}

void report_point(uint32_t site) {
  const bool counted = culprit_point_plan.kind == format::PointKind::kCount;
  const bool numbered = counted || culprit_point_plan.kind == format::PointKind::kContext;
  const size_t stack_words =
      counted ? 0 : static_cast<size_t>(culprit_points.top - culprit_points.base) / sizeof(uint64_t);
  const uint64_t number[2] = {culprit_points.number, culprit_points.site};
  if (report.form == format::ReportForm::kIds) {
    if (culprit_point_plan.kind == format::PointKind::kContext) {
      report_context(site);
      return;
    }
    const format::ReportedPoint point{.site = site, .words = static_cast<uint32_t>(stack_words + (numbered ? 2 : 0))};
    append(&point, sizeof point);
    append(culprit_points.base, stack_words * sizeof(uint64_t));
    if (numbered) append(number, sizeof number);
    return;
  }
  PointHash hash(culprit_point_plan.kind);
  for (size_t at = 0; at < stack_words; ++at) {
    uint64_t word;
    __builtin_memcpy(&word, culprit_points.base + at * sizeof word, sizeof word);
    hash.add(word);
  }
  if (numbered) {
    hash.add(number[0]);
    hash.add(number[1]);
  }
  const uint64_t value = hash.value();
  append(&value, sizeof value);
}

}  // namespace

/// Before every constructor of the program.
__attribute__((section(".preinit_array"), used)) void (*const kStartReport)(int, char**, char**) = start;

/// After every destructor of the program.
__attribute__((destructor(101))) void finish_report() {
  if (report.file < 0 || raw_syscall(SYS_getpid) != report.process) return;
  const Locked locked;
  flush();
  write_head(true);
}

}  // namespace culprit::runtime

extern "C" void culprit_point_reached(uint32_t site) {
  using namespace culprit::runtime;
  if (report.file < 0) return;
  const Locked locked;
  // Children of a fork share the descriptor.
  if (report.process != raw_syscall(SYS_getpid) || report.reached++ >= report.limit) return;
  report_point(site);
}
