#include <stdio.h>

struct point {
  int x, y;
};

int global = 17;

__attribute__((noinline)) static int weigh(int factor, const struct point* point, double scale) {
  int weight = factor * point->x;
  struct point local = {weight, point->y};
  int numbers[4] = {1, 2, 3, 4};
  double scaled = scale * weight;
  for (int i = 0; i < 4; i++) {
    weight += numbers[i] * i;
    local.y += weight;
  }
  printf("%d\n", numbers[global % 4]); /* stop here */
  return weight + local.y + (int)scaled + point->y + factor;
}

int main(int argc, char** argv) {
  struct point point = {argc + 2, 5};
  int result = weigh(6 + argc, &point, 0.5 + argc);
  printf("%d %d %s\n", result, global, argv[0] ? "named" : "");
  return result == 0;
}
