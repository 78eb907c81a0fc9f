#include "model/diff/structure_diff.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <utility>

#include "model/base/stable_sort.h"
#include "model/diff/fused_names.h"
#include "model/diff/structure_tree.h"
#include "model/diff/trace_diff.h"
#include "model/kernels/kernel_class.h"

namespace lacuna {
namespace {

/// Nodes of one tree that are aligned as one.
struct StructureItem {
  std::uint32_t name = 0;
  StructureKind kind = StructureKind::kRoot;
  bool is_region = false;
  bool is_frame = false;     // … and no Triton kernel
  bool is_own_only = false;  // only kernels right below count: others are items of their own
  Nanos time = 0;
  std::vector<std::uint32_t> nodes;
};
using Items = std::vector<StructureItem>;

/// What comes below a row.
enum class Below : std::uint8_t {
  kChildren,   ///< what the nodes call
  kLaunching,  ///< all operators in and below the nodes that launch kernels
  kKernels,    ///< the kernels right below
};

/// Where items stand to each other.
enum class Place : std::uint8_t {
  kNamed,       ///< Triton kernels, and the operators that their names say
  kNeighbours,  ///< between the same ones that met
  kModules,     ///< modules among these
  kClass,       ///< kernels of one call and class
  kAnywhere,    ///< below one parent
};

class StructureAligner {
 public:
  StructureAligner(const DiffSide& a, const DiffSide& b, const TraceDiff& diff) : steps_{diff.steps_a, diff.steps_b} {
    const DiffSide* sides[] = {&a, &b};
    const TimeSpan windows[] = {diff.a.window, diff.b.window};
    for (std::size_t s = 0; s < 2; ++s) trees_[s] = build_structure_tree(*sides[s], windows[s], true, names_);
    result_.is_module_side_a = trees_[0].has_modules;
    result_.is_module_side_b = trees_[1].has_modules;
    result_.has_modules = trees_[0].has_modules && trees_[1].has_modules;
    for (std::size_t s = 0; s < 2; ++s)
      if (trees_[s].has_modules && !result_.has_modules)
        trees_[s] = build_structure_tree(*sides[s], windows[s], false, names_);
  }

  StructureDiff align() {
    add_row(0, StructureRelation::kSame, {item_of(0, 0)}, {item_of(1, 0)}, Below::kChildren);
    while (!pending_.empty()) {
      const Pending next = std::move(pending_.front());
      pending_.pop_front();
      align_below(next);
    }
    put_in_order();
    add_operators();
    return std::move(result_);
  }

 private:
  using Both = std::array<Items, 2>;
  static constexpr std::size_t kNobody = ~std::size_t{0};
  using Partners = std::array<std::vector<std::size_t>, 2>;  // of each item that of the other side, or kNobody
  using Places = std::map<std::pair<Place, std::size_t>, Both>;
  struct Pending {
    std::uint32_t row;
    Below below;
    std::array<std::vector<std::uint32_t>, 2> nodes;
  };

  const StructureNode& node(std::size_t s, std::uint32_t n) const { return trees_[s].nodes[n]; }

  StructureItem item_of(std::size_t s, std::uint32_t n) const {
    const StructureNode& of = node(s, n);
    const std::string& name = names_.text(of.name);
    const bool is_region = is_compiled_region(name);
    return {of.name, of.kind, is_region, is_region && !is_triton_kernel(name), false, of.time, {n}};
  }

  // --- what stands below ---------------------------------------------------------------------------

  /// Adds a node to the item of its name, made where there is none yet.
  void add_to(Items& items, std::size_t s, std::uint32_t n, bool is_own_only) {
    const auto [found, is_new] = by_name_.try_emplace(node(s, n).name, items.size());
    if (is_new) {
      items.push_back(item_of(s, n));
      items.back().time = 0;
      items.back().nodes.clear();
      items.back().is_own_only = is_own_only;
    }
    StructureItem& item = items[found->second];
    item.nodes.push_back(n);
    item.time = saturating_add(item.time, is_own_only ? own_time(s, n) : node(s, n).time);
  }

  Items children(std::size_t s, const std::vector<std::uint32_t>& nodes, bool are_kernels) {
    Items items;
    by_name_.clear();
    for (const std::uint32_t n : nodes)
      trees_[s].for_each_child(n, [&](std::uint32_t child) {
        if ((node(s, child).kind == StructureKind::kKernel) == are_kernels) add_to(items, s, child, false);
      });
    return items;
  }

