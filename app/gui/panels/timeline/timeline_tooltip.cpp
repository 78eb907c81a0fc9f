// What the mouse points at in the timeline, in words.

#include <algorithm>

#include <fmt/format.h>

#include "app/gui/panels/timeline/timeline_panel.h"
#include "app/gui/panels/widgets/kernel_words.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/cache/trace_thinner.h"
#include "model/holders/memory_marks.h"
#include "model/memory/out_of_memory.h"
#include "render/counter_text.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kSliceTooltipPx = 520;
constexpr std::size_t kMostNameCharacters = 600;  // names can have thousands

std::string_view cut(std::string_view name) {
  return name.substr(0, kMostNameCharacters);
}

/// `dominant`: the name with most time among the `folded` slices of the rectangle.
void slice_tooltip(const UiContext& ui, SliceId slice, std::uint32_t folded, StringId dominant) {
  const Trace& trace = ui.workspace().trace();
  const TimeSpan span = trace.span(slice);
  const Lane& lane = trace.lane(slice);
  if ((lane.flags(slice.index) & kSliceFolded) != 0) {
    text(
        fmt::format("{} slices, most of them {}", format_count(lane.file_offset(slice.index)), cut(trace.name(slice))));
    muted_text(ui, "Too short to be drawn one by one at that distance. Zoom in to see each.");
    return;
  }
  const CategoryClass meaning = trace.category_class(slice);
  const bool names_more = tooltip_name(ui, trace.name(slice), meaning);
  tooltip_fact(ui, "Duration", format_duration(span.duration()));
  tooltip_fact(ui, "Start", time_text(ui, span.begin));
  if (const auto category = trace.category_name(trace.lane(slice).category(slice.index)); !category.empty()) {
    const KernelClass of_kernel = kernel_class(meaning, trace.name(slice));
    if (meaning == CategoryClass::kKernel && of_kernel != KernelClass::kOther)
      tooltip_fact(ui, "Category", fmt::format("{}: {}", category, kernel_class_name(of_kernel)));
    else
      tooltip_fact(ui, "Category", category);
  }
  tooltip_fact(ui, "Track", track_text(trace, trace.track_of(slice)));
  if (folded > 1) {
    muted_text(ui, fmt::format("The longest of {} slices too small to be drawn alone", format_count(folded)));
    // Its colour is that of another name.
    if (dominant.valid() && dominant != trace.lane(slice).name(slice.index))
      tooltip_fact(ui, "Most time", cut(trace.text(dominant)));
  }
  if (names_more) tooltip_full_name(ui, trace.name(slice));
}

void gap_tooltip(const UiContext& ui, const DrawGap& drawn) {
  const Document& document = *ui.workspace().document();
  const Gap& gap = get(document, {drawn.stream, drawn.gap});
  const GapDiagnosis* diagnosis = ui.workspace().causes().diagnosis(GapRef{drawn.stream, drawn.gap});
  coloured_text(diagnosis == nullptr ? ui.theme.gap : ui.theme.gap_colour(diagnosis->cause),
                fmt::format("Idle for {}", format_duration(gap.duration())));
  if (diagnosis != nullptr) {
    tooltip_fact(ui, "Cause", cause_name(diagnosis->cause));
    const GapStory* story = ui.workspace().causes().story(GapRef{drawn.stream, drawn.gap});
    muted_text(ui, story != nullptr ? std::string_view(story->sentence) : cause_definition(diagnosis->cause));
  } else if (ui.workspace().causes().is_not_yet(GapRef{drawn.stream, drawn.gap})) {
    tooltip_fact(ui, "Cause", "not yet known");
  } else if (ui.workspace().causes().is_computing()) {
    tooltip_fact(ui, "Cause", "being looked for\xE2\x80\xA6");
  }
  tooltip_fact(ui, "Stream", stream_text(document.trace, document.streams[drawn.stream]));
  tooltip_fact(ui, "Start", time_text(ui, gap.start));
  if (gap.before.valid()) tooltip_fact(ui, "After", cut(document.trace.name(gap.before)));
  if (gap.after.valid()) tooltip_fact(ui, "Before", cut(document.trace.name(gap.after)));
  if (gap.launch.valid()) {
    const Nanos lead = saturating_sub(gap.end, document.trace.span(gap.launch).begin);
    tooltip_fact(ui, "Launched", fmt::format("{} before its end", format_duration(lead)));
  }
  if (drawn.folded > 1) {
    muted_text(ui, fmt::format("The longest of {} gaps here", format_count(drawn.folded)));
  }
}

void memory_tooltip(const UiContext& ui, const DrawMemoryMark& drawn) {
  const MemoryMarks* marks = ui.workspace().view().input().data.memory;
  if (marks == nullptr || drawn.index >= marks->size()) return;
  const MemoryMarks::Mark& mark = (*marks)[drawn.index];
  const MemoryHistory& history = marks->history(mark);
  const MemoryPiece& piece = marks->piece(mark);
  const Nanos begin = history.table.time_of(piece.begin);
  text(fmt::format("{} of {}", describe_size(piece.bytes), history.name));
  tooltip_fact(ui, "Allocated", time_text(ui, begin));
  tooltip_fact(ui, "By", cut(history.table.labels[piece.label]));
  if (piece.end == MemoryPiece::kNever) {
    tooltip_fact(ui, "Freed", "not while the recording ran");
  } else {
    const Nanos held = saturating_sub(history.table.time_of(piece.end), begin);
    tooltip_fact(ui, "Freed", fmt::format("after {}", format_duration(held)));
    if (piece.unused > 0) tooltip_fact(ui, "Unused", fmt::format("{} of that", format_duration(piece.unused)));
  }
  if (drawn.folded > 1)
    muted_text(ui,
               fmt::format("The largest of {} allocations too small to be drawn alone", format_count(drawn.folded)));
  muted_text(ui, "Click: what was live then, on the memory page.");
}

