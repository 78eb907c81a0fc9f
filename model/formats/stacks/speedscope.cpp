#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "model/formats/json_cursor.h"
#include "model/formats/stacks/sampled_profile.h"
#include "model/formats/stacks/stack_formats.h"
#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

struct SpeedscopeUnit {
  std::string_view name;
  double ns;
  std::string_view note;
};
constexpr SpeedscopeUnit kProfileUnits[] = {{"nanoseconds", 1, ""},
                                            {"microseconds", 1e3, ""},
                                            {"milliseconds", 1e6, ""},
                                            {"seconds", 1e9, ""},
                                            {"bytes", 1, " \xC2\xB7 bytes, drawn as ns"},
                                            {"none", 1e6, " \xC2\xB7 no times in the file, 1 ms for each"}};

Nanos scaled(double value, double ns) {
  const double time = value * ns;
  return std::abs(time) < 9e18 ? static_cast<Nanos>(std::llround(time)) : INT64_MAX;
}

class SpeedscopeReader {
 public:
  SpeedscopeReader(const FormatInput& input, TraceSource& facts, const BatchReceiver& receive)
      : input_(input), facts_(facts), sink_(input, facts, receive) {}

  Result<void> read() {
    // Frames may stand behind the profiles, which name them by number: they are read first.
    bool has_profiles = false;
    std::string key;
    JsonCursor first(input_.bytes);
    while (first.next_member(key)) {
      has_profiles |= key == "profiles";
      key == "shared" && first.kind() == '{' ? read_frames(first) : first.skip();
    }
    if (!has_profiles)
      return fail(ErrorCode::kNotATrace, "a file of speedscope that ends before its profiles", input_.path,
                  first.offset());
    JsonCursor cursor(input_.bytes);
    while (cursor.next_member(key)) {
      if (key != "profiles" || cursor.kind() != '[') {
        cursor.skip();
        continue;
      }
      while (sink_.state() && cursor.next_entry())
        if (cursor.begins('{')) read_profile(cursor);
      if (!sink_.state()) return sink_.state();
    }
    if (const auto error = input_.bytes.ending().error) return tl::make_unexpected(*error);
    if (cursor.is_broken()) facts_.report.add(Finding::kUnterminated, cursor.offset());
    facts_.report.add(Finding::kEventUnreadable, ImportReport::kNoOffset, "frames that the file does not have", lost_);
    if (profile_.sample_count() == 0 && has_events_) return sink_.finish();
    return write_profile(profile_, input_, facts_, sink_);
  }

 private:
  void read_frames(JsonCursor& cursor) {
    std::string key;
    while (cursor.next_member(key)) {
      if (key != "frames" || cursor.kind() != '[') {
        cursor.skip();
        continue;
      }
      while (cursor.next_entry()) {
        SampledProfile::Frame frame;
        if (!cursor.begins('{')) continue;
        while (cursor.next_member(key)) {
          if (key == "name")
            frame.name = cursor.text();
          else if (key == "file")
            frame.file = cursor.text();
          else if (key == "line")
            frame.line = cursor.integer().value_or(0);
          else
            cursor.skip();
        }
        profile_.add_frame(std::move(frame));
      }
    }
  }

  struct Profile {
    std::string name;
    const SpeedscopeUnit* unit = &kProfileUnits[5];
    double start = 0;
    bool has_samples = false, has_events = false;
    std::uint64_t samples_at = 0, weights_at = 0, events_at = 0;
  };

  void read_profile(JsonCursor& cursor) {
    Profile profile;
    std::string key;
    ++number_;
    while (cursor.next_member(key)) {
      if (key == "name")
        profile.name = cursor.text();
      else if (key == "startValue")
        profile.start = cursor.number().value_or(0);
      else if (key == "unit") {
        const std::string unit = cursor.text();
        for (const SpeedscopeUnit& known : kProfileUnits)
          if (known.name == unit) profile.unit = &known;
      } else {
        // Their order is not said: lists are read when all is known.
        (void)cursor.kind();
        if (key == "samples") profile.samples_at = cursor.offset();
        if (key == "weights") profile.weights_at = cursor.offset();
        if (key == "events") profile.events_at = cursor.offset();
        cursor.skip();
      }
    }
    if (profile.samples_at != 0) read_samples(profile);
    if (profile.events_at != 0) read_events(profile);
  }

