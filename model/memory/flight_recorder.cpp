#include "model/memory/flight_recorder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "model/base/plural.h"

namespace lacuna {
namespace {

using OperationKey = std::tuple<std::string, bool, std::int64_t>;

FlightGroup group_of(const std::vector<FlightDump>& dumps, const FlightEntry& entry) {
  FlightGroup group{entry.group, entry.description, {}};
  for (const FlightDump& dump : dumps) {
    for (const FlightGroup& config : dump.groups)
      if (config.name == entry.group || (dump.groups.size() == 1 && config.name.empty())) {
        group.ranks = config.ranks;
        if (group.description.empty()) group.description = config.description;
        return group;
      }
  }
  return group;
}

std::string group_rank_list(const std::vector<std::int64_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t r = 0; r < ranks.size() && r < 20; ++r) text += fmt::format("{}{}", r == 0 ? "" : ", ", ranks[r]);
  if (ranks.size() > 20) text += fmt::format(" and {} more", ranks.size() - 20);
  return text;
}

std::string describe_operation(const HungOperation& hung) {
  return fmt::format("{} {} of group {}{}{}", hung.name, hung.sequence,
                     hung.group.name.empty() ? "''" : hung.group.name, hung.group.description.empty() ? "" : " ",
                     hung.group.description);
}

/// The ends of a message, numbered within the group.
struct Ends {
  std::int64_t from = 0;
  std::int64_t to = 0;
  bool is_send = false;
};

/// Reads "nccl:send 0->1" and "nccl:recv 1<-0", as fr_trace does (torch/distributed/flight_recorder).
std::optional<Ends> ends_in(std::string_view name) {
  const std::size_t arrow = std::min(name.find("->"), name.find("<-"));
  const std::size_t space = name.rfind(' ', arrow);
  if (arrow == name.npos || space == name.npos) return std::nullopt;
  std::array<std::int64_t, 2> ranks{};
  const auto read = [&](std::string_view digits, std::int64_t& rank) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    return error == std::errc() && end == digits.data() + digits.size() && rank >= 0;
  };
  if (!read(name.substr(space + 1, arrow - space - 1), ranks[0]) || !read(name.substr(arrow + 2), ranks[1])) return {};
  return name[arrow] == '-' ? Ends{ranks[0], ranks[1], true} : Ends{ranks[1], ranks[0], false};
}

/// How far a rank had come in a group: the least and the greatest number that its recorder still holds.
struct Reach {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

class HangAnalyst {
 public:
  explicit HangAnalyst(const std::vector<FlightDump>& dumps) : dumps_(dumps) {}

  HangAnalysis run() {
    for (const FlightDump& dump : dumps_) note(dump);
    for (const auto& [key, entered] : operations_) judge(entered, expected_of(*entered.front().entry));
    for (auto& [way, messages] : messages_) pair_up(way, messages);
    std::ranges::stable_sort(analysis_.hung, {}, &HungOperation::first_created_ns);
    describe();
    return std::move(analysis_);
  }

 private:
  using Way = std::tuple<std::string, std::int64_t, std::int64_t>;   // group, from, to
  using Members = std::map<std::string, std::vector<std::int64_t>>;  // of each group: its ranks, ascending
  /// Between two ranks, in the order of each one's recorder.
  struct Messages {
    std::vector<HungOperation::Rank> sent;
    std::vector<HungOperation::Rank> received;
  };

  void note(const FlightDump& dump) {
    FlightRank rank{&dump, nullptr, nullptr};
    Members members;
    for (const FlightGroup& group : dump.groups) std::ranges::sort(members[group.name] = group.ranks);
    for (const FlightEntry& entry : dump.entries) {
      if (!entry.is_around && !note_message(dump, members, entry))
        operations_[{entry.group, entry.is_p2p, entry.sequence}].push_back({dump.rank, &entry});
      auto [reach, is_new] =
          reaches_.try_emplace({entry.group, entry.is_p2p, dump.rank}, Reach{entry.sequence, entry.sequence});
      reach->second.least = std::min(reach->second.least, entry.sequence);
      reach->second.most = std::max(reach->second.most, entry.sequence);
      rank.last = &entry;
      if (entry.is_done) rank.last_completed = &entry;
    }
    analysis_.ranks.push_back(rank);
  }