/// The frames that one row stands for, outermost first.
void outer_tooltip(const UiContext& ui, const Trace& trace, const DrawSlice& drawn) {
  constexpr std::uint32_t kMostListed = 16;
  text(fmt::format("{} outer frames, each around all that is below", drawn.outer));
  const std::uint32_t first = drawn.slice.lane.value + 1 - drawn.outer;
  for (std::uint32_t k = 0; k < std::min(drawn.outer, kMostListed); ++k)
    tooltip_fact(ui, std::to_string(k + 1).c_str(), cut(trace.text(trace.lane(LaneId{first + k}).name(0))));
  if (drawn.outer > kMostListed) muted_text(ui, fmt::format("and {} more", drawn.outer - kMostListed));
  muted_text(ui, "View > Tracks > Outer Python frames in one row unfolds them.");
}

}  // namespace

void timeline_tooltip(UiContext& ui, const TimelineDrawList& list, const Hit& hit) {
  const bool shows = hit.kind == Hit::Kind::kSlice || hit.kind == Hit::Kind::kGap || hit.kind == Hit::Kind::kInstant ||
                     hit.kind == Hit::Kind::kMemory || hit.kind == Hit::Kind::kCounter;
  if (!shows || !ui.workspace().has_trace()) return;
  const Trace& trace = ui.workspace().trace();
  begin_tooltip(ui, kSliceTooltipPx);
  if (hit.kind == Hit::Kind::kSlice && hit.index < list.slices.size() && list.slices[hit.index].outer > 1) {
    outer_tooltip(ui, trace, list.slices[hit.index]);
  } else if (hit.kind == Hit::Kind::kSlice) {
    slice_tooltip(ui, hit.slice, hit.folded, hit.index < list.slices.size() ? list.slices[hit.index].name : StringId{});
  } else if (hit.kind == Hit::Kind::kGap && hit.index < list.gaps.size()) {
    gap_tooltip(ui, list.gaps[hit.index]);
  } else if (hit.kind == Hit::Kind::kInstant && hit.index < list.instants.size()) {
    const DrawInstant& drawn = list.instants[hit.index];
    const Instant& instant = trace.track(drawn.track).instants[drawn.index];
    text(cut(trace.text(instant.name)));
    tooltip_fact(ui, "At", time_text(ui, instant.time));
    if (drawn.folded > 1) muted_text(ui, fmt::format("{} instants here", format_count(drawn.folded)));
  } else if (hit.kind == Hit::Kind::kMemory && hit.index < list.memory_marks.size()) {
    memory_tooltip(ui, list.memory_marks[hit.index]);
  } else if (hit.kind == Hit::Kind::kCounter && hit.index < list.counter_steps.size()) {
    const DrawCounterStep& drawn = list.counter_steps[hit.index];
    const Track& track = trace.track(drawn.track);
    const TimelineInput& input = ui.workspace().view().input();
    if (drawn.is_extra() && drawn.extra < input.arrangement.extra_counters.size()) {
      const ExtraCounter& extra = input.arrangement.extra_counters[drawn.extra];
      const CounterSeries& series = *extra.series;
      if (extra.is_memory) {
        text(std::string(extra.title) + ", as [memory] records tell");
        tooltip_fact(ui, "Bytes", describe_size(static_cast<std::uint64_t>(std::max(0.0, series.values[drawn.index]))));
        tooltip_fact(ui, "Since", time_text(ui, series.times[drawn.index]));
        return end_tooltip();
      }
      text("Queue depth of " + std::string(trace.text(track.name)));
      tooltip_fact(ui, "Waiting", counted(static_cast<std::uint64_t>(series.values[drawn.index]), "launch"));
      tooltip_fact(ui, "Since", time_text(ui, series.times[drawn.index]));
      muted_text(ui,
                 "Launches begun whose first activity on this stream has not started yet. Empty: "
                 "the GPU has nothing to go on with. 1,024: the CPU waits for a free place.");
    } else {
      text(trace.text(track.name));
      const std::string_view name = trace.text(track.name);
      tooltip_fact(ui, "Value", counter_text(name, track.counter.max, track.counter.values[drawn.index]));
      tooltip_fact(ui, "Since", time_text(ui, track.counter.times[drawn.index]));
    }
  }
  end_tooltip();
}

std::string hovered_name(const UiContext& ui, const TimelineDrawList& list, const Hit& hit) {
  if (!ui.workspace().has_trace()) return {};
  if (hit.kind == Hit::Kind::kSlice) return std::string(ui.workspace().trace().name(hit.slice));
  if (hit.kind == Hit::Kind::kGap && hit.index < list.gaps.size()) {
    return fmt::format("gap {}:{}", list.gaps[hit.index].stream, list.gaps[hit.index].gap);
  }
  return {};
}

}  // namespace lacuna
