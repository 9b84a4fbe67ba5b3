#include "capture/link_record.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "format/capture_format.h"

namespace culprit {
namespace {

using format::CaptureFileHeader;
using format::CaptureLinkHeader;
using nlohmann::json;

constexpr std::pair<LinkInputKind, const char*> kKindNames[] = {
    {LinkInputKind::kSource, "source"},
    {LinkInputKind::kObject, "object"},
    {LinkInputKind::kArchive, "archive"},
    {LinkInputKind::kSharedLibrary, "shared_library"},
    {LinkInputKind::kLibrary, "library"},
    {LinkInputKind::kLibraryPath, "library_path"},
    {LinkInputKind::kOption, "option"},
    {LinkInputKind::kLtoObject, "lto_object"},
    {LinkInputKind::kLinkerScript, "linker_script"},
};

LinkInputKind kind_named(const std::string& name) {
  for (const auto& [kind, each] : kKindNames) {
    if (name == each) return kind;
  }
  throw std::invalid_argument(fmt::format("unknown kind of linker input `{}`", name));
}

json to_json(const LinkRecord& record) {
  json inputs = json::array();
  for (const LinkInput& input : record.inputs) {
    json each{{"kind", name_of(input.kind)}, {"words", input.words}};
    if (!input.path.empty()) each["path"] = input.path;
    if (input.parts) each["parts"] = input.parts;
    if (input.captured_parts) each["captured_parts"] = input.captured_parts;
    if (input.content_hash) each["content_hash"] = input.content_hash;
    inputs.push_back(std::move(each));
  }
  return {{"tool_version", record.tool_version},
          {"directory", record.directory},
          {"compiler", record.compiler},
          {"cxx", record.is_cxx},
          {"shared", record.is_shared},
          {"relocatable", record.is_relocatable},
          {"lto", record.is_lto},
          {"output", record.output},
          {"arguments", record.arguments},
          {"inputs", std::move(inputs)}};
}

LinkRecord record_from(const json& text) {
  LinkRecord record;
  text.at("tool_version").get_to(record.tool_version);
  text.at("directory").get_to(record.directory);
  text.at("compiler").get_to(record.compiler);
  text.at("cxx").get_to(record.is_cxx);
  text.at("shared").get_to(record.is_shared);
  text.at("relocatable").get_to(record.is_relocatable);
  text.at("lto").get_to(record.is_lto);
  text.at("output").get_to(record.output);
  text.at("arguments").get_to(record.arguments);
  for (const json& each : text.at("inputs")) {
    LinkInput input;
    input.kind = kind_named(each.at("kind").get<std::string>());
    each.at("words").get_to(input.words);
    input.path = each.value("path", std::string());
    input.parts = each.value("parts", uint32_t{0});
    input.captured_parts = each.value("captured_parts", uint32_t{0});
    input.content_hash = each.value("content_hash", uint64_t{0});
    record.inputs.push_back(std::move(input));
  }
  return record;
}

uint64_t padded(uint64_t size) {
  return (size + format::kCaptureAlignment - 1) / format::kCaptureAlignment * format::kCaptureAlignment;
}

/// Appends a header and the texts behind it; fills in the members that every header has.
template <typename Header>
void append_record(std::string& bytes, const char (&magic)[8], Header header,
                   std::initializer_list<std::string_view> texts) {
  std::memcpy(header.magic, magic, sizeof header.magic);
  header.version = format::kCaptureVersion;
  header.header_bytes = sizeof header;
  uint64_t size = sizeof header;
  for (const std::string_view text : texts) size += text.size();
  header.record_bytes = padded(size);
  const size_t start = bytes.size();
  bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
  for (const std::string_view text : texts) bytes.append(text);
  bytes.resize(start + header.record_bytes);
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& file, uint64_t file_offset)
      : bytes_(bytes), file_(file), file_offset_(file_offset) {}

  LinkSection read() {
    LinkSection section;
    while (at_ < bytes_.size()) {
      const auto rest = bytes_.subspan(at_);
      if (has_magic(rest, format::kCaptureLinkMagic)) {
        section.records.push_back(read_record());
      } else if (has_magic(rest, format::kCaptureFileMagic)) {
        section.files.push_back(read_file());
      } else if (is_padding(rest)) {
        at_ += format::kCaptureAlignment;
      } else {
        corrupt("no record where one should start in the link section");
      }
    }
    return section;
  }

