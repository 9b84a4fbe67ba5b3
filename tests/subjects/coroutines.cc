// C++20 coroutines: generators that interleave, an exception out of one, and tasks that await each other.
// FLAGS: -std=c++20
// EXPECT: 0 100 1 101 3 103 6 106
// EXPECT: thrown after 3
// EXPECT: task 55
#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>

struct Generator {
  struct promise_type {
    int current = 0;
    std::exception_ptr error;
    Generator get_return_object() { return Generator(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int value) {
      current = value;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };
  explicit Generator(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Generator(Generator&& other) : handle_(std::exchange(other.handle_, {})) {}
  ~Generator() {
    if (handle_) handle_.destroy();
  }
  int next() {
    handle_.resume();
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    return handle_.promise().current;
  }
  std::coroutine_handle<promise_type> handle_;
};

static void add_to(int* sum, int value) { *sum += value; }

static Generator sums(int start) {
  int sum = start;
  for (int i = 0;; i++) {
    add_to(&sum, i);
    co_yield sum;
  }
}

static Generator failing(int after) {
  for (int i = 1; i <= after; i++) co_yield i;
  throw after;
}

struct Task {
  struct promise_type {
    int result = 0;
    std::coroutine_handle<> continuation = std::noop_coroutine();
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept {
        return done.promise().continuation;
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(int value) { result = value; }
    void unhandled_exception() { std::terminate(); }
  };
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle.promise().continuation = caller;
    return handle;
  }
  int await_resume() {
    int result = handle.promise().result;
    handle.destroy();
    return result;
  }
  std::coroutine_handle<promise_type> handle;
};

static Task fibonacci(int n) {
  if (n < 2) co_return n;
  int left = co_await fibonacci(n - 1);
  int right = co_await fibonacci(n - 2);
  co_return left + right;
}

int main() {
  Generator low = sums(0), high = sums(100);
  for (int i = 0; i < 4; i++) {
    int first = low.next(), second = high.next();
    printf("%d %d%c", first, second, i < 3 ? ' ' : '\n');
  }
  Generator fails = failing(3);
  int last = 0;
  try {
    for (;;) last = fails.next();
  } catch (int after) {
    printf("thrown after %d\n", last == after ? after : -1);
  }
  Task task = fibonacci(10);
  task.handle.resume();
  printf("task %d\n", task.await_resume());
  return 0;
}
