#include "model/job/ranks_by_name.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/import/bulk_arguments.h"
#include "model/job/fact_texts.h"

namespace lacuna {
namespace {

/// Collectives that end so shortly after the start of another still came before it.
constexpr Nanos kNamedMomentNs = 2'000;
constexpr std::string_view kRankWord = " rank";
constexpr std::string_view kCommRole = "-comm";
/// Starts that differ so many times less than the moments when ranks were ready were moved to the last of these.
constexpr Nanos kCutOutShare = 10;
/// More places than any job has; a name may say anything.
constexpr std::int64_t kMostPlace = 1 << 20;

/// What a rank is called by: "dp" 3, "pp" 0, "tp" 1.
using Places = std::map<std::string, std::int64_t>;

/// Takes "DP rank [3]" and "PP rank 0" out of a name; returns what is behind the last of them: "compute".
std::string_view take_places(std::string_view name, const std::string& lower, Places& places) {
  std::size_t behind = 0;
  for (std::size_t at = lower.find(kRankWord); at != std::string::npos; at = lower.find(kRankWord, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && std::isalpha(static_cast<unsigned char>(lower[begin - 1])) != 0) --begin;
    std::size_t digits = at + kRankWord.size();
    while (digits < lower.size() && (lower[digits] == ' ' || lower[digits] == '[')) ++digits;
    std::int64_t place = -1;
    const auto [end, error] = std::from_chars(lower.data() + digits, lower.data() + lower.size(), place);
    if (begin == at || error != std::errc{} || place < 0 || place > kMostPlace) continue;
    places[lower.substr(begin, at - begin)] = place;
    behind = static_cast<std::size_t>(end - lower.data());
    while (behind < lower.size() && std::string_view("], ").find(lower[behind]) != std::string_view::npos) ++behind;
  }
  return name.substr(behind);
}

/// A thread that is a part of a rank.
struct NamedTrack {
  const Track* track = nullptr;
  Places places;
  std::string role;  // "compute", "dp-comm", in lower case
};

class NamedRanks {
 public:
  NamedRanks(const Trace& trace, SourceId source) : trace_(trace), source_(source) {}

  Result<std::vector<JobRank>> run(unsigned threads) {
    find_tracks();
    number_ranks();
    if (numbers_.size() < 2) return std::vector<JobRank>();
    if (auto read = read_steps(threads); !read) return tl::make_unexpected(read.error());
    collect();
    find_group_kinds();
    find_arrivals();
    std::vector<JobRank> ranks;
    for (const NamedRank& rank : ranks_) ranks.push_back(reduce(rank));
    return ranks;
  }

 private:
  void find_tracks() {
    for (const Track& track : trace_.tracks()) {
      const Process& process = trace_.process(track.process);
      if (process.source != source_ || track.slice_count == 0) continue;
      NamedTrack named{&track, {}, {}};
      const std::string_view own = trace_.text(process.name), name = trace_.text(track.name);
      take_places(own, to_lower(own), named.places);
      named.role = to_lower(take_places(name, to_lower(name), named.places));
      if (named.places.empty() || (named.role != "compute" && !named.role.ends_with(kCommRole))) continue;
      tracks_.push_back(std::move(named));
    }
  }

  void number_ranks() {
    std::set<std::string> kinds;
    for (const NamedTrack& named : tracks_)
      for (const auto& [kind, place] : named.places) kinds.insert(kind);
    // Pipeline stages are farthest apart, tensor-parallel ranks nearest, as Megatron numbers them.
    if (kinds.erase("pp") > 0) kinds_.emplace_back("pp");
    const bool has_tp = kinds.erase("tp") > 0;
    kinds_.insert(kinds_.end(), kinds.begin(), kinds.end());
    if (has_tp) kinds_.emplace_back("tp");
    for (const NamedTrack& named : tracks_) {
      if (named.places.size() != kinds_.size()) continue;  // says less than the others
      numbers_.emplace(named.places, 0);
      for (const auto& [kind, place] : named.places) extents_[kind] = std::max(extents_[kind], place + 1);
    }
    for (auto& [places, number] : numbers_)
      for (const std::string& kind : kinds_) number = number * extents_[kind] + places.at(kind);
  }

