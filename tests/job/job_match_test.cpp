// What meets what: match_collectives() of ranks that are written down here.

#include "model/job/job_match.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace lacuna;

namespace {

/// A rank with one group of its own, and collectives in the order in which they are added.
class MatchRank {
 public:
  explicit MatchRank(std::int64_t rank, RankGroup group = {"pg", "tp", 2, {0, 1}, {}}) {
    rank_.rank = rank;
    rank_.groups.push_back(std::move(group));
  }
  MatchRank& group(RankGroup group) {
    rank_.groups.push_back(std::move(group));
    return *this;
  }
  MatchRank& step(std::optional<std::int64_t> number) {
    RankStep step;
    step.number = number;
    rank_.steps.push_back(step);
    return *this;
  }
  /// In the last step, if there is one.
  CollectivePart& add(std::string_view name, std::int64_t elements = -1, std::string_view dtype = {}) {
    CollectivePart& part = rank_.collectives.emplace_back();
    part.name = text(name);
    part.dtype = dtype.empty() ? 0 : text(dtype);
    part.in_elements = elements;
    part.step = static_cast<std::int32_t>(rank_.steps.size()) - 1;
    return part;
  }
  MatchRank& with(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) add(name);
    return *this;
  }
  const JobRank& rank() const { return rank_; }

 private:
  std::uint32_t text(std::string_view text) {
    const auto found = std::ranges::find(rank_.texts, text);
    if (found != rank_.texts.end()) return static_cast<std::uint32_t>(found - rank_.texts.begin());
    rank_.texts.emplace_back(text);
    return static_cast<std::uint32_t>(rank_.texts.size() - 1);
  }
  JobRank rank_;
};

Job matched(std::initializer_list<MatchRank> ranks) {
  Job job;
  for (const MatchRank& rank : ranks) job.ranks.push_back(rank.rank());
  match_collectives(job);
  return job;
}

