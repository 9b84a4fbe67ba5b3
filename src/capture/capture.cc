#include "capture/capture.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>
#include <string_view>

#include "base/error.h"
#include "base/libtool.h"
#include "capture/archive.h"
#include "capture/elf.h"
#include "format/capture_format.h"

namespace culprit {
namespace {
namespace fs = std::filesystem;

using format::CaptureUnitHeader;

constexpr const char* kHowToCapture =
    "build it with CC=culprit-cc CXX=culprit-c++ (or `culprit make -- make`; where a makefile names its "
    "compiler, `culprit make --shim -- make`). A program that was built so loses its "
    "bitcode by llvm-strip, objcopy --remove-section, or -Xclang -disable-llvm-passes; strip of GNU binutils keeps it";

bool is_zero(std::span<const std::byte> bytes) {
  for (const std::byte each : bytes) {
    if (each != std::byte{0}) return false;
  }
  return true;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The records of one `.culprit.bc` section, which starts at `section_offset` of `file`.
void append_units(std::span<const std::byte> section, const std::string& file, uint64_t section_offset,
                  std::vector<Unit>& units) {
  for (uint64_t at = 0; at < section.size();) {
    const auto corrupt = [&](const char* what) { throw CorruptData(file, section_offset + at, what); };
    const auto rest = section.subspan(at);
    // Linkers pad between sections of different alignment.
    if (is_zero(rest.first(std::min<size_t>(rest.size(), format::kCaptureAlignment)))) {
      at += format::kCaptureAlignment;
      continue;
    }
    CaptureUnitHeader header;
    if (rest.size() < sizeof header) corrupt("the bitcode section ends inside a unit's header");
    std::memcpy(&header, rest.data(), sizeof header);
    if (std::memcmp(header.magic, format::kCaptureUnitMagic, sizeof header.magic) != 0) {
      corrupt("no unit where one should start in the bitcode section");
    }
    if (header.version != format::kCaptureVersion) {
      throw UserError(fmt::format("{} was compiled by a Culprit whose captures have version {}; this one reads {}",
                                  file, header.version, format::kCaptureVersion),
                      "compile it again with this Culprit's culprit-cc");
    }
    const uint64_t texts_end =
        uint64_t{header.header_bytes} + header.directory_bytes + header.source_bytes + header.producer_bytes;
    if (header.record_bytes > rest.size()) corrupt("the bitcode section is cut short inside a unit");
    if (header.header_bytes < sizeof header || header.record_bytes % format::kCaptureAlignment != 0 ||
        texts_end > header.bitcode_offset || header.bitcode_offset > header.record_bytes ||
        header.bitcode_bytes > header.record_bytes - header.bitcode_offset) {
      corrupt("a unit's header contradicts itself");
    }
    auto text = rest.subspan(header.header_bytes);
    const auto take = [&text](uint32_t bytes) {
      std::string taken = text_of(text.first(bytes));
      text = text.subspan(bytes);
      return taken;
    };
    Unit unit;
    unit.directory = take(header.directory_bytes);
    unit.source = take(header.source_bytes);
    unit.producer = take(header.producer_bytes);
    unit.hash = header.bitcode_hash;
    unit.bitcode = rest.subspan(header.bitcode_offset, header.bitcode_bytes);
    if (XXH3_64bits(unit.bitcode.data(), unit.bitcode.size()) != unit.hash) corrupt("a unit's bitcode is damaged");
    units.push_back(std::move(unit));
    at += header.record_bytes;
  }
}

void append_elf(std::span<const std::byte> bytes, const std::string& name, Capture& capture) {
  const ElfFile elf(bytes, name);
  // Several sections of the name: objects keep one per input when their flags differ.
  for (const ElfSection& section : elf.sections()) {
    if (section.name != format::kUnitSection && section.name != format::kLinkSection) continue;
    if (section.flags & SHF_COMPRESSED) {
      throw UserError(fmt::format("the section {} of {} is compressed", section.name, name),
                      "run objcopy --decompress-debug-sections on it, or link without compressing that section");
    }
    if (section.name == format::kUnitSection) {
      append_units(elf.content(section), name, section.offset, capture.units);
      continue;
    }
    LinkSection links = read_link_section(elf.content(section), name, section.offset);
    for (LinkRecord& record : links.records) {
      if (record.is_relocatable) {
        capture.partial_links.push_back(std::move(record));
      } else {
        capture.link = std::move(record);
      }
    }
    capture.embedded_files.insert(capture.embedded_files.end(), links.files.begin(), links.files.end());
  }
}

void append_archive(std::span<const std::byte> bytes, const fs::path& path, Capture& capture) {
  for_each_member(path, bytes, [&](const ArchiveMember& member) {
    const std::byte* start = member.content.data();
    if (start < bytes.data() || start > bytes.data() + bytes.size()) {
      // Its members are files of their own, which a capture does not keep mapped.
      throw UserError(fmt::format("{} is a thin archive", path.string()), "name one of its objects");
    }
    if (ElfFile::has_magic(member.content)) {
      append_elf(member.content, fmt::format("{}({})", path.string(), member.name), capture);
    }
  });
}

void refuse_other_kinds(const fs::path& path, std::span<const std::byte> bytes) {
  const std::string start = text_of(bytes.first(std::min<size_t>(bytes.size(), 4)));
  if (start.starts_with("#!")) {
    throw UserError(fmt::format("{} is a script, not an ELF file", path.string()), "name the program that it runs");
  }
  if (start.starts_with("BC\xc0\xde")) {
    throw UserError(fmt::format("{} is LLVM bitcode (an object of -flto)", path.string()),
                    "name the linked program: the capture becomes a section when the linker generates code");
  }
}

}  // namespace

Capture read_capture(const fs::path& path) {
  auto file = std::make_shared<MappedFile>(path);
  const std::span<const std::byte> bytes = file->bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const auto script = libtool_program(path, text)) return read_capture(script->program);
  Capture capture = read_capture_of(file->bytes(), path);
  capture.file = std::move(file);
  return capture;
}

Capture read_capture_of(std::span<const std::byte> bytes, const fs::path& path) {
  Capture capture;
  capture.path = path;
  if (is_archive(bytes)) {
    append_archive(bytes, path, capture);
  } else {
    refuse_other_kinds(path, bytes);
    append_elf(bytes, path.string(), capture);
  }
  if (capture.units.empty()) {
    throw UserError(fmt::format("{} carries no bitcode (no section {})", path.string(), format::kUnitSection),
                    kHowToCapture, ExitCode::kEnvironmentLacks);
  }
  return capture;
}

bool carries_bitcode(std::span<const std::byte> object) {
  if (!ElfFile::has_magic(object)) return false;
  try {
    const ElfFile elf(object, "object");
    const ElfSection* section = elf.section(format::kUnitSection);
    return section && section->size > 0;
  } catch (const UserError&) {
    return false;  // of another machine
  } catch (const CorruptData&) {
    return false;  // the linker will say so
  }
}

}  // namespace culprit
