// align-points POINTS: aligns two executions of a generated program, each of that many points, and prints seconds and
// the peak of memory as JSON. For bench/align.py.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>

#include "index/alignment.h"
#include "index/generated_program.h"

namespace {

using namespace culprit;

/// The driver's loop never ends; what it calls is generated.
GeneratedProgram long_running_program() {
  std::mt19937 random(5);
  GeneratedProgram made = generate_program(random, 60, 30, false, true);
  const auto grown = static_cast<uint32_t>(made.functions.front().size());
  std::vector<std::pair<uint32_t, uint32_t>> edges{{0, 1}, {1, 1}, {1, 2}, {2, 1}};
  made.functions.front() = program::make_graph(3, edges);
  std::vector<std::vector<uint32_t>> callees{{}, {1, 2, 3}, {4, 5}};
  callees.insert(callees.end(), made.callees.begin() + grown, made.callees.end());
  made.callees = std::move(callees);
  for (size_t each = 1; each < made.first_block.size(); ++each) made.first_block[each] -= grown - 3;
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const uint64_t points = std::strtoull(argv[1], nullptr, 10);
  const GeneratedProgram program = long_running_program();
  const FlowTables tables(program.functions);
  fmt::print("{{");
  for (const AlignmentKind kind : {AlignmentKind::kPrecise, AlignmentKind::kStructural}) {
    const auto begin = std::chrono::steady_clock::now();
    GeneratedExecution left(program, 1, 2, 500, points), right(program, 1, 3, 500, points);
    Alignment alignment(left, right, tables, kind);
    const AlignmentCount count = count_aligned(alignment);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print("\"{}\": {{\"seconds\": {:.3f}, \"both\": {}, \"left\": {}, \"right\": {}}}, ",
               kind == AlignmentKind::kPrecise ? "pepid" : "sei", seconds, count.both, count.left_only,
               count.right_only);
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("\"peak_kib\": {}}}\n", usage.ru_maxrss);
  return 0;
}
