// What C++ orders: no line must be told.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex lock;
std::condition_variable changed;
bool filled;
std::vector<std::string> queue;

struct Table {
  std::vector<int> values{1, 2, 3};
};

const Table& table() {
  static const Table made;
  return made;
}

void produce() {
  {
    const std::lock_guard<std::mutex> guard(lock);
    queue.push_back("a text that is longer than what a string holds itself");
    filled = true;
  }
  changed.notify_one();
}

}  // namespace

int main() {
  std::shared_ptr<std::string> shared = std::make_shared<std::string>("a text that both threads hold, and one frees");
  std::thread producer(produce);
  std::thread reader([copy = shared] { std::printf("%zu %d\n", copy->size(), table().values[1]); });
  std::printf("%d\n", table().values[0]);
  shared.reset();
  {
    std::unique_lock<std::mutex> guard(lock);
    while (!filled) changed.wait(guard);
    std::printf("%s\n", queue.front().c_str());
  }
  producer.join();
  reader.join();
  return 0;
}
