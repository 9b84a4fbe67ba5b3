// ED fig. 4.3: the roles of inputs. The figure shows no strengths.
#include <stdio.h>
int data[100];
int main(void) {
  int posSum = 0;
  int negSum = 0;
  int dt;
  int i;
  int num = 0;
  while (!feof(stdin)) {
    if (num >= 100)
      break;
    if (fscanf(stdin, "%d", &dt)) {}
    data[num] = dt;
    num++;
  }
  i = 0;
  while (i < num) {
    dt = data[i];
    if (dt == 0)
      break;
    if (dt > 0)
      posSum += dt;
    else
      negSum += dt;
    i++;
  }
  printf("%d\n", posSum);
  printf("%d\n", negSum);
  return 0;
}
// stdin: 3 -15 0
// ranges: --at 5 => {} {} {}
// ranges: --at 9 => {} {} {}
// ranges: --at 10#1 => {} {} {}
// ranges: --at 11#1 => {} {} {}
// ranges: --at 14#1 --var dt => {3} {} {}
// ranges: --at 14#1 => {3} {} {}
// ranges: --at 15#1 => {} {} {}
// ranges: --at 10#2 => {} {} {}
// ranges: --at 14#2 => {-15} {} {}
// ranges: --at 14#3 => {0} {} {}
// ranges: --at 15#3 => {} {} {}
// ranges: --at 10#4 => {} {} {}
// ranges: --at 17 => {} {} {}
// ranges: --at 18#1 => {} {} {}
// ranges: --at 19#1 => {3} {} {}
// ranges: --at 20#1 => {3} {} {}
// ranges: --at 22#1 => {3} {3} {}
// ranges: --at 23#1 => {3} {3} {}
// ranges: --at 26#1 => {} {3} {}
// ranges: --at 18#2 => {} {3} {}
// ranges: --at 19#2 => {-15} {3} {3}
// ranges: --at 20#2 => {-15} {3} {3}
// ranges: --at 22#2 => {-15} {3,-15} {3}
// ranges: --at 25#1 => {-15} {3,-15} {3}
// ranges: --at 26#2 => {} {3,-15} {3}
// ranges: --at 18#3 => {} {3,-15} {3}
// ranges: --at 19#3 => {0} {3,-15} {3,-15}
// ranges: --at 20#3 => {0} {3,-15} {3,-15}
// ranges: --at 28 --var posSum => {3} {3} {}
// ranges: --at 29 --var negSum => {-15} {3,-15} {3}
