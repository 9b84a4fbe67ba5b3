// A queue wakes its reader when it gets the second item, and not when it is closed.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

class Condition {
 public:
  void wait(std::unique_lock<std::mutex>& lock) { condition_.wait(lock); }
  void wake() { condition_.notify_one(); }

 private:
  std::condition_variable condition_;
};

class Queue {
 public:
  void push(int item) {
    std::lock_guard<std::mutex> guard(mutex_);
    items_.push_back(item);                 // pushes
    if (items_.size() > 1) filled_.wake();  // goes past
  }

  void close() {
    std::lock_guard<std::mutex> guard(mutex_);
    closed_ = true;  // closes
  }

  bool pop(int& item) {
    std::unique_lock<std::mutex> guard(mutex_);
    while (items_.empty() && !closed_) {
      filled_.wait(guard);  // waits
    }
    if (items_.empty()) return false;
    item = items_.front();
    items_.pop_front();
    return true;
  }

 private:
  std::mutex mutex_;
  Condition filled_;
  std::deque<int> items_;
  bool closed_ = false;
};

int main(int argc, char** argv) {
  Queue queue;
  long sum = 0;
  std::thread reader([&] {
    for (int item = 0; queue.pop(item);) sum += item;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (int each = 1; each < argc; ++each) queue.push(std::atoi(argv[each]));
  queue.close();
  reader.join();
  std::printf("%ld\n", sum);
}
