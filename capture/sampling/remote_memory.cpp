#include "capture/sampling/remote_memory.h"

#include <cerrno>
#include <cstring>

#include <sys/uio.h>

namespace lacuna {

std::size_t RemoteMemory::read_now(std::uint64_t address, void* out, std::size_t size) {
  const iovec local{out, size};
  const iovec remote{reinterpret_cast<void*>(address), size};
  const ssize_t got = process_vm_readv(pid_, &local, 1, &remote, 1, 0);
  if (got < 0) error_ = errno;
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

bool RemoteMemory::read(std::uint64_t address, void* out, std::size_t size) {
  if (address == 0 || address + size < address) return false;
  if (size <= kBlock / 4) {
    if (address < block_begin_ || address + size > block_begin_ + block_size_) {
      // Frames of a stack lie below each other: most of the block lies below, none of it on another page.
      const std::uint64_t page = address & ~std::uint64_t{kBlock - 1};
      block_begin_ = page;
      block_size_ = (address + size - page) > kBlock ? 0 : read_now(page, block_.data(), kBlock);
    }
    if (address >= block_begin_ && address + size <= block_begin_ + block_size_) {
      std::memcpy(out, block_.data() + (address - block_begin_), size);
      return true;
    }
  }
  return read_now(address, out, size) == size;
}

}  // namespace lacuna
