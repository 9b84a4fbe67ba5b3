#include "runtime/environment.h"

#include "runtime/text.h"

namespace culprit::runtime {

const char* take_variable(char** environment, const char* name) {
  const size_t length = length_of(name);
  const char* value = nullptr;
  char** kept = environment;
  for (char** entry = environment; *entry; ++entry) {
    if (__builtin_strncmp(*entry, name, length) == 0) {
      value = *entry + length;
    } else {
      *kept++ = *entry;
    }
  }
  *kept = nullptr;
  return value;
}

}  // namespace culprit::runtime
