// The program's operator new: as the library's, but while memory does not suffice (spill_space.h) large blocks lie on
// disk, whoever makes them: indices, statistics, gaps, rows of a query. Otherwise it costs a comparison.
#include <cstdlib>
#include <new>

#include "model/base/spill_space.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LACUNA_SANITIZED_NEW
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LACUNA_SANITIZED_NEW
#endif

#ifndef LACUNA_SANITIZED_NEW  // sanitizers have their own

namespace {

constexpr std::size_t kLeastSpilledBlock = std::size_t{128} << 10;

}  // namespace

// A full disk is no error yet: there may be memory.
void* operator new(std::size_t size) {
  if (size >= kLeastSpilledBlock && lacuna::is_spilling())
    if (void* const block = lacuna::spill(size)) return block;
  while (true) {
    if (void* const block = std::malloc(size == 0 ? 1 : size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept {
  if (lacuna::is_spilled(block)) return lacuna::free_spilled(block);
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}

#endif