  Result<void> read_steps(unsigned threads) {
    const TraceSource& source = trace_.sources()[source_.value];
    if (source.bytes == nullptr) return {};
    std::vector<SliceId> slices;
    for (const NamedTrack& named : tracks_)
      for (std::uint32_t k = 0; k < named.track->lane_count; ++k) {
        const LaneId id{named.track->first_lane.value + k};
        for (std::uint32_t i = 0; i < trace_.lane(id).size(); ++i) slices.push_back({id, i});
      }
    const FileOrder order = in_file_order(trace_, slices);
    constexpr std::string_view kKeys[] = {"step"};
    std::vector<std::int64_t> steps(slices.size(), -1);
    auto read = read_arguments_in_parallel(
        source, order.offsets, kKeys, threads, [&](std::size_t k, std::span<const std::string_view> values) {
          std::int64_t& step = steps[order.indices[k]];
          std::from_chars(values[0].data(), values[0].data() + values[0].size(), step);
        });
    if (!read) return read;
    for (std::size_t i = 0; i < slices.size(); ++i)
      if (steps[i] >= 0) steps_.emplace(slices[i], steps[i]);
    return {};
  }

  struct Work {
    Nanos start = 0, end = 0;
    std::string_view name;
    std::optional<std::int64_t> step;
    const NamedTrack* on = nullptr;
    std::size_t nth = 0;     // of its name on its rank in its step
    Nanos came = 0;          // when the rank was ready for it: its start, or before that
    std::string group_kind;  // of communication: the place in which those that take part differ; empty: not known
  };
  struct NamedRank {
    Places places;
    std::int64_t number = 0;
    std::uint64_t slices = 0;
    std::vector<Work> compute, communication;  // by start
  };

  void collect() {
    std::map<Places, std::vector<const NamedTrack*>> tracks;
    for (const NamedTrack& named : tracks_) tracks[named.places].push_back(&named);
    for (const auto& [places, number] : numbers_) {
      for (const std::string& kind : kinds_) peers_[{kind, without(places, kind)}].push_back(number);
      NamedRank rank{places, number, 0, {}, {}};
      for (const NamedTrack* on : tracks[places]) {
        const NamedTrack& named = *on;
        rank.slices += named.track->slice_count;
        for (std::uint32_t k = 0; k < named.track->lane_count; ++k) {
          const LaneId id{named.track->first_lane.value + k};
          const Lane& lane = trace_.lane(id);
          for (std::uint32_t i = 0; i < lane.size(); ++i) {
            const auto step = steps_.find({id, i});
            Work work{lane.start(i), lane.end(i), trace_.text(lane.name(i)), {}, &named, 0, lane.start(i), {}};
            if (step != steps_.end()) work.step = step->second;
            (named.role == "compute" ? rank.compute : rank.communication).push_back(std::move(work));
          }
        }
      }
      std::ranges::stable_sort(rank.compute, {}, &Work::start);
      std::ranges::stable_sort(rank.communication, {}, &Work::start);
      std::map<std::pair<std::string_view, std::optional<std::int64_t>>, std::size_t> counts;
      for (Work& work : rank.communication) work.nth = counts[{work.name, work.step}]++;
      ranks_.push_back(std::move(rank));
    }
  }

  // --- who takes part ----------------------------------------------------------------------------------

  static Places without(Places places, const std::string& kind) {
    places.erase(kind);
    return places;
  }
  static std::string kind_of_role(const Work& work) {
    return work.on->role.substr(0, work.on->role.size() - kCommRole.size());
  }

  /// One collective, if those of a kind do it together: who differs from `others` in that kind only.
  struct SetKey {
    std::string_view name;
    std::string role_kind;
    std::optional<std::int64_t> step;
    std::size_t nth = 0;
    Places others;
    auto operator<=>(const SetKey&) const = default;
  };
  static SetKey set_of(const NamedRank& rank, const Work& work, const std::string& kind) {
    return {work.name, kind_of_role(work), work.step, work.nth, without(rank.places, kind)};
  }
  struct Overlap {
    Nanos last_start = kMinNanos, first_end = kMaxNanos;
    std::size_t parts = 0;
    /// Of one collective nobody leaves before the last one came.
    bool holds() const { return parts > 1 && last_start <= saturating_add(first_end, kNamedMomentNs); }
  };

