// What culprit-cc leaves in objects and executables (docs/formats.md, "Capture").
//
// Section `.culprit.bc` (not allocated): one record per translation unit; the linker concatenates them. A record is a
// CaptureUnitHeader, then directory, source name and producer (no terminators), padding to 8 bytes, the bitcode,
// padding to 8 bytes. Section `.culprit.link`: records of two kinds, told apart by their magic: a CaptureLinkHeader and
// JSON text (one per link: partial links `-r` add theirs before the program's), and a CaptureFileHeader, a path and a
// file's content; each record is padded to 8 bytes. Little endian.
#pragma once

#include <cstdint>

namespace culprit::format {

inline constexpr char kCaptureUnitMagic[8] = {'C', 'U', 'L', 'P', 'U', 'N', 'I', 'T'};
inline constexpr char kCaptureLinkMagic[8] = {'C', 'U', 'L', 'P', 'L', 'I', 'N', 'K'};
inline constexpr char kCaptureFileMagic[8] = {'C', 'U', 'L', 'P', 'F', 'I', 'L', 'E'};
inline constexpr uint32_t kCaptureVersion = 1;
inline constexpr const char* kUnitSection = ".culprit.bc";
inline constexpr const char* kLinkSection = ".culprit.link";
inline constexpr uint32_t kCaptureAlignment = 8;

struct CaptureUnitHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;    ///< sizeof(CaptureUnitHeader) of the writer
  uint64_t record_bytes;    ///< header, strings, bitcode and padding: where the next record starts
  uint64_t bitcode_offset;  ///< from the start of the record
  uint64_t bitcode_bytes;
  uint64_t bitcode_hash;     ///< XXH3 64 of the bitcode
  uint32_t directory_bytes;  ///< compilation directory
  uint32_t source_bytes;     ///< source file as given to the compiler
  uint32_t producer_bytes;   ///< compiler's version text
  uint32_t reserved;
};
static_assert(sizeof(CaptureUnitHeader) == 64);

struct CaptureLinkHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint64_t record_bytes;
  uint64_t json_bytes;
  uint64_t json_hash;  ///< XXH3 64 of the JSON
};
static_assert(sizeof(CaptureLinkHeader) == 40);

/// A linker input without bitcode whose bytes are kept.
struct CaptureFileHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;
  uint64_t record_bytes;
  uint64_t content_bytes;  ///< the content follows the path directly
  uint64_t content_hash;   ///< XXH3 64
  uint32_t path_bytes;
  uint32_t reserved;
};
static_assert(sizeof(CaptureFileHeader) == 48);

}  // namespace culprit::format
