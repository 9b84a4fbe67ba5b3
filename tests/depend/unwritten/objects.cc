// Objects whose parts are copied before they have a value: no line must be told.
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

struct Shape {
  int kind;
  double radius;
  int corners;
  Shape() : kind(0) {}
};

static std::pair<bool, int> look(const std::vector<int>& numbers, int wanted) {
  std::pair<bool, int> result;
  result.first = std::find(numbers.begin(), numbers.end(), wanted) != numbers.end();
  return result;
}

static std::optional<int> none() {
  return std::nullopt;
}

int main(int argc, char** argv) {
  std::vector<Shape> shapes(3);
  Shape one;
  one.radius = argc;
  shapes.push_back(one);
  Shape other = shapes[0];
  std::swap(one, other);
  std::sort(shapes.begin(), shapes.end(), [](const Shape& a, const Shape& b) { return a.kind < b.kind; });
  std::optional<int> value = none();
  std::optional<int> again = value;
  std::variant<int, std::string> either = std::string("text");
  auto moved = std::move(either);
  std::map<std::string, Shape> named;
  named["a"] = other;
  const auto copy = named;
  std::string text = argv[0];
  text += std::to_string(shapes.size());
  std::printf("%d %d %zu\n", look({1, 2}, 2).first, again.has_value(), copy.size() + std::get<1>(moved).size());
  return text.empty();
}
