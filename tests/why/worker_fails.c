// The main thread cuts a text into jobs, two workers take them. The length of the last job is wrong. "crash": a worker
// follows the pointer that is missing then. "exit": a worker ends the program with a status.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kJobs = 4, kLongest = 6 };

struct job {
  const char* text;
  int length;
};

static struct job jobs[kJobs];
static int next_job;
static int ends_program;
static long letters;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char* start_of(const struct job* job) {
  if (job->length > kLongest) return NULL;
  return job->text;
}

static long count(const struct job* job) {
  const char* text = start_of(job);
  if (ends_program && text == NULL) {
    fprintf(stderr, "worker_fails: a job is too long\n");
    exit(3);
  }
  long sum = 0;
  for (int i = 0; i < job->length; ++i) {
    if (text[i] != ' ') ++sum;
  }
  return sum;
}

static void* work(void* nothing) {
  for (;;) {
    pthread_mutex_lock(&lock);
    const int mine = next_job++;
    pthread_mutex_unlock(&lock);
    if (mine >= kJobs) return nothing;
    const long sum = count(&jobs[mine]);
    pthread_mutex_lock(&lock);
    letters += sum;
    pthread_mutex_unlock(&lock);
  }
}

static void cut(const char* text) {
  const int length = (int)strlen(text);
  for (int i = 0; i < kJobs; ++i) {
    const int begin = i * 5;
    jobs[i].text = text + begin;
    jobs[i].length = i == kJobs - 1 ? length : 5;
  }
}

int main(int argc, char** argv) {
  ends_program = argc > 1 && strcmp(argv[1], "exit") == 0;
  cut("four and twenty jobs.");
  pthread_t workers[2];
  for (int i = 0; i < 2; ++i) pthread_create(&workers[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(workers[i], NULL);
  printf("%ld letters\n", letters);
  return 0;
}
