#include "model/build/pairing.h"

#include <algorithm>
#include <tuple>

#include "model/trace/import_finding.h"

namespace lacuna {
namespace {

SliceRecord make_slice(Nanos start, Nanos end, std::uint64_t offset, StringId name, std::uint16_t category,
                       std::uint16_t flags) {
  SliceRecord slice;
  slice.start = start;
  slice.duration = saturating_sub(end, start);
  slice.file_offset = offset;
  slice.name = name;
  slice.category = category;
  slice.flags = flags;
  return slice;
}

/// Position in `open` of the event that an end called `name` closes; open is not empty.
template <class Event>
std::size_t find_open(const std::vector<Event>& open, StringId name, bool& is_match) {
  is_match = true;
  if (name == kEmptyString) return open.size() - 1;
  for (std::size_t i = open.size(); i-- > 0;)
    if (open[i].name == name) return i;
  is_match = false;
  return open.size() - 1;
}

template <class Event>
void take(std::vector<Event>& open, std::size_t i) {
  open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
}

bool is_begin(char phase) {
  return phase == 'b' || phase == 'S';
}
bool is_end(char phase) {
  return phase == 'e' || phase == 'F';
}
bool is_legacy(char phase) {
  return phase == 'S' || phase == 'T' || phase == 'p' || phase == 'F';
}

}  // namespace

void pair_begin_ends(std::vector<BeginEndEvent> events, Nanos trace_end, std::vector<SliceRecord>& slices,
                     ImportReport& report) {
  std::ranges::sort(events, [](const BeginEndEvent& a, const BeginEndEvent& b) {
    return std::tie(a.time, a.file_offset) < std::tie(b.time, b.file_offset);
  });
  const auto add = [&](const BeginEndEvent& begin, Nanos end, const BeginEndEvent* ended_by, std::uint16_t flags) {
    SliceRecord& slice =
        slices.emplace_back(make_slice(begin.time, end, begin.file_offset, begin.name, begin.category, flags));
    // Args stand in either of the two events.
    const BeginEndEvent& other = ended_by != nullptr ? *ended_by : begin;
    slice.correlation = begin.correlation != 0 ? begin.correlation : other.correlation;
    slice.external_id = begin.external_id != 0 ? begin.external_id : other.external_id;
  };
  std::vector<BeginEndEvent> open;
  for (const BeginEndEvent& event : events) {
    if (event.is_begin) {
      open.push_back(event);
      continue;
    }
    if (open.empty()) {
      report.add(Finding::kUnmatchedEnd, event.file_offset);
      continue;
    }
    bool is_match = false;
    const std::size_t i = find_open(open, event.name, is_match);
    if (!is_match) report.add(Finding::kEndNameMismatch, event.file_offset);
    add(open[i], event.time, &event, 0);
    take(open, i);
  }
  for (const BeginEndEvent& begin : open) {
    report.add(Finding::kUnmatchedBegin, begin.file_offset);
    add(begin, std::max(trace_end, begin.time), nullptr, kSliceUnfinished);
  }
}

AsyncResult pair_asyncs(std::vector<AsyncEvent> events, Nanos trace_end, ImportReport& report) {
  // Nestable ids match whatever the name; legacy ones only within it.
  const auto key = [](const AsyncEvent& e) {
    const bool legacy = is_legacy(e.phase);
    return std::tuple(e.category, e.id, legacy, legacy ? e.name : kEmptyString);
  };
  std::ranges::sort(events, [&](const AsyncEvent& a, const AsyncEvent& b) {
    const auto ka = key(a);
    const auto kb = key(b);
    return ka != kb ? ka < kb : std::tie(a.time, a.file_offset) < std::tie(b.time, b.file_offset);
  });

  AsyncResult result;
  std::vector<AsyncEvent> open;
  const auto close_all = [&] {
    for (const AsyncEvent& begin : open) {
      report.add(Finding::kUnmatchedAsyncBegin, begin.file_offset);
      result.slices.push_back({make_slice(begin.time, std::max(trace_end, begin.time), begin.file_offset, begin.name,
                                          begin.category, kSliceUnfinished),
                               begin.pid, open.front().name});
    }
    open.clear();
  };
  for (std::size_t k = 0; k < events.size(); ++k) {
    const AsyncEvent& event = events[k];
    if (k > 0 && key(events[k - 1]) != key(event)) close_all();
    if (is_begin(event.phase)) {
      open.push_back(event);
    } else if (!is_end(event.phase)) {
      result.steps.push_back({{event.time, event.file_offset, event.name, CategoryId{event.category}, 't'},
                              open.empty() ? event.pid : open.front().pid,
                              open.empty() ? event.name : open.front().name});
    } else if (open.empty()) {
      report.add(Finding::kUnmatchedAsyncEnd, event.file_offset);
    } else {
      bool is_match = false;
      const std::size_t i = find_open(open, event.name, is_match);
      if (!is_match) report.add(Finding::kEndNameMismatch, event.file_offset);
      const AsyncEvent& begin = open[i];
      result.slices.push_back({make_slice(begin.time, event.time, begin.file_offset, begin.name, begin.category, 0),
                               begin.pid, open.front().name});
      take(open, i);
    }
  }
  close_all();
  return result;
}

}  // namespace lacuna
