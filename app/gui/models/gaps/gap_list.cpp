#include "app/gui/models/gaps/gap_list.h"

#include <algorithm>
#include <tuple>

#include "model/gaps/gpu_idle.h"

namespace lacuna {
namespace {

constexpr Nanos kDefaultMinGapNs = 10'000;

std::string_view name_or_empty(const Trace& trace, SliceId slice) {
  return slice.valid() ? trace.name(slice) : std::string_view{};
}

/// Order of one column, ascending; ties are broken by the caller.
std::weak_ordering compare(const Document& document, const GapVerdicts* verdicts, GapColumn column, GapRef a,
                           GapRef b) {
  const Gap& x = get(document, a);
  const Gap& y = get(document, b);
  const Trace& trace = document.trace;
  switch (column) {
    case GapColumn::kDuration:
      return x.duration() <=> y.duration();
    case GapColumn::kCause:
      // Alike ones with the longest first, in the usual (descending) order.
      if (verdicts != nullptr) {
        const auto cause_of = [&](GapRef gap) {
          const SharedVector<GapDiagnosis>& known = (*verdicts)[gap.stream];
          return gap.gap < known.size() ? static_cast<std::size_t>(known[gap.gap].cause) : kGapCauseCount;
        };
        if (cause_of(a) != cause_of(b)) return cause_of(a) <=> cause_of(b);
      }
      return x.duration() <=> y.duration();
    case GapColumn::kStream:
      return a.stream <=> b.stream;
    case GapColumn::kStart:
      return x.start <=> y.start;
    case GapColumn::kBefore:
      return name_or_empty(trace, x.before) <=> name_or_empty(trace, y.before);
    case GapColumn::kAfter:
      return name_or_empty(trace, x.after) <=> name_or_empty(trace, y.after);
    case GapColumn::kLaunch:
      return name_or_empty(trace, x.launch) <=> name_or_empty(trace, y.launch);
  }
  return std::weak_ordering::equivalent;
}

}  // namespace

bool GapList::Filter::has(std::uint32_t stream) const {
  return streams.empty() || std::ranges::find(streams, stream) != streams.end();
}

GapRef gap_before(const Document& document, SliceId slice) {
  const TrackId track = document.trace.lane(slice).track;
  const Nanos start = document.trace.span(slice).begin;
  for (std::uint32_t s = 0; s < document.streams.size(); ++s) {
    const StreamActivity& stream = document.streams[s];
    if (stream.track != track) continue;
    const auto found = std::lower_bound(stream.gaps.begin(), stream.gaps.end(), start,
                                        [](const Gap& gap, Nanos t) { return gap.end < t; });
    if (found != stream.gaps.end() && found->end == start) {
      return {s, static_cast<std::uint32_t>(found - stream.gaps.begin())};
    }
  }
  return {};
}

Nanos gpu_idle_in(const Document& document, GapRef ref) {
  return gpu_idle_in(document.trace, document.streams, ref.stream, get(document, ref));
}

GapRef GapList::longest(const Document& document) const {
  std::vector<GapRef> by_length = rows_;
  const auto length = [&](GapRef ref) { return get(document, ref).duration(); };
  std::ranges::stable_sort(by_length, std::ranges::greater{}, length);
  GapRef best;
  Nanos most = -1;
  for (const GapRef ref : by_length) {
    if (length(ref) <= most) break;  // no more than that can be idle in it
    if (const Nanos idle = gpu_idle_in(document, ref); idle > most) {
      most = idle;
      best = ref;
    }
  }
  return best;
}

void GapList::update(const DocumentPtr& document, const Filter& filter, GapColumn column, bool descending,
                     const GapVerdicts* verdicts) {
  const bool same_rows = document == document_ && filter == filter_;
  if (same_rows && column == column_ && descending == descending_ && verdicts == verdicts_) return;
  verdicts_ = verdicts;
  document_ = document;
  filter_ = filter;
  column_ = column;
  descending_ = descending;
  if (!same_rows) {
    by_time_.clear();
    total_ = 0;
    left_out_ = {};
    if (!document) {
      rows_.clear();
      return;
    }
    for (std::uint32_t s = 0; s < document->streams.size(); ++s) {
      const SharedVector<Gap>& gaps = document->streams[s].gaps;
      for (std::uint32_t g = 0; g < gaps.size() && filter.has(s); ++g) {
        if (!TimeSpan{gaps[g].start, gaps[g].end}.overlaps(filter.range)) continue;
        if (gaps[g].duration() < filter.min_ns) {
          left_out_.add(gaps[g].duration());
          continue;
        }
        by_time_.push_back({s, g});
        total_ = saturating_add(total_, gaps[g].duration());
      }
    }
    std::sort(by_time_.begin(), by_time_.end(), [&](GapRef a, GapRef b) {
      return std::tuple(get(*document, a).start, a) < std::tuple(get(*document, b).start, b);
    });
  }
  rows_ = by_time_;
  std::stable_sort(rows_.begin(), rows_.end(), [&](GapRef a, GapRef b) {
    const auto order = compare(*document_, verdicts, column_, a, b);
    return descending_ ? order > 0 : order < 0;
  });
}

GapRef GapList::step(const Document& document, GapRef current, Nanos from, int direction) const {
  // Gaps are ordered by (start, stream, index); without a current one, the moment decides.
  const auto key = [&](GapRef ref) { return std::tuple(get(document, ref).start, ref); };
  if (current.valid()) {
    const auto at = std::lower_bound(by_time_.begin(), by_time_.end(), key(current),
                                     [&](GapRef a, const auto& k) { return key(a) < k; });
    if (direction > 0) {
      const auto next = at != by_time_.end() && *at == current ? at + 1 : at;
      return next == by_time_.end() ? GapRef{} : *next;
    }
    return at == by_time_.begin() ? GapRef{} : *(at - 1);
  }
  const auto at = std::lower_bound(by_time_.begin(), by_time_.end(), from,
                                   [&](GapRef a, Nanos t) { return get(document, a).start < t; });
  if (direction > 0) return at == by_time_.end() ? GapRef{} : *at;
  return at == by_time_.begin() ? GapRef{} : *(at - 1);
}

Nanos default_min_gap(const Document& document) {
  for (const StreamActivity& stream : document.streams) {
    for (const Gap& gap : stream.gaps) {
      if (gap.duration() >= kDefaultMinGapNs) return kDefaultMinGapNs;
    }
  }
  return 0;
}

}  // namespace lacuna
