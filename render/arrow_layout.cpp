#include "render/arrow_layout.h"

#include <cmath>

namespace lacuna {
namespace {

constexpr std::size_t kMostArrows = 3000;  // more are a carpet

class ArrowLayout {
 public:
  ArrowLayout(const LayoutContext& context, TimelineDrawList& out)
      : context_(context), out_(out), begin_(out.arrows.size()) {}

  void launch(SliceId launch, SliceId activity) {
    const TimeSpan from = context_.trace.span(launch);
    const Nanos to_time = context_.trace.span(activity).begin;
    // Kernels may start before the call returns: leave the launch where the arrow points onward.
    const Nanos from_time = std::clamp(to_time, from.begin, std::max(from.begin, from.end));
    add(DrawArrow::Kind::kLaunch, launch, from_time, activity, to_time);
  }

  /// Arrows from now on are of slices that are not selected.
  void make_pale() { is_pale_ = true; }
  bool is_full() const { return out_.arrows.size() - begin_ >= kMostArrows; }

  void flow(const FlowArrow& flow) {
    if (context_.trace.links().launch_of(flow.to) == flow.from) return;
    add(DrawArrow::Kind::kFlow, flow.from, flow.from_time, flow.to, flow.to_time);
  }

 private:
  void add(DrawArrow::Kind kind, SliceId from, Nanos from_time, SliceId to, Nanos to_time) {
    DrawArrow arrow;
    arrow.kind = kind;
    arrow.from = from;
    arrow.to = to;
    arrow.is_pale = is_pale_;
    arrow.is_focused = from == context_.input.emphasis.focused_from && to == context_.input.emphasis.focused_to;
    if (!middle_of(from, arrow.y0) || !middle_of(to, arrow.y1)) return;
    arrow.x0 = x_of(from_time);
    arrow.x1 = x_of(to_time);
    const float width = context_.input.view.width_px;
    const float height = context_.input.view.height_px;
    if (std::max(arrow.x0, arrow.x1) < 0 || std::min(arrow.x0, arrow.x1) > width) return;
    if (std::max(arrow.y0, arrow.y1) < 0 || std::min(arrow.y0, arrow.y1) > height) return;
    if (out_.arrows.size() > begin_) {
      DrawArrow& last = out_.arrows.back();
      const bool is_same = last.kind == kind && last.is_pale == is_pale_ && !arrow.is_focused && last.y0 == arrow.y0 &&
                           last.y1 == arrow.y1 && std::fabs(last.x0 - arrow.x0) < 1 &&
                           std::fabs(last.x1 - arrow.x1) < 1;
      if (is_same) {
        ++last.folded;
        return;
      }
    }
    out_.arrows.push_back(arrow);
  }

  bool middle_of(SliceId slice, float& y) const {
    float y0 = 0;
    float y1 = 0;
    if (!find_slice_y(context_.input, context_.vertical, slice, y0, y1)) return false;
    y = context_.scrolled((y0 + y1) / 2);
    return true;
  }

  float x_of(Nanos t) const {
    const double width = context_.input.view.width_px;
    return static_cast<float>(std::clamp(context_.x_of(t), -width, 2 * width));
  }

  const LayoutContext& context_;
  TimelineDrawList& out_;
  std::size_t begin_;
  bool is_pale_ = false;
};

/// What starts in view ends somewhere; what ends in view is drawn here only if it starts outside.
void add_all(const LayoutContext& context, TimelineDrawList& out, ArrowLayout& arrows) {
  const Links& links = context.trace.links();
  const SliceId selected = context.input.emphasis.selected;
  const auto is_outside = [&](SliceId s) {
    const TimeSpan span = context.trace.span(s);
    return span.end <= context.view.begin || span.begin >= context.view.end;
  };
  for (const DrawSlice& drawn : out.slices) {
    if (drawn.folded != 1 || drawn.slice == selected) continue;
    if (arrows.is_full()) return;
    const SliceId slice = drawn.slice;
    for (const LaunchLink& link : links.activities_of(slice))
      if (link.activity != selected) arrows.launch(slice, link.activity);
    for (const FlowArrow& flow : links.flows_from(slice))
      if (flow.to != selected) arrows.flow(flow);
    if (const SliceId launch = links.launch_of(slice); launch.valid() && is_outside(launch))
      arrows.launch(launch, slice);
    for (const FlowArrow& flow : links.flows_to(slice))
      if (is_outside(flow.from)) arrows.flow(flow);
  }
}

}  // namespace

void layout_arrows(const LayoutContext& context, TimelineDrawList& out) {
  const SliceId selected = context.input.emphasis.selected;
  ArrowLayout arrows(context, out);
  if (context.input.emphasis.show_all_arrows) {
    arrows.make_pale();
    add_all(context, out, arrows);
  }
  if (!context.input.emphasis.show_arrows || !selected.valid()) return;
  // Last, so that they lie above the pale ones.
  const Links& links = context.trace.links();
  ArrowLayout own(context, out);
  if (const SliceId launch = links.launch_of(selected); launch.valid()) own.launch(launch, selected);
  for (const LaunchLink& link : links.activities_of(selected)) own.launch(selected, link.activity);
  for (const FlowArrow& flow : links.flows_from(selected)) own.flow(flow);
  for (const FlowArrow& flow : links.flows_to(selected)) own.flow(flow);
}

}  // namespace lacuna
