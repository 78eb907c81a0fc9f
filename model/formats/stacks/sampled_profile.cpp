#include "model/formats/stacks/sampled_profile.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/formats/chrome/decimal.h"
#include "model/trace/import_finding.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

constexpr Nanos kMostPeriods = 3;  // without a sample, a thread was not seen (as StackLane has it)

std::string_view category_of(const SampledProfile::Frame& frame) {
  const std::string_view file = frame.file;
  if (!file.ends_with(".py") && !file.starts_with("<frozen ")) return kNativeSampleCategory;
  const bool is_library = file.find("/site-packages/") != file.npos || file.find("/lib/python") != file.npos ||
                          file.find("/dist-packages/") != file.npos || file.starts_with('<');
  return is_library ? kPythonLibraryCategory : kPythonSampleCategory;
}

/// The median of what lies between samples, which sleep does not stretch.
Nanos usual_period(const std::vector<SampledProfile::Sample>& samples) {
  std::vector<Nanos> between;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].duration > 0) between.push_back(samples[i].duration);
    if (i > 0 && samples[i].duration == 0 && samples[i].time > samples[i - 1].time)
      between.push_back(saturating_sub(samples[i].time, samples[i - 1].time));
  }
  if (between.empty()) return 1'000'000;
  const auto middle = between.begin() + static_cast<std::ptrdiff_t>(between.size() / 2);
  std::nth_element(between.begin(), middle, between.end());
  return *middle;
}

}  // namespace

std::uint32_t SampledProfile::add_frame(Frame frame) {
  frames_.push_back(std::move(frame));
  return static_cast<std::uint32_t>(frames_.size() - 1);
}

SampledProfile::Stack SampledProfile::add_stack(Stack parent, std::uint32_t frame) {
  if (parent >= nodes_.size() || frame >= frames_.size()) return parent < nodes_.size() ? parent : kNoFrames;
  if (nodes_[parent].depth == kMostFrames) {
    // One more node, so that its samples are counted as cut; what is deeper stays with it.
    if (nodes_[parent].is_cut) return parent;
    frame = nodes_[parent].frame;
  }
  const std::uint64_t key = std::uint64_t{parent} << 32 | frame;
  const auto [known, is_new] = children_.try_emplace(key, static_cast<Stack>(nodes_.size()));
  if (!is_new) return known->second;
  const bool is_cut = nodes_[parent].depth == kMostFrames;
  nodes_.push_back({is_cut ? nodes_[parent].parent : parent, frame, nodes_[parent].depth + (is_cut ? 0 : 1), is_cut});
  return known->second;
}

SampledProfile::Thread& SampledProfile::thread(std::int64_t pid, std::int64_t tid) {
  const std::uint64_t key = SeededHash::mix(static_cast<std::uint64_t>(pid), 1) + static_cast<std::uint64_t>(tid);
  const auto [known, is_new] = by_id_.try_emplace(key, threads_.size());
  if (is_new) threads_.push_back({.pid = pid, .tid = tid});
  return threads_[known->second];
}

std::int64_t SampledProfile::track_of(std::int64_t tid) {
  constexpr std::int64_t kMostTid = std::int64_t{1} << 22;  // beyond, such numbers are no tids of Linux
  return tid >= 0 && tid < kMostTid ? std::int64_t{kStacksTid} + tid : tid;
}

std::uint64_t SampledProfile::sample_count() const {
  std::uint64_t count = 0;
  for (const Thread& thread : threads_) count += thread.samples.size();
  return count;
}

void SampledProfile::lay_out(Thread& thread) const {
  // Nodes in the order of a walk through the tree, children in the order in which they were made.
  std::vector<Stack> last_child(nodes_.size(), kNoFrames), before(nodes_.size(), kNoFrames);
  for (Stack node = 1; node < nodes_.size(); ++node)
    before[node] = std::exchange(last_child[nodes_[node].parent], node);
  std::vector<std::uint32_t> place(nodes_.size());
  std::vector<Stack> to_see{kNoFrames};
  for (std::uint32_t next = 0; !to_see.empty();) {
    const Stack node = to_see.back();
    to_see.pop_back();
    place[node] = next++;
    for (Stack child = last_child[node]; child != kNoFrames; child = before[child]) to_see.push_back(child);
  }
  std::stable_sort(thread.samples.begin(), thread.samples.end(),
                   [&](const Sample& a, const Sample& b) { return place[a.stack] < place[b.stack]; });
  Nanos time = 0;
  for (Sample& sample : thread.samples) {
    sample.time = time;
    time = saturating_add(time, sample.duration);
  }
}

