#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/formats/chrome/tolerant_list.h"
#include "model/input/byte_window.h"
#include "model/trace/trace.h"

namespace lacuna {

/// Reads args of the events of one source, best in file order: bytes near the last event
/// are mostly in memory already. Holds a reference to the source, which must have bytes.
/// One thread. Throws std::bad_alloc, which callers handle.
class ArgumentReader {
 public:
  explicit ArgumentReader(const TraceSource& source);

  /// Sets values[j] to the arg keys[j], as described in bulk_arguments.h; valid until the next call.
  /// Returns false if the event at `offset` cannot be read back.
  bool read(std::uint64_t offset, std::span<const std::string_view> keys, std::span<std::string_view> values);
  /// Returns the whole event at `offset` as written, valid until the next call; empty if it cannot be read back.
  std::string_view read_text(std::uint64_t offset);

 private:
  template <class Take>
  bool read_here(std::uint64_t offset, Take&& take);
  bool read_carefully(std::uint64_t offset, std::span<const std::string_view> keys, std::span<std::string_view> values);
  bool mend(std::uint64_t offset);

  const ByteSource& bytes_;
  ByteWindow window_;
  const bool is_valid_;  // the import repaired nothing in the text of this source
  std::string_view chunk_;
  std::uint64_t begin_ = ~std::uint64_t{0};
  std::uint64_t last_ = 0;   // offset of the last event
  bool is_too_odd_ = false;  // an event could not be read in one pass
  TolerantList tolerant_;
};

}  // namespace lacuna
