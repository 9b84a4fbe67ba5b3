// Generated programs and their executions, for tests and measurements of alignment: functions with random flow graphs,
// irreducible ones included, that call each other.
#pragma once

#include <random>
#include <vector>

#include "index/control_source.h"
#include "program/flow_graph.h"

namespace culprit {

struct GeneratedProgram {
  std::vector<program::FlowGraph> functions;
  std::vector<uint32_t> first_block;           ///< of each function, in the whole program's numbers
  std::vector<std::vector<uint32_t>> callees;  ///< per block of the program: functions that it calls, in order
};

/// Whether every block leads to a return.
bool always_ends(const program::FlowGraph& graph);

/// Calls lead to functions of a higher number, and, where `recursive`, to any. Where
/// `only_ending`, every block leads to a return.
GeneratedProgram generate_program(std::mt19937& random, uint32_t functions, uint32_t largest_function, bool recursive,
                                  bool only_ending = false);

/// One execution: choices come from `seed`, and from `same_seed` for all but one in `differs` of them, so that two
/// executions with one `same_seed` are alike. Blocks that lead to a return are preferred the longer the execution gets.
class GeneratedExecution : public ControlSource {
 public:
  GeneratedExecution(const GeneratedProgram& program, uint32_t same_seed, uint32_t seed, uint32_t differs,
                     uint64_t blocks);
  ControlEvent next() override;

 private:
  struct Frame {
    uint32_t function;
    uint32_t block;      ///< in the function; kNoBlock before the first
    uint32_t next_call;  ///< of the block
  };
  uint32_t choose(uint32_t ways);
  bool is_over() const { return passed_ >= most_; }

  const GeneratedProgram& program_;
  std::minstd_rand same_;
  std::minstd_rand own_;
  uint32_t differs_;
  uint64_t passed_ = 0;
  uint64_t most_;
  std::vector<Frame> frames_;
  bool started_ = false;
};

}  // namespace culprit