  /// Of each name the kind of group that does it together. A thread called "dp-comm" may hold others, too, such as that
  /// of the first and the last stage for their embeddings: those of the kind in which most parts overlap.
  void find_group_kinds() {
    struct Votes {
      std::size_t all = 0, held = 0;
    };
    using Name = std::pair<std::string_view, std::string>;  // and its role's kind
    std::map<std::string, std::map<SetKey, Overlap>> sets;  // by kind
    std::map<Name, std::map<std::string, Votes>> votes;
    for (const std::string& kind : kinds_) {
      for (const NamedRank& rank : ranks_)
        for (const Work& work : rank.communication) {
          if (side_of(work) != Side::kNone) continue;
          Overlap& set = sets[kind][set_of(rank, work, kind)];
          set.last_start = std::max(set.last_start, work.start);
          set.first_end = std::min(set.first_end, work.end);
          ++set.parts;
        }
      for (const auto& [key, set] : sets[kind]) {
        Votes& found = votes[{key.name, key.role_kind}][kind];
        if (set.parts < 2) continue;
        ++found.all;
        if (set.holds()) ++found.held;
      }
    }
    std::map<Name, std::string> chosen;
    for (auto& [name, kinds] : votes) {
      std::string& kind = chosen[name];
      kind = name.second;
      if (const Votes& said = kinds[name.second]; said.held * 2 >= said.all) continue;
      std::size_t most = 0;
      for (const auto& [other, found] : kinds)
        if (found.held > most) std::tie(kind, most) = std::pair(other, found.held);
      if (most == 0) kind.clear();
    }
    for (NamedRank& rank : ranks_)
      for (Work& work : rank.communication) {
        work.group_kind = kind_of_role(work);
        if (side_of(work) != Side::kNone) continue;
        const std::string& kind = chosen.at({work.name, work.group_kind});
        if (kind == work.group_kind) continue;
        work.group_kind = !kind.empty() && sets[kind].at(set_of(rank, work, kind)).holds() ? kind : std::string();
      }
  }

  /// Timelines may show the transfer alone, from the moment when the last one came: then all parts of a meeting begin
  /// together, and what lies between a rank's work and its part is the time that it waited.
  void find_arrivals() {
    struct Spread {
      Nanos first_start = kMaxNanos, last_start = kMinNanos;
      Nanos first_came = kMaxNanos, last_came = kMinNanos;
      std::size_t parts = 0;
    };
    std::map<std::tuple<std::string, std::optional<std::int64_t>, std::size_t, Places>, Spread> meetings;
    std::vector<std::vector<Nanos>> came(ranks_.size());
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const NamedRank& rank = ranks_[r];
      std::vector<Nanos> ends;  // of what must be done before what follows it: a send goes on beside that
      for (const auto* works : {&rank.compute, &rank.communication})
        for (const Work& work : *works)
          if (side_of(work) != Side::kSend) ends.push_back(work.end);
      std::ranges::sort(ends);
      Nanos busy_until = kMinNanos;  // with what began before
      std::size_t next = 0;
      for (const Work& work : rank.communication) {
        for (; next < rank.compute.size() && rank.compute[next].start <= work.start; ++next)
          busy_until = std::max(busy_until, rank.compute[next].end);
        const auto after = std::ranges::upper_bound(ends, saturating_add(work.start, kNamedMomentNs));
        const bool is_beside_compute = busy_until > saturating_add(work.start, kNamedMomentNs);
        const Nanos ready = after == ends.begin() || is_beside_compute ? work.start : *(after - 1);
        came[r].push_back(std::min(work.start, ready));
        if (work.group_kind.empty()) continue;
        const auto [name, where] = meeting_of(rank, work);
        Spread& spread = meetings[{name, work.step, work.nth, where}];
        spread.first_start = std::min(spread.first_start, work.start);
        spread.last_start = std::max(spread.last_start, work.start);
        spread.first_came = std::min(spread.first_came, came[r].back());
        spread.last_came = std::max(spread.last_came, came[r].back());
        ++spread.parts;
      }
    }
    Nanos starts = 0, arrivals = 0;
    for (const auto& [key, spread] : meetings) {
      if (spread.parts < 2) continue;
      starts = saturating_add(starts, saturating_sub(spread.last_start, spread.first_start));
      arrivals = saturating_add(arrivals, saturating_sub(spread.last_came, spread.first_came));
    }
    if (starts >= arrivals / kCutOutShare) return;
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      for (std::size_t i = 0; i < came[r].size(); ++i) ranks_[r].communication[i].came = came[r][i];
  }