  Items launching(std::size_t s, const std::vector<std::uint32_t>& nodes) {
    Items items;
    by_name_.clear();
    std::vector<std::uint32_t> open(nodes.rbegin(), nodes.rend());
    while (!open.empty()) {
      const std::uint32_t n = open.back();
      open.pop_back();
      bool launches = false;
      const std::size_t first = open.size();
      trees_[s].for_each_child(n, [&](std::uint32_t child) {
        if (node(s, child).kind == StructureKind::kKernel)
          launches = true;
        else
          open.push_back(child);
      });
      std::reverse(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
      if (launches) add_to(items, s, n, true);
    }
    return items;
  }

  Nanos own_time(std::size_t s, std::uint32_t n) const {
    Nanos own = 0;
    trees_[s].for_each_child(n, [&](std::uint32_t child) {
      if (node(s, child).kind == StructureKind::kKernel) own = saturating_add(own, node(s, child).time);
    });
    return own;
  }

  std::size_t class_of(std::uint32_t name) {
    const auto [found, is_new] = classes_.try_emplace(name, KernelClass::kOther);
    if (is_new) found->second = kernel_class(names_.text(name));
    return static_cast<std::size_t>(found->second);
  }

  static bool launch(const Items& items) {
    return std::ranges::any_of(items, [](const StructureItem& item) { return item.time > 0; });
  }

  void align_below(const Pending& at) {
    if (at.below == Below::kChildren) {
      Both calls, kernels;
      for (std::size_t s = 0; s < 2; ++s) {
        calls[s] = children(s, at.nodes[s], false);
        kernels[s] = children(s, at.nodes[s], true);
      }
      // Where one side launches right here what the other launches further down, the kernels are what can be compared.
      const bool is_uneven = launch(calls[0]) != launch(calls[1]) && launch(kernels[0]) != launch(kernels[1]) &&
                             launch(calls[0]) != launch(kernels[0]);
      if (at.row == 0 || !is_uneven) {
        align_items(at.row, std::move(calls), Below::kChildren);
        return align_items(at.row, std::move(kernels), Below::kKernels);
      }
    }
    if (at.below != Below::kKernels) {
      Both calls{launching(0, at.nodes[0]), launching(1, at.nodes[1])};
      if (!are_of(calls[0], result_.rows[at.row].a) || !are_of(calls[1], result_.rows[at.row].b))
        return align_items(at.row, std::move(calls), Below::kKernels);
      for (std::size_t s = 0; s < 2; ++s) {
        std::vector<std::uint32_t> nodes;
        for (const StructureItem& item : calls[s]) nodes.insert(nodes.end(), item.nodes.begin(), item.nodes.end());
        calls[s] = children(s, nodes, true);
      }
      return align_items(at.row, std::move(calls), Below::kKernels);
    }
    align_items(at.row, {children(0, at.nodes[0], true), children(1, at.nodes[1], true)}, Below::kKernels);
  }

  /// The items are just what the row above names: a row for them would say it again.
  bool are_of(const Items& items, const StructureSide& side) const {
    if (items.size() != side.names.size()) return false;
    std::vector<std::string_view> own(side.names.begin(), side.names.end()), below;
    for (const StructureItem& item : items) below.push_back(names_.text(item.name));
    std::ranges::sort(own);
    std::ranges::sort(below);
    return own == below;
  }

  // --- what belongs together -----------------------------------------------------------------------

  void align_items(std::uint32_t row, Both items, Below below) {
    by_name_.clear();
    for (std::size_t i = 0; i < items[1].size(); ++i) by_name_.emplace(items[1][i].name, i);
    Partners partner{std::vector<std::size_t>(items[0].size(), kNobody),
                     std::vector<std::size_t>(items[1].size(), kNobody)};
    for (std::size_t i = 0; i < items[0].size(); ++i) {
      const auto found = by_name_.find(items[0][i].name);
      if (found == by_name_.end()) continue;
      partner[0][i] = found->second;
      partner[1][found->second] = i;
    }
    // The others by where they stand, behind which one of A that met; kernels that one call launches by what they do.
    std::array<bool, 2> has_compiled{};
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t i = 0; i < items[s].size(); ++i)
        has_compiled[s] |= partner[s][i] == kNobody && items[s][i].is_region;
    const bool are_alike = has_compiled[0] == has_compiled[1];
    const auto place_of = [&](const StructureItem& item, std::size_t behind) {
      if (are_alike && item.kind == StructureKind::kKernel) return std::pair(Place::kClass, class_of(item.name));
      // Modules are no operators, but torch.compile makes one of both.
      return std::pair(are_alike && item.kind == StructureKind::kModule ? Place::kModules : Place::kNeighbours, behind);
    };
    const auto groups = fused_groups(items, partner);
    Places places;
    for (std::size_t s = 0; s < 2; ++s) {
      std::size_t behind = 0;
      for (std::size_t i = 0; i < items[s].size(); ++i) {
        StructureItem& item = items[s][i];
        if (partner[s][i] != kNobody)
          behind = 1 + (s == 0 ? i : partner[1][i]);
        else if (item.time == 0 || item.kind == StructureKind::kNoLaunch)
          add_only(row, s, std::move(item), below);
        else if (groups[s][i] != kNotFused)
          places[{Place::kNamed, groups[s][i]}][s].push_back(std::move(item));
        else
          places[place_of(item, behind)][s].push_back(std::move(item));
      }
    }
    give_to_frames(places);
    for (std::size_t i = 0; i < items[0].size(); ++i)
      if (partner[0][i] != kNobody)
        add_row(row, StructureRelation::kSame, {std::move(items[0][i])}, {std::move(items[1][partner[0][i]])}, below);
    Both left;
    for (auto& [place, both] : places)
      if (!join(row, both, below, place.first))
        for (std::size_t s = 0; s < 2; ++s) std::ranges::move(both[s], std::back_inserter(left[s]));
    if (join(row, left, below, Place::kAnywhere)) return;
    for (std::size_t s = 0; s < 2; ++s)
      for (StructureItem& item : left[s]) add_only(row, s, std::move(item), below);
  }