 private:
  static bool has_magic(std::span<const std::byte> rest, const char (&magic)[8]) {
    return rest.size() >= sizeof magic && std::memcmp(rest.data(), magic, sizeof magic) == 0;
  }

  static bool is_padding(std::span<const std::byte> rest) {
    const auto start = text_of(rest.first(std::min<size_t>(rest.size(), format::kCaptureAlignment)));
    return start.find_first_not_of('\0') == std::string_view::npos;
  }

  [[noreturn]] void corrupt(const std::string& what) const { throw CorruptData(file_, file_offset_ + at_, what); }

  /// The header at the current place, whose own sizes are consistent with the section's.
  template <typename Header>
  Header read_header() const {
    const auto rest = bytes_.subspan(at_);
    Header header;
    if (rest.size() < sizeof header) corrupt("the link section ends inside a record's header");
    std::memcpy(&header, rest.data(), sizeof header);
    if (header.version != format::kCaptureVersion) {
      throw UserError(fmt::format("{} was linked by a Culprit whose captures have version {}; this one reads {}", file_,
                                  header.version, format::kCaptureVersion),
                      "build it again with this Culprit's culprit-cc");
    }
    if (header.record_bytes > rest.size()) corrupt("the link section is cut short inside a record");
    if (header.header_bytes < sizeof header || header.header_bytes > header.record_bytes ||
        header.record_bytes % format::kCaptureAlignment != 0) {
      corrupt("a link record's header contradicts itself");
    }
    return header;
  }

  LinkRecord read_record() {
    const auto header = read_header<CaptureLinkHeader>();
    if (header.json_bytes > header.record_bytes - header.header_bytes) corrupt("a link record's text is cut short");
    const auto text = bytes_.subspan(at_ + header.header_bytes, header.json_bytes);
    if (XXH3_64bits(text.data(), text.size()) != header.json_hash) corrupt("a link record is damaged");
    try {
      LinkRecord record = record_from(json::parse(text_of(text)));
      at_ += header.record_bytes;
      return record;
    } catch (const std::exception& error) {  // of JSON's structure, or an unknown kind
      corrupt(fmt::format("a link record cannot be understood: {}", error.what()));
    }
  }

  EmbeddedFile read_file() {
    const auto header = read_header<CaptureFileHeader>();
    const uint64_t room = header.record_bytes - header.header_bytes;
    if (header.path_bytes > room || header.content_bytes > room - header.path_bytes) {
      corrupt("an embedded file is cut short");
    }
    const auto texts = bytes_.subspan(at_ + header.header_bytes);
    EmbeddedFile file{.path = std::string(text_of(texts.first(header.path_bytes))),
                      .hash = header.content_hash,
                      .content = texts.subspan(header.path_bytes, header.content_bytes)};
    if (XXH3_64bits(file.content.data(), file.content.size()) != file.hash) corrupt("an embedded file is damaged");
    at_ += header.record_bytes;
    return file;
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  uint64_t file_offset_;
  uint64_t at_ = 0;
};

}  // namespace

const char* name_of(LinkInputKind kind) {
  for (const auto& [each, name] : kKindNames) {
    if (each == kind) return name;
  }
  return "unknown";
}

bool lacks_bitcode(const LinkInput& input) {
  const bool is_shared = input.kind == LinkInputKind::kLibrary && !input.path.ends_with(".a");
  return !is_shared && input.captured_parts < input.parts;
}

std::string link_section_bytes(const LinkRecord& record, const std::vector<EmbeddedFile>& files) {
  std::string bytes;
  // Paths need not be UTF-8; what is not becomes U+FFFD.
  const std::string text = to_json(record).dump(-1, ' ', false, json::error_handler_t::replace);
  CaptureLinkHeader header{};
  header.json_bytes = text.size();
  header.json_hash = XXH3_64bits(text.data(), text.size());
  append_record(bytes, format::kCaptureLinkMagic, header, {text});
  for (const EmbeddedFile& file : files) {
    CaptureFileHeader file_header{};
    file_header.content_bytes = file.content.size();
    file_header.content_hash = file.hash;
    file_header.path_bytes = static_cast<uint32_t>(file.path.size());
    append_record(bytes, format::kCaptureFileMagic, file_header, {file.path, text_of(file.content)});
  }
  return bytes;
}

LinkSection read_link_section(std::span<const std::byte> bytes, const std::string& file, uint64_t file_offset) {
  return Reader(bytes, file, file_offset).read();
}

}  // namespace culprit
