#include "cli/differing_memory.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/file.h"
#include "capture/elf.h"
#include "cli/open_model.h"
#include "format/runtime_abi.h"
#include "recording/children.h"
#include "recording/memory_place.h"
#include "recording/replay.h"

namespace culprit::cli {
namespace {

constexpr size_t kMostNames = 6;

/// Addresses relative to an image's start.
struct Range {
  uint64_t low, high;
  bool meets(uint64_t start, uint64_t bytes) const { return start < high && start + bytes > low; }
};

/// Members of the structures that hold all variables of a captured program, before the runtime's own.
void add_globals(std::vector<std::string>& names, const recording::Recording& recording, const ElfSymbol& symbol,
                 uint64_t start, const Range& line) {
  const program::ProgramModel model = open_model(recording.manifest.program);
  for (const uint32_t index : model.globals()) {
    const format::VariableRecord& variable = model.variable(index);
    if (model.text(variable.symbol) != symbol.name || variable.type == format::kNone) continue;
    const uint64_t bytes = (model.type(variable.type).bits + 7) / 8;
    if (line.meets(start + static_cast<uint64_t>(variable.offset), bytes)) {
      names.emplace(names.begin(), model.text(variable.name));
    }
  }
}

/// Variables of an image that a line of memory meets.
std::vector<std::string> variables_at(const recording::Recording& recording, const recording::Image& image,
                                      uint64_t address) {
  std::vector<std::string> names;
  const std::filesystem::path copy = recording::copied_file(recording.directory, image.file);
  const MappedFile file(copy);
  if (!ElfFile::has_magic(file.bytes())) return names;
  const ElfFile elf(file.bytes(), copy.string());
  const uint64_t from = address - image.base + elf.lowest_page();
  const Range line = {from, from + format::kLineBytes};
  const char* table = elf.section(".symtab") != nullptr ? ".symtab" : ".dynsym";
  for (const ElfSymbol& symbol : elf.symbols(table)) {
    if (symbol.type != STT_OBJECT || !line.meets(symbol.value, symbol.size)) continue;
    if (symbol.name == format::kGlobalsSymbol || symbol.name == format::kZeroGlobalsSymbol) {
      add_globals(names, recording, symbol, symbol.value, line);
    } else {
      names.emplace_back(symbol.name);
    }
  }
  return names;
}

}  // namespace

std::string differing_memory_text(const recording::Recording& recording, const format::ReplayReport& report) {
  if (report.differing_lines == 0) return "where is not known";
  const uint64_t address = report.first_differing;
  const recording::MemoryPlace place = recording::memory_place(recording.stream, address);
  std::string variables, where = place.text;
  if (place.image) {
    if (place.image->file == recording::first_executable(recording.stream)) where = recording.manifest.program;
    const std::vector<std::string> names = variables_at(recording, *place.image, address);
    for (size_t each = 0; each < names.size() && each < kMostNames; ++each) {
      variables += fmt::format("{}{}", each == 0 ? "" : ", ", names[each]);
    }
    if (names.size() > kMostNames) variables += fmt::format(" or {} more", names.size() - kMostNames);
  }
  return fmt::format("first in the {} bytes at {:#x} in {}{}; {} such line{} differ{}", format::kLineBytes, address,
                     where, variables.empty() ? "" : " (" + variables + ")", report.differing_lines,
                     report.differing_lines == 1 ? "" : "s", report.differing_lines == 1 ? "s" : "");
}

}  // namespace culprit::cli
