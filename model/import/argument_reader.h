#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/formats/chrome/tolerant_list.h"
#include "model/input/byte_window.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Reads args of the events of one source, best one after the other: what lies near the event read
/// last is mostly in memory already. Holds a reference to the source, whose bytes must be there.
/// One thread. Throws std::bad_alloc, for which the callers have an answer.
class ArgumentReader {
 public:
  explicit ArgumentReader(const TraceSource& source);

  /// values[j] becomes what args has at keys[j], as bulk_arguments.h says; valid until the next call.
  /// False when the event at `offset` cannot be read back.
  bool read(std::uint64_t offset, std::span<const std::string_view> keys, std::span<std::string_view> values) {
    return read_here(offset, keys, values) || read_carefully(offset, keys, values);
  }

 private:
  bool read_here(std::uint64_t offset, std::span<const std::string_view> keys, std::span<std::string_view> values);
  bool read_text(std::string_view text, std::span<const std::string_view> keys,
                 std::span<std::string_view> values) const;
  bool read_carefully(std::uint64_t offset, std::span<const std::string_view> keys, std::span<std::string_view> values);

  ByteWindow window_;
  const bool is_valid_;  // the import found nothing to mend in the text of this source
  std::string_view chunk_;
  std::uint64_t begin_ = 0;
  std::uint64_t last_ = 0;   // the offset read last
  bool is_too_odd_ = false;  // an event could not be read in one pass
  TolerantList tolerant_;
};

}  // namespace lacuna
