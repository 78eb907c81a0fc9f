#include "render/flame_layout.h"

#include <algorithm>
#include <utility>

namespace lacuna {
namespace {

constexpr double kNarrowestPx = 1;
constexpr float kLeastLabelPx = 24;

/// A frame whose children come next, and where it lies. Doubles: the parts of a pixel add up.
struct OpenFrame {
  std::uint32_t node;
  double x0, x1;
};

class FlameLayout {
 public:
  FlameLayout(const FlameInput& input, FlameDrawList& out) : input_(input), tree_(*input.tree), out_(out) {}

  void run() {
    std::vector<std::uint32_t> around;
    for (std::uint32_t n = input_.zoomed; n != 0; n = tree_.nodes[n].parent) around.push_back(tree_.nodes[n].parent);
    for (std::size_t i = around.size(); i-- > 0; ++row_) add({around[i], 0, double{input_.width}}, 1, true);
    std::vector<OpenFrame> row{{input_.zoomed, 0, double{input_.width}}};
    add(row.front(), 1, false);
    ++row_;
    std::vector<OpenFrame> below;
    while (!row.empty()) {
      below.clear();
      has_any_ = false;
      for (const OpenFrame& frame : row) add_children(frame, below);
      if (!has_any_) break;
      ++row_;
      std::swap(row, below);
    }
    out_.content_height = static_cast<float>(row_) * input_.row_height;
  }

 private:
  void add_children(const OpenFrame& frame, std::vector<OpenFrame>& below) {
    const CallNode& node = tree_.nodes[frame.node];
    if (node.total <= 0) return;
    const double px_per_ns = (frame.x1 - frame.x0) / static_cast<double>(node.total);
    double x = frame.x0;
    Nanos rest = saturating_sub(node.total, node.self);
    const auto children = tree_.children(node);
    for (std::size_t i = 0; i < children.size(); ++i) {
      const CallNode& child = children[i];
      const double width = static_cast<double>(child.total) * px_per_ns;
      const std::uint32_t index = tree_.index_of(child);
      if (width >= kNarrowestPx) {
        const OpenFrame open{index, x, x + width};
        add(open, 1, false);
        below.push_back(open);
        x += width;
        rest = saturating_sub(rest, child.total);
        continue;
      }
      // The others are narrower still.
      const double rest_px = static_cast<double>(rest) * px_per_ns;
      if (rest_px >= kNarrowestPx) add({index, x, x + rest_px}, static_cast<std::uint32_t>(children.size() - i), false);
      break;
    }
  }

  void add(const OpenFrame& frame, std::uint32_t folded, bool is_around) {
    has_any_ = true;
    const float y0 = static_cast<float>(row_) * input_.row_height - input_.scroll_y;
    if (y0 + input_.row_height <= 0 || y0 >= input_.height) return;
    const CallKey& key = tree_.nodes[frame.node].key;
    FlameRect& rect = out_.rects.emplace_back();
    rect.x0 = static_cast<float>(frame.x0);
    rect.x1 = static_cast<float>(frame.x1);
    rect.y0 = y0;
    rect.y1 = y0 + input_.row_height;
    rect.node = frame.node;
    rect.folded = folded;
    rect.is_around = is_around;
    rect.is_dimmed = input_.matches != nullptr && (*input_.matches)[frame.node] == 0;
    rect.has_label = folded == 1 && rect.x1 - rect.x0 >= kLeastLabelPx;
    const bool is_named = key.kind == CallKind::kSlices || key.kind == CallKind::kModules;
    if (!is_named && key.kind != CallKind::kSteps) {
      rect.fill = input_.neutral;
      rect.text = Palette::label_on(input_.neutral);
      return;
    }
    const CategoryClass category = is_named ? input_.trace->category_class(key.category) : CategoryClass::kOther;
    const bool by_class = is_named && input_.palette->is_by_class() && is_gpu_activity(category);
    const Palette::Colour& colour =
        by_class   ? input_.palette->of_class(kernel_class(category, input_.names->get(key.name)))
        : is_named ? input_.palette->colour((*input_.hues)[key.name], category)
                   : input_.palette->colour(Palette::hue_of("ProfilerStep#"), CategoryClass::kCpuAnnotation);
    rect.fill = colour.fill;
    rect.text = colour.text;
  }

  const FlameInput& input_;
  const CallTree& tree_;
  FlameDrawList& out_;
  std::uint32_t row_ = 0;
  bool has_any_ = false;  // anything lies in the row under way
};

}  // namespace

void layout_flames(const FlameInput& input, FlameDrawList& out) {
  out.rects.clear();
  out.content_height = 0;
  if (input.tree == nullptr || input.width <= 0 || input.row_height <= 0) return;
  FlameLayout(input, out).run();
}

const FlameRect* flame_at(const FlameDrawList& list, float x, float y) {
  for (const FlameRect& rect : list.rects)
    if (x >= rect.x0 && x < rect.x1 && y >= rect.y0 && y < rect.y1) return &rect;
  return nullptr;
}

}  // namespace lacuna