/// "allreduce: 0#2 1#0" by collective: index of the rank # index of its collective.
std::vector<std::string> met(const Job& job) {
  std::vector<std::string> all;
  for (const JobCollective& c : job.collectives) {
    std::string& text = all.emplace_back(job.name_of(c) + ":");
    for (std::uint32_t p = c.first; p < c.first + c.count; ++p)
      text += " " + std::to_string(job.parts[p].rank) + "#" + std::to_string(job.parts[p].collective);
  }
  return all;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("matching: the Comms Id counts before the sequence, and the sequence before the place in the step") {
  MatchRank a(0), b(1);
  a.step(1);
  b.step(1);
  // By id, the other way round than their sequences and places.
  for (const std::uint64_t id : {71u, 72u}) a.add("allreduce").comms_id = id;
  for (const std::uint64_t id : {72u, 71u}) b.add("allreduce").comms_id = id;
  for (const std::int64_t sequence : {0, 1}) a.add("allreduce").sequence = sequence;
  for (const std::int64_t sequence : {1, 0}) b.add("allreduce").sequence = sequence;
  a.add("broadcast");
  b.add("broadcast");
  const Job job = matched({a, b});
  CHECK(met(job) == Texts{"allreduce: 0#0 1#1", "allreduce: 0#1 1#0", "allreduce: 0#2 1#3", "allreduce: 0#3 1#2",
                          "broadcast: 0#4 1#4"});
  CHECK(job.unmatched == 0);
  std::vector<std::uint32_t> places;
  for (const JobCollective& c : job.collectives) {
    places.push_back(c.nth);
    CHECK(c.step == 1);
    CHECK(c.group == 0);
    CHECK_FALSE(c.is_pair);
  }
  CHECK(places == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
}

TEST_CASE("matching: without a step and a number nothing meets, and is counted") {
  MatchRank a(0), b(1);
  a.with({"allreduce", "allreduce"});
  b.with({"allreduce"});
  const Job job = matched({a, b});
  CHECK(job.collectives.empty());
  CHECK(job.parts.empty());
  CHECK(job.unmatched == 3);
}

TEST_CASE("matching: of equal numbers the first meets the first; what is left over is counted") {
  MatchRank a(0), b(1);
  for (int n = 0; n < 3; ++n) a.add("allgather").sequence = 5;
  for (int n = 0; n < 2; ++n) b.add("allgather").sequence = 5;
  const Job job = matched({a, b});
  CHECK(met(job) == Texts{"allgather: 0#0 1#0", "allgather: 0#1 1#1"});
  CHECK(job.unmatched == 1);
}

TEST_CASE("matching: alone in a group of one is no loss, alone in a larger one is") {
  for (const std::int64_t size : {1, 2, 0}) {
    CAPTURE(size);
    MatchRank a(0, {"own", "", size, {}, {}});
    a.add("allreduce").sequence = 0;
    const Job job = matched({a});
    CHECK(job.collectives.empty());
    CHECK(job.unmatched == (size == 1 ? 0 : 1));
  }
}

TEST_CASE("matching: name and type must agree, and sizes where all ranks have the same") {
  struct Case {
    const char* name;
    bool sizes_count;
  };
  for (const Case& one :
       {Case{"allreduce", true}, Case{"c10d::all_reduce_", true}, Case{"broadcast", true}, Case{"barrier", true},
        Case{"_allgather_base", true}, Case{"reduce_scatter_tensor", true}, Case{"allgather", false},
        Case{"ALLREDUCE", true}, Case{"alltoall", false}, Case{"gather", false}}) {
    CAPTURE(one.name);
    MatchRank a(0), b(1), c(2);
    a.add(one.name, 100, "Float").sequence = 0;
    b.add(one.name, 100, "Float").sequence = 0;
    c.add(one.name, 101, "Float").sequence = 0;
    CHECK(matched({a, b, c}).unmatched == (one.sizes_count ? 1 : 0));
    MatchRank d(2), e(2);
    d.add(one.name, 100, "Half").sequence = 0;
    e.add("send", 100, "Float").sequence = 0;
    CHECK(matched({a, b, d}).unmatched == 1);
    CHECK(matched({a, b, e}).unmatched == 1);
    CHECK(met(matched({a, b, e})).size() == 1);
  }
}

TEST_CASE("matching: the signature that most ranks have is right; of equally many that which had so many first") {
  MatchRank a(0), b(1), c(2), d(3);
  a.add("allreduce", 1).sequence = 0;
  b.add("allreduce", 2).sequence = 0;
  c.add("allreduce", 2).sequence = 0;
  d.add("allreduce", 1).sequence = 0;
  CHECK(met(matched({a, b, c})) == Texts{"allreduce: 1#0 2#0"});
  CHECK(met(matched({a, b, c, d})) == Texts{"allreduce: 1#0 2#0"});
}

TEST_CASE("matching: which collectives end everywhere at once") {
  struct Case {
    const char* name;
    std::int64_t elements;
    std::size_t ranks;
    bool ends_together;
  };
  for (const Case& one :
       {Case{"allreduce", 4, 2, true}, Case{"all_reduce", 4, 2, true}, Case{"reduce_scatter", 4, 2, true},
        Case{"ReduceScatter", 4, 2, true}, Case{"allgather", 4, 2, true}, Case{"all_gather", 4, 2, true},
        Case{"alltoall", 4, 2, true}, Case{"all_to_all", 4, 2, true}, Case{"barrier", 4, 2, true},
        Case{"broadcast", 4, 2, false}, Case{"gather", 4, 2, false}, Case{"reduce", 4, 2, false},
        // Of two without sizes it may be a send and its receive.
        Case{"ncclDevKernel_SendRecv", -1, 2, false}, Case{"ncclDevKernel_SendRecv", -1, 3, true},
        Case{"ncclDevKernel_SendRecv", 0, 2, true}, Case{"allreduce", -1, 2, true}}) {
    CAPTURE(one.name);
    CAPTURE(one.ranks);
    MatchRank ranks[] = {MatchRank(0), MatchRank(1), MatchRank(2)};
    for (MatchRank& rank : ranks) rank.add(one.name, one.elements).sequence = 0;
    const Job job = one.ranks == 2 ? matched({ranks[0], ranks[1]}) : matched({ranks[0], ranks[1], ranks[2]});
    REQUIRE(job.collectives.size() == 1);
    CHECK(job.collectives[0].is_synchronising == one.ends_together);
  }
}

TEST_CASE("matching: a send meets its receive, by the ranks that their groups mean") {
  // Ranks 2 and 3 are 0 and 1 of their group.
  const RankGroup group{"pp", "", 2, {2, 3}, {}};
  MatchRank a(2, group), b(3, group);
  const auto pair = [](MatchRank& rank, std::int32_t peer, bool is_send) {
    CollectivePart& part = rank.add(is_send ? "send" : "recv");
    part.sequence = 0;
    part.peer = peer;
    part.is_send = is_send;
  };
  pair(a, 1, true);   // 2 to 3
  pair(a, 1, false);  // 3 to 2
  pair(b, 0, true);
  pair(b, 0, false);
  const Job job = matched({a, b});
  CHECK(met(job) == Texts{"send: 0#0 1#1", "recv: 0#1 1#0"});
  for (const JobCollective& c : job.collectives) {
    CHECK(c.is_pair);
    CHECK_FALSE(c.is_synchronising);
    CHECK(c.nth == 0);
  }
  // Two sends do not meet; nor do those that name others.
  MatchRank c(3, group);
  pair(c, 0, true);
  CHECK(matched({a, c}).unmatched == 1);
  // A group whose list is not as long as it says: the numbers are those of all ranks.
  const RankGroup unlisted{"pp", "", 4, {2, 3}, {}};
  MatchRank d(2, unlisted), e(3, unlisted);
  pair(d, 3, true);
  pair(e, 2, false);
  CHECK(met(matched({d, e})) == Texts{"send: 0#0 1#0"});
  // … and a peer beyond the end of the list is one of all ranks, too.
  MatchRank f(2, group), g(3, group);
  pair(f, 3, true);
  pair(g, 2, false);
  CHECK(met(matched({f, g})) == Texts{"send: 0#0 1#0"});
}

TEST_CASE("matching: pairs have numbers of their own in a step, and coalesced ones meet in their order") {
  MatchRank a(0), b(1);
  a.step(4);
  b.step(4);
  for (int n = 0; n < 2; ++n) {
    CollectivePart& send = a.add("send");
    send.peer = 1;
    send.is_send = true;
    b.add("recv").peer = 0;
  }
  a.add("allreduce");
  b.add("allreduce");
  const Job job = matched({a, b});
  CHECK(met(job) == Texts{"allreduce: 0#2 1#2", "send: 0#0 1#0", "send: 0#1 1#1"});
  CHECK(job.collectives[0].nth == 0);
  CHECK(job.collectives[1].nth == 0);
  CHECK(job.collectives[2].nth == 1);
  for (const JobCollective& c : job.collectives) CHECK(c.step == 4);
}

TEST_CASE("matching: steps are those of all ranks, ascending, what has no number first") {
  MatchRank a(0), b(1);
  a.step(3);
  a.with({"allreduce"});
  a.step(5);
  a.with({"allreduce"});
  b.step(5);
  b.with({"allreduce"});
  b.step(4);
  const Job job = matched({a, b});
  CHECK(job.steps == std::vector<std::optional<std::int64_t>>{3, 4, 5});
  REQUIRE(met(job) == Texts{"allreduce: 0#1 1#0"});
  CHECK(job.collectives[0].step == 5);
  CHECK(job.collectives[0].nth == 0);
  CHECK(job.unmatched == 1);
  MatchRank c(0), d(1);
  c.step(std::nullopt).with({"allreduce"});
  d.step(std::nullopt).with({"allreduce"});
  d.step(1);
  const Job whole = matched({c, d});
  CHECK(whole.steps == std::vector<std::optional<std::int64_t>>{std::nullopt, 1});
  CHECK(whole.collectives.size() == 1);
}

TEST_CASE("matching: the same order in a step meets place by place, another name meets nothing") {
  MatchRank a(0), b(1);
  a.step(1).with({"allreduce", "allgather", "broadcast"});
  b.step(1).with({"allreduce", "barrier", "broadcast"});
  const Job job = matched({a, b});
  CHECK(met(job) == Texts{"allreduce: 0#0 1#0", "broadcast: 0#2 1#2"});
  CHECK(job.unmatched == 2);
}

TEST_CASE("matching: what lacks a part of a step is laid where most of it agrees") {
  using Names = std::initializer_list<std::string_view>;
  struct Case {
    Names whole, part;
    std::vector<std::string> meets;
    std::uint64_t unmatched;
    bool begins_inside = false;
  };
  const auto check = [](const Case& one) {
    MatchRank a(0), b(1), c(2);
    a.step(1).with(one.whole);
    b.step(1).with(one.whole);
    c.step(1).with(one.part);
    if (one.begins_inside) c.step(2);
    const Job job = matched({a, b, c});
    std::vector<std::string> meets;
    for (const std::string& text : met(job))
      if (const std::size_t at = text.find(" 2#"); at != std::string::npos)
        meets.push_back(text.substr(text.find(" 0#") + 1, 3) + text.substr(at));
    CHECK(meets == one.meets);
    CHECK(job.unmatched == one.unmatched);
  };
  const Names four{"allreduce", "allgather", "broadcast", "barrier"};
  SUBCASE("its end") {
    check({four, {"broadcast", "barrier"}, {"0#2 2#0", "0#3 2#1"}, 0});
  }
  SUBCASE("its beginning") {
    check({four, {"allreduce", "allgather"}, {"0#0 2#0", "0#1 2#1"}, 0});
  }
  SUBCASE("its middle") {
    check({four, {"allgather", "broadcast"}, {"0#1 2#0", "0#2 2#1"}, 0});
  }
  const Names same{"allreduce", "allreduce", "allreduce"};
  SUBCASE("equally good: the beginning") {
    check({same, {"allreduce"}, {"0#0 2#0"}, 0});
  }
  SUBCASE("equally good, and the record begins inside the step: the end") {
    check({same, {"allreduce"}, {"0#2 2#0"}, 0, true});
  }
  SUBCASE("most agree, one does not") {
    check({four, {"allgather", "broadcast", "gather"}, {"0#1 2#0", "0#2 2#1"}, 1});
  }
  SUBCASE("it has more at its beginning") {
    check({{"allgather", "broadcast"}, {"reduce", "allgather", "broadcast"}, {"0#0 2#1", "0#1 2#2"}, 1});
  }
  SUBCASE("it has more at its end") {
    check({{"allgather", "broadcast"}, {"allgather", "broadcast", "reduce"}, {"0#0 2#0", "0#1 2#1"}, 1});
  }
  SUBCASE("it has more of the same at its end, and begins inside") {
    check({{"allreduce"}, {"allreduce", "allreduce", "allreduce"}, {"0#0 2#2"}, 2, true});
  }
  SUBCASE("it is not moved beyond the end of the step, though one would agree there") {
    check({{"allreduce", "allgather", "broadcast"}, {"broadcast", "gather"}, {}, 2});
  }
  SUBCASE("nothing agrees") {
    check({four, {"gather", "reduce"}, {}, 2});
  }
}

TEST_CASE("matching: the length that most ranks have is the whole step, of equals the longer") {
  MatchRank shorter(0), longer(1), other(2), last(3);
  shorter.step(1).with({"broadcast"});
  longer.step(1).with({"allreduce", "broadcast"});
  CHECK(met(matched({shorter, longer})) == Texts{"broadcast: 0#0 1#1"});
  CHECK(matched({shorter, longer}).unmatched == 1);
  other.step(1).with({"broadcast"});
  CHECK(met(matched({shorter, longer, other})) == Texts{"broadcast: 0#0 1#1 2#0"});
  CHECK(matched({shorter, longer, other}).unmatched == 1);
  // Two of two lengths each: the longer; all of it meets.
  last.step(1).with({"allreduce", "broadcast"});
  const Job job = matched({shorter, longer, other, last});
  CHECK(met(job) == Texts{"allreduce: 1#0 3#0", "broadcast: 0#0 1#1 2#0 3#1"});
  CHECK(job.unmatched == 0);
  // No two of a length: the longest.
  MatchRank three(2);
  three.step(1).with({"gather", "allreduce", "broadcast"});
  CHECK(met(matched({shorter, longer, three})) == Texts{"allreduce: 1#0 2#1", "broadcast: 0#0 1#1 2#2"});
}

TEST_CASE("matching: groups are the same by name, description, ranks and size") {
  const RankGroup one{"0", "tp", 2, {0, 1}, {}};
  const auto groups = [&](const RankGroup& other) { return matched({MatchRank(0, one), MatchRank(1, other)}).groups; };
  CHECK(groups(one).size() == 1);
  CHECK(groups(one)[0].ranks == std::vector<std::int64_t>{0, 1});
  CHECK(groups(one)[0].size == 2);
  CHECK(groups({"1", "tp", 2, {0, 1}, {}}).size() == 2);
  CHECK(groups({"0", "dp", 2, {0, 1}, {}}).size() == 2);
  CHECK(groups({"0", "tp", 2, {0, 2}, {}}).size() == 2);
  CHECK(groups({"0", "tp", 0, {0, 1}, {}}).size() == 1);  // its list says how large it is
  // A size that is not said is that of the list.
  const auto unsized = matched({MatchRank(0, {"0", "tp", 0, {0, 1, 2}, {}})}).groups;
  REQUIRE(unsized.size() == 1);
  CHECK(unsized[0].size == 3);
}

TEST_CASE("matching: a group without a list is the listed one of its name and size that has the rank") {
  const RankGroup listed{"0", "tp", 2, {0, 1}, {}};
  const auto groups = [&](std::int64_t rank, const RankGroup& other) {
    return matched({MatchRank(rank, other), MatchRank(0, listed)}).groups;
  };
  CHECK(groups(1, {"0", "", 2, {}, {}}).size() == 1);
  CHECK(groups(1, {"0", "", 0, {}, {}}).size() == 1);  // its size is not said
  CHECK(groups(2, {"0", "", 2, {}, {}}).size() == 2);  // not one of its ranks
  CHECK(groups(1, {"1", "", 2, {}, {}}).size() == 2);
  CHECK(groups(1, {"0", "", 3, {}, {}}).size() == 2);
  // Where none is listed, its ranks are those that speak of it, each once for each rank.
  const RankGroup unlisted{"0", "tp", 4, {}, {}};
  const auto all = matched({MatchRank(5, unlisted), MatchRank(7, unlisted)}).groups;
  REQUIRE(all.size() == 1);
  CHECK(all[0].ranks == std::vector<std::int64_t>{5, 7});
  CHECK(all[0].size == 4);
  CHECK(matched({MatchRank(5, unlisted), MatchRank(7, {"0", "tp", 3, {}, {}})}).groups.size() == 2);
}

TEST_CASE("matching: streams stand for groups where nothing names them; where each rank has one, it is the same") {
  const RankGroup on_7{"", "", 0, {}, "7"}, on_20{"", "", 0, {}, "20"};
  CHECK(matched({MatchRank(0, on_7), MatchRank(1, on_20)}).groups.size() == 1);
  CHECK(matched({MatchRank(0, on_7).group(on_20), MatchRank(1, on_20)}).groups.size() == 2);
  CHECK(matched({MatchRank(0, on_7).group(on_7), MatchRank(1, on_20)}).groups.size() == 1);
}

TEST_CASE("matching: titles of groups") {
  CHECK(JobGroup{"0", "tp", "7", 2, {}}.title() == "tp");
  CHECK(JobGroup{"0", "", "7", 2, {}}.title() == "0");
  CHECK(JobGroup{"", "", "7", 2, {}}.title() == "stream 7");
  CHECK(JobGroup{"", "", std::string(kProcessorsStream), 2, {}}.title() == "CPU");
  CHECK(JobGroup{}.title() == "all");
}
