// Virtual calls, virtual bases, this-adjusting and covariant thunks, pointers to members, pure virtual in constructors.
// EXPECT: circle 3 square 16
// EXPECT: left right bottom
// EXPECT: clone bottom 5
// EXPECT: member 16 offset 2
// EXPECT: during construction shape
// TICKS: per-level
#include <cstdio>
#include <memory>

struct Shape {
  Shape() { name_during_construction = name(); }
  virtual ~Shape() = default;
  virtual int area() const = 0;
  virtual const char* name() const { return "shape"; }
  const char* name_during_construction;
};
struct Circle : Shape {
  int area() const override { return 3; }
  const char* name() const override { return "circle"; }
};
struct Square : Shape {
  explicit Square(int s) : side(s) {}
  int area() const override { return side * side; }
  int side;
};

struct Top {
  virtual ~Top() = default;
  virtual const char* who() { return "top"; }
  virtual Top* clone() { return new Top(*this); }
  int number = 5;
};
struct Left : virtual Top {
  const char* who() override { return "left"; }
  int l = 1;
};
struct Right : virtual Top {
  virtual const char* side() { return "right"; }
  int r = 2;
};
struct Bottom : Left, Right {
  const char* who() override { return "bottom"; }
  const char* side() override { return "bottom"; }
  Bottom* clone() override { return new Bottom(*this); }
};

int main() {
  Circle circle;
  Square square(4);
  const Shape* shapes[] = {&circle, &square};
  std::printf("%s %d square %d\n", shapes[0]->name(), shapes[0]->area(), shapes[1]->area());
  Left left;
  Right right;
  Bottom bottom;
  Top* tops[] = {&left, &bottom};
  std::printf("%s %s %s\n", tops[0]->who(), static_cast<Right&>(right).side(), tops[1]->who());
  std::unique_ptr<Top> copy(tops[1]->clone());
  std::printf("clone %s %d\n", copy->who(), copy->number);
  int (Shape::*area)() const = &Shape::area;
  int Right::*member = &Right::r;
  std::printf("member %d offset %d\n", (shapes[1]->*area)(), bottom.*member);
  std::printf("during construction %s\n", circle.name_during_construction);
}
