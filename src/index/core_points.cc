#include "index/core_points.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/error.h"
#include "index/core_expression.h"
#include "index/core_memory.h"

namespace culprit {
namespace {

std::string symbol_of(Dwarf_Die& function) {
  Dwarf_Attribute attribute;
  const char* name = dwarf_formstring(dwarf_attr_integrate(&function, DW_AT_linkage_name, &attribute));
  if (!name) name = dwarf_diename(&function);
  return name ? name : "";
}

/// A variable of the unit, outside of functions.
std::optional<Dwarf_Die> find_global(Dwarf_Die& unit, const std::string& name) {
  Dwarf_Die child;
  if (dwarf_child(&unit, &child) != 0) return std::nullopt;
  do {
    const char* own = dwarf_tag(&child) == DW_TAG_variable ? dwarf_diename(&child) : nullptr;
    // Behind a declaration stands the definition.
    if (own && name == own && dwarf_hasattr_integrate(&child, DW_AT_location) != 0) return child;
  } while (dwarf_siblingof(&child, &child) == 0);
  return std::nullopt;
}

/// The variable of that name whose block holds `address`, innermost; not those of inlined functions.
std::optional<Dwarf_Die> find_variable(Dwarf_Die& block, const std::string& name, Dwarf_Addr address) {
  Dwarf_Die child;
  std::optional<Dwarf_Die> found;
  if (dwarf_child(&block, &child) != 0) return found;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
      const char* own = dwarf_diename(&child);
      if (!found && own && name == own) found = child;
    } else if (tag == DW_TAG_lexical_block && dwarf_haspc(&child, address) == 1) {
      if (auto inner = find_variable(child, name, address)) found = inner;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return found;
}

uint32_t number_of(Dwarf_Die& die, unsigned attribute_name) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  if (dwarf_attr(&die, attribute_name, &attribute)) dwarf_formudata(&attribute, &number);
  return static_cast<uint32_t>(number);
}

/// Of the compilation unit that holds the address; compilers need not list which unit holds what (.debug_aranges).
Dwarf_Die* find_unit(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr* bias) {
  if (Dwarf_Die* unit = dwfl_module_addrdie(module, address, bias)) return unit;
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, bias));) {
    if (dwarf_haspc(unit, address - *bias) == 1) return unit;
  }
  return nullptr;
}

