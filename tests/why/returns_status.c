// What main returns is compared, and nothing is decided or said: one of the jobs is lost.
#include <stdlib.h>

struct job {
  int number;
  struct job *next;
};

static struct job *jobs;

static void start(int number) {
  struct job *job = malloc(sizeof *job);
  job->number = number;
  job->next = number == 2 ? NULL : jobs;  // loses
  jobs = job;
}

int main(void) {
  int left = 0;
  for (int i = 0; i < 4; i++) start(i);
  for (struct job *job = jobs; job; job = job->next) left++;
  return left != 4;  // failure
}
