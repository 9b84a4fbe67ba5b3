// Whether values are derived from inputs at all, and precisely: what the strength of compared values depends on, and
// the chains of mapped values. Found for single nodes, and remembered.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "depend/input_parts.h"

namespace culprit::depend {

class InputFacts {
 public:
  /// All must stay.
  InputFacts(const DependenceGraph& graph, const InputParts& parts);

  /// Whether anything is in the source's DERIVED.
  bool is_derived(NodeNumber source) { return holds(source, kDerived); }

  /// What a node's value is made of, in its execution; strengths of comparisons that hold among it. `predicate`: whose
  /// precise inputs are mapped to it, or kNoNumber.
  struct Made {
    std::vector<InputPart> parts;
    NodeNumber predicate = kNoNumber;
    uint32_t operation = 0;
    const uint64_t* byte = nullptr;  ///< that is its value
  };
  void find(uint64_t number, Made& made);

 private:
  enum Fact : uint8_t { kDerived = 0, kPrecisely = 1 };
  enum class Answer : uint8_t { kNo, kYes, kUnknown };
  struct Question {
    uint64_t number;
    Fact fact;
  };

  // In a node's byte, of each fact: whether it is known, whether it holds, whether it is being asked for.
  static constexpr uint8_t kKnown = 1, kHolds = 4, kAsked = 16;

  bool holds(NodeNumber source, Fact fact);
  /// kUnknown: what has to be answered before was put on `open_`.
  Answer answer(const Question& question);
  Answer look_at(NodeNumber source, Fact fact);
  bool gather(uint64_t number, Made& made);

  struct Free {
    void operator()(uint8_t* all) const { std::free(all); }
  };
  const DependenceGraph& graph_;
  const InputParts& parts_;
  std::unique_ptr<uint8_t, Free> facts_;  ///< by number
  ExecutionPlace place_;
  std::vector<Question> open_;
  Made made_;
};

}  // namespace culprit::depend
