#include "capture/archive.h"

#include <ar.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/file.h"

namespace culprit {
namespace {

constexpr std::string_view kThinMagic = "!<thin>\n";
constexpr std::string_view kRegularMagic = ARMAG;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view without_trailing(std::string_view text, char padding) {
  while (!text.empty() && text.back() == padding) text.remove_suffix(1);
  return text;
}

std::optional<uint64_t> decimal(std::string_view text) {
  text = without_trailing(text, ' ');
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "/123" names the text at offset 123 of the long-name table, which ends with "/\n".
std::optional<std::string> long_name(std::string_view table, std::string_view reference) {
  const auto offset = decimal(reference.substr(1));
  if (!offset || *offset >= table.size()) return std::nullopt;
  const std::string_view rest = table.substr(*offset);
  return std::string(without_trailing(rest.substr(0, rest.find('\n')), '/'));
}

}  // namespace

bool is_archive(std::span<const std::byte> bytes) {
  return text_of(bytes).starts_with(kRegularMagic) || text_of(bytes).starts_with(kThinMagic);
}

void for_each_member(const std::filesystem::path& path, std::span<const std::byte> bytes,
                     const std::function<void(const ArchiveMember&)>& visit) {
  if (!is_archive(bytes)) throw CorruptData(path, 0, "not an archive");
  const bool is_thin = text_of(bytes).starts_with(kThinMagic);
  std::string_view long_names;
  for (uint64_t at = SARMAG; at < bytes.size();) {
    if (bytes.size() - at < sizeof(ar_hdr)) throw CorruptData(path, at, "the archive ends inside a member's header");
    ar_hdr header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    const auto size = decimal({header.ar_size, sizeof header.ar_size});
    if (std::string_view(header.ar_fmag, sizeof header.ar_fmag) != ARFMAG || !size) {
      throw CorruptData(path, at, "damaged header of an archive member");
    }
    const std::string_view raw_name = without_trailing({header.ar_name, sizeof header.ar_name}, ' ');
    const bool is_table = raw_name == "/" || raw_name == "//" || raw_name == "/SYM64/";
    const bool is_inside = is_table || !is_thin;
    const uint64_t start = at + sizeof header;
    if (is_inside && *size > bytes.size() - start) throw CorruptData(path, at, "an archive member is cut short");
    const auto content = bytes.subspan(start, is_inside ? *size : 0);
    at = start + content.size() + content.size() % 2;

    if (raw_name == "//") long_names = text_of(content);
    if (is_table) continue;
    std::string name(without_trailing(raw_name, '/'));
    if (raw_name.size() > 1 && raw_name[0] == '/') {
      const auto found = long_name(long_names, raw_name);
      if (!found) throw CorruptData(path, start - sizeof header, "an archive member's long name is missing");
      name = *found;
    }
    if (is_inside) {
      visit({name, content});
    } else {
      const MappedFile member(path.parent_path() / name);
      visit({name, member.bytes()});
    }
  }
}

}  // namespace culprit
