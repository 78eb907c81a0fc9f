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
    std::vector<JobRank> ranks;
    for (const auto& [places, number] : numbers_) ranks.push_back(reduce(places, number));
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
  };

  JobRank reduce(const Places& places, std::int64_t number) {
    const TraceSource& source = trace_.sources()[source_.value];
    JobRank facts;
    facts.file = source.path;
    facts.source = source_.value;
    facts.rank = number;
    facts.rank_is_guessed = true;
    facts.world_size = static_cast<std::int64_t>(numbers_.size());
    std::vector<Work> compute, communication;
    for (const NamedTrack& named : tracks_) {
      if (named.places != places) continue;
      facts.slices += named.track->slice_count;
      for (std::uint32_t k = 0; k < named.track->lane_count; ++k) {
        const LaneId id{named.track->first_lane.value + k};
        const Lane& lane = trace_.lane(id);
        for (std::uint32_t i = 0; i < lane.size(); ++i) {
          const auto step = steps_.find({id, i});
          (named.role == "compute" ? compute : communication)
              .push_back({lane.start(i), lane.end(i), trace_.text(lane.name(i)),
                          step == steps_.end() ? std::nullopt : std::optional(step->second), &named});
        }
      }
    }
    std::ranges::stable_sort(communication, {}, &Work::start);
    add_steps(compute, communication, facts);
    add_kernels(compute, facts);
    add_collectives(communication, places, facts);
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

  static std::int32_t step_of(const JobRank& facts, const Work& work) {
    const auto at = std::ranges::find(facts.steps, work.step, &RankStep::number);
    return static_cast<std::int32_t>(at - facts.steps.begin());
  }

  static void add_kernels(const std::vector<Work>& compute, JobRank& facts) {
    FactTexts texts(facts.texts);
    std::map<std::pair<std::int32_t, std::string_view>, KernelUse> uses;
    for (const Work& work : compute) {
      KernelUse& use = uses[{step_of(facts, work), work.name}];
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

  void add_collectives(const std::vector<Work>& communication, const Places& places, JobRank& facts) {
    FactTexts texts(facts.texts);
    std::vector<std::pair<Nanos, std::int32_t>> by_end;
    for (std::size_t i = 0; i < communication.size(); ++i)
      by_end.emplace_back(communication[i].end, static_cast<std::int32_t>(i));
    std::ranges::sort(by_end);
    std::map<std::string, std::uint32_t> groups;  // by kind
    const Nanos begin = facts.steps.empty() ? 0 : facts.steps.front().start;
    for (std::size_t i = 0; i < communication.size(); ++i) {
      const Work& work = communication[i];
      const std::string kind = work.on->role.substr(0, work.on->role.size() - kCommRole.size());
      CollectivePart part;
      part.start = work.start;
      part.end = work.end;
      part.kernel = part.name = texts.add(work.name);
      part.step = step_of(facts, work);
      const auto [group, is_new] = groups.try_emplace(kind, 0);
      if (is_new) group->second = add_group(places, kind, facts);
      part.group = group->second;
      find_peer(work, places, kind, facts, part);
      auto before = std::ranges::upper_bound(by_end, std::pair(saturating_add(work.start, kNamedMomentNs), INT32_MAX));
      while (before != by_end.begin() && part.released_by < 0)
        if ((--before)->second != static_cast<std::int32_t>(i)) part.released_by = before->second;
      const Nanos since = part.released_by < 0 ? begin : communication[static_cast<std::size_t>(part.released_by)].end;
      part.own_work = std::max<Nanos>(0, saturating_sub(work.start, since));
      facts.collectives.push_back(part);
    }
  }

  /// Adds the ranks that differ from this one in `kind` only; returns its index.
  std::uint32_t add_group(const Places& places, const std::string& kind, JobRank& facts) const {
    RankGroup group;
    group.description = kind;
    for (const auto& [other, place] : places)
      if (other != kind) group.name += fmt::format("{}{} {}", group.name.empty() ? "" : " ", other, place);
    for (const auto& [others, number] : numbers_) {
      Places moved = others;
      if (const auto at = places.find(kind); at != places.end()) moved[kind] = at->second;
      if (moved == places) group.ranks.push_back(number);
    }
    std::ranges::sort(group.ranks);
    group.size = static_cast<std::int64_t>(group.ranks.size());
    facts.groups.push_back(std::move(group));
    return static_cast<std::uint32_t>(facts.groups.size() - 1);
  }

  /// Sends and receives: forward to the next place, backward to the one before.
  void find_peer(const Work& work, const Places& places, const std::string& kind, const JobRank& facts,
                 CollectivePart& part) const {
    const std::string name = to_lower(work.name);
    part.is_send = name.find("send") != std::string::npos;
    if (!part.is_send && name.find("recv") == std::string::npos) return;
    const auto own = places.find(kind);
    if (own == places.end()) return;
    const std::int64_t extent = extents_.at(kind);
    const bool is_backward = name.find("backward") != std::string::npos;
    const std::int64_t move = part.is_send != is_backward ? 1 : extent - 1;
    Places other = places;
    other[kind] = (own->second + move) % extent;
    const auto peer = numbers_.find(other);
    if (peer == numbers_.end()) return;
    // As args say it: the place in the group.
    const std::vector<std::int64_t>& ranks = facts.groups[part.group].ranks;
    part.peer = static_cast<std::int32_t>(std::ranges::find(ranks, peer->second) - ranks.begin());
  }

  const Trace& trace_;
  const SourceId source_;
  std::vector<NamedTrack> tracks_;
  std::vector<std::string> kinds_;  // the slowest first
  std::map<std::string, std::int64_t> extents_;
  std::map<Places, std::int64_t> numbers_;
  std::map<SliceId, std::int64_t> steps_;
};

}  // namespace

Result<std::vector<JobRank>> ranks_by_name(const Trace& trace, SourceId source, unsigned threads) {
  return NamedRanks(trace, source).run(threads);
}

}  // namespace lacuna
