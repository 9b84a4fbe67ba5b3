// Nothing here misuses the heap: what libraries allocate takes the place of what was freed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <malloc.h>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

static std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word + " and more, so that it does not fit inside");
  return result;
}

static size_t letters(const char* text) {
  // A word at a time, from where one may begin.
  size_t count = 0;
  for (;; text += sizeof(unsigned long)) {
    unsigned long word;
    word = *reinterpret_cast<const unsigned long*>(text);
    for (size_t each = 0; each < sizeof word; ++each, word >>= 8) {
      if ((word & 255) == 0) return count;
      ++count;
    }
  }
}

int main() {
  std::map<std::string, std::vector<int>> table;
  for (int turn = 0; turn < 20; ++turn) {
    for (const std::string& word : words("one two three four five six seven")) {
      table[word].push_back(turn);
      if (turn % 3 == 0) table.erase(word);
    }
  }
  size_t sum = 0;
  for (const auto& [word, numbers] : table) sum += word.size() + numbers.size() + static_cast<unsigned char>(word[3]);

  char* freed = static_cast<char*>(std::malloc(40));
  std::memset(freed, 1, 40);
  std::free(freed);
  char* copy = strdup("as long as what was given back, or nearly");
  sum += std::strlen(copy) + static_cast<unsigned char>(copy[7]) + letters(copy);
  char* printed = nullptr;
  if (asprintf(&printed, "%zu %s", sum, "and some words behind it, to be long") > 0) sum += printed[0];
  char* room = static_cast<char*>(std::malloc(41));
  std::memset(room, 2, malloc_usable_size(room));
  room = static_cast<char*>(std::realloc(room, 20));
  room[19] = 3;
  std::free(room);
  std::free(printed);
  std::free(copy);

  char* line = nullptr;
  size_t bytes = 0;
  if (FILE* self = std::fopen("/proc/self/maps", "r")) {
    for (int lines = 0; lines < 3 && getline(&line, &bytes, self) > 0; ++lines) sum += line[0] != 0;
    std::fclose(self);
  }
  std::free(line);

  void* aligned = nullptr;
  if (posix_memalign(&aligned, 256, 100) == 0) std::memset(aligned, 4, 100);
  std::free(aligned);
  char* big = static_cast<char*>(std::malloc(1 << 20));
  std::memset(big, 5, 1 << 20);
  std::free(big);
  big = static_cast<char*>(std::malloc(1 << 19));
  big[(1 << 19) - 1] = 6;
  std::free(big);
  // Nobody writes most of it, so that it costs nothing.
  char* huge = static_cast<char*>(std::malloc(size_t{200} << 20));
  for (size_t each = 0; each < 200; each += 8) huge[(each << 20) + each] = 7;
  std::free(huge);

  auto shared = std::make_shared<std::list<std::unique_ptr<std::string>>>();
  std::thread other([shared] {
    for (int each = 0; each < 50; ++each) {
      shared->push_back(std::make_unique<std::string>(40, static_cast<char>('a' + each % 26)));
    }
  });
  other.join();
  while (shared->size() > 1) {
    sum += static_cast<size_t>((*shared->front())[2]);
    shared->pop_front();
  }
  std::printf("%d\n", sum > 100);
}
