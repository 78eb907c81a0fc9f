#include "model/job/job_match.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "model/base/ascii.h"
#include "model/base/seeded_hash.h"
#include "model/trace/string_pool.h"

namespace lacuna {
namespace {

/// Shifts of one rank's sequence against another's that are tried.
constexpr std::size_t kMostShifts = 4096;

/// What two parts have in common when they meet. Ordered so that parts of one collective are neighbours.
struct MeetingKey {
  std::uint32_t group = 0;
  std::uint32_t kind = 0;  // 0: by id, 1: by sequence, 2: by number in the step
  std::uint64_t id = 0;    // Comms Id, sequence or step
  std::uint64_t nth = 0;
  std::uint64_t pair = 0;  // sender and receiver; 0: a collective
  auto operator<=>(const MeetingKey&) const = default;
};

struct Meeting {
  MeetingKey key;
  std::uint32_t rank = 0;
  std::uint32_t part = 0;
  bool operator<(const Meeting& other) const {
    return std::tie(key, rank, part) < std::tie(other.key, other.rank, other.part);
  }
};

bool names_contain(std::string_view name, std::initializer_list<std::string_view> any) {
  const std::string lower = to_lower(name);
  return std::ranges::any_of(any, [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

/// Sizes are the same on all ranks.
bool has_equal_sizes(std::string_view name) {
  return names_contain(name, {"allreduce", "all_reduce", "broadcast", "_base", "reduce_scatter_tensor", "barrier"});
}

/// All ranks of it leave together.
bool ends_together(std::string_view name) {
  if (names_contain(name, {"allreduce", "all_reduce", "reducescatter", "reduce_scatter", "allgather", "all_gather",
                           "alltoall", "all_to_all", "barrier", "allbarrier"}))
    return true;
  // A kernel without args that sends and receives: PyTorch's all_to_all.
  return names_contain(name, {"sendrecv"});
}

class Matcher {
 public:
  explicit Matcher(Job& job) : job_(job) {}

  void run() {
    find_groups();
    find_steps();
    for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) add_keyed(r);
    for (auto& [place, parts] : by_step_) align(place.first, place.second, parts);
    by_step_.clear();
    std::sort(meetings_.begin(), meetings_.end());
    join();
  }

 private:
  // --- groups ------------------------------------------------------------------------------------

  void find_groups() {
    bool has_one_stream = true;
    for (const JobRank& rank : job_.ranks) {
      std::set<std::string> streams;
      for (const RankGroup& group : rank.groups)
        if (!group.stream.empty()) streams.insert(group.stream);
      has_one_stream = has_one_stream && streams.size() <= 1;
    }
    group_of_.resize(job_.ranks.size());
    // Those with lists of their ranks come first, so that the others can be found among them.
    for (const bool with_list : {true, false})
      for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
        group_of_[r].resize(job_.ranks[r].groups.size());
        for (std::size_t g = 0; g < group_of_[r].size(); ++g) {
          const RankGroup& group = job_.ranks[r].groups[g];
          if (group.ranks.empty() != with_list)
            group_of_[r][g] = group_number(group, job_.ranks[r].rank, has_one_stream);
        }
      }
    for (std::uint32_t r = 0; r < job_.ranks.size(); ++r)
      for (const std::uint32_t g : group_of_[r])
        if (!is_listed_[g]) job_.groups[g].ranks.push_back(job_.ranks[r].rank);
  }

  std::uint32_t group_number(const RankGroup& group, std::int64_t rank, bool has_one_stream) {
    if (group.ranks.empty() && group.stream.empty()) {
      for (std::uint32_t g = 0; g < job_.groups.size(); ++g) {
        const JobGroup& known = job_.groups[g];
        if (is_listed_[g] && known.name == group.name && (group.size == 0 || known.size == group.size) &&
            std::ranges::binary_search(known.ranks, rank))
          return g;
      }
    }
    const std::string stream = has_one_stream && !group.stream.empty() ? "-" : group.stream;
    const auto key =
        std::tuple(group.name, group.description, group.ranks, group.ranks.empty() ? group.size : 0, stream);
    const auto [at, is_new] = groups_.try_emplace(key, static_cast<std::uint32_t>(job_.groups.size()));
    if (is_new) {
      JobGroup made{group.name, group.description, group.stream, group.size, group.ranks};
      if (made.size == 0) made.size = static_cast<std::int64_t>(made.ranks.size());
      job_.groups.push_back(std::move(made));
      is_listed_.push_back(!group.ranks.empty());
    }
    return at->second;
  }

  void find_steps() {
    std::set<std::optional<std::int64_t>> numbers;
    for (const JobRank& rank : job_.ranks)
      for (const RankStep& step : rank.steps) numbers.insert(step.number);
    job_.steps.assign(numbers.begin(), numbers.end());
  }

  // --- keys --------------------------------------------------------------------------------------

  /// The rank that `peer` means: of its group where that is listed and long enough.
  std::int64_t global_rank(const JobGroup& group, std::int32_t peer) const {
    const auto size = static_cast<std::int64_t>(group.ranks.size());
    return peer < size && size == group.size ? group.ranks[static_cast<std::size_t>(peer)] : peer;
  }

  void add_keyed(std::uint32_t r) {
    const JobRank& rank = job_.ranks[r];
    std::unordered_map<std::uint64_t, std::uint64_t, SeededHash> seen;  // how often a key occurred on this rank
    for (std::uint32_t i = 0; i < rank.collectives.size(); ++i) {
      const CollectivePart& part = rank.collectives[i];
      MeetingKey key;
      key.group = group_of_[r][part.group];
      if (part.peer >= 0) {
        const auto peer = static_cast<std::uint64_t>(global_rank(job_.groups[key.group], part.peer));
        const auto self = static_cast<std::uint64_t>(rank.rank);
        key.pair = (part.is_send ? self << 32 | peer : peer << 32 | self) + 1;
      }
      if (part.comms_id != 0) {
        key.id = part.comms_id;
      } else if (part.sequence >= 0) {
        key.kind = 1;
        key.id = static_cast<std::uint64_t>(part.sequence);
      } else if (part.step < 0) {
        ++job_.unmatched;
        continue;
      } else {
        key.kind = 2;
        key.id = step_number(rank.steps[static_cast<std::size_t>(part.step)].number);
        if (key.pair == 0) {
          by_step_[{key.group, key.id}][r].push_back(i);
          continue;
        }
      }
      // What is coalesced has one number: then the order counts.
      const std::uint64_t mixed = key.id * 0x9E3779B97F4A7C15ull ^ key.pair * 0xC2B2AE3D27D4EB4Full ^
                                  (std::uint64_t{key.group} << 2 | key.kind) * 0x165667B19E3779F9ull;
      key.nth = seen[mixed]++;
      meetings_.push_back({key, r, i});
    }
  }

  std::uint64_t step_number(const std::optional<std::int64_t>& number) const {
    return static_cast<std::uint64_t>(std::ranges::lower_bound(job_.steps, number) - job_.steps.begin());
  }

  // --- by number in the step -----------------------------------------------------------------------

  std::uint64_t signature(std::uint32_t r, std::uint32_t i) const {
    const JobRank& rank = job_.ranks[r];
    const CollectivePart& part = rank.collectives[i];
    const std::string& name = rank.texts[part.name];
    std::uint64_t hash = hash_text(name) * 31 + hash_text(rank.texts[part.dtype]);
    if (has_equal_sizes(name)) hash = hash * 1000003 + static_cast<std::uint64_t>(part.in_elements);
    return hash;
  }

  using PartsByRank = std::map<std::uint32_t, std::vector<std::uint32_t>>;

  void align(std::uint32_t group, std::uint64_t step, PartsByRank& by_rank) {
    std::map<std::size_t, std::size_t> lengths;
    for (const auto& [r, parts] : by_rank) ++lengths[parts.size()];
    // The length that most ranks have, of equals the longer: theirs is the whole step.
    std::size_t usual = 0, most = 0;
    for (const auto& [length, count] : lengths)
      if (count >= most) std::tie(usual, most) = std::pair(length, count);
    if (most < 2 && lengths.size() > 1) usual = lengths.rbegin()->first;
    std::vector<std::uint64_t> pattern;
    for (const auto& [r, parts] : by_rank) {
      if (parts.size() != usual) continue;
      for (const std::uint32_t i : parts) pattern.push_back(signature(r, i));
      break;
    }
    for (const auto& [r, parts] : by_rank) {
      std::vector<std::uint64_t> own;
      for (const std::uint32_t i : parts) own.push_back(signature(r, i));
      const std::int64_t shift = own.size() == pattern.size() ? 0 : best_shift(own, pattern, starts_inside(r, step));
      for (std::size_t n = 0; n < parts.size(); ++n) {
        const std::int64_t at = static_cast<std::int64_t>(n) + shift;
        if (at < 0 || at >= static_cast<std::int64_t>(pattern.size()) ||
            pattern[static_cast<std::size_t>(at)] != own[n]) {
          ++job_.unmatched;
          continue;
        }
        meetings_.push_back({{group, 2, step, static_cast<std::uint64_t>(at), 0}, r, parts[n]});
      }
    }
  }

  /// The rank's record may begin inside the step: what is missing is then its beginning.
  bool starts_inside(std::uint32_t r, std::uint64_t step) const {
    const auto& steps = job_.ranks[r].steps;
    return !steps.empty() && step_number(steps.front().number) == step && steps.size() > 1;
  }

  /// By how much `own` must be moved for most to agree; of equally good ones, the end or the beginning where they meet.
  static std::int64_t best_shift(const std::vector<std::uint64_t>& own, const std::vector<std::uint64_t>& pattern,
                                 bool prefer_end) {
    const auto n = static_cast<std::int64_t>(own.size()), m = static_cast<std::int64_t>(pattern.size());
    const std::int64_t room = std::min<std::int64_t>(std::abs(m - n), static_cast<std::int64_t>(kMostShifts));
    std::int64_t best = 0, best_score = -1;
    for (std::int64_t k = 0; k <= room; ++k) {
      const std::int64_t shift = m >= n ? k : -k;
      std::int64_t score = 0;
      for (std::int64_t i = std::max<std::int64_t>(0, -shift); i < n && i + shift < m; ++i)
        if (own[static_cast<std::size_t>(i)] == pattern[static_cast<std::size_t>(i + shift)]) ++score;
      if (score > best_score || (score == best_score && prefer_end))
        std::tie(best, best_score) = std::pair(shift, score);
    }
    return best;
  }

  // --- collectives ---------------------------------------------------------------------------------

  using Counts = std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, std::uint32_t>;  // group, step, pair

  void join() {
    Counts counts;
    for (std::size_t begin = 0; begin < meetings_.size();) {
      std::size_t end = begin + 1;
      while (end < meetings_.size() && meetings_[end].key == meetings_[begin].key) ++end;
      add_collective(begin, end, counts);
      begin = end;
    }
  }

  void add_collective(std::size_t begin, std::size_t end, Counts& counts) {
    const Meeting& head = meetings_[begin];
    const JobGroup& group = job_.groups[head.key.group];
    JobCollective made;
    made.group = head.key.group;
    made.is_pair = head.key.pair != 0;
    made.first = static_cast<std::uint32_t>(job_.parts.size());
    const std::uint64_t pattern = made.is_pair ? 0 : usual_signature(begin, end);
    for (std::size_t m = begin; m < end; ++m) {
      const Meeting& meeting = meetings_[m];
      const bool is_again = m > begin && meetings_[m - 1].rank == meeting.rank;
      if (is_again || (!made.is_pair && signature(meeting.rank, meeting.part) != pattern)) {
        ++job_.unmatched;
        continue;
      }
      job_.parts.push_back({meeting.rank, meeting.part});
    }
    made.count = static_cast<std::uint32_t>(job_.parts.size()) - made.first;
    if (made.count < 2) {
      if (group.size != 1) job_.unmatched += made.count;
      job_.parts.resize(made.first);
      return;
    }
    const JobPart& one = job_.parts[made.first];
    const JobRank& rank = job_.ranks[one.rank];
    const CollectivePart& part = rank.collectives[one.collective];
    if (part.step >= 0) made.step = rank.steps[static_cast<std::size_t>(part.step)].number;
    const bool few = made.count == 2 && part.in_elements < 0;  // perhaps a send and its receive
    const std::string& name = rank.texts[part.name];
    made.is_synchronising = !made.is_pair && ends_together(name) && !(few && names_contain(name, {"sendrecv"}));
    made.nth = counts[{made.group, step_number(made.step), head.key.pair}]++;
    job_.collectives.push_back(made);
  }

  std::uint64_t usual_signature(std::size_t begin, std::size_t end) const {
    std::uint64_t best = 0;
    std::size_t most = 0;
    std::map<std::uint64_t, std::size_t> counts;
    for (std::size_t m = begin; m < end; ++m) {
      const std::uint64_t one = signature(meetings_[m].rank, meetings_[m].part);
      if (const std::size_t count = ++counts[one]; count > most) std::tie(best, most) = std::pair(one, count);
    }
    return best;
  }

  Job& job_;
  std::vector<std::vector<std::uint32_t>> group_of_;  // by rank and its group
  std::vector<bool> is_listed_;                       // by group
  std::map<std::tuple<std::string, std::string, std::vector<std::int64_t>, std::int64_t, std::string>, std::uint32_t>
      groups_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, PartsByRank> by_step_;
  std::vector<Meeting> meetings_;
};

}  // namespace

std::string JobGroup::title() const {
  if (!description.empty()) return description;
  if (!name.empty()) return name;
  if (stream == kProcessorsStream) return stream;
  return stream.empty() ? "all" : "stream " + stream;
}

void match_collectives(Job& job) {
  Matcher(job).run();
}

}  // namespace lacuna
