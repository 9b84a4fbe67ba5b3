// Makes the checksums of a graph's file right again: what damage does that nobody noticed, or somebody made, is then to
// be seen. Chunks whose parts go past the end keep their checksums.
#include <xxhash.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "format/graph_format.h"

namespace {

using namespace culprit::format;

template <typename Record>
bool read(const std::string& bytes, uint64_t offset, Record& record) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(record)) return false;
  std::memcpy(&record, bytes.data() + offset, sizeof(record));
  return true;
}

/// Of `size` bytes at `offset`, which is moved behind them.
void sign(const std::string& bytes, uint64_t& offset, uint64_t size, uint64_t& checksum) {
  if (offset <= bytes.size() && size <= bytes.size() - offset) checksum = XXH3_64bits(bytes.data() + offset, size);
  offset += size;
}

void sign(const std::string& bytes, GraphChunk& chunk) {
  const auto padded = [](uint64_t size) { return (size + 7) / 8 * 8; };
  const uint64_t anchors = (uint64_t{chunk.executions} + kGraphAnchorExecutions - 1) / kGraphAnchorExecutions;
  uint64_t at = chunk.offset;
  sign(bytes, at,
       chunk.far * uint64_t{8} + anchors * sizeof(GraphAnchor) + padded((uint64_t{chunk.executions} + chunk.slots) * 4),
       chunk.dependences_checksum);
  sign(bytes, at, chunk.counts * sizeof(GraphCount), chunk.counts_checksum);
  sign(bytes, at, chunk.frames * sizeof(GraphFrame) + padded(chunk.executions * uint64_t{4}), chunk.frames_checksum);
}

}  // namespace

int main(int, char** arguments) {
  std::ifstream in(arguments[1], std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  GraphHeader header;
  GraphTail tail;
  if (!read(bytes, 0, header) || !read(bytes, header.tail_offset, tail)) return 1;
  GraphChunk chunk;
  uint64_t at = header.tail_offset + sizeof(tail);
  for (uint64_t each = 0; each < tail.chunks && read(bytes, at, chunk); ++each, at += sizeof(chunk)) {
    sign(bytes, chunk);
    std::memcpy(bytes.data() + at, &chunk, sizeof(chunk));
  }
  uint64_t begin = header.tail_offset;
  sign(bytes, begin, header.tail_bytes, header.tail_checksum);
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::ofstream(arguments[1], std::ios::binary) << bytes;
  return 0;
}