  /// Where one side has compiled frames and the other none, what has nothing at its place belongs to the frame before
  /// it: operators that a frame holds stand anywhere among others of the same names.
  static void give_to_frames(Places& places) {
    const auto is_frame = [](const StructureItem& item) { return item.is_frame; };
    std::array<Both*, 2> first{};
    for (auto& [place, both] : places)
      for (std::size_t s = 0; s < 2; ++s)
        if (first[s] == nullptr && std::ranges::any_of(both[s], is_frame)) first[s] = &both;
    if ((first[0] == nullptr) == (first[1] == nullptr)) return;
    const std::size_t s = first[0] == nullptr ? 1 : 0;
    Both* frame = first[s];
    for (auto& [place, both] : places) {
      if (std::ranges::any_of(both[s], is_frame)) frame = &both;
      if (!both[s].empty() || place.first != Place::kNeighbours) continue;
      std::ranges::move(both[1 - s], std::back_inserter((*frame)[1 - s]));
      both[1 - s].clear();
    }
  }

  /// Of the items that met nobody and launch kernels the groups that Triton kernels name.
  std::array<std::vector<std::uint32_t>, 2> fused_groups(const Both& items, const Partners& partner) const {
    std::array<std::vector<std::string_view>, 2> names;
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t i = 0; i < items[s].size(); ++i) {
        const StructureItem& item = items[s][i];
        const bool is_asked = partner[s][i] == kNobody && item.time > 0 && item.kind != StructureKind::kKernel;
        names[s].push_back(is_asked ? std::string_view(names_.text(item.name)) : std::string_view());
      }
    return group_fused_names(names);
  }

  /// Makes rows of what stands at one place; false: it does not belong together.
  bool join(std::uint32_t row, Both& both, Below below, Place place) {
    auto& [a, b] = both;
    if (a.empty() || b.empty()) return false;
    const bool compiled_a = std::ranges::any_of(a, &StructureItem::is_region);
    const bool compiled_b = std::ranges::any_of(b, &StructureItem::is_region);
    // What torch.compile made has no counterparts further down but operators that launch kernels.
    const Below deeper = below == Below::kKernels ? below : Below::kLaunching;
    // Of kernels that nothing launched the order tells nothing.
    const bool are_strays = place == Place::kClass && result_.rows[row].kind == StructureKind::kNoLaunch;
    const bool are_single = a.size() == 1 && b.size() == 1;
    const bool into_one = compiled_a != compiled_b ? compiled_b : b.size() == 1;
    if (are_single) {
      add_row(row, StructureRelation::kReplaced, std::move(a), std::move(b), compiled_a != compiled_b ? deeper : below);
    } else if (compiled_a != compiled_b || (place != Place::kAnywhere && (a.size() == 1 || b.size() == 1))) {
      add_row(row, into_one ? StructureRelation::kFused : StructureRelation::kSplit, std::move(a), std::move(b),
              deeper);
    } else if (place != Place::kAnywhere && a.size() == b.size() && !are_strays) {
      for (std::size_t i = 0; i < a.size(); ++i)
        add_row(row, StructureRelation::kReplaced, {std::move(a[i])}, {std::move(b[i])}, below);
    } else if (place == Place::kClass && class_of(a.front().name) != static_cast<std::size_t>(KernelClass::kOther)) {
      add_row(row, StructureRelation::kReplaced, std::move(a), std::move(b), below);
    } else {
      return false;
    }
    return true;
  }

