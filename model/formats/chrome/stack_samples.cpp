#include "model/formats/chrome/stack_samples.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "model/base/seeded_hash.h"
#include "model/formats/category_filter.h"
#include "model/formats/chrome/decimal.h"
#include "model/formats/json_cursor.h"
#include "model/formats/stacks/sampled_profile.h"
#include "model/trace/import_finding.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

/// The frames by the names that the file gives them; a stack is made once, when it is first asked for.
class ChromeStacks {
 public:
  ChromeStacks(JsonCursor cursor, SampledProfile& profile) : profile_(profile) {
    std::string id, key;
    while (cursor.next_member(id)) {
      Node node;
      SampledProfile::Frame frame;
      if (!cursor.begins('{')) continue;
      while (cursor.next_member(key)) {
        if (key == "name")
          frame.name = cursor.text();
        else if (key == "parent")
          node.parent = name_of(cursor);
        else if (key == "file")
          frame.file = cursor.text();
        else
          cursor.skip();
      }
      node.frame = profile_.add_frame(std::move(frame));
      nodes_[id] = std::move(node);
    }
  }

  /// A frame's name: a number, or text.
  static std::string name_of(JsonCursor& cursor) { return cursor.number_text(); }

  std::optional<SampledProfile::Stack> find(const std::string& id) {
    std::vector<Node*> inner;  // of which the stack is not made yet
    SampledProfile::Stack stack = SampledProfile::kNoFrames;
    const std::string* next = &id;
    while (!next->empty()) {
      const auto found = nodes_.find(*next);
      if (found == nodes_.end() || found->second.is_open) break;
      Node& node = found->second;
      if (node.stack != SampledProfile::kNoFrames) {
        stack = node.stack;
        break;
      }
      node.is_open = true;  // a frame is not around itself
      inner.push_back(&node);
      next = &node.parent;
    }
    if (inner.empty() && stack == SampledProfile::kNoFrames) return {};
    for (std::size_t i = inner.size(); i-- > 0;) {
      inner[i]->is_open = false;
      stack = inner[i]->stack = profile_.add_stack(stack, inner[i]->frame);
    }
    return stack;
  }

 private:
  struct Node {
    std::string parent;
    std::uint32_t frame = 0;
    SampledProfile::Stack stack = SampledProfile::kNoFrames;
    bool is_open = false;
  };
  SampledProfile& profile_;
  std::unordered_map<std::string, Node, SeededHash> nodes_;
};

EventBatch batch_of(SampledProfile& profile, std::uint64_t at, const ImportOptions& options) {
  EventBatch batch;
  profile.for_each_slice([&](const SampledProfile::Slice& slice) {
    if (is_skipped_category(slice.category, options.skip_categories)) return true;
    TrackKey key;
    key.kind = TrackKind::kStacks;
    key.pid = batch.strings.intern(fmt::format("{}", slice.thread.pid));
    key.tid = batch.strings.intern(fmt::format("{}", SampledProfile::track_of(slice.thread.tid)));
    SliceRecord record;
    record.start = slice.start;
    record.duration = slice.end - slice.start;
    record.file_offset = slice.offset;
    record.name = batch.strings.intern(slice.frame.name);
    record.category = batch.category(batch.strings.intern(slice.category));
    ++batch.category_counts[record.category];
    batch.tracks[batch.track(key)].slices.push_back(record);
    return true;
  });
  for (const SampledProfile::Thread& thread : profile.threads()) {
    MetadataEvent event;
    event.what = MetadataEvent::What::kSamplePeriod;
    event.file_offset = at;
    event.pid = batch.strings.intern(fmt::format("{}", thread.pid));
    event.tid = batch.strings.intern(fmt::format("{}", SampledProfile::track_of(thread.tid)));
    event.number = thread.period;
    batch.metadata.push_back(event);
    event.what = MetadataEvent::What::kThreadName;
    event.text = batch.strings.intern(fmt::format("thread {} \xC2\xB7 stacks, sampled", thread.tid));
    batch.metadata.push_back(event);
  }
  return batch;
}

/// The slices as events that a file might have had, for those who read it again.
RawEventList raw_events_of(SampledProfile& profile) {
  RawEventList list;
  profile.for_each_slice([&](const SampledProfile::Slice& slice) {
    RawEvent event;
    event.phase = 'X';
    event.ts = slice.start;
    event.dur = slice.end - slice.start;
    event.file_offset = slice.offset;
    event.name = list.strings.intern(slice.frame.name);
    event.category = list.strings.intern(slice.category);
    event.pid = static_cast<std::uint32_t>(slice.thread.pid);
    event.tid = static_cast<std::uint32_t>(SampledProfile::track_of(slice.thread.tid));
    event.pid_kind = event.tid_kind = RawEvent::IdKind::kNumber;
    list.events.push_back(event);
    return true;
  });
  // Those around others first.
  std::stable_sort(list.events.begin(), list.events.end(),
                   [](const RawEvent& a, const RawEvent& b) { return a.ts != b.ts ? a.ts < b.ts : a.dur > b.dur; });
  return list;
}

}  // namespace

void read_stack_samples(const ImportBytes& bytes, std::uint64_t samples_at, std::uint64_t frames_at,
                        const ImportOptions& options, TraceSource& facts, const BatchReceiver& sink) {
  SampledProfile profile;
  ChromeStacks stacks(JsonCursor(bytes, frames_at), profile);
  JsonCursor cursor(bytes, samples_at);
  std::string key, time, stack;
  while (cursor.next_entry()) {
    (void)cursor.kind();
    SampledProfile::Sample sample{.offset = cursor.offset()};
    std::int64_t pid = 0, tid = 0;
    time.clear();
    stack.clear();
    if (!cursor.begins('{')) continue;
    while (cursor.next_member(key)) {
      if (key == "ts")
        time = cursor.number_text();
      else if (key == "sf")
        stack = ChromeStacks::name_of(cursor);
      else if (key == "pid")
        pid = cursor.integer().value_or(0);
      else if (key == "tid")
        tid = cursor.integer().value_or(0);
      else
        cursor.skip();
    }
    const DecimalTime parsed = options.times_in_ns ? parse_nanos(time) : parse_micros(time);
    const auto found = stacks.find(stack);
    if (!found || time.empty() || parsed.status == DecimalTime::Status::kInvalid) {
      facts.report.add(Finding::kSamplesNotRead, sample.offset);
      continue;
    }
    sample.time = parsed.value;
    sample.stack = *found;
    profile.thread(pid, tid).samples.push_back(sample);
  }
  if (profile.sample_count() == 0) return;
  EventBatch batch;
  if (options.raw_events) {
    batch.raw = raw_events_of(profile);
    return sink(std::move(batch));
  }
  batch = batch_of(profile, samples_at, options);
  facts.report.add(Finding::kStackCut, ImportReport::kNoOffset, {}, profile.cut_samples());
  batch.seal();
  sink(std::move(batch));
}

}  // namespace lacuna
