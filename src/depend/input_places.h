// Where the bytes of input stood: the file, its offset, the text there.
//
// A trace tells in which order what was opened, read and moved, so positions are counted. What is in the inputs the
// recording knows: an opened file is found there by its path, what was open before by its descriptor. A conversion of a
// scanf is found in the text (scanned_text.h). What cannot be told so is named by the statement that read it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "depend/dependence_graph.h"
#include "depend/ordinal_sets.h"
#include "program/constant_memory.h"
#include "recording/recorded_inputs.h"
#include "trace/trace_file.h"

namespace culprit::depend {

struct InputSource {
  std::string name;                 ///< "stdin", "argument 1", "variable HOME of the environment", a path, …
  std::optional<std::string> text;  ///< what is in it, as far as it was read; none: not known
};

/// Bytes of a source that follow each other.
struct InputRange {
  size_t source;
  uint64_t first;
  uint64_t bytes;
  bool precise = false;  ///< of the values asked for the precise bytes matter
  bool operator==(const InputRange&) const = default;
};

class InputPlaces {
 public:
  /// Graph and trace must stay. `recorded`: null for a trace alone, whose inputs have no text.
  InputPlaces(const DependenceGraph& graph, const trace::TraceFile& trace, const recording::RecordedInputs* recorded);

  const std::vector<InputSource>& sources() const { return sources_; }
  /// Where a byte stood; the whole number for one that a conversion made a number of. Nothing for what a conversion
  /// added (a terminator).
  std::optional<InputRange> place_of(uint64_t ordinal) const;
  /// The set's places in order, joined where they follow each other and have one strength.
  std::vector<InputRange> ranges(const OrdinalSets& sets, OrdinalSet all, OrdinalSet precise) const;
  /// Nothing when it is not known.
  std::optional<std::string> text_of(const InputRange& range) const;

 private:
  static constexpr size_t kNoSource = ~size_t{0};
  using Key = std::pair<format::GraphInputState, uint64_t>;
  struct Cursor {
    size_t source;
    uint64_t position = 0;
  };
  /// Of a GraphInput: where its first byte stood.
  struct Placed {
    size_t source = kNoSource;
    uint64_t first = 0;
    uint64_t bytes = 0;   ///< of a number: its characters
    bool is_one = false;  ///< all bytes of memory are made of all of these
  };

  void place_texts(const format::GraphInput& entry, const trace::TraceFile& trace);
  void place(const format::GraphInput& entry);
  void open(const format::GraphInput& entry);
  void move(const format::GraphInput& entry);
  void place_conversions(size_t first);
  Cursor& cursor_of(const format::GraphInput& entry);
  size_t add_source(std::string name, std::optional<std::string> text);
  size_t source_of_statement(const format::GraphInput& entry);
  std::optional<std::string> path_of(const format::GraphInput& entry) const;
  std::optional<std::string> constant_text(uint64_t address, uint64_t most) const;
  std::optional<std::string> take_recorded(const std::optional<std::string>& path, int descriptor);
  std::string statement_of(const format::GraphInput& entry) const;

  const DependenceGraph& graph_;
  std::span<const format::GraphInput> entries_;
  const recording::RecordedInputs* recorded_;
  std::vector<bool> taken_;  ///< of the recorded inputs
  std::optional<program::ConstantMemory> constants_;
  uint64_t stdin_stream_;
  std::vector<InputSource> sources_;
  std::vector<Placed> placed_;        ///< per entry; of texts their bytes are in `texts_`
  std::map<uint64_t, Placed> texts_;  ///< by the ordinal of the first byte
  std::map<Key, Cursor> cursors_;
  std::map<std::string, size_t> statements_;
  std::vector<uint64_t> read_at_;  ///< per source of a statement: bytes so far
};

}  // namespace culprit::depend