void SampledProfile::for_each_slice(const std::function<bool(const Slice&)>& visit) {
  for (Thread& thread : threads_)
    if (!write_thread(thread, visit)) return;
}

bool SampledProfile::write_thread(Thread& thread, const std::function<bool(const Slice&)>& visit) {
  std::vector<Sample>& samples = thread.samples;
  std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.time < b.time; });
  if (thread.period == 0) thread.period = usual_period(samples);
  thread.period = std::clamp<Nanos>(thread.period, 1, kLargestTime / kMostPeriods);
  struct Open {
    std::uint32_t frame;
    Nanos start;
    std::uint64_t first, offset;
  };
  std::vector<Open> open;
  std::vector<std::uint32_t> stack;
  Nanos last_end = 0;
  bool is_wanted = true;
  const auto close = [&](std::size_t keep, std::uint64_t at, Nanos end) {
    for (std::size_t i = keep; i < open.size() && is_wanted; ++i) {
      const Frame& frame = frames_[open[i].frame];
      is_wanted = visit({thread, frame, category_of(frame), open[i].start, std::max(end, open[i].start),
                         at - open[i].first, open[i].offset});
    }
    open.resize(std::min(keep, open.size()));
  };
  for (std::size_t i = 0; i < samples.size() && is_wanted; ++i) {
    const Sample& sample = samples[i];
    const bool has_gap = sample.time > last_end;
    if (has_gap) close(0, i, last_end);
    stack.clear();
    for (Stack s = sample.stack; s != kNoFrames; s = nodes_[s].parent) stack.push_back(nodes_[s].frame);
    std::ranges::reverse(stack);
    if (nodes_[sample.stack].is_cut) ++cut_samples_;
    std::size_t same = 0;
    while (same < open.size() && same < stack.size() && open[same].frame == stack[same]) ++same;
    close(same, i, sample.time);
    for (std::size_t k = same; k < stack.size(); ++k) open.push_back({stack[k], sample.time, i, sample.offset});
    const Nanos alone = saturating_add(sample.time, sample.duration > 0 ? sample.duration : thread.period);
    const bool is_last = i + 1 == samples.size();
    const Nanos next = is_last ? alone : samples[i + 1].time;
    const bool comes_soon = saturating_sub(next, sample.time) <= kMostPeriods * thread.period;
    last_end = sample.duration > 0 || !comes_soon ? alone : std::max(next, sample.time);
  }
  close(0, samples.size(), last_end);
  return is_wanted;
}

Result<void> write_profile(SampledProfile& profile, const FormatInput& input, TraceSource& facts, TraceSink& sink) {
  if (profile.sample_count() == 0)
    return fail(ErrorCode::kNotATrace, "a profile without a sample that could be read", input.path, 0);
  const auto write = [&](const SampledProfile::Slice& slice) {
    const SinkThread track{slice.thread.pid, SampledProfile::track_of(slice.thread.tid)};
    sink.slice(slice.category, slice.frame.name, track, slice.start, slice.end);
    sink.arguments();
    if (!slice.frame.file.empty()) sink.argument("file", slice.frame.file);
    if (slice.frame.line > 0) sink.argument("line", slice.frame.line);
    sink.argument("samples", static_cast<std::int64_t>(slice.samples));
    sink.end();
    const bool is_cancelled = input.progress != nullptr && input.progress->cancel;
    return sink.state().has_value() && !is_cancelled;
  };
  profile.for_each_slice(write);
  if (input.progress != nullptr && input.progress->cancel) return fail(ErrorCode::kCancelled, "cancelled");
  for (const SampledProfile::Thread& thread : profile.threads()) {
    const SinkThread track{thread.pid, SampledProfile::track_of(thread.tid)};
    sink.name_thread(track, fmt::format("{} \xC2\xB7 stacks, sampled",
                                        thread.name.empty() ? fmt::format("thread {}", thread.tid) : thread.name));
    sink.sample_period(track, thread.period);
  }
  facts.report.add(Finding::kStackCut, ImportReport::kNoOffset, {}, profile.cut_samples());
  return sink.finish();
}

}  // namespace lacuna
