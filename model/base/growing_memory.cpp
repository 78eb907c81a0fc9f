#include "model/base/growing_memory.h"

#include <algorithm>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>
#if defined(__linux__)
#include <fcntl.h>
#endif

#include "model/base/mapped_files.h"

namespace lacuna {
namespace {

/// A crash would take minutes to write what is mostly address space.
void leave_out_of_dumps([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_DONTDUMP)
  (void)::madvise(at, bytes, MADV_DONTDUMP);
#endif
}

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

GrowingMemory::Usage GrowingMemory::usage() const {
  const std::scoped_lock lock(mutex_);
  return usage_;
}

std::size_t GrowingMemory::block_count() const {
  const std::scoped_lock lock(mutex_);
  return blocks_.size();
}

std::shared_ptr<GrowingBlock> GrowingMemory::block(std::size_t bytes) {
  bytes = (bytes + kMoveUnit - 1) / kMoveUnit * kMoveUnit;
  const std::scoped_lock lock(mutex_);
  if (blocks_.size() >= kMostBlocks) return nullptr;
  const std::uint64_t offset = end_;
  const auto end = static_cast<off_t>(offset + bytes);
  if (::ftruncate(file_, end) != 0) return nullptr;
  void* at =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, static_cast<off_t>(offset));
  if (at == MAP_FAILED) return nullptr;
  leave_out_of_dumps(at, bytes);
  end_ += bytes;
  std::shared_ptr<GrowingBlock> made(
      new GrowingBlock(shared_from_this(), nullptr, static_cast<std::byte*>(at), bytes, offset));
  blocks_.push_back(made.get());
  return made;
}

void GrowingBlock::settle(std::span<const SettledBytes> parts) {
  if (original_) return;
  const std::scoped_lock lock(memory_->mutex_);
  for (const SettledBytes& settled : parts) {
    auto part = std::ranges::find(parts_, settled.begin, [](const Part& p) { return p.settled.begin; });
    if (part == parts_.end()) part = parts_.insert(part, Part{.settled = {settled.begin, settled.begin}});
    if (settled.end <= part->settled.end) continue;
    memory_->usage_.settled_bytes += settled.end - part->settled.end;
    part->settled.end = settled.end;
  }
}

std::shared_ptr<GrowingBlock> GrowingBlock::copy(std::span<const SettledBytes> same) const {
  const std::shared_ptr<const GrowingBlock> original = original_ ? original_ : shared_from_this();
  const std::scoped_lock lock(memory_->mutex_);
  void* at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, memory_->file_,
                    static_cast<off_t>(offset_));
  if (at == MAP_FAILED) return nullptr;
  leave_out_of_dumps(at, bytes_);
  auto* const raw = new GrowingBlock(memory_, original, static_cast<std::byte*>(at), bytes_, offset_);
  raw->same_.assign(same.begin(), same.end());
  original->copies_.push_back(raw);
  if (original->disk_file_ >= 0) raw->note_disk(*original);
  bool is_good = true;
  for (const Part& part : original->parts_)
    if (part.on_disk > 0) is_good = is_good && raw->map_from_disk(*original, part.movable_begin(), part.on_disk);
  if (is_good) return std::shared_ptr<GrowingBlock>(raw);
  std::erase(original->copies_, raw);
  forget_mapping(at);
  ::munmap(at, bytes_);
  return nullptr;
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
  bool has_file = false;
  {
    const std::scoped_lock lock(memory_->mutex_);
    has_file = (original_ ? *original_ : *this).disk_file_ >= 0;
    if (original_) {
      std::erase(original_->copies_, this);
    } else {
      std::erase(memory_->blocks_, this);
      for (const Part& part : parts_) {
        memory_->usage_.settled_bytes -= part.in_memory();
        memory_->usage_.disk_bytes -= part.moved();
      }
    }
  }
  if (has_file) forget_mapping(data_);
  ::munmap(data_, bytes_);
  if (original_) return;
  if (disk_file_ >= 0) ::close(disk_file_);
#if defined(__linux__)
  (void)::fallocate(memory_->file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset_),
                    static_cast<off_t>(bytes_));
#endif
}

}  // namespace lacuna
