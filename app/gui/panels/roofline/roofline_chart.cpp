// The plot of the roofline page.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "app/gui/panels/roofline/roofline_page.h"
#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr float kLeastDotPx = 2.5f;
constexpr float kLeastOutlinedPx = 4;
constexpr float kMostDotPx = 15;
constexpr float kDotReachPx = 3;
constexpr std::size_t kMostTipDims = 200;

/// "3.35 TB/s": three digits and a decimal prefix.
std::string with_prefix(double value, std::string_view unit) {
  constexpr std::array<const char*, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t p = 0;
  for (; value >= 999.5 && p + 1 < kPrefixes.size(); ++p) value /= 1000;
  return fmt::format("{:.3g} {}{}", value, kPrefixes[p], unit);
}

std::string call_bytes(double bytes) {
  return bytes < 1e18 ? format_bytes(static_cast<std::uint64_t>(bytes)) : with_prefix(bytes, "B");
}

std::string tick_text(double power) {
  return power < -4 ? fmt::format("{:.0e}", std::pow(10, power)) : format_value(std::pow(10, power));
}

/// A kind of units by the width of its numbers: as a label, and in full.
struct RoofWords {
  const char* label;
  const char* name;
};
RoofWords roof_words(FlopType type) {
  switch (type) {
    case FlopType::kFp64:
      return {"fp64", "fp64"};
    case FlopType::kFp32:
      return {"fp32", "fp32 on the ordinary units"};
    case FlopType::kTf32:
      return {"TF32", "TF32 on tensor (matrix) cores"};
    case FlopType::kHalf:
      return {"16-bit", "fp16 and bf16 on tensor (matrix) cores"};
    case FlopType::kFp8:
      return {"8-bit", "fp8 and int8 on tensor (matrix) cores"};
  }
  return {"", ""};
}

/// From the plot's logarithms to pixels.
struct PlotFrame {
  const RooflinePlot& plot;
  ImVec2 corner, size;
  float inset;  ///< between the frame and what the plot reaches over, so that no dot is cut

  float decade_x() const { return (size.x - 2 * inset) / static_cast<float>(plot.x_high - plot.x_low); }
  float decade_y() const { return (size.y - 2 * inset) / static_cast<float>(plot.y_high - plot.y_low); }
  float x(double power) const { return corner.x + inset + static_cast<float>(power - plot.x_low) * decade_x(); }
  float y(double power) const { return corner.y + inset + static_cast<float>(plot.y_high - power) * decade_y(); }
  ImVec2 at(const RooflineDot& dot) const { return {x(dot.x), y(dot.y)}; }
  float right() const { return corner.x + size.x; }
  float bottom() const { return corner.y + size.y; }
  // log10 of what is at the frame's edges.
  double x_least() const { return plot.x_low - inset / decade_x(); }
  double x_most() const { return plot.x_high + inset / decade_x(); }
  double y_least() const { return plot.y_low - inset / decade_y(); }
  double y_most() const { return plot.y_high + inset / decade_y(); }
};

/// The first multiple of `step` that is not below `low`.
int first_tick(double low, int step) {
  return static_cast<int>(std::ceil(low / step)) * step;
}

