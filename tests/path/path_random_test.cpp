// The critical path of random work and its table, against following and adding up by hand: every activity is looked at
// for every question.

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "model/causes/gap_rules.h"
#include "model/path/critical_path.h"
#include "model/path/path_table.h"
#include "model/path/replay.h"
#include "model/path/thread_work.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

constexpr Nanos kHop = 1000;

struct HandCall {
  TimeSpan span;
  bool waits = false;
};
struct HandWork {
  TimeSpan span;
  std::size_t call = 0;
  int stream = 0;
};
struct HandMade {
  std::vector<HandCall> calls;  // of one thread, one after the other
  std::vector<HandWork> works;
  Trace trace;
};

/// Launches to two streams, each of which does one thing after the other, and waits for all of it.
HandMade random_work(std::uint32_t seed) {
  std::mt19937 engine(seed);
  const auto roll = [&](int n) { return static_cast<Nanos>(engine() % static_cast<unsigned>(n)); };
  HandMade made;
  TraceMaker make;
  Nanos t = 0;
  Nanos busy[2] = {0, 0};
  for (std::uint64_t c = 1; c < 25; ++c) {
    t += roll(3) * roll(30) * kHop;
    const Nanos end = t + (1 + roll(10)) * kHop;
    if (roll(4) == 0) {
      const Nanos until = std::max({end, busy[0], busy[1]}) + roll(2) * kHop;
      make.launch("cudaDeviceSynchronize", t, until, c);
      made.calls.push_back({{t, until}, true});
      t = until;
      continue;
    }
    make.launch("cudaLaunchKernel", t, end, c);
    const auto stream = static_cast<int>(roll(2));
    const Nanos start = std::max(busy[stream], end) + roll(2) * roll(40) * kHop;
    busy[stream] = start + (1 + roll(100)) * kHop;
    while (std::ranges::any_of(made.works, [&](const HandWork& w) { return w.span.end == busy[stream]; }))
      busy[stream] += kHop;  // which of two is last is always plain
    made.works.push_back({{start, busy[stream]}, made.calls.size(), stream});
    make.kernel(stream == 0 ? "k7" : "k20", start, busy[stream], c, stream == 0 ? "7" : "20");
    made.calls.push_back({{t, end}, false});
    t = end;
  }
  made.trace = make.build();
  return made;
}

/// Of the works that `accepts` takes the one that ends last.
template <class Accepts>
const HandWork* last_of(const std::vector<HandWork>& works, Accepts accepts) {
  const HandWork* best = nullptr;
  for (const HandWork& work : works)
    if (accepts(work) && (best == nullptr || work.span.end > best->span.end)) best = &work;
  return best;
}

using HandPart = std::tuple<Nanos, Nanos, PathKind, std::string>;

/// The path from the end back, as critical_path.h describes it.
std::vector<HandPart> hand_path(const HandMade& made) {
  std::vector<HandPart> parts;
  const Nanos begin = made.calls.front().span.begin;
  const HandWork* work = last_of(made.works, [](const HandWork&) { return true; });
  Nanos t = made.calls.back().span.end;
  if (work != nullptr && work->span.end >= t)
    t = work->span.end;
  else
    work = nullptr;
  const auto put = [&](Nanos from, PathKind kind, std::string name) {
    if (from < t) parts.insert(parts.begin(), {from, t, kind, std::move(name)});
    t = from;
  };
  const auto name_of = [](const HandWork& w) { return std::string(w.stream == 0 ? "k7" : "k20"); };
  while (t > begin) {
    if (work == nullptr) {  // on the thread
      const auto call =
          std::ranges::find_if(made.calls, [&](const HandCall& c) { return c.span.begin < t && t <= c.span.end; });
      if (call == made.calls.end()) {
        Nanos before = begin;
        for (const HandCall& c : made.calls)
          if (c.span.end < t) before = std::max(before, c.span.end);
        put(before, PathKind::kNothing, "(nothing recorded)");
        continue;
      }
      if (call->waits)
        work = last_of(made.works, [&](const HandWork& w) { return w.span.end > call->span.begin && w.span.end <= t; });
      put(work == nullptr ? call->span.begin : work->span.end, PathKind::kSlice,
          call->waits ? "cudaDeviceSynchronize" : "cudaLaunchKernel");
      continue;
    }
    const HandWork now = *work;
    put(now.span.begin, PathKind::kSlice, name_of(now));
    const TimeSpan launch = made.calls[now.call].span;
    work = last_of(made.works, [&](const HandWork& w) { return w.stream == now.stream && w.span.end <= t; });
    const Nanos ready = work == nullptr ? kMinNanos : work->span.end;
    if (work == nullptr || launch.begin > ready) {
      const Nanos wait = t - std::max(launch.end, ready);
      work = wait <= kLaunchLatencyNs
                 ? nullptr
                 : last_of(made.works, [&](const HandWork& w) { return w.span.end <= t && w.span.end > t - wait; });
      if (work != nullptr && t - work->span.end > std::max(kReleaseDelayNs, wait / kReleaseShare)) work = nullptr;
    }
    if (work != nullptr)
      put(work->span.end, PathKind::kQueue, name_of(now));
    else
      put(launch.end, PathKind::kLaunchLatencyNs, name_of(now));
  }
  return parts;
}

