// The texts that a program gets when it starts.
#pragma once

#include <cstdint>

namespace culprit::runtime {

/// Where the texts of arguments and environment lie, as the program got them: one behind the other.
struct StartTexts {
  uint64_t arguments = 0, environment = 0, end = 0;
};

inline uint64_t behind(const char* text) {
  while (*text != '\0') ++text;
  return reinterpret_cast<uint64_t>(text) + 1;
}

inline StartTexts start_texts(int count, char** arguments, char** environment) {
  StartTexts texts;
  if (count <= 0) return texts;
  texts.arguments = reinterpret_cast<uint64_t>(arguments[0]);
  texts.environment = texts.end = behind(arguments[count - 1]);
  for (char** each = environment; *each; ++each) {
    if (const uint64_t end = behind(*each); end > texts.end) texts.end = end;
  }
  return texts;
}

}  // namespace culprit::runtime
