// libFuzzer target: reading a capture never crashes, whatever the file holds.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.h"
#include "capture/archive.h"
#include "capture/capture.h"
#include "capture/elf.h"

namespace culprit {
namespace {

void read_everything(const ElfFile& elf) {
  for (const ElfSection& section : elf.sections()) elf.content(section);
  elf.interpreter();
  elf.needed_libraries();
  elf.library_search_path();
  elf.symbols(".symtab");
  elf.symbols(".dynsym");
}

template <typename Read>
void tolerate_bad_input(Read read) {
  try {
    read();
  } catch (const UserError&) {
  } catch (const CorruptData&) {
  }
}

}  // namespace
}  // namespace culprit

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace culprit;
  const auto bytes = std::as_bytes(std::span(data, size));
  tolerate_bad_input([&] { read_capture_of(bytes, "fuzzed"); });
  tolerate_bad_input([&] { read_everything(ElfFile(bytes, "fuzzed")); });
  return 0;
}
