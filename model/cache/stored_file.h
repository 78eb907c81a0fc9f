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

// A file of plain tables for this machine and build only: tables as in memory, one after the
// other, followed by the facts that describe them. A checksum (XXH3 of xxHash) covers every byte,
// so that a truncated, overwritten or half written file is always rejected.

/// The position of a table in the file.
struct StoredTable {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

/// Writes such a file from front to end. One thread.
class StoredFileWriter {
 public:
  /// `descriptor` is open for writing, empty, and stays the caller's. Once `cancel` (may be null) is set, writing
  /// stops and finish() fails.
  explicit StoredFileWriter(int descriptor, const std::atomic<bool>* cancel = nullptr);

  /// Facts must be read in the order of writing.
  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  void put(const Value& value) { facts_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put_text(std::string_view text);
  template <class Row>
  requires std::is_trivially_copyable_v<Row>
  void put_table(std::span<const Row> rows) { put_bytes(std::as_bytes(rows)); }
  void put_bytes(std::span<const std::byte> bytes);

  /// Writes the facts and the head. False when a write failed.
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

/// Reads such a file. All values are those of the writer, unless a forged file has a matching
/// checksum: callers must still check indices. After the first error ok() is false and all later values are empty.
class StoredFileReader {
 public:
  /// `descriptor` is open for reading and stays the caller's. Reads head and facts. Only fuzzers skip checking the
  /// checksums, as theirs never match.
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
  /// Reads a count of items that take at least `least_bytes` of facts each, so that a wrong count costs little memory.
  std::size_t get_count(std::size_t least_bytes = 1);
  StoredTable get_table(std::size_t row_bytes);

  /// Schedules reading a table into `out`, which has its size and must stay in place until load().
  void plan(const StoredTable& table, std::span<std::byte> out);
  template <class Rows>
  void get_rows(Rows& rows) {
    using Row = typename Rows::value_type;
    const StoredTable table = get_table(sizeof(Row));
    rows.resize(table.bytes / sizeof(Row));
    plan(table, std::as_writable_bytes(std::span(rows)));
  }
  /// Reads all scheduled tables on up to `threads` threads and checks them. False when a byte is wrong.
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

/// The checksum of contiguous bytes, as used in the files.
std::uint64_t stored_checksum(std::span<const std::byte> bytes);

}  // namespace lacuna
