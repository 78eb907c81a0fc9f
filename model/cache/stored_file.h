#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lacuna {

// A file of plain tables for this machine and this build alone: tables as they lie in memory, one after the
// other, and behind them the facts that tell what they are. Every byte is under a checksum (XXH3 of xxHash),
// so that a file which was cut, overwritten or half written is never believed.

/// The place of a table in the file.
struct StoredTable {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

/// Writes such a file from front to end. One thread.
class StoredFileWriter {
 public:
  /// `descriptor` is open for writing, empty, and stays the caller's. Once `cancel` (may be null) is set, nothing more
  /// is written and finish() fails.
  explicit StoredFileWriter(int descriptor, const std::atomic<bool>* cancel = nullptr);

  /// Facts are read in the order in which they were put.
  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  void put(const Value& value) { facts_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put_text(std::string_view text);
  template <class Row>
  requires std::is_trivially_copyable_v<Row>
  void put_table(std::span<const Row> rows) { put_bytes(std::as_bytes(rows)); }
  void put_bytes(std::span<const std::byte> bytes);

  /// Writes the facts and the head. False when something could not be written.
  bool finish();
  std::uint64_t size() const { return at_; }

 private:
  void write(const void* data, std::size_t size);

  const int descriptor_;
  const std::atomic<bool>* const cancel_;
  std::uint64_t at_ = 0;
  bool has_failed_ = false;
  std::string facts_;
};

/// Reads it back. Nothing that it gives was not put there by the writer, except to who makes a checksum that
/// fits: callers still check what they index with. The first fault makes ok() false and all later values empty.
class StoredFileReader {
 public:
  /// `descriptor` is open for reading and stays the caller's. Reads head and facts. Only fuzzers believe checksums
  /// unseen: theirs never fit.
  enum class Checksums : bool { kCompared, kBelieved };
  explicit StoredFileReader(int descriptor, Checksums checksums = Checksums::kCompared);

  bool ok() const { return is_ok_; }
  void refuse() { is_ok_ = false; }

  template <class Value>
  requires std::is_trivially_copyable_v<Value> Value get() {
    Value value{};
    take(&value, sizeof value);
    return value;
  }
  std::string get_text();
  /// A number of things that each take at least `least_bytes` of facts, so that a wrong one cannot ask for much memory.
  std::size_t get_count(std::size_t least_bytes = 1);
  StoredTable get_table(std::size_t row_bytes);

  /// Plans to read a table to `out`, which has its size and stays where it is until load().
  void plan(const StoredTable& table, std::span<std::byte> out);
  template <class Rows>
  void get_rows(Rows& rows) {
    using Row = typename Rows::value_type;
    const StoredTable table = get_table(sizeof(Row));
    rows.resize(table.bytes / sizeof(Row));
    plan(table, std::as_writable_bytes(std::span(rows)));
  }
  /// Reads all that was planned on up to `threads` threads and checks it. False when a byte is not as written.
  bool load(unsigned threads);

 private:
  struct Planned {
    StoredTable table;
    std::byte* out = nullptr;
  };
  void take(void* out, std::size_t size);

  bool fits(std::uint64_t checksum, std::uint64_t expected) const {
    return checksum == expected || checksums_ == Checksums::kBelieved;
  }

  const int descriptor_;
  const Checksums checksums_;
  bool is_ok_ = false;
  std::uint64_t tables_end_ = 0;
  std::string facts_;
  std::size_t at_ = 0;
  std::vector<Planned> planned_;
};

/// Checksum of bytes that lie together, as the files use it.
std::uint64_t stored_checksum(std::span<const std::byte> bytes);

}  // namespace lacuna