/// Lines and labels of both axes, at powers of ten.
void draw_axes(const UiContext& ui, ImDrawList& draw, const PlotFrame& frame) {
  ImFont* const font = ui.fonts.label;
  const float text_px = ui.fonts.label_px;
  const ImU32 line = to_imgui(ui.theme.grid), muted = to_imgui(ui.theme.muted);
  const auto every = [](float needed, float decade) {
    return std::max(1, static_cast<int>(std::ceil(needed / decade)));
  };
  const int x_step = every(text_px * 4.5f, frame.decade_x());
  const int y_step = every(text_px * 1.6f, frame.decade_y());
  for (int p = first_tick(frame.x_least(), x_step); p <= frame.x_most(); p += x_step) {
    const float x = std::floor(frame.x(p)) + 0.5f;
    draw.AddLine({x, frame.corner.y}, {x, frame.bottom()}, line);
    const std::string label = tick_text(p);
    const float width = text_width(font, text_px, label);
    draw_text(draw, font, text_px, {x - width * 0.5f, frame.bottom() + ui.px(3)}, muted, label, width + 1);
  }
  for (int p = first_tick(frame.y_least(), y_step); p <= frame.y_most(); p += y_step) {
    const float y = std::floor(frame.y(p)) + 0.5f;
    draw.AddLine({frame.corner.x, y}, {frame.right(), y}, line);
    const std::string label = with_prefix(std::pow(10, p), "FLOP/s");
    const float width = text_width(font, text_px, label);
    draw_text(draw, font, text_px, {frame.corner.x - ui.px(6) - width, y - text_px * 0.5f}, muted, label, width + 1);
  }
}

/// The roofs of units from the right, down to where memory is what limits, and that of memory from there.
void draw_roofs(const UiContext& ui, ImDrawList& draw, const PlotFrame& frame) {
  ImFont* const font = ui.fonts.label;
  const float text_px = ui.fonts.label_px;
  const ImU32 colour = to_imgui(ui.theme.text);
  const float thick = std::max(1.0f, ui.px(1.3f));
  std::vector<double> drawn;  // slopes of memory
  for (const RooflineRoof& roof : frame.plot.roofs) {
    const ImVec2 ridge{frame.x(roof.ridge()), frame.y(roof.top())};
    draw.AddLine(ridge, {frame.right(), ridge.y}, colour, thick);
    // The highest roof of a GPU comes first: its diagonal is the longest.
    if (std::ranges::find(drawn, roof.slope()) != drawn.end()) continue;
    drawn.push_back(roof.slope());
    const double left = std::max(frame.x_least(), frame.y_least() - roof.slope());
    const ImVec2 foot{frame.x(left), frame.y(left + roof.slope())};
    draw.AddLine(foot, ridge, colour, thick);
    const std::string memory = with_prefix(roof.gigabytes * 1e9, "B/s");
    const float memory_px = text_width(font, text_px, memory);
    // Above the diagonal, where no dot can be, and as far left as there is room.
    const float per_line = text_px * frame.decade_x() / frame.decade_y();  // how far it goes right in a line of text
    const float x = std::min(foot.x + memory_px + per_line + ui.px(8), ridge.x);
    const float fall = (x - foot.x) / frame.decade_x() * frame.decade_y();
    draw_text(draw, font, text_px, {x - memory_px - per_line - ui.px(4), foot.y - fall - text_px * 0.5f}, colour,
              memory, memory_px + 1);
  }
}

/// What the roofs are called, at the right of the plot and clear of each other, with an explanation under the mouse.
void label_roofs(const UiContext& ui, ImDrawList& draw, const PlotFrame& frame, bool is_hovered) {
  ImFont* const font = ui.fonts.label;
  const float text_px = ui.fonts.label_px;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  float taken = 0;  // down to here
  for (const RooflineRoof& roof : frame.plot.roofs) {
    const RoofWords words = roof_words(roof.type);
    const float top = std::max(frame.y(roof.top()) - text_px * 0.5f - 1, taken);
    taken = top + text_px;
    draw_text(draw, font, text_px, {frame.right() + ui.px(5), top}, to_imgui(ui.theme.text), words.label, ui.px(60));
    if (is_hovered && mouse.x > frame.right() && mouse.y >= top && mouse.y < taken)
      tooltip(fmt::format("{}: {} at best, dense. Memory: {}.", words.name, with_prefix(roof.tflops * 1e12, "FLOP/s"),
                          with_prefix(roof.gigabytes * 1e9, "B/s")));
  }
}

}  // namespace

