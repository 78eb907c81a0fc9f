#include "model/query/slice_groups.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "model/base/cancel.h"

namespace lacuna {
namespace {

struct SliceGroup {
  std::uint32_t name = 0;
  std::uint32_t category = 0;
  std::uint32_t track = 0;
  std::int32_t sign = 0;
  std::int64_t rows = 0;
  Nanos sum = 0;
  Nanos least = std::numeric_limits<Nanos>::max(), most = std::numeric_limits<Nanos>::min();
  Nanos first = std::numeric_limits<Nanos>::max(), last = std::numeric_limits<Nanos>::min();
};

/// Sums below it are the same as integers and as doubles, in whatever order they are added.
constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53;

/// Groups by open addressing; nothing where they are of no use.
class SliceGrouper {
 public:
  explicit SliceGrouper(const TraceTables::Slices& slices) : slices_(slices), slots_(4096, TraceTables::kNone) {}

  Result<std::vector<SliceGroup>> run(const std::atomic<bool>* cancel) {
    const std::uint32_t count = slices_.size();
    const std::size_t most_groups = 1000 + count / 4;
    CancelCheck is_over(cancel);
    std::uint64_t all = 0;
    for (std::uint32_t row = 0; row < count; ++row) {
      if (is_over()) return fail(ErrorCode::kCancelled, "cancelled");
      const Nanos dur = slices_.dur[row];
      const Nanos ts = slices_.ts[row];
      all += dur < 0 ? 0 - static_cast<std::uint64_t>(dur) : static_cast<std::uint64_t>(dur);
      if (all >= kMostExact) return fail(ErrorCode::kLimit, "sums are not exact");
      SliceGroup& group = group_of(row, dur);
      ++group.rows;
      group.sum += dur;
      group.least = std::min(group.least, dur);
      group.most = std::max(group.most, dur);
      group.first = std::min(group.first, ts);
      group.last = std::max(group.last, ts);
      if (groups_.size() > most_groups) return fail(ErrorCode::kLimit, "too many groups");
    }
    return std::move(groups_);
  }

 private:
  SliceGroup& group_of(std::uint32_t row, Nanos dur) {
    const std::uint32_t name = slices_.name[row], category = slices_.category[row], track = slices_.track[row];
    const std::int32_t sign = (dur > 0) - (dur < 0);
    std::size_t at = place_of(name, category, track, sign);
    while (slots_[at] != TraceTables::kNone) {
      SliceGroup& group = groups_[slots_[at]];
      if (group.name == name && group.track == track && group.category == category && group.sign == sign) return group;
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back({.name = name, .category = category, .track = track, .sign = sign});
    if (2 * groups_.size() > slots_.size()) grow();
    return groups_.back();
  }

  std::size_t place_of(std::uint32_t name, std::uint32_t category, std::uint32_t track, std::int32_t sign) const {
    std::uint64_t key = (std::uint64_t{name} << 32 | track) * 0x9e3779b97f4a7c15ull;
    key ^= (std::uint64_t{category} << 2 | static_cast<std::uint64_t>(sign + 1)) * 0xc2b2ae3d27d4eb4full;
    return (key >> 20) & (slots_.size() - 1);
  }

  void grow() {
    slots_.assign(4 * slots_.size(), TraceTables::kNone);
    for (std::uint32_t g = 0; g < groups_.size(); ++g) {
      const SliceGroup& group = groups_[g];
      std::size_t at = place_of(group.name, group.category, group.track, group.sign);
      while (slots_[at] != TraceTables::kNone) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = g;
    }
  }

  const TraceTables::Slices& slices_;
  std::vector<SliceGroup> groups_;
  std::vector<std::uint32_t> slots_;
};

/// What the table's functions share.
struct KeptGroups {
  std::vector<SliceGroup> groups;
  std::optional<Error> refusal;  ///< found once
};

}  // namespace

std::unique_ptr<QueryTable> slice_groups_table(QuerySource& source, const std::atomic<bool>* cancel) {
  auto table = std::make_unique<QueryTable>();
  const auto kept = std::make_shared<KeptGroups>();
  table->name = kSliceGroupsTable;
  table->help = "Slices counted by name, category and track";
  table->expected_rows = 100;
  table->prepare = [&source, cancel, kept]() -> Result<void> {
    if (kept->refusal) return tl::make_unexpected(*kept->refusal);
    if (auto made = source.make_tables(cancel); !made) return made;
    auto grouped = SliceGrouper(source.tables().slices).run(cancel);
    if (!grouped) {
      if (grouped.error().code == ErrorCode::kLimit) kept->refusal = grouped.error();
      return tl::make_unexpected(grouped.error());
    }
    kept->groups = std::move(*grouped);
    return {};
  };
  table->rows = [kept] { return static_cast<std::uint32_t>(kept->groups.size()); };
  const auto add = [&table, kept](const char* name, const char* type, auto&& cell) {
    QueryColumn column;
    column.name = name;
    column.type = type;
    column.get = [kept, cell](std::uint32_t row) { return cell(kept->groups[row]); };
    table->columns.push_back(std::move(column));
  };
  const auto text = [&source](std::uint32_t id) {
    return id == TraceTables::kNone ? Cell::null() : Cell::of_text(source.tables().text(id));
  };
  const auto category = [text](const SliceGroup& g) { return text(g.category); };
  add("name", "TEXT", [text](const SliceGroup& g) { return text(g.name); });
  add("category", "TEXT", category);
  add("cat", "TEXT", category);
  add("track_id", "INTEGER", [](const SliceGroup& g) { return Cell::of(g.track); });
  add("_sign", "INTEGER", [](const SliceGroup& g) { return Cell::of(g.sign); });
  add("_rows", "INTEGER", [](const SliceGroup& g) { return Cell::of(g.rows); });
  add("_sum", "INTEGER", [](const SliceGroup& g) { return Cell::of(g.sum); });
  add("_least", "INTEGER", [](const SliceGroup& g) { return Cell::of(g.least); });
  add("_most", "INTEGER", [](const SliceGroup& g) { return Cell::of(g.most); });
  add("_first", "INTEGER", [](const SliceGroup& g) { return Cell::of(g.first); });
  add("_last", "INTEGER", [](const SliceGroup& g) { return Cell::of(g.last); });
  return table;
}

}  // namespace lacuna
