#include "runtime/loader/image.h"

#include "runtime/loader/deep_stacks.h"
#include "runtime/loader/files.h"
#include "runtime/loader/log_cursor.h"
#include "runtime/loader/log_writer.h"
#include "runtime/loader/runtime.h"
#include "runtime/loader/signals.h"
#include "runtime/loader/start_core.h"
#include "runtime/loader/text.h"
#include "runtime/loader/timestamps.h"

namespace culprit::loader {
namespace {

using format::Event;
using format::EventKind;
using format::MapPart;
using format::PartKind;
using format::StartRegisters;

constexpr uint32_t kMostMaps = 256;
constexpr uint32_t kMostReplacements = 64;
constexpr uint32_t kUnrecordedFile = 0;                     // any index: only tells that there is a file
constexpr uint64_t kRseqFeatureSize = 27, kRseqAlign = 28;  // AT_RSEQ_*, newer than the oldest headers

/// The mappings of an image and where it starts.
struct Image {
  MapPart maps[kMostMaps];
  uint32_t count = 0;
};
Image image;

/// Executables of other plans, by the recorded ones' index.
struct Replacement {
  uint32_t file;
  const char* path;
};
Replacement replacements[kMostReplacements];
uint32_t replacement_count;

const char* replacement_of(uint32_t file) {
  for (uint32_t each = 0; each < replacement_count; ++each) {
    if (replacements[each].file == file) return replacements[each].path;
  }
  return nullptr;
}

/// An executable or ld.so after loading.
struct Loaded {
  uint64_t base;  ///< what is added to the file's addresses
  uint64_t entry;
  uint64_t headers;  ///< address of the program headers, 0 when not mapped
  uint64_t header_count;
  uint64_t end;  ///< end of the highest segment
  char interpreter[4096];
};

/// Puts one mapping in place, reading from `fd` when it has a file.
void place(const MapPart& map, int fd) {
  const bool from_file = map.file != format::kNoFile;
  const uint64_t flags = MAP_PRIVATE | MAP_FIXED | (from_file ? 0 : MAP_ANONYMOUS | MAP_NORESERVE);
  const bool clears = map.zero_from < map.address + map.bytes;
  const uint64_t protection = map.protection | (clears ? PROT_WRITE : 0);
  const long result = raw(__NR_mmap, map.address, map.bytes, protection, flags,
                          from_file ? static_cast<uint64_t>(fd) : ~uint64_t{0}, map.file_offset);
  if (failed(result)) fail("cannot map a segment of the program", result);
  if (clears) __builtin_memset(reinterpret_cast<void*>(map.zero_from), 0, map.address + map.bytes - map.zero_from);
  if (protection != map.protection) raw(__NR_mprotect, map.address, map.bytes, map.protection);
  if (!runtime.space.add(map.address, map.address + map.bytes)) fail("too many mappings");
  if (from_file && (map.protection & PROT_EXEC)) rewrite_timestamps(map.address, map.address + map.bytes);
}

void add_map(const MapPart& map, int fd) {
  if (image.count == kMostMaps) fail("the executable has too many segments");
  image.maps[image.count++] = map;
  place(map, fd);
}

/// Finds the executable's variables among the mappings of a start, seen in their order.
class Variables {
 public:
  void see(const MapPart& map) {
    if (program_ == format::kNoFile) program_ = map.file;
    const bool continues = map.file == format::kNoFile && map.address == end_;
    in_program_ = map.file == program_ || continues;
    if (!in_program_) return;
    end_ = map.address + map.bytes;
    if (!(map.protection & PROT_WRITE)) return;
    if (!continues) runtime.variables_low = map.address;
    runtime.variables_high = end_;
  }
  /// Whether the last mapping seen is of the executable.
  bool in_program() const { return in_program_; }