  void add_only(std::uint32_t row, std::size_t s, StructureItem item, Below below) {
    Both sides;
    sides[s].push_back(std::move(item));
    add_row(row, s == 0 ? StructureRelation::kOnlyA : StructureRelation::kOnlyB, std::move(sides[0]),
            std::move(sides[1]), below);
  }

  void add_row(std::uint32_t parent, StructureRelation relation, Items a, Items b, Below below) {
    const auto index = static_cast<std::uint32_t>(result_.rows.size());
    StructureRow& row = result_.rows.emplace_back();
    row.kind = (a.empty() ? b : a).front().kind;
    row.relation = relation;
    row.parent = parent;
    row.a = side_of(0, a);
    row.b = side_of(1, b);
    row.difference = static_cast<double>(row.b.time) / steps_[1] - static_cast<double>(row.a.time) / steps_[0];
    Pending next{index, below, {}};
    bool has_calls = false;
    for (std::size_t s = 0; s < 2; ++s)
      for (const StructureItem& item : s == 0 ? a : b) {
        has_calls |= item.kind != StructureKind::kKernel;
        next.nodes[s].insert(next.nodes[s].end(), item.nodes.begin(), item.nodes.end());
      }
    if (has_calls) pending_.push_back(std::move(next));
  }

  StructureSide side_of(std::size_t s, const Items& items) const {
    StructureSide side;
    Nanos most = -1;
    for (const StructureItem& item : items) {
      side.names.push_back(names_.text(item.name));
      side.time = saturating_add(side.time, item.time);
      for (const std::uint32_t n : item.nodes) {
        const StructureNode& of = node(s, n);
        side.count += of.count;
        side.host = saturating_add(side.host, of.host);
        if (of.kind != StructureKind::kKernel) side.own = saturating_add(side.own, own_time(s, n));
        if (!item.is_own_only) side.kernels += of.kernels;
        if (item.is_own_only)
          trees_[s].for_each_child(n, [&](std::uint32_t child) {
            if (node(s, child).kind == StructureKind::kKernel) side.kernels += node(s, child).kernels;
          });
        if (of.longest.valid() && item.time > most) {
          most = item.time;
          side.longest = of.longest;
        }
      }
    }
    return side;
  }

  // --- the answer ----------------------------------------------------------------------------------

  /// Puts each row behind its parent, those that moved most first.
  void put_in_order() {
    std::vector<StructureRow>& rows = result_.rows;
    std::vector<std::vector<std::uint32_t>> below(rows.size());
    for (std::uint32_t r = static_cast<std::uint32_t>(rows.size()); r-- > 1;) {
      if (rows[r].kind == StructureKind::kKernel) rows[r].moved = std::abs(rows[r].difference);
      rows[rows[r].parent].moved += rows[r].moved;
      below[rows[r].parent].push_back(r);
    }
    std::vector<StructureRow> sorted;
    sorted.reserve(rows.size());
    struct Next {
      std::uint32_t row, parent, depth;
    };
    std::vector<Next> open{{0, 0, 0}};
    while (!open.empty()) {
      const Next next = open.back();
      open.pop_back();
      const auto index = static_cast<std::uint32_t>(sorted.size());
      std::vector<std::uint32_t>& children = below[next.row];
      // The last comes first from the stack.
      std::ranges::sort(children, [&](std::uint32_t x, std::uint32_t y) {
        if (rows[x].moved != rows[y].moved) return rows[x].moved < rows[y].moved;
        const Nanos time_x = std::max(rows[x].a.time, rows[x].b.time),
                    time_y = std::max(rows[y].a.time, rows[y].b.time);
        return time_x != time_y ? time_x < time_y : x > y;
      });
      for (const std::uint32_t child : children) open.push_back({child, index, next.depth + 1});
      StructureRow& row = sorted.emplace_back(std::move(rows[next.row]));
      row.parent = next.parent;
      row.depth = next.depth;
      row.end = index + 1;
    }
    for (std::size_t r = sorted.size(); r-- > 1;)
      sorted[sorted[r].parent].end = std::max(sorted[sorted[r].parent].end, sorted[r].end);
    rows = std::move(sorted);
  }

