#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/result.h"

namespace lacuna {

/// The types of a column's values in Arrow's format; any value may be null.
enum class ArrowKind : std::uint8_t { kNull, kInteger, kReal, kText };  ///< null, int64, float64, utf8

struct ArrowField {
  std::string name;
  ArrowKind kind = ArrowKind::kInteger;
  std::string unit;     ///< "ns", "B", …: the field's metadata "unit"; empty: none
  std::string meaning;  ///< one sentence: "description"; empty: none
};

/// Writes one table in Arrow's IPC format, row by row, in batches of kBatchRows. Memory: one batch.
///
///   auto writer = ArrowTableWriter::start(fields, Format::kFile, facts, sink);
///   for each row: for each field, in order: integer(), real(), text() or null(); then end_row()
///   writer->finish();
///
/// Errors are sticky: calls after the first failure do nothing, and finish() returns it. One thread at a time.
class ArrowTableWriter {
 public:
  enum class Format : std::uint8_t { kFile, kStream };
  /// Consumes the next bytes of the output; returns false when they cannot be written.
  using Sink = std::function<bool(std::string_view bytes)>;
  using Facts = std::vector<std::pair<std::string, std::string>>;
  static constexpr std::int64_t kBatchRows = 64 * 1024;

  /// `facts`: metadata of the schema. By the first entry, kTableKey, is_own_trace() knows which files may be replaced.
  static Result<std::unique_ptr<ArrowTableWriter>> start(const std::vector<ArrowField>& fields, Format format,
                                                         const Facts& facts, Sink sink);
  ~ArrowTableWriter();
  ArrowTableWriter(const ArrowTableWriter&) = delete;
  ArrowTableWriter& operator=(const ArrowTableWriter&) = delete;

  // Each sets the next column of the row. The kind must be the field's; integer() also suits kReal.
  void integer(std::int64_t value);
  void real(double value);
  /// Invalid UTF-8 becomes U+FFFD: Arrow's texts are UTF-8.
  void text(std::string_view value);
  void null();
  void end_row();

  std::uint64_t rows() const;
  /// False after any failure.
  bool ok() const;
  /// Writes the remaining rows and the end. kNotWritable: the sink refused; kLimit: no memory.
  Result<void> finish();

 private:
  struct State;
  explicit ArrowTableWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
