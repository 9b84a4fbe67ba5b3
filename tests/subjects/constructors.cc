// Global constructors in order of priority, destructors, and functions with the attributes.
// EXPECT: attribute 101
// EXPECT: attribute 102
// EXPECT: object 200
// EXPECT: object 300
// EXPECT: plain attribute
// EXPECT: plain object
// EXPECT: main 7
// EXPECT: ~plain object
// EXPECT: ~object 300
// EXPECT: ~object 200
// EXPECT: destructor attribute
// TICKS: per-level
#include <cstdio>

static int made;

__attribute__((constructor(102))) static void later() { made++, std::puts("attribute 102"); }
__attribute__((constructor(101))) static void earlier() { made++, std::puts("attribute 101"); }
__attribute__((constructor)) static void plain() { made++, std::puts("plain attribute"); }
__attribute__((destructor)) static void at_end() { std::puts("destructor attribute"); }

struct Object {
  const char* name;
  explicit Object(const char* n) : name(n) { made++, std::puts(name); }
  ~Object() { std::printf("~%s\n", name); }
};

__attribute__((init_priority(300))) Object second("object 300");
__attribute__((init_priority(200))) Object first("object 200");
Object last("plain object");

template <typename T>
struct Registered {
  static int value;
};
template <typename T>
int Registered<T>::value = (made++, 1);

int main() {
  int registered = Registered<int>::value;
  std::printf("main %d\n", made + registered - 1);
}
