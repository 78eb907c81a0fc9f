#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/build/event_batch.h"
#include "model/formats/chrome/chrome_events.h"
#include "model/formats/chrome/event_walker.h"
#include "model/formats/chrome/structurals.h"
#include "model/formats/chrome/tolerant_list.h"
#include "model/input/byte_window.h"

namespace lacuna {

/// Reads the entries of an event list from one part of a file into a batch: strictly, window by
/// window; if a window is not valid JSON, uses the tolerant reader from the damaged entry to the end of
/// the window. Buffers are reused, so keep one reader per thread.
class EventReader {
 public:
  enum class End : std::uint8_t {
    kLimit,    ///< the next entry begins at or after the limit
    kListEnd,  ///< at the ']' that closes the list
    kDataEnd,  ///< the end of the data
    kCutOff,   ///< the end of the data, with an incomplete last entry (counted)
  };
  struct Outcome {
    End end = End::kLimit;
    std::uint64_t position = 0;  ///< of the next entry, of the ']' or of the end of the data
  };

  /// `window_bytes`: size of the text parsed at once; best well below that of the second-level cache. `skipped`:
  /// categories to leave out; must outlive the reader.
  /// `raw`: fill only EventBatch::raw.
  EventReader(const ByteSource& source, std::size_t window_bytes, bool tolerant_only = false,
              std::span<const std::string> skipped = {}, bool raw = false, bool times_in_ns = false);

  /// Reads the entries that begin in [from, limit). An entry, or the list's end, must begin at `from`
  /// (after white space). A source that reports its end early stops it at any time.
  Outcome read(std::uint64_t from, std::uint64_t limit, EventBatch& batch);

  /// Returns the first place in [begin, limit) where an event seems to begin. It must be verified
  /// by a read() that ends there. `look_back`: how many bytes before `begin` belong to the list.
  std::optional<std::uint64_t> guess_start(std::uint64_t begin, std::uint64_t limit, std::uint64_t look_back);

 private:
  struct Pass;
  // Each returns true if the pass continues at pass.at, false if it ended as described by pass.outcome.
  bool read_window(Pass& pass);
  bool walk(Pass& pass, std::uint64_t window_end, bool is_last);
  bool read_tolerantly(Pass& pass, std::uint64_t from, std::uint64_t up_to, bool lacks_comma);

  const std::size_t window_bytes_;
  const bool tolerant_only_;
  const bool raw_;
  const bool times_in_ns_;
  const std::span<const std::string> skipped_;
  ByteWindow window_;
  Structurals structurals_;
  EventWalker walker_;
  TolerantList tolerant_;
};

}  // namespace lacuna
