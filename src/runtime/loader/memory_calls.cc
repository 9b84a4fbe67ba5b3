// Calls that change the address space: run in every mode, at places chosen here.

#include "runtime/loader/altered_files.h"
#include "runtime/loader/call_sites.h"
#include "runtime/loader/calls.h"
#include "runtime/loader/deep_stacks.h"
#include "runtime/loader/files.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/ticks.h"
#include "runtime/loader/timestamps.h"

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;
using format::MapPart;
using format::PartKind;

bool is_the_programs(uint64_t low, uint64_t bytes) {
  const uint64_t high = low + bytes;
  if (high < low || high > kProgramHigh) return false;
  return (high <= kRuntimeLow || low >= kRuntimeHigh) && !is_for_trampolines(low, high);
}

/// Where a mapping goes: a fixed place, the hint if it is free, or the highest free place. 0: nowhere, `error` is set.
uint64_t choose_place(uint64_t hint, uint64_t bytes, uint64_t flags, long& error) {
  if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
    error = hint & (kPage - 1) ? -EINVAL : -ENOMEM;
    if ((hint & (kPage - 1)) || !is_the_programs(hint, bytes)) return 0;
    if ((flags & MAP_FIXED_NOREPLACE) && !runtime.space.is_free(hint, hint + bytes)) {
      error = -EEXIST;
      return 0;
    }
    return hint;
  }
  error = -ENOMEM;
  hint = page_down(hint);
  if (hint >= 65536 && is_the_programs(hint, bytes) && runtime.space.is_free(hint, hint + bytes)) return hint;
  constexpr uint64_t kLow32 = 0x40000000, kHigh32 = 0x80000000;
  if (flags & MAP_32BIT) return runtime.space.highest_free(kLow32, kHigh32, bytes);
  if (flags & MAP_STACK) {
    if (const uint64_t place = place_of_stack(bytes)) return place;
  }
  return runtime.space.highest_free(kMapLow, kMapHigh, bytes);
}

/// What the log says about this call when replaying: the copied file to map.
uint32_t recorded_file() {
  const Event* event = peek_event();
  if (event == nullptr || event->kind != EventKind::kCall) return format::kNoFile;
  for (PartView part(*event); part.valid(); part.next()) {
    if (part.kind() == PartKind::kMap) return reinterpret_cast<const MapPart*>(part.bytes())->file;
  }
  return format::kNoFile;
}

/// Like settle, with the mapping's file.
long settle_mapping(Call& call, long result, uint32_t file) {
  if (runtime.mode != Mode::kRecord || file == format::kNoFile || failed(result)) return settle(call, result);
  const MapPart map = {static_cast<uint64_t>(result),
                       call.arguments[1],
                       call.arguments[5],
                       file,
                       static_cast<uint32_t>(call.arguments[2]),
                       0};
  const PartSource part = {map.address, &map, sizeof map, PartKind::kMap};
  append_call(call, result, &part, 1);
  return result;
}

/// A replay must get what the recording got: else the address spaces have parted.
long agree(Call& call, long real, long recorded) {
  if (runtime.mode == Mode::kReplay && real != recorded) {
    diverge({EventKind::kCall, current_thread().index, static_cast<uint32_t>(call.number), 0, call.arguments,
             static_cast<uint64_t>(real)},
            "gets another result for a call that changes its memory");
  }
  return recorded;
}

/// While replaying, a call that failed when recorded changes nothing and is not run.
bool failed_when_recorded() {
  if (runtime.mode != Mode::kReplay || runtime.altered) return false;
  const Event* event = peek_event();
  return event != nullptr && event->kind == EventKind::kCall && failed(event->result);
}

long map(Call& call) {
  uint64_t* arguments = call.arguments;
  const bool of_file = !(arguments[3] & MAP_ANONYMOUS);
  const int altered_file = runtime.altered && of_file ? real_descriptor(arguments[4]) : -1;
  if (runtime.altered && of_file && altered_file < 0) return -ENODEV;
  const uint64_t flags = arguments[3];
  if (failed_when_recorded()) return settle(call, 0);
  long error = -EINVAL;
  const uint64_t bytes = page_up(arguments[1]);
  const uint64_t place = arguments[1] == 0 || bytes == 0 ? 0 : choose_place(arguments[0], bytes, flags, error);
  if (place == 0) return agree(call, error, settle(call, error));

  uint32_t file = format::kNoFile;
  uint64_t fd = arguments[4], real_flags = (flags & ~uint64_t{MAP_FIXED_NOREPLACE | MAP_32BIT}) | MAP_FIXED;
  int copy = -1;
  if (!(flags & MAP_ANONYMOUS)) {
    if (runtime.altered) {
      fd = static_cast<uint64_t>(altered_file);
      real_flags = (real_flags & ~uint64_t{MAP_TYPE}) | MAP_PRIVATE;
    } else if (runtime.mode == Mode::kReplay) {
      file = recorded_file();
      if (file != format::kNoFile) {
        fd = static_cast<uint64_t>(copy = open_copy(file));
      } else {
        real_flags |= MAP_ANONYMOUS;  // a device: its contents were not recorded
        fd = ~uint64_t{0};
      }
      real_flags = (real_flags & ~uint64_t{MAP_TYPE}) | MAP_PRIVATE;
    } else if (runtime.mode == Mode::kRecord) {
      file = copy_in_recording(static_cast<int>(fd));
    }
  } else if (runtime.mode == Mode::kReplay) {
    real_flags = (real_flags & ~uint64_t{MAP_TYPE}) | MAP_PRIVATE;
    fd = ~uint64_t{0};
  }
  forget_call_sites(place, place + bytes);
  long result = raw(__NR_mmap, place, arguments[1], arguments[2], real_flags, fd,
                    copy < 0 && altered_file < 0 && runtime.mode == Mode::kReplay ? 0 : arguments[5]);
  if (copy >= 0) raw(__NR_close, copy);
  if (!failed(result)) {
    if (!runtime.space.add(place, place + bytes)) result = -ENOMEM;
    const bool shared = (flags & MAP_TYPE) != MAP_PRIVATE;
    shared ? runtime.shared.add(place, place + bytes) : runtime.shared.remove(place, place + bytes);
    const bool of_code = !(flags & MAP_ANONYMOUS) && !shared && (arguments[2] & PROT_EXEC);
    if (of_code) rewrite_timestamps(place, place + bytes);
    if (has_deep_stacks() && (flags & MAP_STACK) && is_mapped_stack(place)) deepen_mapped_stack(place, bytes);
  }
  return agree(call, result, settle_mapping(call, result, file));
}

