// GrowingMemory::move_sealed(): what grows no more goes to disk, at the addresses that it has.
//
// A range is written to the block's file first and then mapped from there over what was mapped from memory, in the
// block and in all its copies; only then memory gives its pages back. Whoever reads meanwhile finds the same bytes in
// either place. Room is reserved before, and the disk is waited for: what it cannot take stays in memory, and nothing
// that was moved can be lost to a disk that is full.
#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "model/base/growing_memory.h"
#include "model/base/os/files.h"
#include "model/base/os/mapped_files.h"
#include "model/base/os/pages.h"
#include "model/base/spill_space.h"

namespace lacuna {
namespace {

constexpr std::size_t kMoveUnit = GrowingMemory::kMoveUnit;
/// Of a part at a time: while it is mapped anew, nobody else in this process gets pages.
constexpr std::size_t kMostMoved = std::size_t{4} << 20;

std::size_t whole_units(std::size_t bytes, std::size_t unit) {
  return bytes / unit * unit;
}

/// False, with errno, where the disk cannot take it.
bool put_on_disk(int file, const std::byte* data, std::size_t begin, std::size_t end) {
  const std::string_view bytes(reinterpret_cast<const char*>(data) + begin, end - begin);
  // Dirty pages are what a limit of memory cannot take away; and an error of the disk must be known by now.
  return reserve_on_disk(file, begin, bytes.size()) && write_at(file, begin, bytes) &&
         wait_written_out(file, begin, bytes.size());
}

}  // namespace

struct GrowingMemory::Move {
  std::shared_ptr<GrowingBlock> block;
  std::size_t part = 0;  // its begin
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Of the block with the most that may go; nothing: no more than `most_bytes` are in memory, or none of them may.
std::vector<GrowingMemory::Move> GrowingMemory::next_moves(std::uint64_t most_bytes) const {
  std::shared_ptr<GrowingBlock> block;  // let go of without the lock
  std::vector<Move> best;
  const std::scoped_lock lock(mutex_);
  if (usage_.sealed_bytes <= most_bytes) return best;
  std::uint64_t most = 0;
  const GrowingBlock* chosen = nullptr;
  for (const GrowingBlock* each : blocks_) {
    std::uint64_t sum = 0;
    for (const GrowingBlock::Part& part : each->parts_) sum += part.movable_end() - part.next();
    if (sum > most) chosen = each;
    most = std::max(most, sum);
  }
  if (chosen == nullptr) return best;
  // Null: it is being destroyed, which waits for the lock.
  block = std::const_pointer_cast<GrowingBlock>(chosen->weak_from_this().lock());
  if (block == nullptr) return best;
  for (const GrowingBlock::Part& part : block->parts_)
    if (const std::size_t end = std::min(part.movable_end(), part.next() + kMostMoved); end > part.next())
      best.push_back({block, part.sealed.begin, part.next(), end});
  return best;
}

bool GrowingMemory::move_sealed(std::uint64_t most_bytes) {
  const std::vector<Move> moves = next_moves(most_bytes);
  if (moves.empty()) return false;
  GrowingBlock& block = *moves.front().block;
  if (!block.disk_file_.is_open()) {
    std::string folder;
    Result<Descriptor> file = open_spill_file(folder);
    if (!file) {
      fail_moving(file.error().message());
      return false;
    }
    const std::scoped_lock lock(mutex_);
    block.disk_file_ = std::move(*file);
    block.disk_name_ = "slices on disk in " + folder;
    usage_.folder = folder;
    block.note_disk(block);
    for (const GrowingBlock* copy : block.copies_) copy->note_disk(block);
  }
  bool has_moved = false;
  for (const Move& move : moves) {
    if (!put_on_disk(block.disk_file_.get(), block.data_, move.begin, move.end)) {
      fail_moving(std::generic_category().message(errno));
      return false;
    }
    has_moved |= finish_move(move);
  }
  return has_moved;
}

void GrowingMemory::fail_moving(std::string why) {
  const std::scoped_lock lock(mutex_);
  usage_.failure = std::move(why);
}

/// What is on disk takes the place of what is in memory. False: nothing of it may.
bool GrowingMemory::finish_move(const Move& move) {
  const GrowingBlock& block = *move.block;
  const std::scoped_lock lock(mutex_);
  const auto part = std::ranges::find(move.block->parts_, move.part, [](const auto& p) { return p.sealed.begin; });
  std::size_t end = move.end;
  for (const GrowingBlock* copy : block.copies_) end = std::min(end, copy->movable_below(move.part, move.begin, end));
  if (end <= move.begin) return false;
  bool is_mapped = block.map_from_disk(block, move.begin, end);
  for (const GrowingBlock* copy : block.copies_) {
    const std::size_t own = whole_units(copy->same_until(move.part), page_size());  // from there on it may be written
    if (own > move.begin) is_mapped = is_mapped && copy->map_from_disk(block, move.begin, std::min(end, own));
  }
  if (!is_mapped) {  // memory has the same bytes still
    usage_.failure = "too many mappings: " + std::generic_category().message(errno);
    return false;
  }
  const std::size_t bytes = end - move.begin;
  discard_part(file_.get(), block.offset_ + move.begin, bytes);
  part->on_disk = end;
  usage_.sealed_bytes -= bytes;
  usage_.disk_bytes += bytes;
  usage_.failure.clear();
  return true;
}

void GrowingMemory::drop_read() const {
  const std::scoped_lock lock(mutex_);
  const auto drop = [](const GrowingBlock& block, std::size_t begin, std::size_t end) {
    if (end > begin) drop_pages(block.data_ + begin, end - begin);
  };
  for (const GrowingBlock* block : blocks_)
    for (const GrowingBlock::Part& part : block->parts_) {
      if (part.on_disk == 0) continue;
      drop(*block, part.movable_begin(), part.on_disk);
      for (const GrowingBlock* copy : block->copies_)
        drop(*copy, part.movable_begin(),
             std::min(part.on_disk, whole_units(copy->same_until(part.sealed.begin), page_size())));
    }
}

/// Its pages are, or may soon be, those of the original's file.
void GrowingBlock::note_disk(const GrowingBlock& original) const {
  note_mapping(data_, bytes_, original.disk_file_.get(), 0, original.disk_name_);
}

std::size_t GrowingBlock::same_until(std::size_t part) const {
  const auto same = std::ranges::find(same_, part, &SealedBytes::begin);
  return same == same_.end() ? part : same->end;
}

/// How much of what lies between `begin` and `end` of a part may be moved as far as this copy goes.
std::size_t GrowingBlock::movable_below(std::size_t part, std::size_t begin, std::size_t end) const {
  const std::size_t until = same_until(part);
  const std::size_t page = whole_units(until, page_size());
  if (page == until || page < begin || page >= end) return end;
  // The last page with bytes that the copy shares: it gets one of its own, unless it wrote there and has one.
  if (make_pages(data_ + page, page_size())) return end;
  return whole_units(page, kMoveUnit);
}

bool GrowingBlock::map_from_disk(const GrowingBlock& original, std::size_t begin, std::size_t end) const {
  return map_file_at(data_ + begin, original.disk_file_.get(), begin, end - begin,
                     original_ ? FileMapping::kOwnCopy : FileMapping::kReadOnly);
}

}  // namespace lacuna
