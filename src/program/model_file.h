// Writing and reading the program model's file (format/model_format.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "program/model_sections.h"

namespace culprit::program {

/// `tables` must be complete (complete_model). Equal tables give equal bytes.
std::vector<std::byte> model_bytes(const ModelTables& tables);
void write_model(const std::filesystem::path& path, const ModelTables& tables);

/// A model's sections where the file has them, or decompressed.
struct LoadedModel {
  ModelView sections;
  uint64_t identity = 0;
  std::vector<std::unique_ptr<std::byte[]>> decompressed;  ///< what some of the sections point into
};

/// Checks header, checksum, section table and every record; after that every reference can be followed. `bytes` must
/// stay and be aligned to 8; `name` is for the message. Throws CorruptData.
LoadedModel load_model(std::span<const std::byte> bytes, const std::string& name);

}  // namespace culprit::program
