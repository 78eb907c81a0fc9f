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

/// Everything about the selection: a slice with its args and links, a gap with its cause, a range
/// with how busy each stream is in it, or, with nothing selected, the trace itself. UI thread.
class DetailsPanel {
 public:
  void draw(UiContext& ui);
  /// The number of args shown, and the error that reading them gave; the state dump for tests has them.
  std::size_t argument_count() const { return arguments_.size(); }
  const std::string& argument_error() const { return argument_error_; }

 private:
  void slice(UiContext& ui, SliceId slice);
  void instant(UiContext& ui, InstantRef instant);
  void slice_links(UiContext& ui, SliceId slice);
  void slice_arguments(UiContext& ui, SliceId slice);
  void load_arguments(const UiContext& ui, SliceId slice);
  void load_arguments(const UiContext& ui, InstantRef instant);
  void keep_arguments(Result<std::vector<Argument>> read);
  void argument_table(UiContext& ui);

  // The args of the slice or instant shown, read once when it is selected.
  DocumentPtr document_;
  SliceId slice_;
  InstantRef instant_;
  std::vector<Argument> arguments_;
  std::string argument_error_;
};

// The other contents, in details_gap.cpp and details_others.cpp.
void draw_gap_details(UiContext& ui, const Selection& selection);
void draw_range_details(UiContext& ui, TimeSpan range);
void draw_trace_overview(UiContext& ui);
/// The row of a table that is highlighted; false when none is. In details_row.cpp.
bool draw_row_details(UiContext& ui);
/// Durations of the highlighted name; nothing without one. In details_histogram.cpp.
void draw_histogram(UiContext& ui);
/// What CPU slices launched on GPUs, and what launched GPU work; nothing without either. `of_what`: "by
/// it", "by all 72 slices". In details_work.cpp, as the next one.
void draw_launched_work(UiContext& ui, const LaunchedWorkView& view, std::string_view of_what);
/// Call, operators, modules and Python frames above the launch of a GPU activity.
void draw_stack(UiContext& ui, SliceId activity, const LaunchedWorkView& work);

// Of traces that are seen from another machine, in details_remote.cpp.
/// The other machine's answer about the slice; null: none yet.
const RemoteSlice* remote_slice(const Document& document, SliceId slice);
/// The same for the gap that is selected, or listed.
const RemoteGap* remote_gap(const Document& document, GapRef ref);
void draw_remote_links(UiContext& ui, SliceId slice);
/// Above the arguments: that they are on their way, or what of them was left out.
void draw_remote_arguments(UiContext& ui, SliceId slice);
/// Why there is a gap.
void draw_remote_why(UiContext& ui, GapRef ref);

// What a kernel's name says, in details_kernel.cpp.
/// One sentence, below the heading.
void draw_kernel_sentence(const UiContext& ui, const KernelName& kernel);
/// What is said of a slice, each with a link to the slice that it speaks of.
void draw_slice_notes(UiContext& ui, std::span<const SliceNote> notes);
/// The class, with its colour.
void draw_kernel_class(const UiContext& ui, KernelClass of);
/// A section with what was read of the name, and the name itself, folded.
void draw_kernel_facts(const UiContext& ui, const KernelName& kernel, std::string_view name);

/// A heading with a colour swatch and room for a second line.
void details_heading(const UiContext& ui, Rgba colour, std::string_view title);
/// Two columns, label and value, until end_facts().
bool begin_facts(const UiContext& ui, const char* id);
void end_facts();
void fact_row(const UiContext& ui, std::string_view label, std::string_view value);
/// Begins a row whose value the caller draws.
void begin_fact_row(const UiContext& ui, std::string_view label);
void section(const UiContext& ui, std::string_view title);
/// A slice as a link that goes there: its name, cut to the width.
void slice_link(UiContext& ui, SliceId slice, int id);
/// How busy streams were, as bars: `busy` of the time `whole`, both by stream.
void stream_bars(UiContext& ui, const std::vector<StreamActivity>& streams, std::span<const Nanos> busy,
                 std::span<const Nanos> whole);

}  // namespace lacuna
