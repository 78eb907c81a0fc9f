#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/base/result.h"
#include "model/base/seeded_hash.h"
#include "model/build/event_batch.h"
#include "model/formats/format.h"
#include "model/input/growing_bytes.h"
#include "model/trace/category.h"
#include "model/trace/import_report.h"
#include "model/trace/trace.h"

namespace lacuna {

/// A thread, by the numbers of the system or the file.
struct SinkThread {
  std::int64_t pid = 0;
  std::int64_t tid = 0;
};

/// A number of ns, or none if the file has something else in its place: such an event is counted but not shown, or
/// shown without a duration.
using SinkTime = std::optional<std::int64_t>;

/// Receives what readers of formats other than Chrome JSON read: facts first, then events, each begun by one of
/// the calls below, followed by its args, and ended by end(). Events mean the same as in Chrome JSON, and are placed
/// likewise: kernels, copies and sets on the stream of their args "device" and "stream", launches linked by the arg
/// "correlation", operators by "External id".
///
/// Passes events to the receiver in batches at once. Also writes them as Chrome JSON (facts.bytes),
/// from which args, raw events and exports are read later; that JSON counts as memory, and is put on disk when memory
/// is short. The trace is the same as if that JSON were read. One thread.
class TraceSink {
 public:
  /// Input, facts and receiver must outlive the sink.
  TraceSink(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive);

  // --- facts, before the first event
  void base_time(std::int64_t ns);  ///< time since 1970 at time 0 of the events
  void device(const DeviceProperties& device);
  /// Any other fact about the whole file: becomes a member of "metadata", which SQL shows, too.
  void fact(std::string_view key, std::string_view text);

  // --- events. Texts need to be valid during the call only; bytes that are not UTF-8 become U+FFFD.
  void slice(std::string_view category, std::string_view name, SinkThread thread, SinkTime start, SinkTime end);
  /// A slice that never ended.
  void open_slice(std::string_view category, std::string_view name, SinkThread thread, SinkTime start);
  void instant(std::string_view category, std::string_view name, SinkThread thread, SinkTime time);
  /// Begin or end of a slice that may cross threads and other slices; `id` and category link the two.
  void async(bool is_begin, std::string_view category, std::string_view name, SinkThread thread, SinkTime time,
             std::string_view id);
  /// Its args, which are numbers, are the new values of its series.
  void counter(std::string_view name, std::int64_t pid, SinkTime time);
  /// One end of an arrow between slices; `id` and category link the two. Binds to the slice around `time`.
  void flow(bool is_start, std::string_view category, SinkThread thread, SinkTime time, std::uint64_t id);
  /// Begins the args of the current event, if it has any.
  void arguments();
  void argument(std::string_view key, std::int64_t value);
  void argument(std::string_view key, double value);
  void argument(std::string_view key, std::string_view value);
  void argument(std::string_view key, std::span<const std::int64_t> values);
  /// A list or an object, as JSON on one line.
  void json_argument(std::string_view key, std::string_view json);
  void end();

  // --- names, at any time between events
  void name_process(std::int64_t pid, std::string_view name) { name_of("process_name", "name", {pid, 0}, name); }
  void name_thread(SinkThread thread, std::string_view name) { name_of("thread_name", "name", thread, name); }
  void label_process(std::int64_t pid, std::string_view text) { name_of("process_labels", "labels", {pid, 0}, text); }

  /// Order of the processes, and of the threads of a process: the lowest index comes first.
  void sort_process(std::int64_t pid, std::int64_t index) { number_of("process_sort_index", {pid, 0}, index); }
  void sort_thread(SinkThread thread, std::int64_t index) { number_of("thread_sort_index", thread, index); }
  /// Sets the ns between two samples of a track of sampled stacks (model/trace/sampled_tracks.h).
  void sample_period(SinkThread thread, std::int64_t ns) { number_of("sample_period_ns", thread, ns); }

  /// Attributes of a process, a thread or a counter series, beside its name, for SQL: "description" and the like, by
  /// key. Empty texts are left out.
  using Words = std::span<const std::pair<std::string_view, std::string_view>>;
  void describe_process(std::int64_t pid, Words words);
  void describe_thread(SinkThread thread, Words words);
  void describe_counter(std::int64_t pid, std::string_view name, std::string_view series, Words words);

  /// The error after which nothing is accepted: memory, or ImportOptions::max_json_bytes. Check it now and then.
  const Result<void>& state() const { return state_; }
  /// Passes on what is left. Errors: those of state().
  Result<void> finish();

 private:
  struct Category {
    std::string text;
    std::uint16_t index = 0;  // in the batch; for skipped categories, in the batch's list of these
    CategoryClass meaning = CategoryClass::kOther;
    bool is_skipped = false;
  };
  /// The part of text_ between the quotes of a text.
  struct TextPlace {
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  /// The current event. Texts become strings of the batch once it is known that the event is shown.
  struct Event {
    char phase = '\0';
    std::uint64_t offset = 0;
    SinkThread thread;
    SinkTime time;
    SinkTime duration;
    std::optional<std::int64_t> device, stream, correlation, external_id;
    TextPlace name;
    TextPlace id;
    std::uint64_t flow_id = 0;
    const Category* category = nullptr;  // valid until the next event
    bool has_arguments = false;          // the args object is open
    bool is_first_argument = true;
    std::vector<std::pair<std::string, std::optional<double>>> values;  // of a counter; none: not a number
  };
  /// The place of the last event, mostly that of the next one, too.
  struct Place {
    TrackKind kind = TrackKind::kThread;
    std::int64_t pid = 0, tid = 0, device = 0, stream = 0;
    bool operator==(const Place&) const = default;
  };

  void begin(char phase, std::string_view category, std::string_view name, SinkThread thread, SinkTime time);
  void name_of(std::string_view what, std::string_view key, SinkThread thread, std::string_view text);
  void number_of(std::string_view what, SinkThread thread, std::int64_t number);
  void describe(std::string_view what, SinkThread thread, Words words);
  void begin_argument(std::string_view key);
  void begin_events();
  void append_time(SinkTime ns);
  TextPlace append_text(std::string_view text);
  StringId intern(TextPlace place);
  const Category& category(std::string_view text);
  StringId number_text(std::int64_t number);
  EventBatch::TrackEvents& track();
  bool is_shown(SinkTime ns, Finding if_not);
  void add_record();
  void add_slice();
  void add_counter();
  void keep_text();
  void hand_on();

  const FormatInput& input_;
  TraceSource& facts_;
  const BatchReceiver& receive_;
  const std::shared_ptr<GrowingBytes> kept_ = std::make_shared<GrowingBytes>();
  Result<void> state_;
  std::string text_;               // not passed on yet
  std::string devices_, members_;  // as JSON: of "deviceProperties" and of "metadata"
  std::string scratch_;
  bool has_begun_ = false;
  bool has_events_ = false;
  Event event_;
  std::uint64_t events_ = 0;  // since the last batch
  EventBatch batch_;
  std::vector<Category> categories_;  // of the batch, as are the rest
  std::unordered_map<std::int64_t, StringId, SeededHash> numbers_;
  std::optional<Place> place_;
  std::uint32_t track_ = 0;
};

}  // namespace lacuna
