#include "model/base/spill_space.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "model/base/os/files.h"
#include "model/base/os/machine.h"
#include "model/base/os/mapped_files.h"
#include "model/base/os/pages.h"
#include "model/base/os/user_folders.h"

namespace lacuna {

namespace spill_detail {
constinit std::atomic<bool> is_on{false};
constinit std::atomic<std::uintptr_t> begin{0};
constinit std::atomic<std::uintptr_t> size{0};
}  // namespace spill_detail

namespace {

constexpr std::uint64_t kSpillPage = 4096;
constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 40;  // address space, which costs nothing
constexpr std::uint64_t kLeastBytes = std::uint64_t{4} << 30;
/// Blocks below this size lie in chunks of many.
constexpr std::uint64_t kSmallBlock = std::uint64_t{64} << 10;
constexpr std::uint64_t kSpillChunk = std::uint64_t{1} << 20;
constexpr std::uint64_t kSmallAlignment = 64;
/// Writing begins when so much was asked for since the last time: dirty pages are what a limit cannot take away at
/// once.
constexpr std::uint64_t kWriteBehind = std::uint64_t{32} << 20;

std::uint64_t round_spilled(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// The file, its parts in use and its free ones. Bookkeeping of each part, not of each small block.
class SpillFile {
 public:
  Result<void> open();
  void* take(std::uint64_t bytes);
  void give_back(const void* block);
  SpillUsage usage();

 private:
  struct Part {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;  // of a chunk: small ones that live
    bool is_chunk = false;
  };

  /// Offset of a reserved part; kNoRoom: the disk is full.
  std::uint64_t take_part(std::uint64_t bytes);
  void free_part(std::map<std::uint64_t, Part>::iterator part);
  void add_free(std::uint64_t offset, std::uint64_t bytes);
  void discard(std::uint64_t offset, std::uint64_t bytes);
  void write_behind(std::uint64_t bytes);

  static constexpr std::uint64_t kNoRoom = ~std::uint64_t{0};

  std::mutex mutex_;
  // Written by open() alone, before is_on:
  Descriptor file_;
  std::byte* data_ = nullptr;
  std::uint64_t most_ = 0;
  std::string folder_;
  // Guarded by mutex_:
  std::map<std::uint64_t, Part> parts_;                        // in use, by offset
  std::map<std::uint64_t, std::uint64_t> free_;                // offset -> bytes; no two touch
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;  // the same: bytes, offset
  std::uint64_t end_ = 0;                                      // of all parts
  std::optional<std::uint64_t> chunk_;                         // being filled
  std::uint64_t chunk_used_ = 0;
  std::uint64_t unwritten_ = 0;
  SpillUsage usage_;
};

Result<void> SpillFile::open() {
  const std::scoped_lock lock(mutex_);
  if (file_.is_open()) return {};
  if (is_address_space_limited())
    return fail(ErrorCode::kLimit,
                "the address space is limited (ulimit -v), so tables cannot lie on disk either; "
                "limit memory by a control group or ulimit -d");
  std::string folder;
  Result<Descriptor> file = open_spill_file(folder);
  if (!file) return tl::make_unexpected(file.error());
  std::uint64_t most = kMostBytes;
  const auto map = [&] { return map_file(file->get(), 0, most, FileMapping::kShared); };
  void* data = map();
  for (; data == nullptr && most > kLeastBytes; data = map()) most /= 2;
  if (data == nullptr)
    return fail(ErrorCode::kNotWritable, "cannot be mapped: " + std::generic_category().message(errno), folder);
  file_ = std::move(*file);
  data_ = static_cast<std::byte*>(data);
  most_ = most;
  folder_ = folder;
  note_mapping(data, most, file_.get(), 0, "tables on disk in " + folder);
  spill_detail::begin = reinterpret_cast<std::uintptr_t>(data);
  spill_detail::size = most;
  spill_detail::is_on.store(true, std::memory_order_release);
  return {};
}

SpillUsage SpillFile::usage() {
  const std::scoped_lock lock(mutex_);
  SpillUsage usage = usage_;
  usage.folder = folder_;
  return usage;
}

std::uint64_t SpillFile::take_part(std::uint64_t bytes) {
  const auto found = by_size_.lower_bound({bytes, 0});
  const bool is_new = found == by_size_.end();
  const std::uint64_t offset = is_new ? end_ : found->second;
  if (offset + bytes > most_) return kNoRoom;
  if (!reserve_on_disk(file_.get(), offset, bytes)) {
    discard(offset, bytes);  // a part of it may be reserved
    return kNoRoom;
  }
  if (is_new) {
    end_ += bytes;
  } else {
    const std::uint64_t left = found->first - bytes;
    by_size_.erase(found);
    free_.erase(offset);
    if (left > 0) {
      free_.emplace(offset + bytes, left);
      by_size_.emplace(left, offset + bytes);
    }
  }
  usage_.bytes += bytes;
  usage_.peak_bytes = std::max(usage_.peak_bytes, usage_.bytes);
  return offset;
}

void SpillFile::add_free(std::uint64_t offset, std::uint64_t bytes) {
  auto next = free_.lower_bound(offset);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      by_size_.erase({before->second, before->first});
      free_.erase(before);
    }
  }
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    by_size_.erase({next->second, next->first});
    free_.erase(next);
  }
  free_.emplace(offset, bytes);
  by_size_.emplace(bytes, offset);
}

