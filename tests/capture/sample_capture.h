// The bytes of small captures, made without a compiler.
#pragma once

#include <xxhash.h>

#include <cstring>
#include <string>

#include "capture/link_record.h"
#include "format/capture_format.h"

namespace culprit {

inline std::string sample_unit(const std::string& source, const std::string& bitcode) {
  const std::string directory = "/somewhere";
  const std::string producer = "clang";
  const auto padded = [](uint64_t size) { return (size + 7) / 8 * 8; };
  format::CaptureUnitHeader header{};
  std::memcpy(header.magic, format::kCaptureUnitMagic, sizeof header.magic);
  header.version = format::kCaptureVersion;
  header.header_bytes = sizeof header;
  header.directory_bytes = static_cast<uint32_t>(directory.size());
  header.source_bytes = static_cast<uint32_t>(source.size());
  header.producer_bytes = static_cast<uint32_t>(producer.size());
  header.bitcode_offset = padded(sizeof header + directory.size() + source.size() + producer.size());
  header.bitcode_bytes = bitcode.size();
  header.bitcode_hash = XXH3_64bits(bitcode.data(), bitcode.size());
  header.record_bytes = padded(header.bitcode_offset + bitcode.size());
  std::string record(reinterpret_cast<const char*>(&header), sizeof header);
  record += directory + source + producer;
  record.resize(header.bitcode_offset);
  record += bitcode;
  record.resize(header.record_bytes);
  return record;
}

inline LinkRecord sample_link() {
  LinkRecord record;
  record.tool_version = "1";
  record.directory = "/somewhere";
  record.compiler = "/usr/bin/clang-19";
  record.is_cxx = true;
  record.output = "/somewhere/a b";
  record.arguments = {"a.o", "-lm", "-o", "a b"};
  record.inputs = {{LinkInputKind::kObject, {"a.o"}, "/somewhere/a.o", 1, 0, 7},
                   {LinkInputKind::kOption, {"-Xlinker", "-z"}, "", 0, 0, 0},
                   {LinkInputKind::kLibrary, {"-lm"}, "/lib/libm.so", 1, 0, 0}};
  return record;
}

}  // namespace culprit
