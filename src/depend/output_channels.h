// Which streams and descriptors lead to the run's first standard output and error, as the pass over a trace meets calls
// that open, duplicate and close them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "program/constant_memory.h"
#include "program/external_effects.h"
#include "trace/control_stream.h"
#include "trace/trace_file.h"

namespace culprit::depend {

class OutputChannels {
 public:
  /// `constants`, which must stay, for paths; may be null.
  OutputChannels(const trace::TraceFile& trace, const program::ConstantMemory* constants);

  /// What a state of the table puts bytes into: 0 standard output, 1 standard error, by the numbers of the graph's
  /// outputs; nothing when that is another file.
  std::optional<size_t> output_of(const program::Place& state) const;
  /// Notes what the call opened, duplicated or closed.
  void follow(std::string_view function, const trace::ReturnedCall& call);

 private:
  using Output = std::optional<size_t>;

  Output of_descriptor(uint64_t descriptor) const;
  /// Of a path such as /dev/stdout; nothing where it is another file, or not known.
  Output of_path(const trace::ReturnedCall& call, size_t argument) const;
  void open_stream(uint64_t stream, Output output);

  const program::ConstantMemory* constants_;
  std::unordered_map<uint32_t, Output> descriptors_;  ///< others lead elsewhere
  std::unordered_map<uint64_t, uint32_t> streams_;    ///< their descriptors, by address
  uint32_t next_unknown_;  ///< stands for the descriptor of a stream of which it is not known
};

}  // namespace culprit::depend