void RooflinePage::legend(UiContext& ui, const Answer& answer) {
  const Roofline& roofline = answer.roofline;
  const RooflinePlot& plot = answer.plot;
  std::array<bool, kKernelClassCount> has{};
  for (const RooflineDot& dot : plot.dots)
    has[static_cast<std::size_t>(roofline.rows[dot.row].work.operator_class)] = true;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  bool is_first = true;
  const auto place = [&](float width) {
    if (!is_first) {
      ImGui::SameLine(0, ui.px(12));
      if (ImGui::GetCursorPosX() + width > right) ImGui::NewLine();
    }
    is_first = false;
  };
  for (std::size_t c = 0; c < has.size(); ++c) {
    if (!has[c]) continue;
    const auto of = static_cast<KernelClass>(c);
    const std::string name(kernel_class_name(of));
    place(ImGui::CalcTextSize(name.c_str()).x + ui.px(20));
    colour_swatch(ui, ui.palette.of_class(of).fill);
    ImGui::SameLine(0, ui.px(5));
    muted_text(ui, name);
    tooltip(kernel_class_definition(of));
  }
  const auto say = [&](const std::string& words, std::string_view help) {
    place(ImGui::CalcTextSize(words.c_str()).x);
    muted_text(ui, words);
    if (!help.empty()) tooltip(help);
  };
  if (plot.roofs.empty())
    say(fmt::format("Peaks of {} are not known: the plot has no roofs.",
                    roofline.device.empty() ? "this GPU" : roofline.device),
        "lacuna roofline --peaks FILE takes the ones that you measured.");
  else if (roofline.peak)
    say(roofline.device, fmt::format("Roofs: {}.", roofline.peak->source));
  if (plot.left_out > 0)
    say(fmt::format("{} without a dot", counted(plot.left_out, "row")),
        fmt::format("The plot has the {} rows with the most GPU time; the table has all.",
                    format_count(plot.dots.size())));
  if (answer.left_out > 0)
    say(fmt::format("{} not here", counted(answer.left_out, "row")),
        fmt::format("The {} rows with the most GPU time are here; all come with the whole trace.",
                    format_count(roofline.rows.size())));
  if (plot.without_place > 0)
    say(fmt::format("{} only in the table", counted(plot.without_place, "row")),
        "They compute nothing, move nothing, or started no GPU work.");
}

