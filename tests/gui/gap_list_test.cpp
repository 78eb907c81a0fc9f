// Lists of gaps that go on from one document of a recording to the next, and what is asked of gaps without a list.
#include "app/gui/models/gaps/gap_list.h"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "app/gui/core/document_upkeep.h"
#include "capture/session/batch_sink.h"
#include "model/build/growing_links.h"
#include "model/build/trace_builder.h"
#include "model/causes/growing_causes.h"
#include "model/gaps/gpu_idle.h"

namespace lacuna {
namespace {

/// A recording of launches to three streams, the last of which comes late.
class StreamsRecording {
 public:
  StreamsRecording() : source_(builder_.add_source({})) {}

  DocumentPtr grow(std::uint64_t launches) {
    static const char* const kKernels[] = {"gemm", "softmax", "layer_norm", "add"};
    for (const std::uint64_t end = launched_ + launches; launched_ < end; ++launched_) {
      const Nanos at = static_cast<Nanos>(launched_) * 50'000;
      const StreamedTrack thread{100, 101, TrackKind::kThread, 0};
      const auto number = static_cast<std::uint32_t>(launched_ % (launched_ < 3'000 ? 2 : 3));
      const StreamedTrack stream{0, 9 - number, TrackKind::kGpuStream, 0};
      sink_.set_offset(launched_ * 100);
      sink_.add(StreamedSlice{thread,
                              random_() % 9 == 0 ? "cudaStreamSynchronize" : "cudaLaunchKernel",
                              "cuda_runtime",
                              at,
                              static_cast<Nanos>(2'000 + random_() % 20'000),
                              launched_ + 1,
                              {},
                              false});
      sink_.add(StreamedSlice{stream,
                              kKernels[random_() % 4],
                              "kernel",
                              at + 25'000,
                              static_cast<Nanos>(1'000 * (5 + random_() % 90)),
                              launched_ + 1,
                              {},
                              false});
    }
    builder_.add(source_, sink_.take());
    builder_.seal(source_, {}, static_cast<Nanos>(launched_) * 50'000, 150'000'000);
    return make_document(builder_.copy()->finish(1, nullptr, &upkeep_.links()), upkeep_, true);
  }
  /// As if it were a file.
  DocumentPtr afresh() const { return make_document(builder_.copy()->finish(), {}, false); }

 private:
  std::mt19937 random_{7};
  TraceBuilder builder_;
  SourceId source_;
  BatchSink sink_;
  DocumentUpkeep upkeep_;
  std::uint64_t launched_ = 0;
};

std::size_t gap_count(const Document& document) {
  std::size_t count = 0;
  for (const StreamActivity& stream : document.streams) count += stream.gaps.size();
  return count;
}

/// All gaps that pass, in the order of time.
std::vector<GapRef> in_time(const Document& document, const GapFilter& filter) {
  std::vector<GapRef> found;
  for (std::uint32_t s = 0; s < document.streams.size(); ++s)
    for (std::uint32_t g = 0; g < document.streams[s].gaps.size(); ++g) {
      const Gap& gap = document.streams[s].gaps[g];
      if (filter.has(s) && gap.duration() >= filter.min_ns && TimeSpan{gap.start, gap.end}.overlaps(filter.range))
        found.push_back({s, g});
    }
  std::ranges::sort(found, {}, [&](GapRef ref) { return std::tuple(get(document, ref).start, ref); });
  return found;
}

constexpr std::array kColumns = {GapColumn::kDuration, GapColumn::kCause, GapColumn::kStream, GapColumn::kStart,
                                 GapColumn::kBefore,   GapColumn::kAfter, GapColumn::kLaunch};

TEST_CASE("a list of gaps goes on in the next document as if it were made afresh") {
  StreamsRecording recording;
  std::vector<GapRows::Order> orders;
  for (const GapColumn column : kColumns) {
    orders.push_back({{}, column, true});
    orders.push_back({{40'000}, column, false});
  }
  orders.push_back({{20'000, {30'000'000, 190'000'000}, {}}, GapColumn::kDuration, true});
  orders.push_back({{60'000, TimeSpan::everything(), {1}}, GapColumn::kCause, true});
  std::vector<std::shared_ptr<const GapRows>> lists(orders.size());
  std::size_t shared = 0;
  for (int round = 0; round < 14; ++round) {
    CAPTURE(round);
    const DocumentPtr document = recording.grow(500 + 37 * static_cast<std::uint64_t>(round));
    const GapVerdicts& verdicts = document->idle->by_stream;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      CAPTURE(i);
      const auto afresh = list_gaps(*document, orders[i], &verdicts, nullptr);
      const auto grown = list_gaps(*document, orders[i], &verdicts, lists[i].get());
      REQUIRE(grown->rows == afresh->rows);
      CHECK(grown->total == afresh->total);
      CHECK(grown->left_out == afresh->left_out);
      auto rows = grown->rows;
      std::ranges::sort(rows, {}, [&](GapRef ref) { return std::tuple(get(*document, ref).start, ref); });
      CHECK(rows == in_time(*document, orders[i].filter));
      if (lists[i] && lists[i]->streams.size() == grown->streams.size())
        shared = std::max(shared, grown->streams[0].gaps.shared_with(lists[i]->streams[0].gaps));
      lists[i] = grown;
    }
  }
  CHECK(shared >= 1024);  // so much was not looked at again
}

TEST_CASE("a list of gaps by cause is not the one before where verdicts are others") {
  StreamsRecording recording;
  DocumentPtr document;
  for (int i = 0; i < 12; ++i) document = recording.grow(600);
  const GapRows::Order order{{}, GapColumn::kCause, true};
  const GapVerdicts& before = document->idle->by_stream;
  const auto list = list_gaps(*document, order, &before, nullptr);
  GapVerdicts now(before.size());
  std::mt19937 random(5);
  for (std::size_t s = 0; s < before.size(); ++s)
    for (GapDiagnosis verdict : before[s]) {
      if (now[s].size() > 300) verdict.cause = static_cast<GapCause>(random() % kGapCauseCount);
      now[s].push_back(verdict);
    }
  const auto afresh = list_gaps(*document, order, &now, nullptr);
  CHECK(afresh->rows != list->rows);
  CHECK(list_gaps(*document, order, &now, list.get())->rows == afresh->rows);
}

TEST_CASE("stepping through gaps and the longest one need no list") {
  StreamsRecording recording;
  DocumentPtr document;
  for (int i = 0; i < 4; ++i) document = recording.grow(400);
  BackgroundJobs jobs;
  std::mt19937 random(3);
  const TimeSpan whole = document->trace.span();
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    GapFilter filter;
    filter.min_ns = static_cast<Nanos>(random() % 4 == 0 ? 0 : random() % 120'000);
    if (random() % 2 == 0) {
      filter.range.begin = static_cast<Nanos>(random() % static_cast<std::uint64_t>(whole.end));
      filter.range.end = filter.range.begin + 1 + static_cast<Nanos>(random() % 20'000'000);
    }
    if (random() % 3 == 0) filter.streams = {static_cast<std::uint32_t>(random() % document->streams.size())};
    GapList list(jobs);
    list.update(document, filter, GapColumn::kDuration, true);
    const std::vector<GapRef> all = in_time(*document, filter);
    REQUIRE(list.rows().size() == all.size());

    const auto from = static_cast<Nanos>(random() % static_cast<std::uint64_t>(whole.end));
    GapRef walked = list.step(*document, {}, from, 1);
    auto at = std::ranges::find_if(all, [&](GapRef ref) { return get(*document, ref).start >= from; });
    GapRef back = list.step(*document, {}, from, -1);
    REQUIRE(back == (at == all.begin() ? GapRef{} : *(at - 1)));
    for (; at != all.end() && at - all.begin() < 300; ++at) {
      REQUIRE(walked == *at);
      REQUIRE(list.step(*document, walked, 0, -1) == (at == all.begin() ? GapRef{} : *(at - 1)));
      walked = list.step(*document, walked, 0, 1);
    }
    if (at == all.end()) REQUIRE(!walked.valid());
    // From a gap that may not be listed.
    const auto s = static_cast<std::uint32_t>(random() % document->streams.size());
    const GapRef any{s, static_cast<std::uint32_t>(random() % document->streams[s].gaps.size())};
    const auto key = [&](GapRef ref) { return std::tuple(get(*document, ref).start, ref); };
    const auto next = std::ranges::find_if(all, [&](GapRef ref) { return key(ref) > key(any); });
    CHECK(list.step(*document, any, 0, 1) == (next == all.end() ? GapRef{} : *next));

    GapRef best;
    Nanos most = -1;
    for (const GapRef ref : list.rows())
      if (const Nanos idle = gpu_idle_in(*document, ref); idle > most) {
        most = idle;
        best = ref;
      }
    const GapRef longest = list.longest(*document);
    REQUIRE(longest.valid() == best.valid());
    if (best.valid()) CHECK(gpu_idle_in(*document, longest) == most);
  }
}

TEST_CASE("many gaps of a growing recording are listed beside the frames, which show the list before") {
  StreamsRecording recording;
  BackgroundJobs jobs;
  GapList list(jobs);
  const auto update = [&](const DocumentPtr& document) {
    list.update(document, {}, GapColumn::kDuration, true, &document->idle->by_stream);
  };
  const DocumentPtr few = recording.grow(2'000);
  update(few);
  CHECK(list.rows().size() == gap_count(*few));
  CHECK(!list.is_listing());

  const DocumentPtr many = recording.grow(40'000);
  REQUIRE(gap_count(*many) > GapList::kListedAtOnce);
  update(many);
  CHECK(list.is_listing());
  REQUIRE(list.rows().size() == gap_count(*few));
  // The stream that came between the others moved them.
  std::size_t gone = 0;
  for (std::size_t r = 0; r < list.rows().size(); ++r) {
    const GapRef row = list.rows()[r];
    const GapRef now = list.now(*many, row);
    gone += !now.valid();
    if (!now.valid()) continue;
    CHECK(get(*many, now).after == list.gap(row).after);
    CHECK(list.row_of(*many, now) == r);
  }
  CHECK(gone <= 4);
  CHECK(list.row_of(*many, {}) == list.rows().size());
  jobs.wait();
  CHECK(list.take());
  CHECK(!list.take());
  CHECK(list.rows().size() == gap_count(*many));

  // What is of no recording has other numbers of streams: nothing of the list before is shown.
  const DocumentPtr other = recording.afresh();
  list.update(other, {}, GapColumn::kDuration, true);
  CHECK(list.rows().empty());
  jobs.wait();
  CHECK(list.take());
  CHECK(list.rows().size() == gap_count(*many));
  list.update(nullptr, {}, GapColumn::kDuration, true);
  CHECK(list.rows().empty());
}

}  // namespace
}  // namespace lacuna