class Reader {
 public:
  Reader(const std::filesystem::path& core, const std::filesystem::path& program,
         std::span<const OrderedLoop> loops)
      : core_path_(core), program_path_(program), loops_(loops) {}
  ~Reader() {
    if (session_) dwfl_end(session_);
    if (core_) elf_end(core_);
    if (file_ >= 0) close(file_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::vector<CoreThread> read() {
    open_core();
    memory_ = std::make_unique<CoreMemory>(core_);
    dwfl_getthreads(
        session_, [](Dwfl_Thread* thread, void* self) { return static_cast<Reader*>(self)->add_thread(thread); }, this);
    if (threads_.empty()) fail("holds no threads of");
    return std::move(threads_);
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw UserError(fmt::format("{} {} {}", core_path_.string(), what, program_path_.string()),
                    "give a core file and the very program that left it");
  }

  void open_core() {
    static char* no_path = nullptr;
    static const Dwfl_Callbacks callbacks{.find_elf = dwfl_build_id_find_elf,
                                          .find_debuginfo = dwfl_standard_find_debuginfo,
                                          .section_address = dwfl_offline_section_address,
                                          .debuginfo_path = &no_path};
    elf_version(EV_CURRENT);
    file_ = open(core_path_.c_str(), O_RDONLY | O_CLOEXEC);
    core_ = file_ < 0 ? nullptr : elf_begin(file_, ELF_C_READ_MMAP, nullptr);
    session_ = dwfl_begin(&callbacks);
    if (!core_ || !session_ || dwfl_core_file_report(session_, core_, program_path_.c_str()) < 0) {
      fail("is no core file of");
    }
    dwfl_report_end(session_, nullptr, nullptr);
    if (dwfl_core_file_attach(session_, core_) < 0) fail("is no core file of");
  }

  int add_thread(Dwfl_Thread* thread) {
    threads_.push_back({dwfl_thread_tid(thread), {}});
    dwfl_thread_getframes(
        thread, [](Dwfl_Frame* frame, void* self) { return static_cast<Reader*>(self)->add_frame(frame); }, this);
    std::reverse(threads_.back().frames.begin(), threads_.back().frames.end());
    return DWARF_CB_OK;
  }

  int add_frame(Dwfl_Frame* frame) {
    Dwarf_Addr address = 0;
    bool is_innermost = false;
    if (!dwfl_frame_pc(frame, &address, &is_innermost)) return DWARF_CB_ABORT;
    // A caller is at the call, not behind it.
    if (!is_innermost) --address;
    Dwfl_Module* module = dwfl_addrmodule(session_, address);
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = module ? find_unit(module, address, &bias) : nullptr;
    if (!unit || !add_described_frames(frame, *unit, address - bias, bias)) {
      const char* symbol = module ? dwfl_module_addrname(module, address) : nullptr;
      threads_.back().frames.push_back({.function = symbol ? symbol : "", .file = {}, .loops = {}});
    }
    return DWARF_CB_OK;
  }

  /// The functions inlined at the address, innermost first, and the one that they are part of.
  bool add_described_frames(Dwfl_Frame* frame, Dwarf_Die& unit, Dwarf_Addr address, Dwarf_Addr bias) {
    Dwarf_Die* innermost = nullptr;
    if (dwarf_getscopes(&unit, address, &innermost) <= 0) return false;
    Dwarf_Die* scopes = nullptr;
    const int count = dwarf_getscopes_die(&innermost[0], &scopes);
    std::free(innermost);
    Dwarf_Line* at = dwarf_getsrc_die(&unit, address);
    int number = 0;
    if (at) dwarf_lineno(at, &number);
    auto line = static_cast<uint32_t>(number);
    const char* file = at ? dwarf_linesrc(at, nullptr, nullptr) : nullptr;
    Dwarf_Die* function = nullptr;
    for (int each = 0; each < count; ++each) {
      if (dwarf_tag(&scopes[each]) == DW_TAG_subprogram) function = &scopes[each];
    }
    for (int each = 0; each < count && function; ++each) {
      const int tag = dwarf_tag(&scopes[each]);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      CoreFrame described{.function = symbol_of(scopes[each]), .file = file ? file : "", .line = line, .loops = {}};
      add_loops(described, unit, scopes[each], *function, frame, address, bias);
      threads_.back().frames.push_back(std::move(described));
      line = number_of(scopes[each], DW_AT_call_line);
      Dwarf_Files* files = nullptr;
      if (tag == DW_TAG_inlined_subroutine && dwarf_getsrcfiles(&unit, &files, nullptr) == 0) {
        file = dwarf_filesrc(files, number_of(scopes[each], DW_AT_call_file), nullptr, nullptr);
      }
    }
    std::free(scopes);
    return function != nullptr;
  }

  void add_loops(CoreFrame& described, Dwarf_Die& unit, Dwarf_Die& scope, Dwarf_Die& function, Dwfl_Frame* frame,
                 Dwarf_Addr address, Dwarf_Addr bias) const {
    std::vector<const OrderedLoop*> around;
    const std::filesystem::path file = std::filesystem::path(described.file).filename();
    for (const OrderedLoop& each : loops_) {
      if (each.function == described.function && each.first_line <= described.line && described.line <= each.last_line &&
          std::filesystem::path(each.file).filename() == file)
        around.push_back(&each);
    }
    std::ranges::stable_sort(around, std::greater<>(),
                             [](const auto* each) { return each->last_line - each->first_line; });
    for (const OrderedLoop* each : around) {
      std::optional<Dwarf_Die> variable;
      if (!each->variable.empty()) variable = find_variable(scope, each->variable, address);
      if (!each->variable.empty() && !variable) variable = find_global(unit, each->variable);
      described.loops.push_back(
          {.variable = each->variable,
           .line = each->first_line,
           .value = variable ? read_variable(*variable, function, frame, address, bias, *memory_) : std::nullopt});
    }
  }

  std::filesystem::path core_path_;
  std::filesystem::path program_path_;
  std::span<const OrderedLoop> loops_;
  int file_ = -1;
  Elf* core_ = nullptr;
  Dwfl* session_ = nullptr;
  std::unique_ptr<CoreMemory> memory_;
  std::vector<CoreThread> threads_;
};

}  // namespace

std::vector<CoreThread> read_core_points(const std::filesystem::path& core, const std::filesystem::path& program,
                                         std::span<const OrderedLoop> loops) {
  return Reader(core, program, loops).read();
}

}  // namespace culprit
