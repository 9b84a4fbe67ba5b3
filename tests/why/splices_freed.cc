// A cache drops its oldest entry and keeps the iterator: the library fails within what it is given.
#include <cstdio>
#include <list>
#include <string>
#include <unordered_map>

using Entries = std::list<std::pair<std::string, std::string>>;

struct Cache {
  Entries entries;
  std::unordered_map<std::string, Entries::iterator> index;

  void put(const std::string& key) {
    entries.push_front({key, "value of " + key});
    index[key] = entries.begin();
    if (entries.size() > 3) entries.pop_back();
  }
  const std::string* get(const std::string& key) {
    const auto found = index.find(key);
    if (found == index.end()) return nullptr;
    entries.splice(entries.begin(), entries, found->second);  // crash
    return &found->second->second;
  }
};

int main() {
  Cache cache;
  for (const char* word : {"alpha", "beta", "gamma", "delta", "alpha", "beta"}) {
    if (const std::string* known = cache.get(word)) {
      printf("%s\n", known->c_str());
    } else {
      cache.put(word);
    }
  }
}
