// Whether relevant inputs found backwards are those that are computed forwards.
//
// Usage: compare_inputs TRACE [CRITERIA [SEED]]: of so many values of the run and of all that it put out.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "base/error.h"
#include "depend/dependence_graph.h"
#include "depend/relevant_inputs.h"
#include "forward_inputs.h"
#include "trace/trace_file.h"

namespace culprit::depend {
namespace {

std::vector<uint64_t> members(const InputValues& values, OrdinalSet set) {
  std::vector<uint64_t> all;
  values.ordinals().for_each(set, [&](uint64_t number) { all.push_back(number); });
  return all;
}

std::vector<std::vector<uint64_t>> chains_of(const InputValues& values, InputValue value) {
  std::vector<std::vector<uint64_t>> all;
  for (uint32_t chain : values.chains(value)) {
    all.push_back({values.link(chain).ordinal});
    for (; chain != kNoLink; chain = values.link(chain).before) all.back().push_back(values.link(chain).operation);
  }
  std::sort(all.begin(), all.end());
  return all;
}

class Comparison {
 public:
  explicit Comparison(const DependenceGraph& graph) : forward_(graph), backward_(graph) {}

  void compare(const std::string& of, InputValue wanted, InputValue found) {
    ++questions_;
    const InputValues::Sets& one = forward_.values().sets(wanted);
    const InputValues::Sets& other = backward_.values().sets(found);
    for (size_t role = 0; role < kInputRoles; ++role) {
      const bool same =
          members(forward_.values(), one.all[role]) == members(backward_.values(), other.all[role]) &&
          members(forward_.values(), one.precise[role]) == members(backward_.values(), other.precise[role]);
      bytes_ += forward_.values().ordinals().size(one.all[role]);
      if (!same)
        fail(of, fmt::format("role {}: {} and {} bytes, precise {} and {}", role,
                             members(forward_.values(), one.all[role]).size(),
                             members(backward_.values(), other.all[role]).size(),
                             members(forward_.values(), one.precise[role]).size(),
                             members(backward_.values(), other.precise[role]).size()));
    }
    const auto chains = chains_of(forward_.values(), wanted);
    chains_ += chains.size();
    if (chains != chains_of(backward_.values(), found))
      fail(of, fmt::format("chains: {} and {}", chains.size(), chains_of(backward_.values(), found).size()));
  }

  void compare(NodeNumber node) {
    const std::vector<NodeNumber> criterion{node};
    compare(fmt::format("node {}", node.bits), forward_.of(criterion),
            backward_.of(std::span<const NodeNumber>(criterion)));
  }
  void compare(OutputStream stream, uint64_t offset) {
    compare(fmt::format("byte {} of output {}", offset, static_cast<int>(stream)), forward_.of_output(stream, offset),
            backward_.of_output(stream, offset, offset + 1));
  }

  int report() const {
    fmt::print("compare-inputs: questions={} bytes={} chains={} differences={}\n", questions_, bytes_, chains_,
               differences_);
    return differences_ == 0 && questions_ > 0 ? 0 : 1;
  }

 private:
  void fail(const std::string& of, const std::string& what) {
    ++differences_;
    fmt::print("{}: {}\n", of, what);
  }

  ForwardInputs forward_;
  RelevantInputs backward_;
  uint64_t questions_ = 0, bytes_ = 0, chains_ = 0, differences_ = 0;
};

int compare(const std::filesystem::path& folder, uint64_t criteria, uint64_t seed) {
  const trace::TraceFile trace(folder);
  const DependenceGraph graph = open_graph(trace);
  Comparison comparison(graph);
  std::mt19937_64 random(seed);
  for (uint64_t each = 0; each < criteria; ++each) comparison.compare(NodeNumber{random() % graph.file().numbers()});
  for (const OutputStream stream : {OutputStream::kStandardOutput, OutputStream::kStandardError}) {
    const uint64_t end = graph.output_bytes(stream);
    for (uint64_t each = 0; each < std::min(end, criteria); ++each) comparison.compare(stream, random() % end);
  }
  return comparison.report();
}

}  // namespace
}  // namespace culprit::depend

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "usage: compare_inputs TRACE [CRITERIA [SEED]]\n");
    return 2;
  }
  try {
    return culprit::depend::compare(words[1], count > 2 ? std::strtoull(words[2], nullptr, 10) : 100,
                                    count > 3 ? std::strtoull(words[3], nullptr, 10) : 1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "compare_inputs: {}\n", error.what());
    return 1;
  }
}
