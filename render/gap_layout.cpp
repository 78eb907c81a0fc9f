#include "render/gap_layout.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "render/format.h"
#include "render/run_placer.h"

namespace lacuna {
namespace {

/// 1 for a gap as long as the view, 0 for a thousandth of it and below: a logarithm, because gaps
/// of interest differ by orders of magnitude.
float intensity(Nanos duration, Nanos view) {
  constexpr float kOctaves = 9.9657843f;  // log2(1000)
  const float part = static_cast<float>(duration) / static_cast<float>(std::max<Nanos>(1, view));
  return std::clamp(1 + std::log2(std::max(part, 1e-9f)) / kOctaves, 0.0f, 1.0f);
}

constexpr Nanos kNamedPart = 500;     // the longest gap is named when it takes this part of the view or more …
constexpr float kNarrowestNamed = 2;  // … and is that wide

/// Whether a rectangle has none of the gaps that are marked, when some are; with a critical path it alone matters.
bool is_dimmed(const TimelineInput& input, const DrawGap& gap) {
  if (input.emphasis.marked_gaps.empty()) return input.emphasis.path != nullptr;
  const auto next = std::ranges::lower_bound(input.emphasis.marked_gaps, std::pair(gap.stream, gap.first));
  return next == input.emphasis.marked_gaps.end() || next->first != gap.stream ||
         next->second - gap.first >= gap.folded;
}

}  // namespace

void layout_gaps(const LayoutContext& context, const TrackPlace& place, TimelineDrawList& out) {
  const TimelineInput& input = context.input;
  const Track& track = context.trace.track(place.track);
  const std::uint32_t stream = context.stream_of(track);
  const StreamBusyIndex* busy = context.busy_of(track);
  if (busy == nullptr || place.rows == 0) return;
  const float y0 = context.scrolled(place.lanes_y0);
  const float y1 = y0 + place.row_px - (place.row_px >= 3 ? input.view.metrics.px(1) : 0.0f);
  if (!context.is_in_view(y0, y1)) return;

  const GapRow& gaps = busy->gaps();
  const std::size_t begin = out.gaps.size();
  RunPlacer placer(context.left, context.right, context.min_px);
  busy->for_each_gap_run(context.view, context.fold_ns, [&](const FoldedRun& run) {
    if (gaps.duration(run.longest) < input.emphasis.min_gap_ns) return;
    const RunPlacer::Place at = placer.place(context.x_of(run.start), context.x_of(run.end));
    if (at.kind == RunPlacer::Place::Kind::kOutside) return;
    if (at.kind == RunPlacer::Place::Kind::kMerge) {
      DrawGap& gap = out.gaps.back();
      if (gaps.duration(run.longest) > gaps.duration(gap.gap)) gap.gap = run.longest;
      gap.x1 = static_cast<float>(at.x1);
      gap.folded = run.last - gap.first;
      return;
    }
    DrawGap& gap = out.gaps.emplace_back();
    gap.x0 = static_cast<float>(at.x0);
    gap.x1 = static_cast<float>(at.x1);
    gap.gap = run.longest;
    gap.first = run.first;
    gap.folded = run.last - run.first;
  });

  const float padding = input.view.metrics.px(4);
  const bool has_room = place.row_px >= input.view.metrics.px(input.view.metrics.row);
  const Nanos view_ns = context.view.duration();
  for (std::size_t i = begin; i < out.gaps.size(); ++i) {
    DrawGap& gap = out.gaps[i];
    gap.y0 = y0;
    gap.y1 = y1;
    gap.stream = stream;
    gap.start = gaps.start(gap.gap);
    gap.end = gaps.end(gap.gap);
    gap.intensity = intensity(gap.end - gap.start, view_ns);
    gap.is_selected = input.emphasis.selected_gap_stream == stream && input.emphasis.selected_gap >= gap.first &&
                      input.emphasis.selected_gap - gap.first < gap.folded;
    gap.is_dimmed = is_dimmed(input, gap);
    if (input.data.diagnoses != nullptr && stream < input.data.diagnoses->size() &&
        gap.gap < (*input.data.diagnoses)[stream].size()) {
      gap.has_cause = true;
      gap.cause = (*input.data.diagnoses)[stream][gap.gap].cause;
    }
    if (gap.folded > 1 || !has_room) continue;
    append_duration(gap.label, gap.end - gap.start);
    const float visible = std::min(gap.x1, input.view.width_px) - std::max(gap.x0, 0.0f);
    const float needed =
        static_cast<float>(glyph_count(gap.label)) * input.view.metrics.glyph_px * input.view.metrics.scale;
    if (needed + 2 * padding > visible) {
      gap.label.clear();
    } else if (gap.has_cause) {
      const float more =
          static_cast<float>(cause_name(gap.cause).size() + 3) * input.view.metrics.glyph_px * input.view.metrics.scale;
      gap.shows_cause = needed + more + 2 * padding <= visible;
    }
  }
  DrawGap* longest = nullptr;
  for (std::size_t i = begin; i < out.gaps.size(); ++i) {
    DrawGap& gap = out.gaps[i];
    if (!gap.is_dimmed && gap.folded == 1 &&
        (longest == nullptr || gap.end - gap.start > longest->end - longest->start))
      longest = &gap;
  }
  if (longest != nullptr && has_room && longest->end - longest->start >= view_ns / kNamedPart &&
      longest->x1 - longest->x0 >= input.view.metrics.px(kNarrowestNamed))
    longest->is_longest = true;
}

void add_causes(const TimelineInput& input, TimelineDrawList& out) {
  if (input.data.streams == nullptr || input.data.trace == nullptr) return;
  for (const DrawGap& gap : out.gaps) {
    if (!gap.has_cause || gap.is_dimmed) continue;
    const ProcessId process = input.data.trace->track((*input.data.streams)[gap.stream].track).process;
    for (DrawHeader& header : out.headers) {
      if (header.kind != DrawHeader::Kind::kProcess || header.process != process) continue;
      const auto known = std::ranges::find(header.causes, gap.cause, &DrawCause::cause);
      DrawCause& cause = known != header.causes.end() ? *known : header.causes.emplace_back(DrawCause{gap.cause, 0});
      cause.px += std::min(gap.x1, input.view.width_px) - std::max(gap.x0, 0.0f);
      break;
    }
  }
  for (DrawHeader& header : out.headers) std::ranges::sort(header.causes, std::ranges::greater{}, &DrawCause::px);
}

}  // namespace lacuna