long unmap(Call& call) {
  const uint64_t low = call.arguments[0], bytes = page_up(call.arguments[1]);
  if (failed_when_recorded()) return settle(call, 0);
  long result = -EINVAL;
  if (bytes != 0 && !(low & (kPage - 1)) && is_the_programs(low, bytes)) {
    forget_call_sites(low, low + bytes);
    result = raw(__NR_munmap, low, bytes);
    if (result == 0) {
      runtime.space.remove(low, low + bytes);
      runtime.shared.remove(low, low + bytes);
      if (has_deep_stacks() && is_mapped_stack(low)) end_mapped_stack(low, bytes);
    }
  }
  return agree(call, result, settle(call, result));
}

long protect_or_advise(Call& call) {
  const uint64_t* arguments = call.arguments;
  if (failed_when_recorded()) return settle(call, 0);
  long result = -ENOMEM;
  if (is_the_programs(arguments[0], arguments[1])) {
    // The page that guards a stack is not where it ends.
    const bool guards =
        call.number == __NR_mprotect && arguments[2] == 0 && has_deep_stacks() && is_mapped_stack(arguments[0]);
    const uint64_t what = guards ? PROT_READ | PROT_WRITE : arguments[2];
    result = raw(static_cast<long>(call.number), arguments[0], arguments[1], what);
  }
  // Advice is about speed, except where it succeeds; its success can depend on the kernel's configuration.
  const long recorded = settle(call, result);
  return call.number == __NR_madvise ? recorded : agree(call, result, recorded);
}

long remap(Call& call) {
  const uint64_t* arguments = call.arguments;
  const uint64_t old_address = arguments[0], old_bytes = page_up(arguments[1]), bytes = page_up(arguments[2]);
  const uint64_t flags = arguments[3];
  if (failed_when_recorded()) return settle(call, 0);
  long result = -EINVAL;
  const bool sane = !(old_address & (kPage - 1)) && bytes != 0 && is_the_programs(old_address, old_bytes) &&
                    is_the_programs(old_address, bytes) && !(flags & MREMAP_DONTUNMAP);
  if (sane) {
    uint64_t place = old_address;
    if (flags & MREMAP_FIXED) {
      place = is_the_programs(arguments[4], bytes) ? arguments[4] : 0;
    } else if (bytes > old_bytes && !runtime.space.is_free(old_address + old_bytes, old_address + bytes)) {
      place = flags & MREMAP_MAYMOVE ? runtime.space.highest_free(kMapLow, kMapHigh, bytes) : 0;
    }
    if (place != 0) {
      forget_call_sites(old_address, old_address + old_bytes);
      forget_call_sites(place, place + bytes);
    }
    if (place == 0) {
      result = -ENOMEM;
    } else if (place == old_address && !(flags & MREMAP_FIXED)) {
      result = raw(__NR_mremap, old_address, old_bytes, bytes, 0);
    } else {
      result = raw(__NR_mremap, old_address, old_bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
    }
    if (!failed(result)) {
      const bool shared = runtime.shared.covers(old_address, old_address + 1);
      runtime.shared.remove(old_address, old_address + old_bytes);
      shared ? runtime.shared.add(place, place + bytes) : runtime.shared.remove(place, place + bytes);
      runtime.space.remove(old_address, old_address + old_bytes);
      runtime.space.add(place, place + bytes);
    }
  }
  return agree(call, result, settle(call, result));
}

long move_break(Call& call) {
  const uint64_t wanted = call.arguments[0];
  const uint64_t old_end = page_up(runtime.break_now), new_end = page_up(wanted);
  if (wanted >= runtime.break_start && is_the_programs(runtime.break_start, wanted - runtime.break_start)) {
    if (new_end > old_end && runtime.space.is_free(old_end, new_end)) {
      const long result = raw(__NR_mmap, old_end, new_end - old_end, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, ~uint64_t{0}, 0);
      if (!failed(result)) {
        runtime.space.add(old_end, new_end);
        runtime.break_now = wanted;
      }
    } else if (new_end <= old_end) {
      if (new_end < old_end) {
        raw(__NR_munmap, new_end, old_end - new_end);
        runtime.space.remove(new_end, old_end);
      }
      runtime.break_now = wanted;
    }
  }
  const auto result = static_cast<long>(runtime.break_now);
  return agree(call, result, settle(call, result));
}

}  // namespace

long memory_call(Call& call) {
  switch (call.number) {
    case __NR_mmap:
      return map(call);
    case __NR_munmap:
      return unmap(call);
    case __NR_mremap:
      return remap(call);
    case __NR_brk:
      return move_break(call);
    default:
      return protect_or_advise(call);
  }
}

}  // namespace culprit::loader
