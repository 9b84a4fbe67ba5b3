// Takes the place of pthread_create in executables that keep ids, also for threads that the C++ library creates: the
// new thread gets a copy of its creator's id. Weak: a program that has its own keeps it.
#include <dlfcn.h>
#include <pthread.h>

#include "runtime/index/points.h"
#include "runtime/index/thread_start.h"

extern "C" {
void* malloc(size_t bytes);
void free(void* block);
}

namespace culprit::runtime {
namespace {

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

void* run(void* pointer) {
  auto* start = static_cast<ThreadStart*>(pointer);
  this_thread_start = start;
  void* result = start->routine(start->argument);
  this_thread_start = nullptr;
  free(start);
  return result;
}

int create_with_id(Create create, pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) {
  const format::ThreadPoints& points = culprit_points;
  if (!points.base) return create(thread, attributes, routine, argument);
  const auto bytes = static_cast<size_t>(points.top - points.base);
  auto* start = static_cast<ThreadStart*>(malloc(sizeof(ThreadStart) + bytes));
  if (!start) return create(thread, attributes, routine, argument);
  start->routine = routine;
  start->argument = argument;
  start->bytes = bytes;
  __builtin_memcpy(start->words, points.base, bytes);
  const int result = create(thread, attributes, run, start);
  if (result != 0) free(start);
  return result;
}

}  // namespace
}  // namespace culprit::runtime

extern "C" __attribute__((weak, visibility("default"))) int pthread_create(pthread_t* thread,
                                                                           const pthread_attr_t* attributes,
                                                                           void* (*routine)(void*), void* argument) {
  constexpr int kTryAgain = 11;
  const auto create = reinterpret_cast<culprit::runtime::Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (!create) return kTryAgain;
  return culprit::runtime::create_with_id(create, thread, attributes, routine, argument);
}

namespace culprit::runtime {

/// A program refers to these weakly, which does not fetch them from an archive; the last one brings the report of how
/// much memory ids took.
__attribute__((used)) void* const kQuestions[] = {
    reinterpret_cast<void*>(culprit_point_current), reinterpret_cast<void*>(culprit_point_equal),
    reinterpret_cast<void*>(culprit_point_order),   reinterpret_cast<void*>(culprit_point_hash),
    reinterpret_cast<void*>(culprit_point_print),   reinterpret_cast<void*>(culprit_point_frames),
    reinterpret_cast<void*>(culprit_point_reached),
};

}  // namespace culprit::runtime
