// The zones, from low to high:
//
//   code       ELF header, notes, start-up code, thunks, fast bodies, native code
//   linkage    PLT: as long as the program names the same functions first, their entries keep their places
//   constants
//   private    dynamic linking, unwind tables, GOT, observed bodies: the only zone whose contents differ between plans
//   variables  last, since uninitialised data may be large; its end is where the heap starts
//
// All code lies below .eh_frame_hdr, which lld sorts by the distance to it, taken for a number without sign.
//
// Every zone has a segment of its own, so that the gaps cost neither memory nor file; none may be empty, since the
// program can see how many there are. The small code model reaches all of it. There is no RELRO segment: its extent
// would depend on the GOT's, and ld.so would protect another range.

#include "build/link_layout.h"

#include <fmt/format.h>

#include "build/job.h"

namespace culprit {
namespace {

constexpr uint64_t kFixedBase = 0x400000;  // of executables that are not position-independent
constexpr uint64_t kLinkage = 0x4000000;
constexpr uint64_t kConstants = 0x5000000;
constexpr uint64_t kPrivate = 0x8000000;
constexpr uint64_t kVariables = 0x10000000;

/// Braces are doubled for fmt. Arguments: base and zones, `*/culprit-observed-*.o`.
constexpr const char* kSections = R"(
SECTIONS {{
  . = {base:#x} + SIZEOF_HEADERS;
  {interpreter}
  .note.culprit : {{ *(.note.culprit) }} :code :notes
  .note.all : {{ *(.note .note.*) }} :code :notes
  .init : {{ KEEP(*(.init)) }} :code
  .culprit.thunks : {{ *(.culprit.thunks) }} :code
  .text : {{ *(EXCLUDE_FILE({observed}) .text EXCLUDE_FILE({observed}) .text.*) }} :code
  .fini : {{ KEEP(*(.fini)) }} :code
  PROVIDE(etext = .); PROVIDE(_etext = .); PROVIDE(__etext = .);

  . = {base:#x} + {linkage:#x};
  .plt : {{ *(.plt) *(.plt.got) *(.plt.sec) *(.iplt) }} :linkage

  . = {base:#x} + {constants:#x};
  .rodata : {{ *(EXCLUDE_FILE({observed}) .rodata EXCLUDE_FILE({observed}) .rodata.*) }} :constants

  . = {base:#x} + {private_zone:#x};
  .culprit.text : {{ BYTE(0xcc) *(.text .text.*) }} :private_code
  . = ALIGN(0x1000);
  .dynsym : {{ *(.dynsym) }} :private_constants
  .gnu.version : {{ *(.gnu.version) }}
  .gnu.version_d : {{ *(.gnu.version_d) }}
  .gnu.version_r : {{ *(.gnu.version_r) }}
  .gnu.hash : {{ *(.gnu.hash) }}
  .hash : {{ *(.hash) }}
  .dynstr : {{ *(.dynstr) }}
  .rela.dyn : {{ *(.rela.dyn) }}
  .rela.plt : {{ *(.rela.plt) }}
  .culprit.rodata : {{ *(.rodata .rodata.*) }} :private_constants
  .eh_frame_hdr : {{ *(.eh_frame_hdr) }} :private_constants :unwind
  .eh_frame : {{ KEEP(*(.eh_frame)) }} :private_constants
  .gcc_except_table : {{ *(.gcc_except_table .gcc_except_table.*) }}
  . = ALIGN(0x1000);
  .culprit.data.rel.ro : {{ {observed}(.data.rel.ro .data.rel.ro.*) }} :private_variables
  {dynamic}
  .got : {{ *(.got) }} :private_variables
  .got.plt : {{ *(.got.plt) }}
  .culprit.data : {{ {observed}(.data .data.*) }}
  .culprit.bss : {{ {observed}(.bss .bss.*) }}

  . = {base:#x} + {variables:#x};
  .tdata : {{ *(.tdata .tdata.*) }} :variables :tls
  .tbss : {{ *(.tbss .tbss.*) }} :variables :tls
  .preinit_array : {{ KEEP(*(.preinit_array)) }} :variables
  .init_array : {{ KEEP(*(SORT_BY_INIT_PRIORITY(.init_array.*) SORT_BY_INIT_PRIORITY(.ctors.*))) KEEP(*(.init_array .ctors)) }}
  .fini_array : {{ KEEP(*(SORT_BY_INIT_PRIORITY(.fini_array.*) SORT_BY_INIT_PRIORITY(.dtors.*))) KEEP(*(.fini_array .dtors)) }}
  .data.rel.ro : {{ *(.data.rel.ro .data.rel.ro.*) }}
  .data : {{ *(.data .data.*) }}
  PROVIDE(edata = .); PROVIDE(_edata = .);
  PROVIDE(__bss_start = .);
  .bss : {{ *(.bss.rel.ro) *(.bss .bss.*) *(COMMON) }}
  PROVIDE(end = .); PROVIDE(_end = .);
}}
)";

}  // namespace

std::vector<std::string> layout_options(const std::string& script) {
  // Constants that only some bodies use would be removed from some executables only.
  return {"-T", script, "-z", "norelro", "--no-gc-sections"};
}

std::string layout_script(Loading loading) {
  const bool dynamic = loading == Loading::kDynamic || loading == Loading::kDynamicPie;
  const bool has_dynamic_section = loading != Loading::kStatic;
  const bool fixed = loading == Loading::kDynamic || loading == Loading::kStatic;
  std::string script = "PHDRS {\n  headers PT_PHDR PHDRS;\n";
  if (dynamic) script += "  interpreter PT_INTERP;\n";
  script +=
      "  code PT_LOAD FILEHDR PHDRS FLAGS(5);\n  linkage PT_LOAD FLAGS(5);\n  constants PT_LOAD FLAGS(4);\n"
      "  private_code PT_LOAD FLAGS(5);\n  private_constants PT_LOAD FLAGS(4);\n"
      "  private_variables PT_LOAD FLAGS(6);\n  variables PT_LOAD FLAGS(6);\n";
  if (has_dynamic_section) script += "  dynamic PT_DYNAMIC FLAGS(6);\n";
  script +=
      "  tls PT_TLS FLAGS(4);\n  notes PT_NOTE FLAGS(4);\n  unwind PT_GNU_EH_FRAME FLAGS(4);\n"
      "  stack PT_GNU_STACK FLAGS(6);\n}\n";
  using fmt::arg;
  return script + fmt::format(kSections, arg("base", fixed ? kFixedBase : 0), arg("linkage", kLinkage),
                              arg("constants", kConstants), arg("private_zone", kPrivate), arg("variables", kVariables),
                              arg("observed", fmt::format("*/{}*.o", kObservedObjectPrefix)),
                              arg("interpreter", dynamic ? ".interp : { *(.interp) } :code :interpreter" : ""),
                              arg("dynamic",
                                  has_dynamic_section ? ".dynamic : { *(.dynamic) } :private_variables :dynamic" : ""));
}

}  // namespace culprit
