// How a wrong value came to where it shows: the statements that copied it, the calls between which it went, where a
// number was turned into its text, and the statement that made it (ED §3.1, gone on with through formatting).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "depend/dependence_graph.h"

namespace culprit {

struct PathStep {
  uint32_t statement = 0;
  bool formats = false;  ///< the value is a number before this and its text after it
};

enum class Origin : uint8_t {
  kComputed,
  kConstant,   ///< stored or passed there as the source has it
  kInitial,    ///< of a variable that nothing was stored in
  kUnwritten,  ///< of a local variable that nothing was stored in: nobody made it
  kInput,      ///< read there
  kLibrary,    ///< a function of the library gave it
  kUnknown,    ///< nobody knows who wrote the memory that it was read from, such as a variadic function's arguments
};

struct ValueOrigin {
  uint32_t statement = 0;
  Origin how = Origin::kComputed;
  uint32_t variable = program::kNone;  ///< kUnwritten: which
};

/// Where a value was made: the end of its chain (depend::value_chain, not empty), or the call that passed it on as the
/// source has it.
struct MadeAt {
  depend::Node node;
  ValueOrigin origin;
};
MadeAt made_at(const depend::DependenceGraph& graph, const std::vector<depend::Node>& chain);

struct ValuePath {
  std::vector<PathStep> steps;  ///< from where it shows back to where it was made; the program's own statements only
  ValueOrigin origin;
  depend::Node made{};  ///< where it ends
};

/// `chain`: as of depend::value_chain, not empty. `made_by`: of a byte of an output, as of DependenceGraph::output_at,
/// and `chain` is its; else empty. `is_text`: the byte was put out as it stood in memory. `entered`: the first
/// execution of an activation.
ValuePath value_path(const depend::DependenceGraph& graph, std::vector<depend::Node> chain,
                     std::span<const depend::Node> made_by, bool is_text,
                     const std::function<depend::Execution(uint32_t frame)>& entered);

}  // namespace culprit