 private:
  uint32_t program_ = format::kNoFile;
  uint64_t end_ = 0;  ///< of the executable's last mapping
  bool in_program_ = false;
};

uint32_t protection_of(uint32_t flags) {
  return (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) | (flags & PF_X ? PROT_EXEC : 0);
}

void read_exactly(int fd, void* to, uint64_t bytes, uint64_t offset, const char* path) {
  if (raw(__NR_pread64, fd, word(to), bytes, offset) != static_cast<long>(bytes)) fail(path, -ENOEXEC);
}

/// Maps an ELF file; position-independent ones so that the lowest segment is at or just above `wanted`
/// (`wanted` = 0: at the top of the program's mmap range).
void load_elf(const char* path, uint64_t wanted, Loaded& loaded) {
  const long fd = raw(__NR_openat, AT_FDCWD, word(path), O_RDONLY | O_CLOEXEC, 0);
  if (failed(fd)) fail(path, fd);
  Elf64_Ehdr header;
  read_exactly(fd, &header, sizeof header, 0, path);
  const bool elf = __builtin_memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
  if (!elf || header.e_machine != EM_X86_64 || (header.e_type != ET_EXEC && header.e_type != ET_DYN)) {
    fail(path, -ENOEXEC);
  }
  constexpr unsigned kMostHeaders = 64;
  static Elf64_Phdr segments[kMostHeaders];
  if (header.e_phnum > kMostHeaders || header.e_phentsize != sizeof(Elf64_Phdr)) fail(path, -ENOEXEC);
  read_exactly(fd, segments, header.e_phnum * sizeof(Elf64_Phdr), header.e_phoff, path);

  uint64_t low = ~uint64_t{0}, high = 0, alignment = kPage;
  loaded.interpreter[0] = 0;
  for (unsigned each = 0; each < header.e_phnum; ++each) {
    const Elf64_Phdr& segment = segments[each];
    if (segment.p_type == PT_INTERP) {
      if (segment.p_filesz >= sizeof loaded.interpreter) fail(path, -ENOEXEC);
      read_exactly(fd, loaded.interpreter, segment.p_filesz, segment.p_offset, path);
      loaded.interpreter[segment.p_filesz] = 0;
    }
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_vaddr < low) low = page_down(segment.p_vaddr);
    if (segment.p_vaddr + segment.p_memsz > high) high = page_up(segment.p_vaddr + segment.p_memsz);
    if (segment.p_align > alignment) alignment = segment.p_align;
  }
  if (low >= high || high - low > (uint64_t{1} << 40)) fail(path, -ENOEXEC);
  uint64_t base = 0;
  if (header.e_type == ET_DYN) {
    if (wanted == 0) wanted = runtime.space.highest_free(kMapLow, kMapHigh, high - low + alignment);
    base = ((wanted + alignment - 1) & ~(alignment - 1)) - low;
  }
  if (!runtime.space.is_free(base + low, base + high) || base + high > kProgramHigh ||
      (base + low < kRuntimeHigh && base + high > kRuntimeLow)) {
    fail(path, -ENOMEM);
  }

  uint32_t file = runtime.mode == Mode::kRecord ? copy_in_recording(static_cast<int>(fd)) : kUnrecordedFile;
  if (file == format::kNoFile) {
    if (runtime.mode == Mode::kRecord) fail("cannot copy the executable into the recording");
    file = kUnrecordedFile;  // the disk is full: recording has stopped, the program runs all the same
  }
  loaded.headers = 0;
  for (unsigned each = 0; each < header.e_phnum; ++each) {
    const Elf64_Phdr& segment = segments[each];
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    const uint64_t start = base + segment.p_vaddr;
    const uint64_t file_end = start + segment.p_filesz, memory_end = start + segment.p_memsz;
    const uint64_t mapped_end = segment.p_filesz ? page_up(file_end) : page_down(start);
    if (segment.p_filesz) {
      add_map({page_down(start), mapped_end - page_down(start), page_down(segment.p_offset), file,
               protection_of(segment.p_flags), memory_end > file_end ? file_end : mapped_end},
              static_cast<int>(fd));
    }
    if (page_up(memory_end) > mapped_end) {
      const uint64_t bytes = page_up(memory_end) - mapped_end;
      add_map({mapped_end, bytes, 0, format::kNoFile, protection_of(segment.p_flags), mapped_end + bytes}, -1);
    }
    if (header.e_phoff >= segment.p_offset && header.e_phoff < segment.p_offset + segment.p_filesz) {
      loaded.headers = start + header.e_phoff - segment.p_offset;
    }
  }
  raw(__NR_close, fd);
  loaded.base = base;
  loaded.entry = base + header.e_entry;
  loaded.header_count = header.e_phnum;
  loaded.end = base + high;
}

uint64_t stack_bytes() {
  uint64_t limit[2] = {8u << 20, 0};
  raw(__NR_getrlimit, 3 /* RLIMIT_STACK */, word(limit));
  return limit[0] < kStackBytesMost ? page_up(limit[0]) : kStackBytesMost;
}

/// Grows down from the top of the program's stack.
class StackBuilder {
 public:
  explicit StackBuilder(uint64_t top) : at_(top) {}
  uint64_t put(const void* bytes, uint64_t count) {
    at_ -= count;
    __builtin_memcpy(reinterpret_cast<void*>(at_), bytes, count);
    return at_;
  }
  uint64_t text(const char* string) { return put(string, text_bytes(string) + 1); }
  /// Makes room for `words` words so that the first one is at a multiple of 16.
  uint64_t* words(uint64_t words) {
    at_ = (at_ - words * 8) & ~uint64_t{15};
    return reinterpret_cast<uint64_t*>(at_);
  }

