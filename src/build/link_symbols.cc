#include "build/link_symbols.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "capture/elf.h"

namespace culprit {
namespace {

/// The value of `--option=value`, or of `--option value` (then `at` moves on).
std::optional<std::string> value_of(const std::vector<std::string>& words, size_t& at, const std::string& option) {
  for (const std::string& dashes : {std::string("--"), std::string("-")}) {
    const std::string name = dashes + option;
    if (words[at].starts_with(name + "=")) return words[at].substr(name.size() + 1);
    if (words[at] == name && at + 1 < words.size()) return words[++at];
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> linker_words(const LinkRecord& record) {
  std::vector<std::string> all;
  for (const LinkInput& input : record.inputs) {
    if (input.kind != LinkInputKind::kOption || input.words.empty()) continue;
    const std::string& first = input.words.front();
    if (first.starts_with("-Wl,")) {
      std::istringstream in(first.substr(4));
      for (std::string word; std::getline(in, word, ',');) all.push_back(word);
    } else if (first == "-Xlinker") {
      all.insert(all.end(), input.words.begin() + 1, input.words.end());
    } else {
      all.insert(all.end(), input.words.begin(), input.words.end());
    }
  }
  return all;
}

LinkSymbols link_symbols(const Capture& program) {
  LinkSymbols symbols;
  if (!program.link) return symbols;
  const std::vector<std::string> words = linker_words(*program.link);
  for (size_t at = 0; at < words.size(); ++at) {
    if (words[at] == "-z" && at + 1 < words.size() && words[at + 1] == "muldefs")
      symbols.allow_multiple_definitions = true;
    if (words[at] == "-zmuldefs" || words[at] == "--allow-multiple-definition")
      symbols.allow_multiple_definitions = true;
    if (const auto symbol = value_of(words, at, "wrap")) {
      symbols.wraps.push_back(*symbol);
    } else if (const auto definition = value_of(words, at, "defsym")) {
      const size_t equals = definition->find('=');
      if (equals != std::string::npos) {
        symbols.definitions.push_back({definition->substr(0, equals), definition->substr(equals + 1)});
      }
    }
  }
  return symbols;
}

std::vector<std::string> exported_symbols(const Capture& library) {
  const ElfFile elf(library.file->bytes(), library.path);
  std::vector<std::string> names;
  for (const ElfSymbol& symbol : elf.symbols(".dynsym")) {
    if (symbol.section == SHN_UNDEF || symbol.visibility == STV_PROTECTED) continue;
    names.emplace_back(symbol.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool links_symbolically(const Capture& library) {
  if (!library.link) return false;
  const std::vector<std::string> words = linker_words(*library.link);
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.starts_with("-Bsymbolic"); });
}

}  // namespace culprit
