#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sched.h>
#include <sys/mman.h>
#include <time.h>

namespace lacuna::collector {

/// Allocates zeroed private memory that is zeroed again in a forked child: a child can never mistake its
/// parent's rings, locks or caches for its own, however it was forked (raw clone() included).
/// Page-granular, never freed. Null if out of memory. Needs Linux 4.14; before
/// that a child handler of pthread_atfork clears the essential parts (process.cpp).
inline void* allocate_forgetting(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
#ifdef MADV_WIPEONFORK
  (void)madvise(memory, bytes, MADV_WIPEONFORK);
#endif
  return memory;
}

/// A lock for the slow paths. Zero is unlocked, so a forked child starts unlocked even if another
/// thread of its parent held it. Spins, then sleeps; no fairness.
class Lock {
 public:
  void lock() {
    for (unsigned tries = 0; state_.exchange(1, std::memory_order_acquire) != 0; ++tries) {
      if (tries < 64) continue;
      if (tries < 256) {
        sched_yield();
      } else {
        const timespec pause{0, 50'000};
        nanosleep(&pause, nullptr);
      }
    }
  }
  void unlock() { state_.store(0, std::memory_order_release); }

 private:
  std::atomic<std::uint32_t> state_{0};
};

class Locked {
 public:
  explicit Locked(Lock& lock) : lock_(lock) { lock_.lock(); }
  ~Locked() { lock_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Lock& lock_;
};

/// Memory that lives as long as the process and is copied by fork: for the targets of handles given to the
/// program. Not thread-safe: the caller holds a lock.
class Arena {
 public:
  void* take(std::size_t bytes) {
    bytes = (bytes + 15) & ~std::size_t{15};
    if (used_ + bytes > size_) {
      const std::size_t block = bytes > kBlock ? (bytes + 4095) & ~std::size_t{4095} : kBlock;
      void* memory = mmap(nullptr, block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) return nullptr;
      block_ = static_cast<char*>(memory);
      size_ = block;
      used_ = 0;
    }
    void* result = block_ + used_;
    used_ += bytes;
    return result;
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;
  char* block_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

}  // namespace lacuna::collector
