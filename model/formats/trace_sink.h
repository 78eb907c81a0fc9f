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

/// A thread, by the numbers of the system or of the file.
struct SinkThread {
  std::int64_t pid = 0;
  std::int64_t tid = 0;
};

/// A number of ns, or none where the file has something else there: such an event is counted and not shown, or shown
/// without a duration.
using SinkTime = std::optional<std::int64_t>;

/// Where readers of formats other than Chrome JSON put what they read: facts first, then events, each begun by one of
/// the calls below, given its args, and ended by end(). They mean what they mean in Chrome JSON, and are placed
/// likewise: kernels, copies and sets on the stream of their args "device" and "stream", launches tied by the arg
/// "correlation", operators by "External id".
///
/// Events go to the batches of the receiver at once. Beside them they are written down as Chrome JSON (facts.bytes),
/// from which args, raw events and exports are read later; its memory counts, and lies on disk where there is too
/// little. The trace is the same as if that JSON were read. One thread.
class TraceSink {
 public:
  /// Input, facts and receiver must outlive the sink.
  TraceSink(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive);

  // --- facts, before the first event
  void base_time(std::int64_t ns);  ///< 0 of the events' times, since 1970
  void device(const DeviceProperties& device);
  /// Of anything else that the file says as a whole: a member of "metadata", which SQL has, too.
  void fact(std::string_view key, std::string_view text);

  // --- events. Texts need to be valid during the call only; what is no UTF-8 in them becomes U+FFFD.
  void slice(std::string_view category, std::string_view name, SinkThread thread, SinkTime start, SinkTime end);
  /// Begun and never ended.
  void open_slice(std::string_view category, std::string_view name, SinkThread thread, SinkTime start);
  void instant(std::string_view category, std::string_view name, SinkThread thread, SinkTime time);
  /// Begin or end of a slice that may cross threads and others of its thread; `id` and category tie the two.
  void async(bool is_begin, std::string_view category, std::string_view name, SinkThread thread, SinkTime time,
             std::string_view id);
  /// Its args, numbers, are the values of its series from then on.
  void counter(std::string_view name, std::int64_t pid, SinkTime time);
  /// One end of an arrow between slices; `id` and category tie the two. The slice is the one around `time`.
  void flow(bool is_start, std::string_view category, SinkThread thread, SinkTime time, std::uint64_t id);
  /// The args of the event begun last follow, if any.
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

  /// The order among processes, and among the threads of one: the least comes first.
  void sort_process(std::int64_t pid, std::int64_t index) { number_of("process_sort_index", {pid, 0}, index); }
  void sort_thread(SinkThread thread, std::int64_t index) { number_of("thread_sort_index", thread, index); }
  /// Of a track of sampled stacks (model/trace/sampled_tracks.h): ns between two samples.
  void sample_period(SinkThread thread, std::int64_t ns) { number_of("sample_period_ns", thread, ns); }

  /// What SQL says of a process, a thread or a series of a counter beside its name: "description" and the like, by key.
  /// Empty texts are left out.
  using Words = std::span<const std::pair<std::string_view, std::string_view>>;
  void describe_process(std::int64_t pid, Words words);
  void describe_thread(SinkThread thread, Words words);
  void describe_counter(std::int64_t pid, std::string_view name, std::string_view series, Words words);

  /// Why nothing is taken any more: memory, or ImportOptions::max_json_bytes. To be asked now and then.
  const Result<void>& state() const { return state_; }
  /// Hands on what is left. Errors: those of state().
  Result<void> finish();

 private:
  struct Category {
    std::string text;
    std::uint16_t index = 0;  // in the batch; of skipped ones, in its list of these
    CategoryClass meaning = CategoryClass::kOther;
    bool is_skipped = false;
  };
  /// What stands between the quotes of a text in text_.
  struct TextPlace {
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  /// The event that was begun. Texts become strings of the batch once it is known that it is shown.
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
    const Category* category = nullptr;  // until the next is begun
    bool has_arguments = false;          // their brace is open
    bool is_first_argument = true;
    std::vector<std::pair<std::string, std::optional<double>>> values;  // of a counter; none: no number
  };
  /// Where the last event was placed: the next one mostly goes there, too.
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
  std::string text_;               // not kept yet
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
