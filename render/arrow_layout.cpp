#include "render/arrow_layout.h"

#include <cmath>

namespace lacuna {
namespace {

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
    if (!middle_of(from, arrow.y0) || !middle_of(to, arrow.y1)) return;
    arrow.x0 = x_of(from_time);
    arrow.x1 = x_of(to_time);
    const float width = context_.input.width_px;
    const float height = context_.input.height_px;
    if (std::max(arrow.x0, arrow.x1) < 0 || std::min(arrow.x0, arrow.x1) > width) return;
    if (std::max(arrow.y0, arrow.y1) < 0 || std::min(arrow.y0, arrow.y1) > height) return;
    if (out_.arrows.size() > begin_) {
      DrawArrow& last = out_.arrows.back();
      const bool is_same = last.kind == kind && last.y0 == arrow.y0 && last.y1 == arrow.y1 &&
                           std::fabs(last.x0 - arrow.x0) < 1 && std::fabs(last.x1 - arrow.x1) < 1;
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
    if (!find_slice_y(context_.trace, context_.vertical, slice, y0, y1)) return false;
    y = context_.scrolled((y0 + y1) / 2);
    return true;
  }

  float x_of(Nanos t) const {
    const double width = context_.input.width_px;
    return static_cast<float>(std::clamp(context_.x_of(t), -width, 2 * width));
  }

  const LayoutContext& context_;
  TimelineDrawList& out_;
  std::size_t begin_;
};

}  // namespace

void layout_arrows(const LayoutContext& context, TimelineDrawList& out) {
  const SliceId selected = context.input.selected;
  if (!context.input.show_arrows || !selected.valid()) return;
  const Links& links = context.trace.links();
  ArrowLayout arrows(context, out);
  if (const SliceId launch = links.launch_of(selected); launch.valid()) arrows.launch(launch, selected);
  for (const LaunchLink& link : links.activities_of(selected)) arrows.launch(selected, link.activity);
  for (const FlowArrow& flow : links.flows_from(selected)) arrows.flow(flow);
  for (const std::uint32_t index : links.flows_to(selected)) arrows.flow(links.flows()[index]);
}

}  // namespace lacuna
