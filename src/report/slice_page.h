// A slice as an HTML page: sources with the slice's lines marked; from each statement instance to what it depends on
// and to what depends on it, by a click, across files and threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace culprit::report {

struct SliceView {
  struct Instance {
    uint32_t file;  ///< number in `files`
    uint32_t line, column;
    uint32_t function;  ///< number in `functions`
    uint32_t thread;
    uint64_t number;  ///< which execution of the statement, from 1
    std::string value = {};  ///< what it gave, as far as the trace has it: "total = -5"
  };
  struct Edge {
    uint32_t from, to;  ///< numbers in `instances`: `from` depends on `to`
    std::string kind;   ///< data, address, control
  };
  std::string command;
  std::vector<std::string> files, functions;
  std::vector<Instance> instances;  ///< in order of time
  std::vector<Edge> edges;
  std::vector<uint32_t> criterion;  ///< numbers in `instances`
  uint64_t left_out = 0;            ///< instances of the slice that are not here
};

std::string to_html(const SliceView& view);

}  // namespace culprit::report
