#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/build/event_batch.h"
#include "model/formats/chrome/decimal.h"
#include "model/formats/chrome/event_walker.h"
#include "model/trace/category.h"

namespace lacuna {

/// Interns a text as written between quotes, at `offset`, in the batch's pool: cuts it if too long, keeps escapes that
/// are not JSON; counts both. `scratch`: a buffer to reuse.
StringId intern_content(std::string_view content, std::uint64_t offset, EventBatch& batch, std::string& scratch);

/// Interprets the fields of Chrome-trace events: turns the tokens of one event into records of an
/// EventBatch. The only code that knows phases, so that events of the strict and of the tolerant
/// reader mean the same (formats.md, peers.md 3.2 and 3.3).
///
/// Kernels, copies and sets go to the stream of (args.device, args.stream), else (pid, tid);
/// gpu_user_annotation to a track of its own beside it; every other slice, including cuda_sync, to
/// the thread (pid, tid). Nothing is dropped silently: events that cannot be shown are counted in the report.
///
/// Fills one batch; not thread-safe. About 50 ns per event, thanks to small caches from raw text to
/// ids.
class ChromeEvents {
 public:
  /// SliceRecord::category of an event without cat.
  static constexpr std::uint16_t kNoCategory = 0xffff;

  /// `skipped`: categories to leave out (category_filter.h); must outlive this.
  /// `times_in_ns`: as in ImportOptions.
  explicit ChromeEvents(EventBatch& batch, std::span<const std::string> skipped = {}, bool times_in_ns = false)
      : batch_(batch), skipped_(skipped), times_in_ns_(times_in_ns) {}

  /// `file_offset`: position of the event's '{' in the JSON.
  void add(const EventWalker& tokens, const EventFields& fields, std::uint64_t file_offset);
  /// Adds an entry of the list that is not an object.
  void add_non_event(std::uint64_t file_offset);

 private:
  struct CategoryEntry {
    std::array<char, 48> text{};
    std::uint8_t size = 0;  // of `text`; longer categories are not cached
    std::uint16_t index = kNoCategory;
    CategoryClass meaning = CategoryClass::kOther;
    bool is_skipped = false;  // then `index` is in batch_.skipped
  };
  /// A name as written in the file, without escapes.
  struct NameEntry {
    std::string_view text;  // points into batch_.strings
    StringId id;
  };
  struct ShortText {  // up to 16 bytes, zero-padded
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool operator==(const ShortText&) const = default;
  };
  struct TrackEntry {
    std::array<ShortText, 4> texts;  // pid, tid, device, stream tokens
    TrackKind kind = TrackKind::kThread;
    bool is_used = false;
    std::uint32_t track = 0;
  };
  struct ThreadEntry {
    ShortText pid;
    ShortText tid;
    bool is_used = false;
    std::uint32_t thread = 0;
  };
  /// The event being added.
  struct Event;

  /// Sets the missing categories in torch_npu's traces for Ascend: of device tasks and of the calls that start them.
  void classify_ascend(Event& e);
  void add_slice(const Event& e);
  void add_begin_end(const Event& e);
  void add_instant(const Event& e);
  void add_counter(const Event& e);
  void add_async(const Event& e);
  void add_flow(const Event& e);
  void add_flow_of_slice(const Event& e, Nanos time);
  void add_metadata(const Event& e);

  /// Valid until the next call.
  const CategoryEntry& category(const Event& e);
  CategoryEntry make_category(const Event& e);
  std::uint32_t track(const Event& e);
  std::uint32_t flow_thread(const Event& e);
  std::uint32_t make_track(const Event& e, TrackKind kind, TokenIndex device, TokenIndex stream);
  DecimalTime parse_time(std::string_view text) const;
  bool read_time(const Event& e, Nanos& time);
  StringId text(const Event& e, TokenIndex token);
  StringId name(const Event& e);
  StringId event_id(const Event& e);
  FlowId flow_id(const Event& e);
  static bool shorten(std::string_view token, ShortText& out);

  EventBatch& batch_;
  const std::span<const std::string> skipped_;
  bool times_in_ns_ = false;
  std::array<CategoryEntry, 64> categories_{};
  CategoryEntry long_category_;
  std::array<NameEntry, 512> names_{};
  std::array<TrackEntry, 64> tracks_{};
  std::array<ThreadEntry, 32> flow_threads_{};
  std::string scratch_;
};

}  // namespace lacuna
