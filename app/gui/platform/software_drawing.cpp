#include "app/gui/platform/software_drawing.h"

#include <algorithm>
#include <cmath>

namespace lacuna {
namespace {

constexpr int kMostIndices = 1020;      // llvmpipe cuts a draw at 1023
constexpr std::size_t kMostBoxes = 48;  // each fill is compared with them
constexpr float kWorthOpaque = 10'000;  // square pixels: below, a change of state costs more than blending
constexpr float kSameLine = 1;          // pixels between the glyphs of a word

bool is_opaque(const ImDrawVert& v) {
  return (v.col & IM_COL32_A_MASK) == IM_COL32_A_MASK;
}

}  // namespace

void SoftwareDrawing::rewrite(ImDrawList& list, ImVec2 white) {
  rewrite(list, white, {}, 0);
}

void SoftwareDrawing::rewrite(ImDrawList& list, ImVec2 white, std::span<const PaintedRect> parts, int height) {
  indices_.resize(0);
  commands_.resize(0);
  state_ = Kind::kTextured;
  for (const ImDrawCmd& command : list.CmdBuffer) {
    if (command.UserCallback != nullptr) {
      use(Kind::kTextured);
      commands_.push_back(command);
    } else if (height == 0) {
      rewrite(list, command, white, {-INFINITY, -INFINITY, INFINITY, INFINITY});
    } else {
      const PaintedRect whole = scissor_of(command.ClipRect, height);
      for (const PaintedRect& part : parts) {
        const PaintedRect seen = whole.intersect(part);
        if (seen.empty()) continue;
        const Box box{static_cast<float>(seen.x0), static_cast<float>(seen.y0), static_cast<float>(seen.x1),
                      static_cast<float>(seen.y1)};
        ImDrawCmd clipped = command;
        clipped.ClipRect = {box.x0, box.y0, box.x1, box.y1};
        rewrite(list, clipped, white, {box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1});
      }
    }
  }
  use(Kind::kTextured);
  list.IdxBuffer.swap(indices_);
  list.CmdBuffer.swap(commands_);
}

void SoftwareDrawing::rewrite(const ImDrawList& list, const ImDrawCmd& command, ImVec2 white, const Box& part) {
  const ImDrawIdx* const begin = list.IdxBuffer.Data + command.IdxOffset;
  const ImDrawIdx* const end = begin + command.ElemCount;
  const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
  for (const ImDrawIdx* i = begin; i + 3 <= end;) {
    const bool is_pair = i + 6 <= end && i[3] == i[0] && i[4] == i[2];
    Shape shape{{i[0], i[1], i[2], i[0], i[0], i[0]}, Kind::kOpaque, 0};
    if (is_pair) shape = {{i[0], i[1], i[2], i[3], i[4], i[5]}, Kind::kOpaque, 0};
    i += is_pair ? 6 : 3;
    Box box{INFINITY, INFINITY, -INFINITY, -INFINITY};
    bool is_plain = true;
    for (const ImDrawIdx index : shape.indices) {
      const ImDrawVert& v = vertices[index];
      box = {std::min(box.x0, v.pos.x), std::min(box.y0, v.pos.y), std::max(box.x1, v.pos.x),
             std::max(box.y1, v.pos.y)};
      is_plain = is_plain && v.uv.x == white.x && v.uv.y == white.y;
      if (!is_opaque(v)) shape.kind = Kind::kPlain;
    }
    if (!box.overlaps(part)) continue;
    if (!is_plain) shape.kind = Kind::kTextured;
    shape.area = (box.x1 - box.x0) * (box.y1 - box.y0);
    add(shape, box, command);
  }
  flush(command);
}

void SoftwareDrawing::add(const Shape& shape, const Box& box, const ImDrawCmd& command) {
  if (shape.kind != Kind::kTextured) {
    // What was drawn after a text stays above it.
    const auto is_over = [&](const Box& text) { return text.overlaps(box); };
    if (std::ranges::any_of(covered_, is_over)) flush(command);
    fills_.push_back(shape);
    return;
  }
  texts_.push_back(shape);
  if (!covered_.empty()) {  // the glyphs of a line make one box
    Box& last = covered_.back();
    if (box.x0 >= last.x0 && box.x0 <= last.x1 + (last.y1 - last.y0) + kSameLine && box.y0 < last.y1 &&
        last.y0 < box.y1) {
      last = {last.x0, std::min(last.y0, box.y0), std::max(last.x1, box.x1), std::max(last.y1, box.y1)};
      return;
    }
    if (covered_.size() == kMostBoxes) {
      // The two last in one: too large a box costs a flush, nothing else.
      last = {std::min(last.x0, box.x0), std::min(last.y0, box.y0), std::max(last.x1, box.x1),
              std::max(last.y1, box.y1)};
      return;
    }
  }
  covered_.push_back(box);
}

void SoftwareDrawing::flush(const ImDrawCmd& command) {
  const Shape* const end = fills_.data() + fills_.size();
  const Shape* from = fills_.data();  // what is not emitted yet
  for (const Shape* shape = from; shape != end;) {
    // A stretch of opaque shapes, where it is large enough to be worth a change of state.
    if (shape->kind != Kind::kOpaque) {
      ++shape;
      continue;
    }
    const Shape* last = shape;
    float area = 0;
    for (; last != end && last->kind == Kind::kOpaque; ++last) area += last->area;
    if (area >= kWorthOpaque) {
      emit(from, shape, Kind::kPlain, command);
      emit(shape, last, Kind::kOpaque, command);
      from = last;
    }
    shape = last;
  }
  emit(from, end, Kind::kPlain, command);
  emit(texts_.data(), texts_.data() + texts_.size(), Kind::kTextured, command);
  fills_.clear();
  texts_.clear();
  covered_.clear();
}

void SoftwareDrawing::emit(const Shape* first, const Shape* last, Kind kind, const ImDrawCmd& command) {
  if (first == last) return;
  use(kind);
  for (const Shape* shape = first; shape != last; ++shape) {
    if ((shape - first) * 6 % kMostIndices == 0) {
      ImDrawCmd piece = command;
      piece.IdxOffset = static_cast<unsigned>(indices_.Size);
      piece.ElemCount = 0;
      commands_.push_back(piece);
    }
    for (const ImDrawIdx index : shape->indices) indices_.push_back(index);
    commands_.back().ElemCount += 6;
  }
}

void SoftwareDrawing::use(Kind kind) {
  if (kind == state_) return;
  state_ = kind;
  ImDrawCmd change;
  change.UserCallback = kind == Kind::kOpaque  ? callbacks_.opaque
                        : kind == Kind::kPlain ? callbacks_.plain
                                               : callbacks_.textured;
  commands_.push_back(change);
}

}  // namespace lacuna