void RooflinePage::chart(UiContext& ui, const Answer& answer, ImVec2 size) {
  const RooflinePlot& plot = answer.plot;
  const std::vector<RooflineRow>& rows = answer.roofline.rows;
  ImFont* const font = ui.fonts.label;
  const float text_px = ui.fonts.label_px;
  const float gutter = text_width(font, text_px, "100 GFLOP/s") + ui.px(8);
  const float foot = text_px + ui.px(6);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("roofline_plot", size);
  note_place(ui, "roofline_plot");
  const bool is_hovered = ImGui::IsItemHovered();
  const float labels_px = plot.roofs.empty() ? ui.px(14) : text_width(font, text_px, "16-bit") + ui.px(8);
  const ImVec2 inside{size.x - gutter - labels_px, size.y - foot - text_px * 0.5f};
  const float most_px = std::clamp(std::min(inside.x, inside.y) / 14, ui.px(5), ui.px(kMostDotPx));
  const PlotFrame frame{plot, {at.x + gutter, at.y + text_px * 0.5f}, inside, most_px + ui.px(3)};
  if (frame.size.x < ui.px(60) || frame.size.y < ui.px(40)) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(frame.corner, {frame.right(), frame.bottom()}, to_imgui(ui.theme.background));
  draw_axes(ui, draw, frame);
  const std::string x_title = "FLOP per byte";
  const float title_px = text_width(font, text_px, x_title);
  draw_text(draw, font, text_px, {frame.right() - title_px - ui.px(4), frame.bottom() - text_px - ui.px(3)},
            to_imgui(ui.theme.muted), x_title, title_px + 1);
  // Dots of equal area have the same GPU time; small ones are drawn last, over the large ones.
  const auto most = static_cast<float>(rows[plot.dots.front().row].gpu_time);
  const auto radius = [&](const RooflineDot& dot) {
    return std::max(ui.px(kLeastDotPx), most_px * std::sqrt(static_cast<float>(rows[dot.row].gpu_time) / most));
  };
  draw.PushClipRect(frame.corner, {frame.right(), frame.bottom()}, true);
  for (const RooflineDot& dot : plot.dots) {
    const Rgba fill = ui.palette.of_class(rows[dot.row].work.operator_class).fill;
    draw.AddCircleFilled(frame.at(dot), radius(dot), to_imgui(with_alpha(fill, 0.85f)));
    if (radius(dot) >= ui.px(kLeastOutlinedPx))
      draw.AddCircle(frame.at(dot), radius(dot), to_imgui(ui.theme.background));
  }
  draw_roofs(ui, draw, frame);
  const RooflineDot* hit = nullptr;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const RooflineDot& dot : plot.dots) {
    const ImVec2 centre = frame.at(dot);
    if (is_hovered && std::hypot(mouse.x - centre.x, mouse.y - centre.y) <= radius(dot) + ui.px(kDotReachPx))
      hit = &dot;  // the last one lies on top
    const bool is_marked = view_.chosen == dot.row || pointed_ == dot.row;
    if (is_marked)
      draw.AddCircle(centre, radius(dot) + ui.px(2.5f), to_imgui(ui.theme.text), 0, std::max(1.0f, ui.px(1.5f)));
  }
  if (hit != nullptr)
    draw.AddCircle(frame.at(*hit), radius(*hit) + ui.px(2.5f), to_imgui(ui.theme.text), 0, std::max(1.0f, ui.px(1.2f)));
  draw.PopClipRect();
  label_roofs(ui, draw, frame, is_hovered);
  const ImVec2 first = frame.at(plot.dots.front());
  ui.observed.places["roofline_first_dot"] = {first.x, first.y};
  if (hit == nullptr) return;
  dot_tooltip(ui, answer, hit->row);
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  choose(ui, answer, hit->row);
  scroll_to_ = hit->row;
}

void RooflinePage::dot_tooltip(UiContext& ui, const Answer& answer, std::uint32_t index) {
  const RooflineRow& row = answer.roofline.rows[index];
  const Work& work = row.work.work;
  if (!begin_tooltip(ui, 460)) return;
  text(unnumbered_operator(row.name));
  mono_text(ui, std::string_view(row.dims).substr(0, kMostTipDims));
  mono_text(ui, std::string_view(row.types).substr(0, kMostTipDims));
  const auto fact = [&](std::string_view name, const std::string& value) {
    muted_text(ui, name);
    ImGui::SameLine(ui.px(110));
    text(value);
  };
  fact("GPU time", fmt::format("{} in {}", format_duration(row.gpu_time), counted(row.count, "call")));
  fact("A call", fmt::format("{}, {}", with_prefix(work.flop, "FLOP"), call_bytes(work.bytes)));
  fact("FLOP per byte", fmt::format("{:.3g}", row.intensity()));
  fact("Rates", fmt::format("{}, {}", with_prefix(row.per_second(work.flop), "FLOP/s"),
                            with_prefix(row.per_second(work.bytes), "B/s")));
  if (row.bound != RooflineBound::kUnknown) fact("Bound by", std::string(roofline_bound_key(row.bound)));
  if (row.roof_share >= 0) fact("Of roof", fmt::format("{:.3g} %", 100 * row.roof_share));
  if (row.work.physical) {
    ImGui::Spacing();
    muted_text(ui, row.work.why);
    const std::string bytes = call_bytes(row.work.physical->bytes);
    muted_text(ui, row.work.physical->flop > 0
                       ? fmt::format("The dot is placed by what the hardware has to do: {}, {} a call.",
                                     with_prefix(row.work.physical->flop, "FLOP"), bytes)
                       : fmt::format("The dot is placed by what the hardware has to move: {} a call.", bytes));
  } else if (!row.work.why.empty()) {
    muted_text(ui, row.work.why);
  }
  end_tooltip();
}

}  // namespace lacuna
