// The same with exceptions that are caught by activations from before the beginning, and with objects.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual long area(int by) const = 0;
};
struct Square final : Shape {
  explicit Square(long side) : side_(side) {}
  long area(int by) const override { return side_ * side_ + by; }
  long side_;
};

long check(const std::vector<long>& areas, int round) {
  long all = 0;
  for (const long each : areas) all += each;
  if (round % 64 == 0) throw std::runtime_error("round");
  return all;
}

long visit(const std::vector<Shape*>& shapes, std::vector<long>& areas, int round) {
  for (size_t each = 0; each < shapes.size(); ++each) areas[each] = shapes[each]->area(round);
  return check(areas, round);
}

}  // namespace

int main() {
  std::vector<Shape*> shapes;
  for (long side = 1; side <= 16; ++side) shapes.push_back(new Square(side));
  std::vector<long> areas(shapes.size());
  long sum = 0, caught = 0;
  const int rounds = 3000;
  for (int round = 0; round < rounds; ++round) {
    try {
      const long here = visit(shapes, areas, round);
      if (round < rounds - 20) continue;
      sum += here;  // last
    } catch (const std::exception& error) {
      ++caught;
      if (round < rounds - 20) continue;
      sum ^= static_cast<long>(std::string(error.what()).size());  // last
    }
  }
  std::printf("%ld %ld\n", sum, caught);  // last
  for (Shape* each : shapes) delete each;
}
