#include "model/job/job_lateness.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "model/base/quantiles.h"
#include "model/base/stable_sort.h"

namespace lacuna {
namespace {

/// Collectives that lateness is traced back over.
constexpr int kLongestWay = 4096;
constexpr std::uint32_t kNobody = kNoIndex;
constexpr std::uint64_t kSenderRole = std::uint64_t{1} << 63;

Nanos nanos_of(double ns) {
  return static_cast<Nanos>(std::clamp(ns, -4e18, 4e18));
}

class LatenessFinder {
 public:
  explicit LatenessFinder(Job& job) : job_(job) {}

  void run() {
    find_waits();
    sort_collectives();
    index_parts();
    find_excess();
    job_.cells.assign(job_.ranks.size() * job_.steps.size(), {});
    fill_cells();
    for (std::uint32_t c = 0; c < job_.collectives.size(); ++c) charge(c);
    add_delays();
  }

 private:
  void find_waits() {
    job_.waited.assign(job_.ranks.size(), 0);
    for (JobCollective& c : job_.collectives) {
      const auto first = job_.parts.begin() + c.first, end = first + c.count;
      Nanos last = kMinNanos, second = kMinNanos;
      Nanos shortest = kMaxNanos;
      for (auto part = first; part != end; ++part) {
        if (part->start > last) {
          second = last;
          last = part->start;
          c.last = static_cast<std::uint32_t>(part - first);
        } else {
          second = std::max(second, part->start);
        }
        shortest = std::min(shortest, saturating_sub(part->end, part->start));
      }
      c.late = saturating_sub(last, second);
      c.transfer = std::max<Nanos>(0, shortest);
      c.waited = 0;
      for (auto part = first; part != end; ++part) {
        part->wait = saturating_sub(last, part->start);
        c.waited = saturating_add(c.waited, part->wait);
        job_.waited[part->rank] = saturating_add(job_.waited[part->rank], part->wait);
      }
    }
  }

  void sort_collectives() {
    sort_stably(job_.collectives, {}, [&](const JobCollective& c) { return job_.last_of(c).start; });
  }

  void index_parts() {
    collective_of_.resize(job_.ranks.size());
    for (std::size_t r = 0; r < job_.ranks.size(); ++r) {
      collective_of_[r].assign(job_.ranks[r].collectives.size(), kNobody);
    }
    for (std::uint32_t c = 0; c < job_.collectives.size(); ++c)
      for (std::uint32_t p = job_.collectives[c].first; p < job_.collectives[c].first + job_.collectives[c].count;
           ++p) {
        collective_of_[job_.parts[p].rank][job_.parts[p].collective] = c;
      }
  }

  // --- what is usual ---------------------------------------------------------------------------------

  /// Collectives of this role are done by different groups at the same place of the program.
  std::uint64_t role(std::uint32_t c) {
    const JobCollective& collective = job_.collectives[c];
    const JobGroup& group = job_.groups[collective.group];
    const auto key = std::pair(group.description.empty() ? group.stream : group.description, group.size);
    const std::uint64_t kind = kinds_.try_emplace(key, kinds_.size()).first->second;
    return kind << 48 ^ step_of(collective) << 28 ^ pair_of(collective) ^ collective.nth;
  }

  /// A hash of the places that sender and receiver of a pair have in their group; 0: a collective.
  std::uint64_t pair_of(const JobCollective& c) const {
    if (!c.is_pair) return 0;
    std::uint64_t pair = 1;
    for (const bool is_sender : {true, false})
      for (std::uint32_t p = c.first; p < c.first + c.count; ++p) {
        if (job_.part_of(job_.parts[p]).is_send != is_sender) continue;
        const std::vector<std::int64_t>& ranks = job_.groups[c.group].ranks;
        const auto at = std::ranges::lower_bound(ranks, job_.ranks[job_.parts[p].rank].rank) - ranks.begin();
        pair = pair * 1'000'003 + static_cast<std::uint64_t>(at);
      }
    return pair * 0x9E3779B97F4A7C15ull >> 1;  // spread over all bits but kSenderRole
  }

  std::uint64_t step_of(const JobCollective& c) const {
    return static_cast<std::uint64_t>(std::ranges::lower_bound(job_.steps, c.step) - job_.steps.begin());
  }

  /// Own work beyond the median of those who did the same between the same collectives.
  void find_excess() {
    struct Work {
      std::uint64_t role, from;
      Nanos time;
      std::uint32_t part;
    };
    std::vector<std::uint64_t> roles(job_.collectives.size());
    for (std::uint32_t c = 0; c < roles.size(); ++c) roles[c] = role(c);
    std::vector<Work> all;
    all.reserve(job_.parts.size());
    for (std::uint32_t c = 0; c < job_.collectives.size(); ++c)
      for (std::uint32_t p = job_.collectives[c].first; p < job_.collectives[c].first + job_.collectives[c].count;
           ++p) {
        const CollectivePart& part = job_.part_of(job_.parts[p]);
        const std::uint32_t before = predecessor(job_.parts[p].rank, part);
        // What released it may not have been matched: such work is compared with its like alone.
        const std::uint64_t from = part.released_by < 0 ? ~0ull : before == kNobody ? ~1ull : roles[before];
        // A sender and its receiver do different work before they meet.
        const std::uint64_t side = job_.collectives[c].is_pair && part.is_send ? kSenderRole : 0;
        all.push_back({roles[c] ^ side, from, part.own_work, p});
      }
    excess_.assign(job_.parts.size(), 0);
    std::ranges::sort(all, [](const Work& a, const Work& b) {
      return std::tie(a.role, a.from, a.time, a.part) < std::tie(b.role, b.from, b.time, b.part);
    });
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin;
      while (end < all.size() && all[end].role == all[begin].role && all[end].from == all[begin].from) ++end;
      const Nanos usual = all[begin + (end - begin - 1) / 2].time;
      for (; begin < end; ++begin)
        excess_[all[begin].part] = std::max<Nanos>(0, saturating_sub(all[begin].time, usual));
    }
  }

