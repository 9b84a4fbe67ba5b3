// Atomicity violation, one variable: tested, then used, while another thread takes the value away.
#include <pthread.h>
#include <stdlib.h>

static char* message;

static void* take_away(void* argument) {
  message = 0;
  return argument;
}

int main(void) {
  pthread_t thread;
  message = malloc(16);
  pthread_create(&thread, 0, take_away, 0);
  if (message) message[0] = 'm';
  pthread_join(thread, 0);
  return 0;
}
