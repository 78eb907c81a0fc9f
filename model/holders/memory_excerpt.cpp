#include "model/holders/memory_excerpt.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "model/base/seeded_hash.h"

namespace lacuna {
namespace {

/// Numbers texts in the order in which they come; at most `limit` different ones.
class ExcerptTexts {
 public:
  ExcerptTexts(std::vector<std::string>& texts, std::size_t limit) : texts_(texts), limit_(limit) {}
  std::optional<std::uint32_t> of(const std::string& text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    if (texts_.size() >= limit_) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(texts_.size());
    texts_.push_back(text);
    numbers_.emplace(text, number);
    return number;
  }

 private:
  std::vector<std::string>& texts_;
  const std::size_t limit_;
  std::unordered_map<std::string, std::uint32_t, SeededHash> numbers_;
};

class MemoryExcerpter {
 public:
  MemoryExcerpter(const MemoryHistory& history, const ExcerptLimits& limits)
      : history_(history), table_(history.table), limits_(limits) {}

  MemoryExcerpt tell() {
    excerpt_.name = history_.name;
    excerpt_.source = history_.source;
    excerpt_.has_pieces = history_.has_pieces();
    excerpt_.piece_count = table_.pieces.size();
    excerpt_.moment_count = table_.moments();
    choose_pieces();
    choose_moments();
    add_pieces();
    for (std::size_t by = 0; by < kHolderGroups; ++by) add_group(static_cast<HolderGroup>(by));
    return std::move(excerpt_);
  }

 private:
  void choose_pieces() {
    chosen_.assign(table_.by_size.begin(), table_.by_size.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                        table_.by_size.size(), limits_.pieces)));
    std::ranges::sort(chosen_);
  }

  /// The first and the last one, those of the pieces, and the highest of each of as many parts as there is room for.
  void choose_moments() {
    const std::uint32_t count = table_.moments();
    if (count == 0) return;
    if (count <= limits_.moments) {
      for (std::uint32_t m = 0; m < count; ++m) moments_.push_back(m);
    } else {
      moments_ = {0, count - 1};
      for (const std::uint32_t p : chosen_) {
        moments_.push_back(table_.pieces[p].begin);
        if (table_.pieces[p].end != MemoryPiece::kNever) moments_.push_back(table_.pieces[p].end);
      }
      const std::uint64_t parts = limits_.moments - moments_.size();
      for (std::uint64_t part = 0; part < parts; ++part) {
        const auto first = static_cast<std::uint32_t>(part * count / parts);
        const auto next = static_cast<std::uint32_t>((part + 1) * count / parts);
        moments_.push_back(table_.peak(first, std::max(first, next - 1)));
      }
      std::ranges::sort(moments_);
      moments_.erase(std::unique(moments_.begin(), moments_.end()), moments_.end());
    }
    for (const std::uint32_t m : moments_) {
      excerpt_.active.push_back(table_.active[m]);
      if (m > 0) excerpt_.times.push_back(table_.time_of(m));
    }
  }

  /// The first moment of the excerpt from `moment` on.
  std::uint32_t moment_here(std::uint32_t moment) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(moments_, moment) - moments_.begin());
  }

  void add_pieces() {
    ExcerptTexts labels(excerpt_.labels, limits_.pieces);
    ExcerptTexts frames(excerpt_.frames, limits_.frames - 1);
    std::optional<std::uint32_t> rest;  // the frame that stands for those behind the limit
    for (const std::uint32_t p : chosen_) {
      const MemoryPiece& piece = table_.pieces[p];
      MemoryExcerpt::Piece& excerpt = excerpt_.pieces.emplace_back();
      excerpt.piece = piece;
      excerpt.piece.begin = moment_here(piece.begin);
      if (piece.end != MemoryPiece::kNever) excerpt.piece.end = moment_here(piece.end);
      excerpt.piece.label = *labels.of(table_.labels[piece.label]);
      excerpt.allocated_by = history_.allocated_by(piece);
      excerpt.freed_by = history_.freed_by(piece);
      std::vector<std::uint32_t> stack;
      for (const std::string& line : history_.stack(piece)) {
        const std::optional<std::uint32_t> frame = stack.size() + 1 < limits_.frames ? frames.of(line) : std::nullopt;
        if (!frame) {
          if (!rest) {
            rest = static_cast<std::uint32_t>(excerpt_.frames.size());
            excerpt_.frames.push_back("\xE2\x80\xA6");
          }
          stack.push_back(*rest);
          excerpt_.has_whole_stacks = false;
          break;
        }
        stack.push_back(*frame);
      }
      const auto same = std::ranges::find(excerpt_.stacks, stack);
      excerpt.stack = static_cast<std::uint32_t>(same - excerpt_.stacks.begin());
      if (same == excerpt_.stacks.end()) excerpt_.stacks.push_back(std::move(stack));
    }
  }

  void add_group(HolderGroup by) {
    MemoryExcerpt::Group& excerpt = excerpt_.groups[static_cast<std::size_t>(by)];
    excerpt.is_there = history_.has_group(by);
    if (!excerpt.is_there || moments_.empty()) return;
    if (excerpt_.has_pieces) {
      ExcerptTexts numbers(excerpt.names, limits_.pieces);
      std::vector<std::string> names;
      const std::vector<std::uint32_t> group_of = history_.groups(by, names);
      for (std::size_t p = 0; p < chosen_.size(); ++p)
        excerpt_.pieces[p].group[static_cast<std::size_t>(by)] = *numbers.of(names[group_of[chosen_[p]]]);
    }
    const HolderAreas all = make_holder_areas(history_, by);
    excerpt.others = all.others;
    for (const HolderArea& area : all.areas) excerpt.areas.push_back(area_excerpt(area));
    if (excerpt_.has_pieces)
      for (const std::uint32_t p : chosen_) excerpt.area_of.push_back(all.area_of[p]);
  }

  HolderArea area_excerpt(const HolderArea& area) const {
    HolderArea excerpt{.name = area.name, .most = area.most};
    for (std::uint32_t m = 0; m < moments_.size(); ++m) {
      const std::uint64_t bytes = area.at(moments_[m]);
      if (bytes == (excerpt.bytes.empty() ? 0 : excerpt.bytes.back())) continue;
      excerpt.moments.push_back(m);
      excerpt.bytes.push_back(bytes);
    }
    return excerpt;
  }

  const MemoryHistory& history_;
  const MemoryTable& table_;
  const ExcerptLimits& limits_;
  MemoryExcerpt excerpt_;
  std::vector<std::uint32_t> chosen_;   // pieces, by begin
  std::vector<std::uint32_t> moments_;  // of the history, ascending
};

}  // namespace

