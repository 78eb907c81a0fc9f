#pragma once

#include <cstdint>

#include "capture/collector/process.h"
#include "capture/collector/threads.h"

namespace lacuna::collector {

/// Name of a category of a domain, kept to send it again after a fork.
struct CategoryName {
  CategoryName* next = nullptr;
  std::uint32_t category = 0;
  std::uint32_t length = 0;
  const char* text = nullptr;
};

/// The target of our nvtxDomainHandle_t. Domains of the same name share it. Never freed: using a handle
/// after nvtxDomainDestroy is harmless. In memory that fork copies.
struct Domain {
  Domain* next = nullptr;
  std::uint16_t id = 0;
  std::uint32_t length = 0;
  const char* text = nullptr;
  CategoryName* categories = nullptr;
};

/// The target of our nvtxStringHandle_t. Its id is invalid in a forked child, which `generation` detects.
struct RegisteredName {
  std::atomic<std::uint64_t> generation_and_id{0};
  std::uint32_t length = 0;
  const char* text = nullptr;

  std::uint32_t id(ThreadState& thread) {
    const std::uint64_t value = generation_and_id.load(std::memory_order_relaxed);
    if (__builtin_expect(value >> 32 == thread.generation, 1)) return static_cast<std::uint32_t>(value);
    return intern_again(thread);
  }

 private:
  std::uint32_t intern_again(ThreadState& thread);
};

/// Returns the domain of this name, created on first use; null if out of memory.
Domain* make_domain(Process& process, const char* name);
void name_category(Process& process, Domain* domain, std::uint32_t category, const char* name);
RegisteredName* register_name(Process& process, const char* text);

/// Unlocks the lock in a forked child: another thread of the parent may have held it.
void release_inherited_lock();

/// Sends all domains and categories so far to the viewer: those of the collector in a new process,
/// and those inherited by a forked child. The caller holds the lock.
void announce_names(Process& process);

}  // namespace lacuna::collector
