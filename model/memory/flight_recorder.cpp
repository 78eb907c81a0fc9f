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
    for (const auto& [key, entered] : operations_) judge(key, entered);
    std::ranges::stable_sort(analysis_.hung, {}, &HungOperation::first_created_ns);
    describe();
    return std::move(analysis_);
  }

 private:
  void note(const FlightDump& dump) {
    FlightRank rank{&dump, nullptr, nullptr};
    for (const FlightEntry& entry : dump.entries) {
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

  void judge(const OperationKey& key, const std::vector<HungOperation::Rank>& entered) {
    if (std::ranges::all_of(entered, [](const HungOperation::Rank& r) { return r.entry->is_done; })) {
      ++analysis_.completed;
      return;
    }
    HungOperation hung;
    const FlightEntry& first = *entered.front().entry;
    hung.group = group_of(dumps_, first);
    hung.name = first.name;
    std::tie(std::ignore, hung.is_p2p, hung.sequence) = key;
    hung.entered = entered;
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
    hung.expected = hung.group.ranks;
    if (hung.expected.empty() && !hung.is_p2p)
      for (const FlightDump& dump : dumps_) hung.expected.push_back(dump.rank);
    if (hung.is_p2p) hung.expected.clear();  // two of the group take part; the recorder does not name the other
    for (const std::int64_t rank : hung.expected) {
      const auto is_rank = [&](const HungOperation::Rank& r) { return r.rank == rank; };
      if (std::ranges::any_of(hung.entered, is_rank)) continue;
      if (std::ranges::none_of(dumps_, [&](const FlightDump& dump) { return dump.rank == rank; })) {
        hung.without_dump.push_back(rank);
        continue;
      }
      const auto reach = reaches_.find({std::get<0>(key), hung.is_p2p, rank});
      // What is older than the recorder holds was entered long ago.
      if (reach != reaches_.end() && hung.sequence < reach->second.least) continue;
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
      words.emplace_back("all ranks entered it, but it did not finish on all: check the network and earlier kernels");
    }
  }

  const std::vector<FlightDump>& dumps_;
  HangAnalysis analysis_;
  std::map<OperationKey, std::vector<HungOperation::Rank>> operations_;
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