 private:
  uint64_t at_;
};

/// Variables that are added where the user has not set them: lazy binding leaves processor state in dead stack, and
/// threads that wait by spinning would wait for one that does not hold the baton.
struct Variable {
  const char* text;
  size_t name_bytes;  ///< with the equals sign
};
constexpr Variable kVariables[] = {{"LD_BIND_NOW=1", 12}, {"OMP_WAIT_POLICY=passive", 16}};

bool has_variable(char** environment, const Variable& variable) {
  for (; *environment; ++environment) {
    size_t each = 0;
    while (each < variable.name_bytes && (*environment)[each] == variable.text[each]) ++each;
    if (each == variable.name_bytes) return true;
  }
  return false;
}

/// AT_RANDOM: the same in every run, so that stack protectors and pointer guards are.
constexpr unsigned char kRandomBytes[16] = {0x00, 0x63, 0x75, 0x6c, 0x70, 0x72, 0x69, 0x74,
                                            0x9e, 0x37, 0x79, 0xb9, 0x7f, 0x4a, 0x7c, 0x15};

uint64_t build_stack(const char* path, uint64_t* initial, unsigned skipped, const Loaded& program, uint64_t base) {
  const uint64_t all_arguments = initial[0];
  char** arguments = reinterpret_cast<char**>(initial + 1 + skipped);
  const uint64_t count = all_arguments - skipped;
  char** environment = reinterpret_cast<char**>(initial + 1 + all_arguments + 1);
  uint64_t variables = 0;
  while (environment[variables]) ++variables;
  const char* added[sizeof kVariables / sizeof kVariables[0]];
  uint64_t added_count = 0;
  for (const Variable& variable : kVariables) {
    if (!has_variable(environment, variable)) added[added_count++] = variable.text;
  }
  const auto* auxiliary = reinterpret_cast<const uint64_t*>(environment + variables + 1);
  uint64_t entries = 0;
  while (auxiliary[2 * entries] != AT_NULL) ++entries;

  StackBuilder stack(kStackTop - 16);
  const uint64_t name = stack.text(path);
  const uint64_t random = stack.put(kRandomBytes, sizeof kRandomBytes);
  const uint64_t platform = stack.text("x86_64");
  // Strings first, from the last to the first, so that they lie in the kernel's order; then the words.
  const uint64_t most_words = 1 + count + 1 + variables + added_count + 1 + 2 * (entries + 1);
  uint64_t text_total = 0;
  for (uint64_t each = 0; each < variables; ++each) text_total += text_bytes(environment[each]) + 1;
  for (uint64_t each = 0; each < added_count; ++each) text_total += text_bytes(added[each]) + 1;
  for (uint64_t each = 0; each < count; ++each) text_total += text_bytes(arguments[each]) + 1;
  uint64_t text = platform - text_total;
  StackBuilder below(text);
  uint64_t* words = below.words(most_words);
  uint64_t at = 0;
  const auto put_text = [&](const char* string) {
    const uint64_t bytes = text_bytes(string) + 1;
    __builtin_memcpy(reinterpret_cast<void*>(text), string, bytes);
    words[at++] = text;
    text += bytes;
  };
  words[at++] = count;
  for (uint64_t each = 0; each < count; ++each) put_text(arguments[each]);
  words[at++] = 0;
  for (uint64_t each = 0; each < variables; ++each) put_text(environment[each]);
  for (uint64_t each = 0; each < added_count; ++each) put_text(added[each]);
  words[at++] = 0;
  for (uint64_t each = 0; each < entries; ++each) {
    uint64_t key = auxiliary[2 * each], value = auxiliary[2 * each + 1];
    switch (key) {
      case AT_SYSINFO_EHDR:  // the vDSO would answer without a system call
      case kRseqFeatureSize:
      case kRseqAlign:
        continue;
      case AT_PHDR:
        value = program.headers;
        break;
      case AT_PHNUM:
        value = program.header_count;
        break;
      case AT_BASE:
        value = base;
        break;
      case AT_ENTRY:
        value = program.entry;
        break;
      case AT_EXECFN:
        value = name;
        break;
      case AT_RANDOM:
        value = random;
        break;
      case AT_PLATFORM:
        value = platform;
        break;
      case AT_BASE_PLATFORM:
        continue;
      default:
        break;
    }
    words[at++] = key;
    words[at++] = value;
  }
  words[at++] = AT_NULL;
  words[at++] = 0;
  return word(words);
}

}  // namespace

