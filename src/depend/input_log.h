// Which bytes of which input came into the program's memory where, as the pass over a trace meets them: every byte gets
// an ordinal and is the definition of the memory that it is read to (format/graph_format.h, GraphInput).
//
// A trace does not tell what the bytes are, nor which files descriptors mean; it tells what was opened, read and moved,
// in order. Where in which input a byte stood, input_places.h finds from that.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "depend/definitions.h"
#include "depend/node.h"
#include "format/graph_format.h"
#include "program/external_effects.h"
#include "trace/control_stream.h"
#include "trace/trace_file.h"

namespace culprit::depend {

/// A call of a library function that came back.
struct ReadingCall {
  std::string_view function;
  const trace::ReturnedCall& returned;
  NodeNumber number;
};

class InputLog {
 public:
  /// The program's arguments and its environment are the first inputs. Both must stay.
  InputLog(const trace::TraceFile& trace, Definitions& definitions);

  /// `effect`, an input of the call: its memory, if it is that, is defined by the bytes read.
  void read(const ReadingCall& call, const program::Effect& effect);
  /// Notes what the call opened, mapped or moved.
  void follow(const ReadingCall& call);

  const std::vector<format::GraphInput>& entries() const { return entries_; }
  uint64_t ordinals() const { return next_; }

 private:
  void add_texts(format::GraphInputKind kind, uint64_t from, uint64_t to);
  void add(format::GraphInput entry);
  void define(uint64_t address, uint64_t bytes);
  void open(const ReadingCall& call, format::GraphInputState state, uint64_t key, size_t path);
  void move(const ReadingCall& call, format::GraphInputState state, uint64_t offset, uint64_t whence);

  const trace::TraceFile& trace_;
  Definitions& definitions_;
  std::vector<format::GraphInput> entries_;
  uint64_t next_ = 0;
};

}  // namespace culprit::depend