  /// What is the same for all parts of a collective, or for a send and its receive.
  std::pair<std::string, Places> meeting_of(const NamedRank& rank, const Work& work) const {
    Places where = rank.places;
    std::string name(work.name);
    if (const Side side = side_of(work); side != Side::kNone) {
      name = std::string(is_backward(work) ? "backward" : "forward") + " pair";
      if (side == Side::kReceive) where = place_of_peer(rank.places, work).value_or(where);
    } else {
      where.erase(work.group_kind);
    }
    return {std::move(name), std::move(where)};
  }

  // --- one rank ------------------------------------------------------------------------------------------

  JobRank reduce(const NamedRank& rank) const {
    JobRank facts;
    facts.file = trace_.sources()[source_.value].path;
    facts.source = source_.value;
    facts.rank = rank.number;
    facts.rank_is_guessed = true;
    facts.world_size = static_cast<std::int64_t>(numbers_.size());
    facts.slices = rank.slices;
    add_steps(rank.compute, rank.communication, facts);
    const StepIndex steps = index_steps(facts);
    add_kernels(rank.compute, steps, facts);
    add_collectives(rank, steps, facts);
    return facts;
  }

  static void add_steps(const std::vector<Work>& compute, const std::vector<Work>& communication, JobRank& facts) {
    std::map<std::optional<std::int64_t>, TimeSpan> spans;
    for (const auto* works : {&compute, &communication})
      for (const Work& work : *works) {
        const auto at = spans.try_emplace(work.step, TimeSpan::nothing()).first;
        at->second = at->second.unite({work.start, work.end});
      }
    for (const auto& [number, span] : spans) {
      RankStep step;
      step.number = number;
      step.start = span.begin;
      step.end = span.end;
      facts.steps.push_back(step);
    }
    std::ranges::sort(facts.steps, {}, &RankStep::start);
  }

  using StepIndex = std::map<std::optional<std::int64_t>, std::int32_t>;  // in JobRank::steps, by number
  static StepIndex index_steps(const JobRank& facts) {
    StepIndex index;
    for (const RankStep& step : facts.steps) index.emplace(step.number, static_cast<std::int32_t>(index.size()));
    return index;
  }

  static void add_kernels(const std::vector<Work>& compute, const StepIndex& steps, JobRank& facts) {
    FactTexts texts(facts.texts);
    std::map<std::pair<std::int32_t, std::string_view>, KernelUse> uses;
    for (const Work& work : compute) {
      KernelUse& use = uses[{steps.at(work.step), work.name}];
      const Nanos duration = saturating_sub(work.end, work.start);
      ++use.count;
      use.total = saturating_add(use.total, duration);
      if (duration >= use.longest) std::tie(use.longest, use.longest_start) = std::pair(duration, work.start);
    }
    for (auto& [key, use] : uses) {
      use.step = key.first;
      use.name = texts.add(key.second);
      RankStep& step = facts.steps[static_cast<std::size_t>(key.first)];
      step.compute = saturating_add(step.compute, use.total);
      facts.kernels.push_back(use);
    }
  }

  void add_collectives(const NamedRank& rank, const StepIndex& steps, JobRank& facts) const {
    FactTexts texts(facts.texts);
    const std::vector<Work>& communication = rank.communication;
    // What the rank did not go on computing beside.
    std::vector<std::pair<Nanos, std::int32_t>> by_end;
    std::vector<Nanos> busy_until;  // by slice of compute: with those before it
    for (const Work& work : rank.compute)
      busy_until.push_back(std::max(work.end, busy_until.empty() ? kMinNanos : busy_until.back()));
    const auto is_beside_compute = [&](const Work& work) {
      const auto after =
          std::ranges::upper_bound(rank.compute, saturating_add(work.start, kNamedMomentNs), {}, &Work::start);
      return after != rank.compute.begin() && busy_until[static_cast<std::size_t>(after - rank.compute.begin()) - 1] >
                                                  saturating_add(work.end, kNamedMomentNs);
    };
    for (std::size_t i = 0; i < communication.size(); ++i)
      if (!is_beside_compute(communication[i])) by_end.emplace_back(communication[i].end, static_cast<std::int32_t>(i));
    std::ranges::sort(by_end);
    std::map<std::string, std::uint32_t> groups;  // by kind
    const Nanos begin = facts.steps.empty() ? 0 : facts.steps.front().start;
    for (std::size_t i = 0; i < communication.size(); ++i) {
      const Work& work = communication[i];
      CollectivePart part;
      part.start = work.came;
      part.end = work.end;
      part.kernel = part.name = texts.add(work.name);
      part.step = steps.at(work.step);
      const auto [group, is_new] = groups.try_emplace(work.group_kind, 0);
      if (is_new) group->second = add_group(rank.places, work.group_kind, facts);
      part.group = group->second;
      find_peer(work, rank.places, facts, part);
      auto before = std::ranges::upper_bound(by_end, std::pair(saturating_add(part.start, kNamedMomentNs), INT32_MAX));
      while (before != by_end.begin() && part.released_by < 0)
        if ((--before)->second != static_cast<std::int32_t>(i)) part.released_by = before->second;
      const Nanos since = part.released_by < 0 ? begin : communication[static_cast<std::size_t>(part.released_by)].end;
      part.own_work = std::max<Nanos>(0, saturating_sub(part.start, since));
      facts.collectives.push_back(part);
    }
  }