StartRegisters load_program(const char* path, const char* name, uint64_t* initial_stack, unsigned arguments) {
  static Loaded program, interpreter;
  image.count = 0;
  load_elf(path, kProgramBase, program);
  uint64_t entry = program.entry, base = 0;
  if (program.interpreter[0]) {
    load_elf(program.interpreter, 0, interpreter);
    entry = interpreter.entry;
    base = interpreter.base;
  }
  runtime.break_start = runtime.break_now = page_up(program.end) + (1 << 20);
  Variables variables;
  for (uint32_t each = 0; each < image.count; ++each) variables.see(image.maps[each]);

  const uint64_t bytes = stack_bytes();
  add_map({kStackTop - bytes, bytes, 0, format::kNoFile, PROT_READ | PROT_WRITE, kStackTop}, -1);
  StartRegisters registers = {entry, build_stack(name, initial_stack, arguments, program, base), 0, 0, 0};
  inherited_signals(registers.ignored, registers.blocked);
  if (runtime.mode == Mode::kRecord) registers.core = keep_start_core();

  static PartSource parts[kMostMaps + 3];
  uint32_t count = 0;
  parts[count++] = {0, runtime.program, static_cast<uint32_t>(text_bytes(runtime.program)), PartKind::kText};
  for (uint32_t each = 0; each < image.count; ++each) {
    parts[count++] = {image.maps[each].address, &image.maps[each], sizeof(MapPart), PartKind::kMap};
  }
  parts[count++] = {registers.stack, reinterpret_cast<const void*>(registers.stack),
                    static_cast<uint32_t>(kStackTop - registers.stack), PartKind::kMemory};
  parts[count++] = {0, &registers, sizeof registers, PartKind::kRegisters};
  append_event({.bytes = 0,
                .kind = EventKind::kStart,
                .flags = 0,
                .number = 0,
                .thread = 0,
                .check = 0,
                .result = static_cast<int64_t>(runtime.break_start),
                .ticks = 0},
               parts, count);
  return registers;
}

void replace_executable(uint32_t index, const char* path) {
  if (replacement_count == kMostReplacements) fail("too many executables to replace");
  replacements[replacement_count++] = {index, path};
}

StartRegisters load_recorded_program() {
  const Event* event = next_event();
  if (event == nullptr) end_replay(format::ReplayState::kLogEnded, 0, 0);  // killed before it began
  if (event->kind != EventKind::kStart) fail("the recording has no start");
  runtime.break_start = runtime.break_now = static_cast<uint64_t>(event->result);
  StartRegisters registers = {};
  image.count = 0;
  runtime.other_plan = false;
  Variables variables;
  for (PartView part(*event); part.valid(); part.next()) {
    switch (part.kind()) {
      case PartKind::kText:
        __builtin_memcpy(runtime.program, part.bytes(),
                         part.size() < sizeof runtime.program - 1 ? part.size() : sizeof runtime.program - 1);
        break;
      case PartKind::kMap: {
        const auto& map = *reinterpret_cast<const MapPart*>(part.bytes());
        variables.see(map);
        // An executable of another plan is mapped when the first mapping of the recorded one comes.
        if (runtime.other_plan && variables.in_program()) break;
        if (const char* path = replacement_of(map.file); path != nullptr && !runtime.other_plan) {
          runtime.other_plan = true;
          static Loaded other;
          load_elf(path, map.address, other);
          break;
        }
        const int fd = map.file == format::kNoFile ? -1 : open_copy(map.file);
        place(map, fd);
        if (fd >= 0) raw(__NR_close, fd);
        if (runtime.other_plan && map.address + map.bytes == kStackTop) deepen_first_stack(map.address);
        break;
      }
      case PartKind::kMemory:
        __builtin_memcpy(reinterpret_cast<void*>(part.address()), part.bytes(), part.size());
        break;
      case PartKind::kRegisters:
        registers = *reinterpret_cast<const StartRegisters*>(part.bytes());
        keep_recorded_core(registers.core);
        break;
      case PartKind::kWaits:
      case PartKind::kIdentity:
      case PartKind::kSharedMemory:
      case PartKind::kMemoryLines:
      case PartKind::kSharedLines:
      case PartKind::kDescriptor:
      case PartKind::kSpin:
        break;
    }
  }
  return registers;
}

}  // namespace culprit::loader