TEST_CASE("the path of random launches, waits and kernels is the one that is followed by hand") {
  std::set<PathKind> kinds;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    const HandMade made = random_work(seed);
    std::vector<HandPart> parts;
    for (const PathPart& part : find_critical_path(made.trace, {}).parts) {
      parts.emplace_back(part.span.begin, part.span.end, part.kind, path_name(made.trace, part));
      kinds.insert(part.kind);
    }
    const auto text_of = [](const std::vector<HandPart>& list) {
      std::string text;
      for (const auto& [begin, end, kind, name] : list)
        text += std::to_string(begin / kHop) + "-" + std::to_string(end / kHop) + " " +
                std::to_string(static_cast<int>(kind)) + " " + name + "\n";
      return text;
    };
    CHECK(text_of(parts) == text_of(hand_path(made)));
  }
  CHECK(kinds.size() == 4);
}

struct HandRow {
  Nanos time = 0, beside = 0;
  std::size_t parts = 0;
  std::optional<Nanos> slack;
  Nanos longest = 0;
};
using HandKey = std::tuple<std::string, PathKind, TrackId>;

TEST_CASE("a path's table: time on it and beside it, counted microsecond by microsecond") {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    const HandMade made = random_work(seed);
    const Trace& trace = made.trace;
    const TimeSpan range =
        seed % 3 == 0 ? TimeSpan::everything() : TimeSpan{trace.span().begin + 20 * kHop, trace.span().end - 30 * kHop};
    const CriticalPath path = find_critical_path(trace, path_options(trace, range));
    std::vector<PathRow> rows = tabulate_path(trace, path);
    add_slack(trace, path, rows);

    std::map<HandKey, HandRow> expected;
    for (const PathPart& part : path.parts) {
      HandRow& row = expected[{std::string(path_name(trace, part)), part.kind, part.track}];
      row.time += part.span.duration();
      ++row.parts;
    }
    const Replay replay(trace, path.source);
    const Replay::Slack slack = replay.slack(path.range.end, path.parts.back().track);
    const auto spare = [](HandRow& row, std::optional<Nanos> by) {
      if (by) row.slack = std::min(row.slack.value_or(kMaxNanos), *by);
    };
    for (std::size_t w = 0; w < replay.works().size(); ++w) {
      const Replay::Work& work = replay.works()[w];
      const TimeSpan inside = work.span.intersect(path.range);
      if (inside.begin >= inside.end || std::ranges::any_of(path.parts, [&](const PathPart& part) {
            return part.kind == PathKind::kSlice && part.slice == work.slice;
          }))
        continue;
      HandRow& row = expected[{std::string(trace.text(work.name)), PathKind::kSlice, trace.lane(work.slice).track}];
      row.beside += inside.duration();
      row.longest = std::max(row.longest, work.span.duration());
      spare(row, slack.of_work[w]);
    }
    const TrackId thread = replay.threads().front();
    for (const HandCall& call : made.calls)
      for (Nanos t = std::max(call.span.begin, path.range.begin); t < std::min(call.span.end, path.range.end);
           t += kHop) {
        const auto is_on_path = [&](Nanos at) {
          return std::ranges::any_of(path.parts, [&](const PathPart& part) {
            return part.track == thread && part.kind == PathKind::kSlice && part.span.contains(at);
          });
        };
        if (is_on_path(t)) continue;
        HandRow& row = expected[{call.waits ? "cudaDeviceSynchronize" : "cudaLaunchKernel", PathKind::kSlice, thread}];
        row.beside += kHop;
        row.longest = std::max(row.longest, call.span.duration());
        const Nanos next = t + kHop;  // a piece ends where the call, the range or the path's absence does
        if (next >= std::min(call.span.end, path.range.end) || is_on_path(next))
          spare(row, replay.slack_of_thread(slack, thread, next));
      }
    CHECK(rows.size() == expected.size());
    for (const PathRow& row : rows) {
      const std::string name(path_name(trace, row));
      CAPTURE(name);
      const HandRow& hand = expected[{name, row.kind, row.track}];
      CHECK(row.time == hand.time);
      CHECK(row.parts.size() == hand.parts);
      CHECK(row.beside == hand.beside);
      CHECK(row.slack == hand.slack);
      CHECK((row.longest_beside.valid() ? trace.span(row.longest_beside).duration() : 0) == hand.longest);
    }
    for (std::size_t r = 1; r < rows.size(); ++r) CHECK(rows[r - 1].time >= rows[r].time);
  }
}

}  // namespace
}  // namespace lacuna