  void add_operators() {
    std::map<std::uint32_t, std::size_t> places;
    for (std::size_t s = 0; s < 2; ++s) {
      const auto numbers = [&](std::size_t place) -> StructureOperator::Numbers& {
        return s == 0 ? result_.operators[place].a : result_.operators[place].b;
      };
      std::map<std::uint32_t, std::uint32_t> depths;  // by name: how many of it are around
      std::vector<std::size_t> around;
      std::vector<std::pair<std::uint32_t, bool>> open{{0, false}};
      while (!open.empty()) {
        const auto [n, is_left] = open.back();
        open.pop_back();
        const StructureNode& of = node(s, n);
        if (is_left) {
          --depths[of.name];
          around.pop_back();
          continue;
        }
        if (of.kind == StructureKind::kKernel && !around.empty()) {
          Nanos& own = numbers(around.back()).own;
          own = saturating_add(own, of.time);
        }
        if (of.kind == StructureKind::kOperator || of.kind == StructureKind::kRegion) {
          const auto [found, is_new] = places.try_emplace(of.name, result_.operators.size());
          if (is_new) result_.operators.push_back({names_.text(of.name), {}, {}});
          StructureOperator::Numbers& own = numbers(found->second);
          own.count += of.count;
          if (depths[of.name]++ == 0) {
            own.host = saturating_add(own.host, of.host);
            own.time = saturating_add(own.time, of.time);
          }
          around.push_back(found->second);
          open.emplace_back(n, true);
        }
        trees_[s].for_each_child(n, [&](std::uint32_t child) { open.emplace_back(child, false); });
      }
    }
    std::erase_if(result_.operators, [](const StructureOperator& row) {
      return row.a.count + row.b.count + static_cast<std::uint64_t>(row.a.own) +
                 static_cast<std::uint64_t>(row.b.own) ==
             0;
    });
    sort_stably(result_.operators, [&](const StructureOperator& x, const StructureOperator& y) {
      const auto difference = [&](const StructureOperator& row) {
        return std::abs(static_cast<double>(row.b.own) / steps_[1] - static_cast<double>(row.a.own) / steps_[0]);
      };
      const double of_x = difference(x), of_y = difference(y);
      return of_x != of_y ? of_x > of_y : x.name < y.name;
    });
  }

  const std::array<double, 2> steps_;
  StructureNames names_;
  std::array<StructureTree, 2> trees_;
  std::map<std::uint32_t, std::size_t> by_name_;  // of the items collected or aligned now
  std::map<std::uint32_t, KernelClass> classes_;  // by name
  std::deque<Pending> pending_;
  StructureDiff result_;
};

}  // namespace

std::string_view structure_relation_key(StructureRelation relation) {
  constexpr std::string_view kKeys[] = {"same", "replaced", "fused", "split", "onlyA", "onlyB"};
  return kKeys[static_cast<std::size_t>(relation)];
}

std::string_view structure_relation_name(StructureRelation relation) {
  constexpr std::string_view kNames[] = {"", "replaced", "fused", "split", "only in A", "only in B"};
  return kNames[static_cast<std::size_t>(relation)];
}

std::string StructureSide::name() const {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

std::string StructureRow::name() const {
  if (kind == StructureKind::kRoot) return "Everything";
  if (!a.is_there()) return b.name();
  if (!b.is_there() || a.names == b.names) return a.name();
  return a.name() + " \xE2\x86\x92 " + b.name();
}

StructureDiff compare_structure(const DiffSide& a, const DiffSide& b, const TraceDiff& diff) {
  return StructureAligner(a, b, diff).align();
}

std::vector<std::uint32_t> most_moved(const StructureDiff& diff, std::size_t most) {
  std::vector<std::uint32_t> rows(diff.rows.size());
  std::iota(rows.begin(), rows.end(), 0);
  if (most == 0 || most >= rows.size()) return rows;
  // What is around a row moved no less and comes before it, so it is among them, too.
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(most);
  std::partial_sort(rows.begin(), end, rows.end(), [&](std::uint32_t x, std::uint32_t y) {
    return diff.rows[x].moved != diff.rows[y].moved ? diff.rows[x].moved > diff.rows[y].moved : x < y;
  });
  rows.erase(end, rows.end());
  std::ranges::sort(rows);
  return rows;
}

}  // namespace lacuna
