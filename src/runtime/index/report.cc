// Points that are reached go to a file (format/points_abi.h, kPointsVariable): ids, or hashes where there are many. The
// file is written through a mapping, so that nothing is lost when the program is killed. A forked child reports
// nothing.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/environment.h"
#include "runtime/index/points.h"
#include "runtime/raw_syscall.h"

namespace culprit::runtime {
namespace {

constexpr size_t kWindowBytes = 1 << 20;

struct Report {
  long file = -1;
  long process = 0;
  format::ReportForm form = format::ReportForm::kIds;
  uint64_t limit = 0;
  uint64_t reached = 0;
  int lock = 0;
  size_t window_start = 0;  // in the file
  size_t used = 0;          // of the window
  char* window = nullptr;
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

/// Maps the part of the file from `start` on, which it makes long enough.
bool open_window(size_t start) {
  if (report.window) raw_syscall(SYS_munmap, as_argument(report.window), kWindowBytes);
  report.window = nullptr;
  if (raw_syscall(SYS_ftruncate, report.file, static_cast<long>(start + kWindowBytes)) != 0) return false;
  const long at =
      raw_syscall(SYS_mmap, 0, kWindowBytes, PROT_READ | PROT_WRITE, MAP_SHARED, report.file, static_cast<long>(start));
  if (at < 0) return false;
  report.window = reinterpret_cast<char*>(at);
  report.window_start = start;
  report.used = 0;
  return true;
}

void append(const void* bytes, size_t count) {
  const auto* from = static_cast<const char*>(bytes);
  while (count > 0) {
    // Without room on disk the report is short, which its reader sees.
    if (!report.window || (report.used == kWindowBytes && !open_window(report.window_start + kWindowBytes))) return;
    const size_t part = count < kWindowBytes - report.used ? count : kWindowBytes - report.used;
    __builtin_memcpy(report.window + report.used, from, part);
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
  if (open_window(0)) report.used = sizeof(format::ReportHead);
}

/// A context is reported decoded: readers do not have the numbers' meaning.
void report_context(format::ReportedPoint point) {
  constexpr size_t kMost = 4096;
  static uint64_t id_bytes[2 * kMost];
  static uint32_t statements[kMost];
  auto* id = reinterpret_cast<culprit_point*>(id_bytes);
  size_t frames = 0;
  if (culprit_point_current(CULPRIT_POINT_CONTEXT, id, sizeof id_bytes) <= sizeof id_bytes) {
    frames = culprit_point_frames(id, statements, kMost);
    if (frames > kMost) frames = kMost;
  }
  point.words = static_cast<uint32_t>(frames);
  append(&point, sizeof point);
  for (size_t each = 0; each < frames; ++each) {
    const uint64_t word = format::statement_site(statements[each]);
    append(&word, sizeof word);
  }
}

void report_point(format::ReportedPoint point) {
  const bool counted = culprit_point_plan.kind == format::PointKind::kCount;
  const bool numbered = counted || culprit_point_plan.kind == format::PointKind::kContext;
  const size_t stack_words =
      counted ? 0 : static_cast<size_t>(culprit_points.top - culprit_points.base) / sizeof(uint64_t);
  const uint64_t number[2] = {culprit_points.number, culprit_points.site};
  if (report.form == format::ReportForm::kIds) {
    if (culprit_point_plan.kind == format::PointKind::kContext) {
      report_context(point);
      return;
    }
    point.words = static_cast<uint32_t>(stack_words + (numbered ? 2 : 0));
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
  raw_syscall(SYS_ftruncate, report.file, static_cast<long>(report.window_start + report.used));
  write_head(true);
  // What still runs after this reports nothing.
  report.file = -1;
}

}  // namespace culprit::runtime

namespace {

void reach(const culprit::format::ReportedPoint& point) {
  using namespace culprit::runtime;
  if (report.file < 0) return;
  // Points beyond the limit are counted, and may be a thousand times as many.
  if (__atomic_fetch_add(&report.reached, 1, __ATOMIC_RELAXED) >= report.limit) return;
  // Children of a fork share the descriptor.
  if (report.process != raw_syscall(SYS_getpid)) return;
  const Locked locked;
  report_point(point);
}

}  // namespace

extern "C" void culprit_point_reached(uint32_t site) {
  reach({.site = site, .words = 0, .has_value = 0, .reserved = 0, .value = 0});
}

extern "C" void culprit_point_value(uint32_t site, uint64_t value) {
  reach({.site = site, .words = 0, .has_value = 1, .reserved = 0, .value = value});
}
