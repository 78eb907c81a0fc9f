#include "tests/support/counted_memory.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace lacuna {
namespace {

std::atomic<std::uint64_t> asked_calls{0};
std::atomic<std::uint64_t> asked_bytes{0};
std::atomic<bool> is_failing{false};
std::atomic<std::uint64_t> calls_until{0}, failing_count{0}, failed_calls{0};
thread_local bool is_spared = false;

[[maybe_unused]] void* asked_for(std::size_t size, std::size_t alignment) {
  asked_calls.fetch_add(1, std::memory_order_relaxed);
  asked_bytes.fetch_add(size, std::memory_order_relaxed);
  if (is_failing.load(std::memory_order_relaxed) && !is_spared) {
    if (calls_until.load() > 1) {
      --calls_until;
    } else if (failed_calls.load() < failing_count.load()) {
      ++failed_calls;
      return nullptr;
    }
  }
  if (size == 0) size = 1;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size);
#if defined(_WIN32)
  return ::_aligned_malloc(size, alignment);
#else
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
#endif
}

[[maybe_unused]] void free_aligned(void* p) {
#if defined(_WIN32)
  ::_aligned_free(p);
#else
  std::free(p);
#endif
}

}  // namespace

MemoryAsked memory_asked() {
  return {asked_calls, asked_bytes};
}

FailingMemory::FailingMemory(std::uint64_t call, std::uint64_t count) {
  is_spared = true;
  calls_until = call;
  failing_count = count;
  failed_calls = 0;
  is_failing = true;
}

FailingMemory::~FailingMemory() {
  is_failing = false;
  is_spared = false;
}

std::uint64_t FailingMemory::failed() const {
  return failed_calls;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
bool is_memory_counted() {
  return false;
}
}  // namespace lacuna
#else
bool is_memory_counted() {
  return true;
}
}  // namespace lacuna

void* operator new(std::size_t size) {
  if (void* p = lacuna::asked_for(size, 1)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (void* p = lacuna::asked_for(size, static_cast<std::size_t>(alignment))) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return lacuna::asked_for(size, 1);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  lacuna::free_aligned(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  lacuna::free_aligned(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept {
  std::free(p);
}
#endif