  /// Adds the group of the ranks that differ from this one in `kind` only; returns its index.
  std::uint32_t add_group(const Places& places, const std::string& kind, JobRank& facts) const {
    RankGroup group;
    group.description = kind;
    for (const auto& [other, place] : places)
      if (other != kind) group.name += fmt::format("{}{} {}", group.name.empty() ? "" : " ", other, place);
    // Without a kind nobody knows with whom.
    if (const auto peers = peers_.find({kind, without(places, kind)}); peers != peers_.end())
      group.ranks = peers->second;
    else if (!kind.empty())
      group.ranks = {numbers_.at(places)};
    std::ranges::sort(group.ranks);
    group.size = static_cast<std::int64_t>(group.ranks.size());
    facts.groups.push_back(std::move(group));
    return static_cast<std::uint32_t>(facts.groups.size() - 1);
  }

  enum class Side : std::uint8_t { kNone, kSend, kReceive };
  static Side side_of(const Work& work) {
    const std::string name = to_lower(work.name);
    if (name.find("send") != std::string::npos) return Side::kSend;
    return name.find("recv") != std::string::npos ? Side::kReceive : Side::kNone;
  }
  static bool is_backward(const Work& work) { return to_lower(work.name).find("backward") != std::string::npos; }

  /// Sends and receives: forward to the next place, backward to the one before.
  std::optional<Places> place_of_peer(const Places& places, const Work& work) const {
    const auto own = places.find(kind_of_role(work));
    if (own == places.end()) return std::nullopt;
    const std::int64_t extent = extents_.at(own->first);
    const std::int64_t move = (side_of(work) == Side::kSend) != is_backward(work) ? 1 : extent - 1;
    Places other = places;
    other[own->first] = (own->second + move) % extent;
    return other;
  }

  void find_peer(const Work& work, const Places& places, const JobRank& facts, CollectivePart& part) const {
    const Side side = side_of(work);
    part.is_send = side == Side::kSend;
    if (side == Side::kNone) return;
    const std::optional<Places> other = place_of_peer(places, work);
    const auto peer = other ? numbers_.find(*other) : numbers_.end();
    if (peer == numbers_.end()) return;
    // As args say it: the place in the group.
    const std::vector<std::int64_t>& ranks = facts.groups[part.group].ranks;
    const auto at = std::ranges::lower_bound(ranks, peer->second);
    const bool is_there = at != ranks.end() && *at == peer->second;
    part.peer = static_cast<std::int32_t>((is_there ? at : ranks.end()) - ranks.begin());
  }

  const Trace& trace_;
  const SourceId source_;
  std::vector<NamedTrack> tracks_;
  std::vector<std::string> kinds_;  // the slowest first
  std::map<std::string, std::int64_t> extents_;
  std::map<Places, std::int64_t> numbers_;
  std::map<std::pair<std::string, Places>, std::vector<std::int64_t>> peers_;  // who differs in that kind only
  std::map<SliceId, std::int64_t> steps_;
  std::vector<NamedRank> ranks_;
};

}  // namespace

Result<std::vector<JobRank>> ranks_by_name(const Trace& trace, SourceId source, unsigned threads) {
  return NamedRanks(trace, source).run(threads);
}

}  // namespace lacuna