  void read_samples(const Profile& profile) {
    SampledProfile::Thread& thread = profile_.thread(1, number_);
    thread.name = profile.name + std::string(profile.unit->note);
    JsonCursor samples(input_.bytes, profile.samples_at), weights(input_.bytes, profile.weights_at);
    double time = profile.start;
    while (samples.next_entry()) {
      SampledProfile::Sample sample{.time = scaled(time, profile.unit->ns), .offset = samples.offset()};
      if (!samples.begins('[')) continue;
      while (samples.next_entry()) {
        const auto frame = samples.integer();
        if (!frame || *frame < 0 || static_cast<std::uint64_t>(*frame) >= profile_.frame_count())
          ++lost_;
        else
          sample.stack = profile_.add_stack(sample.stack, static_cast<std::uint32_t>(*frame));
      }
      const bool has_weight = profile.weights_at != 0 && weights.next_entry();
      time += has_weight ? std::max(0.0, weights.number().value_or(0)) : 1;
      sample.duration = saturating_sub(scaled(time, profile.unit->ns), sample.time);
      thread.samples.push_back(sample);
    }
  }

  /// Frames that say when they began and ended are slices as any other.
  void read_events(const Profile& profile) {
    has_events_ = true;
    const SinkThread thread{1, number_};
    sink_.name_thread(thread, profile.name + std::string(profile.unit->note));
    struct Open {
      std::uint32_t frame;
      Nanos start;
    };
    std::vector<Open> open;
    JsonCursor events(input_.bytes, profile.events_at);
    std::string key, type;
    Nanos last = 0;
    const auto close = [&](Nanos end) {
      const SampledProfile::Frame& frame = profile_.frame(open.back().frame);
      sink_.slice("function", frame.name, thread, open.back().start, end);
      sink_.arguments();
      if (!frame.file.empty()) sink_.argument("file", frame.file);
      if (frame.line > 0) sink_.argument("line", frame.line);
      sink_.end();
      open.pop_back();
    };
    while (sink_.state() && events.next_entry()) {
      std::optional<double> at;
      std::optional<std::int64_t> frame;
      type.clear();
      if (!events.begins('{')) continue;
      while (events.next_member(key)) {
        if (key == "type")
          type = events.text();
        else if (key == "at")
          at = events.number();
        else if (key == "frame")
          frame = events.integer();
        else
          events.skip();
      }
      if (!at || !frame || *frame < 0 || static_cast<std::uint64_t>(*frame) >= profile_.frame_count()) {
        ++lost_;
        continue;
      }
      last = std::max(last, scaled(*at, profile.unit->ns));
      if (type == "O") {
        open.push_back({static_cast<std::uint32_t>(*frame), last});
      } else if (!open.empty() && open.back().frame == static_cast<std::uint32_t>(*frame)) {
        close(last);
      } else {
        facts_.report.add(Finding::kUnmatchedEnd, events.offset());
      }
    }
    facts_.report.add(Finding::kUnmatchedBegin, events.offset(), {}, open.size());
    while (!open.empty()) close(last);
  }

  const FormatInput& input_;
  TraceSource& facts_;
  TraceSink sink_;
  SampledProfile profile_;
  std::int64_t number_ = 0;
  bool has_events_ = false;
  std::uint64_t lost_ = 0;
};

bool is_speedscope(std::string_view head, bool) {
  if (!head.starts_with('{') || head.find("traceEvents") != head.npos) return false;
  return head.find("speedscope.app/file-format-schema") != head.npos || head.find("\"speedscope@") != head.npos ||
         head.starts_with("{\"shared\":{\"frames\":[");
}

}  // namespace

constinit const Format kSpeedscopeFormat{
    .title = "speedscope",
    .endings = {".speedscope"},
    .recognises = is_speedscope,
    .text = Format::Text::kMade,
    .read = [](const FormatInput& input, TraceSource& facts, const BatchReceiver& receive) {
      return SpeedscopeReader(input, facts, receive).read();
    }};

}  // namespace lacuna
