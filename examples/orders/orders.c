/* Bills orders. Input lines: "customer NAME DISCOUNT%", "order NAME AMOUNT", comments begin with '#'.
   It crashes on orders.txt. Ask why:  culprit why --expect expected.txt -- ./orders orders.txt */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct customer {
  char name[32];
  int discount;
  long billed;
  struct customer *next;
};

static struct customer *customers;

static struct customer *find_customer(const char *name) {
  for (struct customer *each = customers; each; each = each->next)
    if (strcmp(each->name, name) == 0) return each;
  return NULL;
}

static void add_customer(const char *name, int discount) {
  struct customer *added = calloc(1, sizeof *added);
  if (!added) exit(1);
  snprintf(added->name, sizeof added->name, "%s", name);
  added->discount = discount;
  added->next = customers;
  customers = added;
}

static void bill(const char *name, long amount) {
  struct customer *customer = find_customer(name);
  customer->billed += amount - amount * customer->discount / 100;
}

/* Comments and lines that are too short to say anything. */
static int is_ignored(const char *line) {
  if (line[0] == '#') return 1;
  if (strlen(line) < 16) return 1;
  return 0;
}

static void read_line(const char *line) {
  char name[32];
  int discount;
  long amount;
  if (is_ignored(line)) return;
  if (sscanf(line, "customer %31s %d%%", name, &discount) == 2)
    add_customer(name, discount);
  else if (sscanf(line, "order %31s %ld", name, &amount) == 2)
    bill(name, amount);
  else
    fprintf(stderr, "ignored: %s", line);
}

int main(int argc, char **argv) {
  char line[128];
  FILE *in = argc > 1 ? fopen(argv[1], "r") : stdin;
  if (!in) {
    perror(argv[1]);
    return 1;
  }
  while (fgets(line, sizeof line, in)) read_line(line);
  for (struct customer *each = customers; each; each = each->next) printf("%-10s %8ld\n", each->name, each->billed);
  return 0;
}
