#include "app/gui/platform/damage.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace lacuna {
namespace {

constexpr std::uint64_t kHashStart = 0xcbf29ce484222325u;
constexpr std::uint64_t kHashFactor = 0x9e3779b97f4a7c15u;
/// Two rectangles become one where that adds no more than a part of them.
constexpr double kMostWaste = 1.25;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * kHashFactor;
  return hash ^ (hash >> 29);
}

std::uint64_t hash_of(const ImDrawVert& vertex) {
  std::uint32_t words[sizeof(ImDrawVert) / sizeof(std::uint32_t)];
  std::memcpy(words, &vertex, sizeof(words));
  std::uint64_t hash = kHashStart;
  for (const std::uint32_t word : words) hash = mixed(hash, word);
  return hash;
}

double area(const PaintedRect& r) {
  return double{1} * (r.x1 - r.x0) * (r.y1 - r.y0);
}

PaintedRect around(const PaintedRect& a, const PaintedRect& b) {
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

}  // namespace

PaintedRect PaintedRect::intersect(const PaintedRect& o) const {
  return {std::max(x0, o.x0), std::max(y0, o.y0), std::min(x1, o.x1), std::min(y1, o.y1)};
}

PaintedRect scissor_of(const ImVec4& clip, int height) {
  const int left = static_cast<int>(clip.x);
  const int bottom = height - static_cast<int>(static_cast<float>(height) - clip.w);
  return {left, bottom - static_cast<int>(clip.w - clip.y), left + static_cast<int>(clip.z - clip.x), bottom};
}

const std::vector<PaintedRect>& DamageFinder::find(const ImDrawData& data, std::uint32_t background, int width,
                                                   int height) {
  const bool is_known = !tiles_.empty() && width == width_ && height == height_;
  width_ = width;
  height_ = height;
  columns_ = (width + kTilePx - 1) / kTilePx;
  rows_ = (height + kTilePx - 1) / kTilePx;
  fresh_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), mixed(kHashStart, background));
  for (int l = 0; l < data.CmdListsCount; ++l)
    for (const ImDrawCmd& command : data.CmdLists[l]->CmdBuffer)
      if (command.UserCallback == nullptr) add(*data.CmdLists[l], command);
  std::swap(tiles_, fresh_);
  rects_.clear();
  if (is_known) {
    merge_tiles(fresh_);
  } else {
    rects_.push_back({0, 0, width, height});
  }
  return rects_;
}

void DamageFinder::add(const ImDrawList& list, const ImDrawCmd& command) {
  const PaintedRect clip = scissor_of(command.ClipRect, height_).intersect({0, 0, width_, height_});
  if (clip.empty()) return;
  const std::uint64_t clip_hash =
      mixed(mixed(kHashStart, static_cast<std::uint64_t>(clip.x0) << 32 | static_cast<std::uint32_t>(clip.y0)),
            static_cast<std::uint64_t>(clip.x1) << 32 | static_cast<std::uint32_t>(clip.y1));
  const ImDrawIdx* const indices = list.IdxBuffer.Data + command.IdxOffset;
  const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
  for (unsigned i = 0; i + 3 <= command.ElemCount; i += 3) {
    std::uint64_t hash = clip_hash;
    float x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
    for (unsigned k = i; k < i + 3; ++k) {
      const ImDrawVert& v = vertices[indices[k]];
      hash = mixed(hash, hash_of(v));
      x0 = std::min(x0, v.pos.x);
      y0 = std::min(y0, v.pos.y);
      x1 = std::max(x1, v.pos.x);
      y1 = std::max(y1, v.pos.y);
    }
    // A pixel around it for rounding. Not a number, or nothing in the picture: draws nothing.
    if (!(x1 >= static_cast<float>(clip.x0) - 1 && y1 >= static_cast<float>(clip.y0) - 1 &&
          x0 <= static_cast<float>(clip.x1) + 1 && y0 <= static_cast<float>(clip.y1) + 1))
      continue;
    const auto tile = [](float at, int least, int most) {
      return static_cast<int>(std::clamp(at, static_cast<float>(least), static_cast<float>(most - 1))) / kTilePx;
    };
    const int left = tile(x0 - 1, clip.x0, clip.x1), right = tile(x1 + 1, clip.x0, clip.x1);
    const int top = tile(y0 - 1, clip.y0, clip.y1), bottom = tile(y1 + 1, clip.y0, clip.y1);
    for (int row = top; row <= bottom; ++row) {
      std::uint64_t* const first = fresh_.data() + static_cast<std::ptrdiff_t>(row) * columns_;
      for (int column = left; column <= right; ++column) first[column] = mixed(first[column], hash);
    }
  }
}

/// One rectangle for what changed in each row of tiles; rows that follow each other share one where little is
/// wasted, and all do where there would be too many.
void DamageFinder::merge_tiles(const std::vector<std::uint64_t>& before) {
  for (int row = 0; row < rows_; ++row) {
    const auto begin = static_cast<std::ptrdiff_t>(row) * columns_;
    int left = columns_, right = -1;
    for (int column = 0; column < columns_; ++column) {
      const auto at = static_cast<std::size_t>(begin + column);
      if (before[at] == tiles_[at]) continue;
      left = std::min(left, column);
      right = column;
    }
    if (right < 0) continue;
    const PaintedRect changed{left * kTilePx, row * kTilePx, std::min(width_, (right + 1) * kTilePx),
                              std::min(height_, (row + 1) * kTilePx)};
    if (!rects_.empty() && rects_.back().y1 == changed.y0) {
      const PaintedRect both = around(rects_.back(), changed);
      if (area(both) <= kMostWaste * (area(rects_.back()) + area(changed))) {
        rects_.back() = both;
        continue;
      }
    }
    rects_.push_back(changed);
  }
  // Rows come top to bottom, so neighbours in the list are neighbours on the screen, and stay disjoint.
  while (rects_.size() > kMostRects) {
    std::size_t best = 0;
    double least = INFINITY;
    for (std::size_t i = 0; i + 1 < rects_.size(); ++i) {
      const double added = area(around(rects_[i], rects_[i + 1])) - area(rects_[i]) - area(rects_[i + 1]);
      if (added < least) {
        least = added;
        best = i;
      }
    }
    rects_[best] = around(rects_[best], rects_[best + 1]);
    rects_.erase(rects_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

}  // namespace lacuna