  std::uint32_t predecessor(std::uint32_t rank, const CollectivePart& part) const {
    return part.released_by < 0 ? kNobody : collective_of_[rank][static_cast<std::size_t>(part.released_by)];
  }

  void fill_cells() {
    for (std::size_t r = 0; r < job_.ranks.size(); ++r)
      for (const RankStep& step : job_.ranks[r].steps) {
        const auto s = static_cast<std::size_t>(std::ranges::lower_bound(job_.steps, step.number) - job_.steps.begin());
        job_.cell(r, s).length = saturating_sub(step.end, step.start);
      }
    for (const JobCollective& c : job_.collectives)
      for (std::uint32_t p = c.first; p < c.first + c.count; ++p) {
        JobCell& cell = job_.cell(job_.parts[p].rank, step_of(c));
        cell.waited = saturating_add(cell.waited, job_.parts[p].wait);
        cell.excess = saturating_add(cell.excess, excess_[p]);
      }
  }

  // --- roots -----------------------------------------------------------------------------------------

  struct Share {
    std::uint32_t part;
    Nanos time;
  };

  /// The way back from the last one of `c`, as far as `lateness` needs it.
  std::vector<Share> trace_back(std::uint32_t c, Nanos lateness, std::uint32_t waiter) const {
    std::vector<Share> shares;
    const JobCollective* at = &job_.collectives[c];
    for (int n = 0; n < kLongestWay && lateness > 0; ++n) {
      const std::uint32_t p = at->first + at->last;
      if (excess_[p] > 0) {
        shares.push_back({p, std::min(excess_[p], lateness)});
        lateness -= shares.back().time;
      }
      const std::uint32_t before = predecessor(job_.parts[p].rank, job_.part_of(job_.parts[p]));
      if (before == kNobody) break;
      const JobCollective* next = &job_.collectives[before];
      // Both were there, so that neither brought any lateness from before it.
      if (job_.last_of(*next).start >= job_.last_of(*at).start || takes_part(*next, waiter)) break;
      at = next;
    }
    return shares;
  }

  bool takes_part(const JobCollective& c, std::uint32_t rank) const {
    for (std::uint32_t p = c.first; p < c.first + c.count; ++p)
      if (job_.parts[p].rank == rank) return true;
    return false;
  }

  void charge(std::uint32_t index) {
    const JobCollective& c = job_.collectives[index];
    if (c.waited == 0) return;
    // The median of those who waited: one that came much too early makes nobody late.
    std::vector<std::pair<Nanos, std::uint32_t>> waits;
    for (std::uint32_t p = c.first; p < c.first + c.count; ++p)
      if (p != c.first + c.last) waits.emplace_back(job_.parts[p].wait, job_.parts[p].rank);
    const auto [lateness, late] = lower_median(std::move(waits));
    if (lateness <= 0) return;
    Nanos explained = 0;
    const std::vector<Share> shares = trace_back(index, lateness, late);
    for (const Share& share : shares) explained = saturating_add(explained, share.time);
    if (explained == 0) return;
    for (const Share& share : shares) {
      const double part = static_cast<double>(share.time) / static_cast<double>(std::max(lateness, explained));
      Nanos& lost = job_.cell(job_.parts[share.part].rank, step_of_part(share.part)).lost;
      lost = saturating_add(lost, nanos_of(static_cast<double>(c.waited) * part));
      Nanos& most = delayed_[share.part];
      most = std::max(most, share.time);
    }
  }

  std::uint64_t step_of_part(std::uint32_t p) const {
    const JobPart& part = job_.parts[p];
    return step_of(job_.collectives[collective_of_[part.rank][part.collective]]);
  }

  void add_delays() {
    for (const auto& [part, time] : delayed_) {
      Nanos& delay = job_.cell(job_.parts[part].rank, step_of_part(part)).delay;
      delay = saturating_add(delay, time);
    }
  }

  Job& job_;
  std::vector<std::vector<std::uint32_t>> collective_of_;  // by rank and its collective
  std::map<std::pair<std::string, std::int64_t>, std::uint64_t> kinds_;
  std::vector<Nanos> excess_;               // by part
  std::map<std::uint32_t, Nanos> delayed_;  // by part
};

}  // namespace

void find_lateness(Job& job) {
  LatenessFinder(job).run();
}

}  // namespace lacuna