MemoryExcerpt excerpt_memory(const MemoryHistory& history, const ExcerptLimits& limits) {
  return MemoryExcerpter(history, limits).tell();
}

bool is_sound(const MemoryExcerpt& excerpt) {
  const auto moments = excerpt.active.size();
  if (!excerpt.source.valid() || (moments == 0 ? !excerpt.times.empty() : excerpt.times.size() + 1 != moments))
    return false;
  if (!std::ranges::is_sorted(excerpt.times) || excerpt.piece_count < excerpt.pieces.size() ||
      excerpt.moment_count < moments)
    return false;
  if (moments == 0 && !excerpt.pieces.empty()) return false;
  for (const std::vector<std::uint32_t>& stack : excerpt.stacks)
    if (std::ranges::any_of(stack, [&](std::uint32_t frame) { return frame >= excerpt.frames.size(); })) return false;
  std::uint32_t before = 0;
  for (const MemoryExcerpt::Piece& piece : excerpt.pieces) {
    const MemoryPiece& p = piece.piece;
    if (p.begin < before || p.begin >= moments || p.end < p.begin || (p.end != MemoryPiece::kNever && p.end >= moments))
      return false;
    if (p.label >= excerpt.labels.size() || piece.stack >= excerpt.stacks.size()) return false;
    before = p.begin;
  }
  for (std::size_t by = 0; by < kHolderGroups; ++by) {
    const MemoryExcerpt::Group& group = excerpt.groups[by];
    if (!group.is_there) continue;
    if (group.area_of.size() != excerpt.pieces.size()) return false;
    if (group.others > 0 && group.areas.empty()) return false;
    for (const std::uint32_t area : group.area_of)
      if (area >= group.areas.size()) return false;
    for (const MemoryExcerpt::Piece& piece : excerpt.pieces)
      if (piece.group[by] >= group.names.size()) return false;
    for (const HolderArea& area : group.areas) {
      if (area.moments.size() != area.bytes.size() || !std::ranges::is_sorted(area.moments)) return false;
      if (!area.moments.empty() && area.moments.back() >= moments) return false;
    }
  }
  return excerpt.groups[static_cast<std::size_t>(HolderGroup::kCategory)].is_there;
}

ExcerptHistory::ExcerptHistory(MemoryExcerpt excerpt) : excerpt_(std::move(excerpt)) {
  name = excerpt_.name;
  source = excerpt_.source;
  table.times = excerpt_.times;
  table.active = excerpt_.active;
  table.labels = excerpt_.labels;
  for (std::uint32_t p = 0; p < excerpt_.pieces.size(); ++p) {
    table.pieces.push_back(excerpt_.pieces[p].piece);
    table.pieces.back().index = p;
  }
  table.finish();
}

std::vector<std::uint32_t> ExcerptHistory::groups(HolderGroup by, std::vector<std::string>& names) const {
  names = excerpt_.groups[static_cast<std::size_t>(by)].names;
  std::vector<std::uint32_t> groups;
  for (const MemoryExcerpt::Piece& piece : excerpt_.pieces) groups.push_back(piece.group[static_cast<std::size_t>(by)]);
  return groups;
}

bool ExcerptHistory::has_group(HolderGroup by) const {
  return excerpt_.groups[static_cast<std::size_t>(by)].is_there;
}

std::vector<std::string> ExcerptHistory::stack(const MemoryPiece& piece) const {
  std::vector<std::string> lines;
  for (const std::uint32_t frame : excerpt_.stacks[excerpt_.pieces[piece.index].stack])
    lines.push_back(excerpt_.frames[frame]);
  return lines;
}

bool ExcerptHistory::fill_areas(HolderAreas& areas) const {
  const MemoryExcerpt::Group& excerpt = excerpt_.groups[static_cast<std::size_t>(areas.by)];
  areas.areas = excerpt.areas;
  areas.area_of = excerpt.area_of;
  areas.others = excerpt.others;
  return true;
}

}  // namespace lacuna