/// Throws pages away: what was not written yet need not be.
void SpillFile::discard(std::uint64_t offset, std::uint64_t bytes) {
  discard_part(file_.get(), offset, bytes);
}

void SpillFile::free_part(std::map<std::uint64_t, Part>::iterator part) {
  const auto [offset, bytes] = std::pair(part->first, part->second.bytes);
  discard(offset, bytes);
  usage_.bytes -= bytes;
  parts_.erase(part);
  add_free(offset, bytes);
}

void SpillFile::write_behind(std::uint64_t bytes) {
  unwritten_ += bytes;
  if (unwritten_ < kWriteBehind) return;
  unwritten_ = 0;
  begin_writing_out(file_.get());
}

void* SpillFile::take(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const bool is_small = bytes < kSmallBlock;
  bytes = round_spilled(std::max<std::uint64_t>(bytes, 1), is_small ? kSmallAlignment : kSpillPage);
  write_behind(bytes);
  if (!is_small) {
    const std::uint64_t offset = take_part(bytes);
    usage_.is_full |= offset == kNoRoom;
    if (offset == kNoRoom) return nullptr;
    parts_[offset] = {.bytes = bytes};
    return data_ + offset;
  }
  if (!chunk_ || chunk_used_ + bytes > kSpillChunk) {
    const std::uint64_t offset = take_part(kSpillChunk);
    usage_.is_full |= offset == kNoRoom;
    if (offset == kNoRoom) return nullptr;
    // A chunk counts as a block of its own while it is filled, so that it stays.
    if (const auto filled = chunk_ ? parts_.find(*chunk_) : parts_.end();
        filled != parts_.end() && --filled->second.blocks == 0)
      free_part(filled);
    parts_[offset] = {.bytes = kSpillChunk, .blocks = 1, .is_chunk = true};
    chunk_ = offset;
    chunk_used_ = 0;
  }
  ++parts_[*chunk_].blocks;
  void* const block = data_ + *chunk_ + chunk_used_;
  chunk_used_ += bytes;
  return block;
}

void SpillFile::give_back(const void* block) {
  const auto offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(block) - data_);
  const std::scoped_lock lock(mutex_);
  const auto part = std::prev(parts_.upper_bound(offset));
  if (!part->second.is_chunk || --part->second.blocks == 0) free_part(part);
}

/// Never destroyed: blocks may be freed after main().
SpillFile& spill_file() {
  static SpillFile& file = *new SpillFile;
  return file;
}

}  // namespace

Result<Descriptor> open_spill_file(std::string& folder) {
  const std::string cache = user_cache_folder();
  if (cache.empty()) return fail(ErrorCode::kNotWritable, "neither XDG_CACHE_HOME nor HOME is set");
  folder = cache + "/lacuna";
  if (!make_private_folder(folder))
    return fail(ErrorCode::kNotWritable,
                errno == EPERM ? "not a folder private to this user" : std::generic_category().message(errno), folder);
  Descriptor file = create_nameless(folder);
  if (!file.is_open()) return fail(ErrorCode::kNotWritable, std::generic_category().message(errno), folder);
  if (!lies_in_memory(file.get())) return file;
  return fail(ErrorCode::kLimit, "lies in memory itself; set XDG_CACHE_HOME to a folder on a disk", folder);
}

Result<void> start_spilling() {
  return spill_file().open();
}

std::uint64_t free_to_spill() {
  std::filesystem::path folder = user_cache_folder();
  auto free = free_on_disk(folder.string());
  for (; !free && folder.has_relative_path(); free = free_on_disk(folder.string()))
    folder = folder.parent_path();  // the folder may not be there yet
  return free.value_or(0);
}

SpillUsage spill_usage() {
  return spill_file().usage();
}

void* spill(std::size_t bytes) noexcept {
  try {
    return spill_file().take(bytes);
  } catch (...) {  // no memory for the bookkeeping
    return nullptr;
  }
}

void free_spilled(void* block) noexcept {
  try {
    spill_file().give_back(block);
  } catch (...) {  // no memory for the bookkeeping: its room is not used again
  }
}

}  // namespace lacuna
