// A thread waits in a spin lock of libc, in code without ticks, while its caller keeps values in preserved registers.
// EVENT: waits by spinning
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_spinlock_t lock;
static volatile int ready;

static long mix(long a, long b) { return a * 31 + b; }

static void* worker(void* given) {
  long a = (long)given, b = mix(a, 7), c = mix(b, 11), d = mix(c, 13);
  for (int i = 0; i < 3; ++i) {
    ready = 1;
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    a += b ^ c; b += c ^ d; c += d ^ a;
    printf("%ld %ld %ld %ld\n", a, b, c, d);
  }
  return NULL;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&lock);
  pthread_t thread;
  pthread_create(&thread, NULL, worker, (void*)5L);
  while (!ready) usleep(1000);
  pthread_spin_unlock(&lock);
  pthread_join(thread, NULL);
  puts("done");
}
