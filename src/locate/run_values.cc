#include "locate/run_values.h"

#include <algorithm>
#include <unordered_map>

#include "trace/control_stream.h"

namespace culprit {

using depend::Execution;
using depend::Node;
using format::OperationKind;
using trace::Step;
using trace::StepKind;

namespace {

bool returns_nothing(const program::ProgramModel& model, uint32_t call) {
  const std::string_view signature = model.text(model.call(call).signature);
  return signature.starts_with("void ");
}

}  // namespace

void visit_values(const trace::TraceFile& trace, const std::function<void(Node, uint64_t)>& visit) {
  const program::ProgramModel& model = trace.model();
  const auto operations = model.sections().operations;
  trace::ControlStream stream(trace);
  /// Where a frame is, and the branch that its next block answers.
  struct Place {
    Execution execution;
    std::optional<Node> branch;
  };
  std::unordered_map<trace::FrameId, Place> frames;
  trace::FrameId latest = trace::kNoFrame;  // most steps are of the frame of the one before
  Place* latest_place = nullptr;
  Execution next = 0;
  while (true) {
    const Step& step = stream.next();
    switch (step.kind) {
      case StepKind::kEnd:
        return;
      case StepKind::kRun: {
        if (step.frame != latest) {
          latest = step.frame;
          latest_place = &frames[step.frame];
        }
        Place& place = *latest_place;
        if (step.starts) {
          if (place.branch) visit(*place.branch, step.block);
          place = {next++, std::nullopt};
        }
        for (const trace::StoredValue& each : stream.values()) {
          visit(Node::of(place.execution, each.operation), each.value);
        }
        const uint32_t last = step.end - 1;
        if (step.end > step.first && operations[last].kind == OperationKind::kBranch) {
          place.branch = Node::of(place.execution, last);
        }
        break;
      }
      case StepKind::kReturned: {
        const auto at = frames.find(step.frame);
        const format::OperationRecord& call = operations[step.operation];
        if (at != frames.end() && !returns_nothing(model, call.detail)) {
          visit(Node::of(at->second.execution, step.operation), step.returned->result);
        }
        break;
      }
      case StepKind::kLeave:
      case StepKind::kUnwound:
        frames.erase(step.frame);
        latest = trace::kNoFrame;
        break;
      case StepKind::kEnter:
      case StepKind::kHeap:
        break;
    }
  }
}

RunValues::RunValues(const trace::TraceFile& trace, const std::vector<bool>& wanted) {
  visit_values(trace, [&](Node node, uint64_t value) {
    if (node.execution() < wanted.size() && wanted[node.execution()]) known_.push_back({node, value});
  });
  std::sort(known_.begin(), known_.end(), [](const Known& a, const Known& b) { return a.node < b.node; });
}

std::optional<uint64_t> RunValues::of(Node node) const {
  const auto at = std::lower_bound(known_.begin(), known_.end(), node,
                                   [](const Known& known, Node wanted) { return known.node < wanted; });
  if (at == known_.end() || at->node != node) return std::nullopt;
  return at->value;
}

}  // namespace culprit
