#include "model/cache/stored_file.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "model/base/os/files.h"
#include "model/base/os/pages.h"
#include "model/base/parallel.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kMagic = 0x314e'5543'4154'534cull;  // "LSTACUN1"
constexpr std::uint64_t kAlignment = 64;
/// Tables are read in pieces of this size, so that several threads share a large one and each checks a piece
/// while it is still in its cache.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// Between two looks at whether to go on.
constexpr std::size_t kWriteBytes = std::size_t{8} << 20;

struct Head {
  std::uint64_t magic = kMagic;
  std::uint64_t facts_offset = 0;
  std::uint64_t facts_bytes = 0;
  std::uint64_t facts_checksum = 0;
};

std::size_t piece_count(std::uint64_t bytes) {
  return static_cast<std::size_t>((bytes + kPieceBytes - 1) / kPieceBytes);
}

std::span<const std::byte> piece(std::span<const std::byte> bytes, std::size_t i) {
  return bytes.subspan(i * kPieceBytes, std::min(kPieceBytes, bytes.size() - i * kPieceBytes));
}

bool read_exactly(int descriptor, std::uint64_t offset, void* out, std::size_t size) {
  return read_at(descriptor, offset, {static_cast<char*>(out), size}) == size;
}

}  // namespace

std::uint64_t stored_checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

StoredFileWriter::StoredFileWriter(int descriptor, const std::atomic<bool>* cancel)
    : descriptor_(descriptor), cancel_(cancel) {
  const Head none{.magic = 0};  // not a file of ours until it is finished
  write(&none, sizeof none);
}

void StoredFileWriter::write(const void* data, std::size_t size) {
  std::string_view rest(static_cast<const char*>(data), size);
  while (!rest.empty() && !has_failed_) {
    const std::string_view part = rest.substr(0, kWriteBytes);
    has_failed_ = (cancel_ != nullptr && *cancel_) || !write_all(descriptor_, part);
    at_ += part.size();
    rest.remove_prefix(part.size());
  }
}

void StoredFileWriter::put_text(std::string_view text) {
  put(std::uint64_t{text.size()});
  facts_.append(text);
}

void StoredFileWriter::put_bytes(std::span<const std::byte> bytes) {
  static constexpr char kZeros[kAlignment] = {};
  if (at_ % kAlignment != 0) write(kZeros, kAlignment - at_ % kAlignment);
  std::vector<std::uint64_t> sums(piece_count(bytes.size()));
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = stored_checksum(piece(bytes, i));
  put(StoredTable{at_, bytes.size(), stored_checksum(std::as_bytes(std::span(sums)))});
  write(bytes.data(), bytes.size());
}

bool StoredFileWriter::finish() {
  const Head head{.magic = kMagic,
                  .facts_offset = at_,
                  .facts_bytes = facts_.size(),
                  .facts_checksum = stored_checksum(std::as_bytes(std::span(facts_)))};
  write(facts_.data(), facts_.size());
  return !has_failed_ && write_at(descriptor_, 0, {reinterpret_cast<const char*>(&head), sizeof head});
}

StoredFileReader::StoredFileReader(int descriptor, Checksums checksums)
    : descriptor_(descriptor), checksums_(checksums) {
  Head head;
  const auto facts = facts_of(descriptor);
  if (!facts || !read_exactly(descriptor, 0, &head, sizeof head)) return;
  const std::uint64_t size = facts->bytes;
  if (head.magic != kMagic || head.facts_offset > size || head.facts_bytes != size - head.facts_offset) return;
  facts_.resize(head.facts_bytes);
  if (!read_exactly(descriptor, head.facts_offset, facts_.data(), facts_.size())) return;
  is_ok_ = fits(stored_checksum(std::as_bytes(std::span(facts_))), head.facts_checksum);
  tables_end_ = head.facts_offset;
}

void StoredFileReader::take(void* out, std::size_t size) {
  if (!is_ok_ || size > facts_.size() - at_) {
    is_ok_ = false;
    return;
  }
  std::memcpy(out, facts_.data() + at_, size);
  at_ += size;
}

std::string StoredFileReader::get_text() {
  std::string text(get_count(), '\0');
  take(text.data(), text.size());
  return text;
}

std::size_t StoredFileReader::get_count(std::size_t least_bytes) {
  const auto count = get<std::uint64_t>();
  if (!is_ok_ || count > (facts_.size() - at_) / least_bytes) {
    is_ok_ = false;
    return 0;
  }
  return static_cast<std::size_t>(count);
}

StoredTable StoredFileReader::get_table(std::size_t row_bytes) {
  const auto table = get<StoredTable>();
  if (is_ok_ && table.offset <= tables_end_ && table.bytes <= tables_end_ - table.offset &&
      table.bytes % row_bytes == 0)
    return table;
  is_ok_ = false;
  return {};
}

void StoredFileReader::plan(const StoredTable& table, std::span<std::byte> out) {
  if (out.size() != table.bytes) is_ok_ = false;
  if (is_ok_ && table.bytes > 0) planned_.push_back({table, out.data()});
}

bool StoredFileReader::load(unsigned threads) {
  if (!is_ok_) return false;
  struct Piece {
    std::size_t table;
    std::size_t number;
  };
  std::vector<Piece> pieces;
  std::vector<std::vector<std::uint64_t>> sums(planned_.size());
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    sums[i].resize(piece_count(planned_[i].table.bytes));
    for (std::size_t k = 0; k < sums[i].size(); ++k) pieces.push_back({i, k});
  }
  std::atomic<bool> has_failed{false};
  parallel_for(pieces.size(), threads, [&](std::size_t i) {
    const Planned& planned = planned_[pieces[i].table];
    const std::size_t begin = pieces[i].number * kPieceBytes;
    const std::size_t size = std::min<std::uint64_t>(kPieceBytes, planned.table.bytes - begin);
    (void)make_pages(planned.out + begin, size);
    if (!read_exactly(descriptor_, planned.table.offset + begin, planned.out + begin, size)) has_failed = true;
    sums[pieces[i].table][pieces[i].number] = stored_checksum({planned.out + begin, size});
  });
  for (std::size_t i = 0; i < planned_.size(); ++i)
    if (!fits(stored_checksum(std::as_bytes(std::span(sums[i]))), planned_[i].table.checksum)) has_failed = true;
  planned_.clear();
  is_ok_ = !has_failed;
  return is_ok_;
}

}  // namespace lacuna
