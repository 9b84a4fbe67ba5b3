// A lock for short stretches of the runtime's own, without the C library.
#pragma once

namespace culprit::runtime {

/// Holds `word` (0: free) while it lives; `yield()` lets other threads run while it waits.
class SpinLock {
 public:
  template <typename Yield>
  SpinLock(int& word, Yield yield) : word_(word) {
    while (__atomic_exchange_n(&word_, 1, __ATOMIC_ACQUIRE) != 0) yield();
  }
  ~SpinLock() { __atomic_store_n(&word_, 0, __ATOMIC_RELEASE); }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

 private:
  int& word_;
};

}  // namespace culprit::runtime
