// libFuzzer target: no bytes make the reader of program models crash or follow a reference out of range.
#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>

#include "base/error.h"
#include "program/print_value.h"
#include "program/program_model.h"
#include "program/source_position.h"
#include "program/type_name.h"

using namespace culprit;
using program::ProgramModel;

namespace {

/// Makes the checksum right, so that the fuzzer gets past it.
void mend(std::vector<std::byte>& bytes) {
  constexpr size_t kHeader = sizeof(format::ModelHeader);
  if (bytes.size() < kHeader) return;
  const uint64_t size = bytes.size();
  const uint64_t checksum = XXH3_64bits(bytes.data() + kHeader, bytes.size() - kHeader);
  std::memcpy(bytes.data() + offsetof(format::ModelHeader, file_bytes), &size, sizeof(size));
  std::memcpy(bytes.data() + offsetof(format::ModelHeader, checksum), &checksum, sizeof(checksum));
}

size_t follow(const ProgramModel& model) {
  size_t seen = 0;
  for (const uint32_t function : model.functions()) {
    seen += model.function_name(function).size();
    for (const uint32_t block : model.blocks_of(function)) {
      for (uint32_t at = block; at != format::kNone; at = model.block(at).immediate_post_dominator) ++seen;
      for (const auto& each : model.dependences_of(block)) seen += model.source_of_edge(each.edge);
      for (const uint32_t edge : model.edges_of(block)) seen += model.edge_text(edge).size();
      for (const uint32_t statement : model.statements_of(block)) {
        seen += model.position_text(statement).size() + program::variables_in_reach(model, statement).size();
      }
    }
    for (const uint32_t loop : model.loops_of(function)) seen += model.headers_of(loop).size();
  }
  const std::vector<std::byte> value(256, std::byte{0x41});
  const program::MemoryReader memory = [](uint64_t, size_t bytes) { return std::vector<std::byte>(bytes); };
  for (const uint32_t type : model.types()) {
    seen += program::type_name(model, type).size() + program::print_value(model, type, value, memory).size();
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::byte> bytes(size);
  if (size != 0) std::memcpy(bytes.data(), data, size);
  mend(bytes);
  try {
    static volatile size_t sink;
    sink = follow(ProgramModel::from_bytes(std::move(bytes), "fuzz"));
  } catch (const CorruptData&) {
  }
  return 0;
}
