#include "model/torch/torch_order.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "model/base/parallel.h"
#include "model/base/stable_sort.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

using Run = RawVector<OrderedSlice>;

/// Merges runs into `out`, which has room for all of them.
template <class Before>
void merge_into(std::vector<std::span<const OrderedSlice>> runs, const Before& before, OrderedSlice* out) {
  std::erase_if(runs, [](const auto& run) { return run.empty(); });
  // The run whose head comes next is first; the others wait in a heap, the next one on top.
  const auto later = [&](const auto& a, const auto& b) { return before(b.front(), a.front()); };
  std::ranges::make_heap(runs, later);
  while (runs.size() > 1) {
    std::ranges::pop_heap(runs, later);
    std::span<const OrderedSlice> run = runs.back();
    const OrderedSlice limit = runs.front().front();
    // Mostly one run goes on for a while: its slices nest, those of others come in turns.
    do {
      *out++ = run.front();
      run = run.subspan(1);
    } while (!run.empty() && !before(limit, run.front()));
    if (run.empty()) {
      runs.pop_back();
    } else {
      runs.back() = run;
      std::ranges::push_heap(runs, later);
    }
  }
  if (!runs.empty()) std::ranges::copy(runs.front(), out);
}

/// Merges runs, on `threads` threads: each a stretch of time.
template <class Before>
Run merge_runs(const std::vector<Run>& runs, const Before& before, unsigned threads) {
  std::size_t total = 0;
  const Run* longest = nullptr;
  for (const Run& run : runs) {
    total += run.size();
    if (longest == nullptr || run.size() > longest->size()) longest = &run;
  }
  Run merged;
  if (total == 0) return merged;
  merged.resize(total);
  const std::size_t parts = std::size_t{threads} * 4;
  // Where part p begins in each run, and in the result.
  std::vector<std::vector<std::size_t>> begins(parts + 1, std::vector<std::size_t>(runs.size(), 0));
  std::vector<std::size_t> at(parts + 1, 0);
  for (std::size_t p = 1; p <= parts; ++p) {
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const auto first = p == parts ? runs[r].end()
                                    : std::ranges::lower_bound(runs[r], (*longest)[longest->size() * p / parts].start,
                                                               {}, &OrderedSlice::start);
      begins[p][r] = static_cast<std::size_t>(first - runs[r].begin());
      at[p] += begins[p][r];
    }
  }
  parallel_for(parts, threads, [&](std::size_t p) {
    std::vector<std::span<const OrderedSlice>> stretches;
    for (std::size_t r = 0; r < runs.size(); ++r)
      stretches.push_back(std::span(runs[r]).subspan(begins[p][r], begins[p + 1][r] - begins[p][r]));
    merge_into(std::move(stretches), before, merged.data() + at[p]);
  });
  return merged;
}

/// One nest's slices, outer before inner: which is by start, longest first.
class NestWalk {
 public:
  NestWalk(const Trace& trace, const OrderOptions& options) : trace_(trace), options_(options) {}

  Run walk(LaneId first, std::uint32_t rows, Nanos shift) {
    const std::span<const Lane> lanes = trace_.lanes().subspan(first.value, rows);
    std::vector<std::uint32_t> next(rows, 0);  // per row: the first slice not yet taken
    std::size_t total = 0;
    for (const Lane& lane : lanes) total += lane.size();
    Run run;
    run.reserve(total);
    for (std::uint32_t row = 0;;) {
      const Lane& lane = lanes[row];
      const std::uint32_t i = next[row];
      const bool is_here = i < lane.size() && (row == 0 || lane.parent(i) == next[row - 1] - 1);
      if (!is_here) {
        if (row == 0) return run;
        --row;
        continue;
      }
      ++next[row];
      if (wanted(lane, i)) run.push_back({lane.start(i) + shift, SliceId{LaneId{first.value + row}, i}});
      if (row + 1 < rows) ++row;
    }
  }

 private:
  bool wanted(const Lane& lane, std::uint32_t i) const {
    const std::uint32_t category = lane.category(i).value;
    if (category < options_.skipped_categories.size() && options_.skipped_categories[category]) return false;
    return !options_.skipped_names[lane.name(i).value] && options_.range.contains(lane.start(i));
  }

