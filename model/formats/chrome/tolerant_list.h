#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/formats/chrome/event_walker.h"
#include "model/formats/chrome/json_mender.h"
#include "model/formats/chrome/structurals.h"

namespace lacuna {

/// The fallback reader of an event list, for the parts of a file that are not valid JSON: finds
/// one entry after the other and repairs it, so that the strict walker can read it. Text
/// between entries that is not JSON is skipped and counted. One thread.
class TolerantList {
 public:
  enum class Found : std::uint8_t { kEntry, kListEnd, kDataEnd };
  enum class Read : std::uint8_t {
    kEvent,       ///< an object, described by fields() and tokens()
    kOther,       ///< an entry that is not an object
    kUnreadable,  ///< could not be repaired; counted
    kCutOff,      ///< the data end inside it; counted
  };

  explicit TolerantList(const ByteSource& source) : mender_(source, nothing_) {}

  /// Starts at `offset`, where an entry, a comma or the list's end is expected. `report` must
  /// outlive the reading.
  void start(std::uint64_t offset, bool lacks_comma, ImportReport& report);
  /// Moves to the next entry. offset() is then its first byte, or the list's ']', or the end of the data.
  Found find_entry();
  std::uint64_t offset() const { return mender_.offset(); }
  /// Reads the entry that find_entry() found.
  Read read_entry();

  const EventWalker& tokens() const { return walker_; }
  const EventFields& fields() const { return fields_; }
  /// The repaired text of the event.
  std::string_view text() const { return {text_.data(), text_.size() - Structurals::kPadding}; }
  /// Keeps nested values of args and texts of any length, which events do not need.
  void keep_all() {
    keep_.deepest = EventWalker::kDeepest - 1;
    keep_.longest_string = ~std::size_t{0};
  }

 private:
  bool starts_object();

  ImportReport nothing_;
  JsonMender mender_;
  ImportReport* report_ = nullptr;
  // Keeps the event and its args; of a text in them more than is ever shown.
  JsonMender::Keep keep_{.most_bytes = std::size_t{64} << 20, .longest_string = std::size_t{1} << 20, .deepest = 2};
  bool needs_comma_ = false;
  std::string text_;
  Structurals structurals_;
  EventWalker walker_;
  EventFields fields_;
};

}  // namespace lacuna
