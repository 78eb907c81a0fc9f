#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/build/event_batch.h"
#include "model/export/event_sink.h"

namespace lacuna {

/// Collects events into an EventBatch for TraceBuilder, exactly as the importer would from the file that
/// TraceJsonWriter writes of the same events: a live trace and its file show the same numbers.
///
/// The `offset` of an event is set by the caller (set_offset), so that args can be read from the file
/// that is being written. Strings are interned once per batch. One thread at a time.
class BatchSink : public EventSink {
 public:
  BatchSink() = default;
  BatchSink(const BatchSink&) = delete;
  BatchSink& operator=(const BatchSink&) = delete;

  void add(const StreamedSlice& slice) override;
  void add(const StreamedInstant& instant) override;
  void add(const StreamedAsync& async) override;
  void add(const StreamedFlow& flow) override;
  void add(const StreamedName& name) override;
  void add(const StreamedDevice&) override {}

  void set_offset(std::uint64_t offset) { offset_ = offset; }
  std::uint64_t event_count() const { return batch_.event_count(); }
  const EventBatch& batch() const { return batch_; }  ///< the events since the last take(), not sealed
  /// Returns the events added since the last call, sealed.
  EventBatch take();

 private:
  struct TrackHash {
    std::size_t operator()(const StreamedTrack& t) const noexcept {
      const std::size_t h = (std::size_t{t.pid} << 32 | t.tid) * 0x9E3779B97F4A7C15ull;
      return (h ^ h >> 29) + static_cast<std::size_t>(t.kind) + t.device * 8;
    }
  };
  void add_counter(const StreamedInstant& counter);
  std::uint32_t track(const StreamedTrack& track);
  StringId text(std::string_view text);
  StringId id_text(std::uint32_t id);
  std::uint16_t category(std::string_view name);
  void count(char phase, std::uint16_t category);

  /// Cached ids of a text in this batch, found by the text's address, as most texts come from a NameList. The
  /// text is compared as well, because other callers reuse addresses.
  struct KnownText {
    const char* data = nullptr;
    std::string_view text;  ///< the copy in the batch
    StringId id = kEmptyString;
    std::uint16_t category = kNoCategory;
  };
  static constexpr std::uint16_t kNoCategory = 0xffff;
  static constexpr std::size_t kKnownTexts = 256;
  KnownText& known(std::string_view text);

  EventBatch batch_;
  EventBatch::Spares spares_;
  std::array<KnownText, kKnownTexts> known_{};
  StreamedTrack last_track_;
  std::uint32_t last_track_index_ = 0;
  bool has_last_track_ = false;
  std::unordered_map<StreamedTrack, std::uint32_t, TrackHash> tracks_;
  std::uint64_t offset_ = 0;
};

/// Returns a copy of the batch, to which no events can be added.
EventBatch copied(const EventBatch& batch);

}  // namespace lacuna