  const Trace& trace_;
  const OrderOptions& options_;
};

bool has_start(const Trace& trace, const Track& track, Nanos t) {
  return std::ranges::any_of(trace.lanes_of(track), [&](const Lane& lane) {
    const std::uint32_t i = lane.first_starting_from(t);
    return i < lane.size() && lane.start(i) == t;
  });
}

bool has_end(const Trace& trace, const Track& track, Nanos t) {
  return std::ranges::any_of(trace.lanes_of(track), [&](const Lane& lane) {
    const std::uint32_t i = lane.first_visible_from(t - 1);
    return i < lane.size() && lane.end(i) == t;
  });
}

}  // namespace

AnnotationShift find_annotation_shift(const Trace& trace, SourceId source) {
  constexpr std::array<AnnotationShift, 3> kKnown{{{0, 0}, {1, 1}, {1000, 0}}};
  std::array<std::uint64_t, kKnown.size()> fits{};
  for (const Track& annotations : tracks_of(trace, TrackKind::kGpuAnnotation, source)) {
    for (const Track& stream : tracks_of(trace, TrackKind::kGpuStream, source)) {
      if (stream.device != annotations.device || stream.stream != annotations.stream) continue;
      for (const Lane& lane : trace.lanes_of(annotations))
        for (std::uint32_t i = 0; i < lane.size(); ++i)
          for (std::size_t k = 0; k < kKnown.size(); ++k)
            fits[k] += has_start(trace, stream, lane.start(i) + kKnown[k].early) &&
                       has_end(trace, stream, lane.end(i) - kKnown[k].late);
    }
  }
  return kKnown[static_cast<std::size_t>(std::ranges::max_element(fits) - fits.begin())];
}

RawVector<OrderedSlice> order_slices(const Trace& trace, SourceId source, const OrderOptions& options) {
  const auto end_of = [&](SliceId slice) {
    const Lane& lane = trace.lane(slice);
    const bool is_shifted = trace.track(lane.track).kind == TrackKind::kGpuAnnotation;
    return lane.end(slice.index) - (is_shifted ? options.shift.late : 0);
  };
  const auto before = [&](const OrderedSlice& a, const OrderedSlice& b) {
    if (a.start != b.start) return a.start < b.start;
    const Nanos end_a = end_of(a.slice), end_b = end_of(b.slice);
    if (end_a != end_b) return end_a > end_b;
    return trace.lane(a.slice).file_offset(a.slice.index) < trace.lane(b.slice).file_offset(b.slice.index);
  };

  struct Nest {
    LaneId first;
    std::uint32_t rows = 0;
    Nanos shift = 0;
    std::size_t slices = 0;
  };
  std::vector<Nest> nests;
  for (const Track& track : trace.tracks()) {
    if (!traits_of(track.kind).has_tid) continue;
    if (trace.process(track.process).source != source) continue;
    const Nanos shift = track.kind == TrackKind::kGpuAnnotation ? options.shift.early : 0;
    const std::span<const Lane> lanes = trace.lanes_of(track);
    for (std::uint32_t row = 0; row < lanes.size();) {
      Nest nest{LaneId{track.first_lane.value + row}, 0, shift, 0};
      for (std::uint32_t end = row; end < lanes.size() && lanes[end].nest == lanes[row].nest; ++end) {
        ++nest.rows;
        nest.slices += lanes[end].size();
      }
      nests.push_back(nest);
      row += nest.rows;
    }
  }
  // The largest first, so that the threads end together.
  sort_stably(nests, std::ranges::greater{}, &Nest::slices);
  std::vector<Run> runs(nests.size());
  parallel_for(nests.size(), options.threads, [&](std::size_t n) {
    runs[n] = NestWalk(trace, options).walk(nests[n].first, nests[n].rows, nests[n].shift);
    if (!std::ranges::is_sorted(runs[n], before)) std::ranges::sort(runs[n], before);
  });
  return merge_runs(runs, before, std::max(options.threads, 1u));
}

}  // namespace lacuna
