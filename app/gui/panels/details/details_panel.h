#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/models/details/launched_work_view.h"
#include "app/gui/models/navigation/selection.h"
#include "app/gui/panels/ui_context.h"
#include "capture/remote/remote_questions.h"
#include "model/import/arguments.h"
#include "model/kernels/kernel_name.h"
#include "model/notes/slice_notes.h"

namespace lacuna {

/// The details of the selection: a slice with its args and links, a gap with its cause, a range
/// with the busy time of each stream, or, without a selection, the trace itself. UI thread.
class DetailsPanel {
 public:
  void draw(UiContext& ui);
  /// The number of args shown, and the error of reading them, for the tests' state dump.
  std::size_t argument_count() const { return arguments_.size(); }
  const std::string& argument_error() const { return argument_error_; }

 private:
  void slice(UiContext& ui, SliceId slice);
  void instant(UiContext& ui, InstantRef instant);
  void slice_links(UiContext& ui, SliceId slice);
  void load_arguments(const UiContext& ui, SliceId slice);
  void load_arguments(const UiContext& ui, InstantRef instant);
  void keep_arguments(Result<std::vector<Argument>> read);
  void argument_table(UiContext& ui);

  // The args of the shown slice or instant, read once when it is selected.
  DocumentPtr document_;
  SliceId slice_;
  InstantRef instant_;
  std::vector<Argument> arguments_;
  std::string argument_error_;
};

// The other parts of the panel, in details_gap.cpp and details_others.cpp.
void draw_gap_details(UiContext& ui, const Selection& selection);
void draw_range_details(UiContext& ui, TimeSpan range);
void draw_trace_overview(UiContext& ui);
/// Draws the highlighted row of a table; returns false when none is. In details_row.cpp.
bool draw_row_details(UiContext& ui);
/// Draws the durations of the highlighted name; nothing without one. In details_histogram.cpp.
void draw_histogram(UiContext& ui);
/// Draws what CPU slices launched on GPUs, and what launched GPU work; nothing without either. `of_what`: "by
/// it", "by all 72 slices". In details_work.cpp, like draw_stack().
void draw_launched_work(UiContext& ui, const LaunchedWorkView& view, std::string_view of_what);
/// Draws the call, operators, modules and Python frames above the launch of a GPU activity.
void draw_stack(UiContext& ui, SliceId activity, const LaunchedWorkView& work);

// For traces seen from another machine, in details_remote.cpp.
/// Returns the other machine's answer about the slice; null if there is none yet.
const RemoteSlice* remote_slice(const Document& document, SliceId slice);
/// Returns the other machine's answer about the selected or a listed gap; null if there is none yet.
const RemoteGap* remote_gap(const Document& document, GapRef ref);
void draw_remote_links(UiContext& ui, SliceId slice);
/// Draws a note above the arguments: that they are still to come, or what was left out.
void draw_remote_arguments(UiContext& ui, SliceId slice);
/// Draws the cause of a gap.
void draw_remote_why(UiContext& ui, GapRef ref);

// Facts parsed from a kernel's name, in details_kernel.cpp.
/// Draws one sentence, below the heading.
void draw_kernel_sentence(const UiContext& ui, const KernelName& kernel);
/// Draws the notes about a slice, each with a link to the slice that it mentions.
void draw_slice_notes(UiContext& ui, std::span<const SliceNote> notes);
/// Draws the class, with its colour.
void draw_kernel_class(const UiContext& ui, KernelClass of);
/// Draws a section with the facts parsed from the name, and the name itself, collapsed.
void draw_kernel_facts(const UiContext& ui, const KernelName& kernel, std::string_view name);

/// Draws a heading with a colour swatch and room for a second line.
void details_heading(const UiContext& ui, Rgba colour, std::string_view title);
/// Begins a two-column table, label and value, until end_facts().
bool begin_facts(const UiContext& ui, const char* id);
void end_facts();
void fact_row(const UiContext& ui, std::string_view label, std::string_view value);
/// Begins a row whose value the caller draws.
void begin_fact_row(const UiContext& ui, std::string_view label);
void section(const UiContext& ui, std::string_view title);
/// Draws a slice's name, cut to the width, as a link to the slice.
void slice_link(UiContext& ui, SliceId slice, int id);
/// Draws the busy time of streams as bars: `busy` out of `whole`, both by stream.
void stream_bars(UiContext& ui, const std::vector<StreamActivity>& streams, std::span<const Nanos> busy,
                 std::span<const Nanos> whole);

}  // namespace lacuna
