// What a link's options do to symbols; it is done again on the merged bitcode.
#pragma once

#include <string>
#include <vector>

#include "build/job.h"
#include "capture/capture.h"

namespace culprit {

struct LinkSymbols {
  std::vector<std::string> wraps;
  std::vector<SymbolDefinition> definitions;
  bool allow_multiple_definitions = false;
};

/// The words that the linker itself was given, in order (`-Wl,a,b` and `-Xlinker a` taken apart).
std::vector<std::string> linker_words(const LinkRecord& record);

LinkSymbols link_symbols(const Capture& program);

/// The symbols that a shared library defines for others, sorted.
std::vector<std::string> exported_symbols(const Capture& library);

/// Whether the library was linked with -Bsymbolic or -Bsymbolic-functions.
bool links_symbolically(const Capture& library);

}  // namespace culprit
