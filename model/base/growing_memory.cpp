#include "model/base/growing_memory.h"

#include <algorithm>
#include <utility>

#include "model/base/os/files.h"
#include "model/base/os/mapped_files.h"
#include "model/base/os/pages.h"

namespace lacuna {

std::shared_ptr<GrowingMemory> GrowingMemory::make() {
  Descriptor file = create_in_memory();
  return file.is_open() ? std::shared_ptr<GrowingMemory>(new GrowingMemory(std::move(file))) : nullptr;
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
  if (!resize_file(file_.get(), offset + bytes)) return nullptr;
  void* const at = map_file(file_.get(), offset, bytes, FileMapping::kShared);
  if (at == nullptr) return nullptr;
  leave_out_of_dumps(at, bytes);  // a crash would take minutes to write what is mostly address space
  end_ += bytes;
  std::shared_ptr<GrowingBlock> made(
      new GrowingBlock(shared_from_this(), nullptr, static_cast<std::byte*>(at), bytes, offset));
  blocks_.push_back(made.get());
  return made;
}

void GrowingBlock::seal(std::span<const SealedBytes> parts) {
  if (original_) return;
  const std::scoped_lock lock(memory_->mutex_);
  for (const SealedBytes& sealed : parts) {
    auto part = std::ranges::find(parts_, sealed.begin, [](const Part& p) { return p.sealed.begin; });
    if (part == parts_.end()) part = parts_.insert(part, Part{.sealed = {sealed.begin, sealed.begin}});
    if (sealed.end <= part->sealed.end) continue;
    memory_->usage_.sealed_bytes += sealed.end - part->sealed.end;
    part->sealed.end = sealed.end;
  }
}

std::shared_ptr<GrowingBlock> GrowingBlock::copy(std::span<const SealedBytes> same) const {
  const std::shared_ptr<const GrowingBlock> original = original_ ? original_ : shared_from_this();
  const std::scoped_lock lock(memory_->mutex_);
  void* const at = map_file(memory_->file_.get(), offset_, bytes_, FileMapping::kOwnCopy);
  if (at == nullptr) return nullptr;
  leave_out_of_dumps(at, bytes_);
  auto* const raw = new GrowingBlock(memory_, original, static_cast<std::byte*>(at), bytes_, offset_);
  raw->same_.assign(same.begin(), same.end());
  original->copies_.push_back(raw);
  if (original->disk_file_.is_open()) raw->note_disk(*original);
  bool is_good = true;
  for (const Part& part : original->parts_)
    if (part.on_disk > 0) is_good = is_good && raw->map_from_disk(*original, part.movable_begin(), part.on_disk);
  if (is_good) return std::shared_ptr<GrowingBlock>(raw);
  std::erase(original->copies_, raw);
  forget_mapping(at);
  unmap_pages(at, bytes_);
  return nullptr;
}

void GrowingBlock::touch(void* begin, std::size_t bytes) {
  (void)make_pages(begin, bytes);  // else a fault a page, later
}

GrowingBlock::~GrowingBlock() {
  bool has_file = false;
  {
    const std::scoped_lock lock(memory_->mutex_);
    has_file = (original_ ? *original_ : *this).disk_file_.is_open();
    if (original_) {
      std::erase(original_->copies_, this);
    } else {
      std::erase(memory_->blocks_, this);
      for (const Part& part : parts_) {
        memory_->usage_.sealed_bytes -= part.in_memory();
        memory_->usage_.disk_bytes -= part.moved();
      }
    }
  }
  if (has_file) forget_mapping(data_);
  unmap_pages(data_, bytes_);
  if (!original_) discard_part(memory_->file_.get(), offset_, bytes_);
}

}  // namespace lacuna