  /// Whether the entry is a send or a receive whose ends are known.
  bool note_message(const FlightDump& dump, const Members& members, const FlightEntry& entry) {
    const std::optional<Ends> ends = entry.is_p2p ? ends_in(entry.name) : std::nullopt;
    if (!ends) return false;
    const auto group = members.find(entry.group);
    const auto of_job = [&](std::int64_t n) {
      if (group == members.end() || group->second.empty()) return n;
      return n < std::ssize(group->second) ? group->second[static_cast<std::size_t>(n)] : -1;
    };
    const std::int64_t from = of_job(ends->from);
    const std::int64_t to = of_job(ends->to);
    if ((ends->is_send ? from : to) != dump.rank || from < 0 || to < 0) return false;
    Messages& messages = messages_[{entry.group, from, to}];
    (ends->is_send ? messages.sent : messages.received).push_back({dump.rank, &entry});
    return true;
  }

  /// Numbers of sends and receives are each rank's own. The n-th that is sent is the n-th that is received; where a
  /// recorder no longer holds the first ones, that is true of those that did not complete.
  void pair_up(const Way& way, Messages& messages) {
    const std::string& group = std::get<0>(way);
    const std::int64_t from = std::get<1>(way);
    const std::int64_t to = std::get<2>(way);
    const auto holds_all = [&](std::int64_t rank) {
      const auto reach = reaches_.find({group, true, rank});
      return reach == reaches_.end() || reach->second.least <= 1;
    };
    if (!holds_all(from) || !holds_all(to)) {
      const auto drop_done = [](std::vector<HungOperation::Rank>& side) {
        return std::erase_if(side, [](const HungOperation::Rank& rank) { return rank.entry->is_done; });
      };
      analysis_.completed += std::max(drop_done(messages.sent), drop_done(messages.received));
    }
    for (std::size_t n = 0; n < std::max(messages.sent.size(), messages.received.size()); ++n) {
      std::vector<HungOperation::Rank> entered;
      if (n < messages.sent.size()) entered.push_back(messages.sent[n]);
      if (n < messages.received.size()) entered.push_back(messages.received[n]);
      judge(entered, {from, to});
    }
  }

  /// The ranks that take part in an operation; empty: not known.
  std::vector<std::int64_t> expected_of(const FlightEntry& entry) const {
    if (entry.is_p2p) return {};  // two of the group, whose names do not tell which
    std::vector<std::int64_t> ranks = group_of(dumps_, entry).ranks;
    if (ranks.empty())
      for (const FlightDump& dump : dumps_) ranks.push_back(dump.rank);
    return ranks;
  }

  void judge(const std::vector<HungOperation::Rank>& entered, std::vector<std::int64_t> expected) {
    if (std::ranges::all_of(entered, [](const HungOperation::Rank& r) { return r.entry->is_done; })) {
      ++analysis_.completed;
      return;
    }
    HungOperation hung;
    const FlightEntry& first = *entered.front().entry;
    hung.group = group_of(dumps_, first);
    hung.name = first.name;
    hung.is_p2p = first.is_p2p;
    hung.sequence = first.sequence;
    hung.entered = entered;
    hung.expected = std::move(expected);
    std::ranges::stable_sort(hung.entered, {}, &HungOperation::Rank::rank);
    hung.first_created_ns = first.created_ns;
    bool differs = false;
    for (const HungOperation::Rank& rank : hung.entered) {
      hung.first_created_ns = std::min(hung.first_created_ns, rank.entry->created_ns);
      if (rank.entry->is_done) hung.completed.push_back(rank.rank);
      // Sizes of scatter and gather, and of a send and its receive, may differ; a name may not.
      const bool same_sizes =
          hung.name.find("all_reduce") == std::string::npos && hung.name.find("allreduce") == std::string::npos
              ? true
              : rank.entry->inputs == first.inputs;
      differs |= !hung.is_p2p && (rank.entry->name != first.name || !same_sizes);
    }
    for (const std::int64_t rank : hung.expected) {
      const auto is_rank = [&](const HungOperation::Rank& r) { return r.rank == rank; };
      if (std::ranges::any_of(hung.entered, is_rank)) continue;
      if (std::ranges::none_of(dumps_, [&](const FlightDump& dump) { return dump.rank == rank; })) {
        hung.without_dump.push_back(rank);
        continue;
      }
      const auto reach = reaches_.find({first.group, false, rank});
      // A collective that is older than the recorder holds was entered long ago.
      if (!hung.is_p2p && reach != reaches_.end() && hung.sequence < reach->second.least) continue;
      hung.missing.push_back(rank);
    }
    hung.kind = !hung.missing.empty() || !hung.without_dump.empty() ? HungOperation::Kind::kMissingRanks
                : differs                                           ? HungOperation::Kind::kMismatch
                                                                    : HungOperation::Kind::kAllEntered;
    if (differs) hung.kind = HungOperation::Kind::kMismatch;
    analysis_.hung.push_back(std::move(hung));
  }

