#include "model/base/growing_memory.h"

#include <utility>

#include <sys/mman.h>
#include <unistd.h>
#if defined(__linux__)
#include <fcntl.h>
#endif

namespace lacuna {
namespace {

constexpr std::size_t kGrowingUnit = std::size_t{1} << 16;  // a multiple of every page size

}  // namespace

std::shared_ptr<GrowingMemory> GrowingMemory::make() {
#if defined(__linux__)
  const int file = ::memfd_create("lacuna", MFD_CLOEXEC);
  if (file >= 0) return std::shared_ptr<GrowingMemory>(new GrowingMemory(file));
#endif
  return nullptr;
}

GrowingMemory::~GrowingMemory() {
  ::close(file_);
}

std::shared_ptr<GrowingBlock> GrowingMemory::block(std::size_t bytes) {
  bytes = (bytes + kGrowingUnit - 1) / kGrowingUnit * kGrowingUnit;
  const std::scoped_lock lock(mutex_);
  if (blocks_ >= kMostBlocks) return nullptr;
  const std::uint64_t offset = std::exchange(end_, end_ + bytes);
  const auto end = static_cast<off_t>(offset + bytes);
  if (::ftruncate(file_, end) != 0) return nullptr;
  void* at =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, static_cast<off_t>(offset));
  if (at == MAP_FAILED) return nullptr;
  ++blocks_;
  return std::shared_ptr<GrowingBlock>(
      new GrowingBlock(shared_from_this(), nullptr, static_cast<std::byte*>(at), bytes, offset));
}

std::shared_ptr<GrowingBlock> GrowingBlock::copy() const {
  void* at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, memory_->file_,
                    static_cast<off_t>(offset_));
  if (at == MAP_FAILED) return nullptr;
  return std::shared_ptr<GrowingBlock>(new GrowingBlock(memory_, original_ ? original_ : shared_from_this(),
                                                        static_cast<std::byte*>(at), bytes_, offset_));
}

void GrowingBlock::touch([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<std::uintptr_t>(begin) / page * page;
  const auto to = (reinterpret_cast<std::uintptr_t>(begin) + bytes + page - 1) / page * page;
  (void)::madvise(reinterpret_cast<void*>(from), to - from, MADV_POPULATE_WRITE);  // else a fault a page, later
#endif
}

GrowingBlock::~GrowingBlock() {
  ::munmap(data_, bytes_);
  if (original_) return;
#if defined(__linux__)
  (void)::fallocate(memory_->file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset_),
                    static_cast<off_t>(bytes_));
#endif
  const std::scoped_lock lock(memory_->mutex_);
  --memory_->blocks_;
}

}  // namespace lacuna