  void describe() {
    auto& words = analysis_.sentences;
    if (analysis_.hung.empty()) {
      words.push_back(fmt::format("All {} operations completed on all ranks that entered them", analysis_.completed));
      return;
    }
    const HungOperation& hung = analysis_.hung.front();
    std::vector<std::int64_t> entered;
    for (const HungOperation::Rank& rank : hung.entered) entered.push_back(rank.rank);
    words.push_back(fmt::format("{} {} never completed; the first is {}, entered by {}", analysis_.hung.size(),
                                noun_after(analysis_.hung.size(), "operation"), describe_operation(hung),
                                group_rank_list(entered)));
    if (!hung.missing.empty()) words.push_back(fmt::format("{} never entered it", group_rank_list(hung.missing)));
    for (const std::int64_t missing : hung.missing) {
      for (const FlightRank& rank : analysis_.ranks) {
        if (rank.dump->rank != missing) continue;
        if (rank.last == nullptr) {
          words.push_back(fmt::format("rank {} recorded nothing", missing));
        } else {
          words.push_back(fmt::format("rank {} was last in {} {}, {}{}", missing, rank.last->name, rank.last->sequence,
                                      rank.last->is_done ? "which completed" : "which did not complete",
                                      rank.last->frames.empty() ? "" : ": " + rank.last->frames.front()));
        }
      }
    }
    if (!hung.without_dump.empty())
      words.push_back(fmt::format("there is no dump of {}", group_rank_list(hung.without_dump)));
    if (hung.kind == HungOperation::Kind::kMismatch) {
      words.emplace_back("the ranks entered different operations, or with different sizes:");
      for (const HungOperation::Rank& rank : hung.entered)
        words.push_back(fmt::format("rank {}: {} of {}", rank.rank, rank.entry->name, rank.entry->inputs));
    } else if (hung.kind == HungOperation::Kind::kAllEntered) {
      words.push_back(fmt::format("{} entered it, but it did not finish on {}: check the network and earlier kernels",
                                  !hung.is_p2p            ? "all ranks"
                                  : hung.expected.empty() ? "these ranks"
                                                          : "both ranks",
                                  hung.is_p2p ? "each" : "all"));
    }
  }

  const std::vector<FlightDump>& dumps_;
  HangAnalysis analysis_;
  std::map<OperationKey, std::vector<HungOperation::Rank>> operations_;
  std::map<Way, Messages> messages_;
  std::map<OperationKey, Reach> reaches_;  // group, point to point, rank
};

}  // namespace

void number_ranks(std::vector<FlightDump>& dumps) {
  std::set<std::int64_t> used;
  bool is_unique = true;
  for (const FlightDump& dump : dumps) is_unique &= dump.has_rank && used.insert(dump.rank).second;
  for (std::size_t d = 0; !is_unique && d < dumps.size(); ++d) {
    dumps[d].rank = static_cast<std::int64_t>(d);
    dumps[d].has_rank = false;
  }
}

HangAnalysis analyze_hang(const std::vector<FlightDump>& dumps) {
  return HangAnalyst(dumps).run();
}

}  // namespace lacuna
