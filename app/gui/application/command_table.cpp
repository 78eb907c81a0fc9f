// The table of commands: everything a user can do, with its default keys. Each key needs a case in
// tests/e2e/bindings_test.py, which fails for one that has none.

#include <array>

#include "app/gui/application/commands.h"
#include "app/gui/application/example.h"
#include "app/gui/models/navigation/copy_slice.h"

namespace lacuna {
namespace {

using Menu = Command::Menu;

void open_omnibox(App& a, OmniboxMode mode) {
  a.requests.add(ask::OpenOmnibox{mode});
}

bool has_trace(const App& a) {
  return a.workspace.has_trace();
}
bool has_slice(const App& a) {
  return has_trace(a) && a.workspace.selection().slice.valid();
}
bool has_selection(const App& a) {
  return has_trace(a) && !a.workspace.selection().empty();
}
bool has_found(const App& a) {
  return !a.workspace.occurrences().empty() || a.workspace.is_finding_occurrences() || a.workspace.search().is_active();
}
bool has_gaps(const App& a) {
  if (!has_trace(a)) return false;
  const Document& document = *a.workspace.document();
  // Of a trace that is seen from another machine all gaps in view may be too short to be told apart.
  return !a.workspace.gaps().rows().empty() || !a.workspace.route().empty() ||
         (document.is_thinned && !document.streams.empty());
}
bool has_recording(const App& a) {
  return a.live.has_recording();
}
bool has_recorded(const App& a) {
  return has_recording(a) && a.live.status().events > 0;
}
bool is_own_recording(const App& a) {
  return a.live.may_relaunch();
}
bool is_recording(const App& a) {
  return a.live.is_running();
}
bool may_stop(const App& a) {
  return a.live.may_stop();
}
bool has_steps(const App& a) {
  return has_trace(a) && !a.workspace.steps().empty();
}

bool may_choose_steps(const App& a) {
  return has_trace(a) && !has_recording(a) && !a.workspace.document()->is_partial;
}

void copy_name(App& a) {
  if (has_slice(a)) a.requests.add(ask::Copy{std::string(a.workspace.trace().name(a.workspace.selection().slice))});
}

/// Copies what `read` gives of the selected slice, or says why it cannot.
template <class Read>
void copy_with(App& a, Read read) {
  if (!has_slice(a)) return;
  Result<std::string> text = read(a.workspace.trace(), a.workspace.selection().slice);
  if (text) {
    a.requests.add(ask::Copy{std::move(*text)});
  } else {
    a.show_error(text.error().message());
  }
}

void copy_row(App& a) {
  if (!has_selection(a)) return;
  const Selection& selected = a.workspace.selection();
  a.requests.add(ask::Copy{selected.slice.valid()     ? slice_as_text(a.workspace.trace(), selected.slice)
                           : selected.instant.valid() ? instant_as_text(a.workspace.trace(), selected.instant)
                                                      : gap_as_text(*a.workspace.document(), selected.gap)});
}

void highlight_name(App& a) {
  if (!has_slice(a)) return;
  const SliceId slice = a.workspace.selection().slice;
  const Lane& lane = a.workspace.trace().lane(slice);
  a.workspace.highlight(lane.name(slice.index), lane.category(slice.index));
}

/// Null: no gap is selected, or it has no verdict.
const GapDiagnosis* diagnosis_of_selection(const App& a) {
  const Selection& selection = a.workspace.selection();
  return a.workspace.causes().diagnosis(selection.on_device.valid() ? GapKey(selection.on_device)
                                                                    : GapKey(selection.gap));
}

bool can_ask_what_if(const App& a) {
  return has_trace(a) && a.workspace.document()->is_answerable() &&
         (a.workspace.selection().slice.valid() || diagnosis_of_selection(a) != nullptr);
}

void hide_name(App& a) {
  if (!has_slice(a)) return;
  a.workspace.hide_name(a.workspace.trace().name(a.workspace.selection().slice), true);
}

/// What if the selected slices' name took less time, or the cause of the selected gap were gone.
void what_if_of_selection(App& a) {
  const Selection& selection = a.workspace.selection();
  if (selection.slice.valid()) {
    a.requests.add(ask::TryWhatIf{ask::WhatIfAbout::kName, std::string(a.workspace.trace().name(selection.slice))});
  } else if (const GapDiagnosis* diagnosis = diagnosis_of_selection(a)) {
    a.requests.add(ask::TryWhatIf{ask::WhatIfAbout::kCause, std::string(cause_key(diagnosis->cause))});
  }
  a.show_page(DrawerPage::kWhatIf);
}

void hide_category(App& a) {
  if (!has_slice(a)) return;
  const SliceId slice = a.workspace.selection().slice;
  const Trace& trace = a.workspace.trace();
  a.workspace.hide_category(trace.category_name(trace.lane(slice).category(slice.index)), true);
}

bool has_hidden(const App& a) {
  return has_trace(a) && !a.workspace.hidden().empty();
}

bool has_file(const App& a) {
  return has_trace(a) && !has_recording(a);
}

bool has_notes(const App& a) {
  return has_trace(a) && !a.workspace.markers().all().empty();
}

constexpr std::array kCommands = {
    // File
    Command{"open", Menu::kFile, "Open…", {"Ctrl+O"}, [](App& a) { a.requests.add(ask::OpenTrace{}); }},
    Command{"compare", Menu::kFile, "Compare with…", {"Ctrl+Shift+O"},
            [](App& a) { a.requests.add(ask::OpenTrace{ask::OpenFor::kComparing}); }, has_trace},
    Command{"open_job", Menu::kFile, "Open job…", {"Ctrl+Alt+O"},
            [](App& a) { a.requests.add(ask::OpenTrace{ask::OpenFor::kJob}); }},
    Command{"connect", Menu::kFile, "Connect to another machine…", {"Ctrl+Shift+H"},
            [](App& a) { a.requests.add(ask::Connect{}); }},
    Command{"reload", Menu::kFile, "Reload", {"Ctrl+R", "F5"}, [](App& a) { a.reload(); },
            [](const App& a) { return has_trace(a) || a.job.has_files(); }},
    Command{.id = "launch", .menu = Menu::kFile, .name = "Launch and record…", .keys = {"Ctrl+L"},
            .run = [](App& a) { a.requests.add(ask::Launch{}); }, .separator_before = true},
    Command{"running_jobs", Menu::kFile, "Running jobs…", {"Ctrl+J"},
            [](App& a) { a.requests.add(ask::RunningJobs{}); }},
    Command{"attach", Menu::kFile, "Attach…", {"Ctrl+Shift+J"}, [](App& a) { a.requests.add(ask::Attach{}); }},
    Command{"save", Menu::kFile, "Save the recording…", {"Ctrl+S"},
            [](App& a) { a.requests.add(ask::Save{}); }, has_recorded},
    Command{"stop", Menu::kFile, "Stop the program (again: harder)", {"Ctrl+."},
            [](App& a) { a.live.stop(); }, may_stop},
    Command{"relaunch", Menu::kFile, "Launch again", {"Ctrl+Shift+R"},
            [](App& a) { a.relaunch(); }, is_own_recording},
    Command{.id = "export_range", .menu = Menu::kFile, .name = "Export the range as a trace…",
            .keys = {"Ctrl+E"},
            .run = [](App& a) { a.requests.add(ask::Export{ExportKind::kRange}); },
            .is_enabled = has_trace, .separator_before = true},
    Command{"save_picture", Menu::kFile, "Save the view as PNG…", {"Ctrl+Shift+E"},
            [](App& a) { a.requests.add(ask::Export{ExportKind::kPicture}); }, has_trace},
    Command{"share", Menu::kFile, "Share as a finding…", {"Ctrl+Alt+E"},
            [](App& a) { a.requests.add(ask::Export{ExportKind::kFinding}); }, has_file},
    Command{"import_notes", Menu::kFile, "Import notes…", {},
            [](App& a) { a.requests.add(ask::OpenTrace{ask::OpenFor::kNotes}); }, has_trace},
    Command{"export_notes", Menu::kFile, "Export all notes…", {},
            [](App& a) { a.requests.add(ask::Export{ExportKind::kNotes}); }, has_notes},
    Command{.id = "close", .menu = Menu::kFile, .name = "Close trace", .keys = {"Ctrl+W"},
            .run = [](App& a) { a.close_trace(); },
            .is_enabled = [](const App& a) { return has_trace(a) || has_recording(a) || a.job.has_files(); },
            .separator_before = true},
    Command{.id = "quit", .menu = Menu::kFile, .name = "Quit", .keys = {"Ctrl+Q"},
            .run = [](App& a) { a.quit(); }, .separator_before = true},

    // Edit
    Command{"copy_name", Menu::kEdit, "Copy name", {"Ctrl+C"}, copy_name, has_slice},
    Command{"copy_row", Menu::kEdit, "Copy facts as text", {"Alt+C"}, copy_row, has_selection},
    Command{"copy_args", Menu::kEdit, "Copy args as text", {"Ctrl+Alt+C"},
            [](App& a) { copy_with(a, arguments_as_text); }, has_slice},
    Command{"copy_args_json", Menu::kEdit, "Copy args as JSON", {"Alt+Shift+C"},
            [](App& a) { copy_with(a, arguments_as_json); }, has_slice},
    Command{"copy_json", Menu::kEdit, "Copy event as JSON", {"Ctrl+Shift+C"},
            [](App& a) { copy_with(a, slice_as_json); }, has_slice},
    Command{"select_all", Menu::kEdit, "Select everything in view", {"Ctrl+A"},
            [](App& a) { a.workspace.set_area(a.workspace.view().visible()); }, has_trace},
    Command{"selection_to_range", Menu::kEdit, "Make the selection a range", {"R"},
            [](App& a) { a.workspace.area_from_selection(); }, has_selection},
    Command{"deselect", Menu::kEdit, "Clear selection, range and highlight", {"Esc"},
            [](App& a) {
              a.live.choose({});
              a.workspace.clear_selection();
            },
            has_trace},
    Command{.id = "filter", .menu = Menu::kEdit, .name = "Filter the statistics, search the calls",
            .keys = {"Ctrl+Shift+F"},
            .run = [](App& a) {
              if (a.ui.drawer_open && a.ui.page == DrawerPage::kCalls) {
                a.requests.add(ask::FocusCallsFilter{});
                return;
              }
              a.show_page(DrawerPage::kStatistics);
              a.requests.add(ask::FocusFilter{});
            },
            .is_enabled = has_trace, .separator_before = true},

    // View
    Command{.id = "zoom_in_key", .menu = Menu::kView, .name = "Zoom in at the mouse (with Shift: faster)",
            .keys = {"W", "Shift+W"}, .in_menu = false, .motion = Motion::kZoomIn},
    Command{.id = "zoom_out_key", .menu = Menu::kView, .name = "Zoom out at the mouse",
            .keys = {"S", "Shift+S"}, .in_menu = false, .motion = Motion::kZoomOut},
    Command{.id = "pan_left_key", .menu = Menu::kView, .name = "Pan left",
            .keys = {"A", "Shift+A"}, .in_menu = false, .motion = Motion::kPanLeft},
    Command{.id = "pan_right_key", .menu = Menu::kView, .name = "Pan right",
            .keys = {"D", "Shift+D"}, .in_menu = false, .motion = Motion::kPanRight},
    Command{"focus", Menu::kView, "Zoom to the selection; again: everything", {"F"},
            [](App& a) { a.workspace.focus(); }, has_trace},
    Command{"fit", Menu::kView, "Show the steps; again: everything", {"0", "Home"},
            [](App& a) { a.workspace.fit(); }, has_trace},
    Command{"zoom_in", Menu::kView, "Zoom in", {"+", "="}, [](App& a) { a.workspace.zoom(1.5); },
            has_trace, nullptr, true},
    Command{"zoom_out", Menu::kView, "Zoom out", {"-"}, [](App& a) { a.workspace.zoom(1 / 1.5); },
            has_trace, nullptr, true},
    Command{"follow", Menu::kView, "Follow the newest of a recording", {"L"},
            [](App& a) {
              a.live.set_paused(false);
              a.workspace.view().start_following(0);
            },
            is_recording, [](const App& a) { return a.workspace.view().is_following(); }},
    Command{"pause", Menu::kView, "Pause the picture; recording goes on", {"P"},
            [](App& a) { a.live.set_paused(!a.live.is_paused()); }, is_recording,
            [](const App& a) { return a.live.is_paused(); }},
    Command{"page_down", Menu::kView, "Scroll down", {"PageDown"},
            [](App& a) { a.workspace.view().scroll(a.workspace.view().height_px() * 0.8f); },
            has_trace, nullptr, true, false},
    Command{"page_up", Menu::kView, "Scroll up", {"PageUp"},
            [](App& a) { a.workspace.view().scroll(a.workspace.view().height_px() * -0.8f); },
            has_trace, nullptr, true, false},
    Command{.id = "gaps_shown", .menu = Menu::kView, .name = "Idle gaps on GPU streams",
            .keys = {"G"},
            .run = [](App& a) {
              a.workspace.view().show_gaps(!a.workspace.view().input().emphasis.show_gaps);
            },
            .is_enabled = has_trace,
            .is_checked = [](const App& a) { return a.workspace.view().input().emphasis.show_gaps; },
            .separator_before = true},
    Command{"hide_short_gaps", Menu::kView, "Hide short gaps (threshold: gaps page)", {"Shift+G"},
            [](App& a) { a.workspace.hide_short_gaps(!a.workspace.hides_short_gaps()); }, has_trace,
            [](const App& a) { return a.workspace.hides_short_gaps(); }},
    Command{"fold_time", Menu::kView, "Fold time in which every track shown is idle", {"Shift+Z"},
            [](App& a) {
              a.workspace.set_fold_time(!a.workspace.folds_time());
              if (a.workspace.folds_time()) a.diff.split = false;  // B has other stretches
            },
            has_trace, [](const App& a) { return a.workspace.folds_time(); }},
    Command{"queue_depth", Menu::kView, "Queue depth under GPU streams", {"Shift+Q"},
            [](App& a) { a.workspace.view().show_queues(!a.workspace.view().shows_queues()); },
            has_trace, [](const App& a) { return a.workspace.view().shows_queues(); }},
    Command{"allocations", Menu::kView, "Allocations below their operators", {"Ctrl+Shift+M"},
            [](App& a) { a.memory.draws_marks = !a.draws_memory_marks(); },
            has_trace, [](const App& a) { return a.draws_memory_marks(); }},
    Command{"all_flows", Menu::kView, "Flows of all slices in view", {"Shift+F"},
            [](App& a) {
              a.workspace.view().show_all_arrows(!a.workspace.view().input().emphasis.show_all_arrows);
            },
            has_trace, [](const App& a) { return a.workspace.view().input().emphasis.show_all_arrows; }},
    Command{"gpu_first", Menu::kView, "GPUs above CPU processes", {},
            [](App& a) {
              a.settings.gpu_first = !a.settings.gpu_first;
              a.workspace.view().put_gpu_first(a.settings.gpu_first);
              a.diff.other().view().put_gpu_first(a.settings.gpu_first);
            },
            nullptr, [](const App& a) { return a.settings.gpu_first; }},
    Command{"squeeze_frames", Menu::kView, "Outer Python frames in one row", {},
            [](App& a) {
              a.settings.squeeze_frames = !a.settings.squeeze_frames;
              a.workspace.view().squeeze_frames(a.settings.squeeze_frames);
              a.diff.other().view().squeeze_frames(a.settings.squeeze_frames);
            },
            nullptr, [](const App& a) { return a.settings.squeeze_frames; }},
    Command{"gpu_stays", Menu::kView, "GPU streams stay in view while tracks scroll", {},
            [](App& a) {
              a.settings.gpu_stays = !a.settings.gpu_stays;
              a.workspace.view().keep_gpu(a.settings.gpu_stays);
              a.diff.other().view().keep_gpu(a.settings.gpu_stays);
            },
            nullptr, [](const App& a) { return a.settings.gpu_stays; }},
    Command{"colour_by_class", Menu::kView, "Colour GPU work by class", {"Shift+K"},
            [](App& a) { a.settings.colour_by_class = !a.settings.colour_by_class; }, nullptr,
            [](const App& a) { return a.settings.colour_by_class; }},
    Command{"headline", Menu::kView, "Headline above the timeline", {"Shift+H"},
            [](App& a) { a.settings.headline = !a.settings.headline; }, nullptr,
            [](const App& a) { return a.settings.headline; }},
    Command{"collapse_all", Menu::kView, "Collapse or expand all tracks", {"Shift+E"},
            [](App& a) {
              TimelineView& view = a.workspace.view();
              view.set_all_collapsed(!view.any_collapsed());
            },
            has_trace},
    Command{"pin_track", Menu::kView, "Pin or unpin the track of the selection", {"Shift+T"},
            [](App& a) { a.workspace.pin_selected_track(); }, has_selection},
    Command{"show_all_tracks", Menu::kView, "Show hidden tracks, end the filter", {},
            [](App& a) {
              a.workspace.view().arrange([](TrackArrangement& tracks) { tracks.show_all(); });
            },
            has_trace},
    Command{"hide_name", Menu::kView, "Hide slices of the selected one's name", {"X"}, hide_name, has_slice},
    Command{"hide_category", Menu::kView, "Hide slices of the selected one's category", {"Shift+X"},
            hide_category, has_slice},
    Command{"undo_hiding", Menu::kView, "Undo hiding slices", {"Ctrl+Z"},
            [](App& a) { a.workspace.undo_hiding(); },
            [](const App& a) { return has_trace(a) && a.workspace.can_undo_hiding(); }, nullptr, true},
    Command{"show_hidden_slices", Menu::kView, "Show all hidden slices", {},
            [](App& a) { a.workspace.set_hidden({}); }, has_hidden},
    Command{"drawer", Menu::kView, "Drawer below the timeline", {"Q"},
            [](App& a) { a.ui.drawer_open = !a.ui.drawer_open; }, nullptr,
            [](const App& a) { return a.ui.drawer_open; }},
    Command{"maximise_drawer", Menu::kView, "Drawer over the timeline", {"Alt+Q"},
            [](App& a) {
              a.ui.drawer_maximised = !(a.ui.drawer_maximised && a.ui.drawer_open);
              a.ui.drawer_open = true;
            },
            nullptr, [](const App& a) { return a.ui.drawer_maximised && a.ui.drawer_open; }},
    Command{"page_statistics", Menu::kView, "Statistics", {"Ctrl+1"},
            [](App& a) { a.show_page(DrawerPage::kStatistics); }},
    Command{"torch_table", Menu::kView, "torch.profiler's table", {"T"},
            [](App& a) {
              a.show_table(a.ui.page != DrawerPage::kStatistics || !a.ui.drawer_open ||
                           !a.ui.torch_table);
            },
            nullptr, [](const App& a) { return a.ui.torch_table; }},
    Command{"page_gaps", Menu::kView, "Gaps", {"Ctrl+2"},
            [](App& a) { a.show_page(DrawerPage::kGaps); }},
    Command{"gap_list", Menu::kView, "Gaps one by one", {},
            [](App& a) { a.show_gaps(GapsView::kList); }},
    Command{"gap_causes", Menu::kView, "Lost time by cause", {"C"},
            [](App& a) { a.show_gaps(GapsView::kCauses); }},
    Command{"gap_operators", Menu::kView, "Lost time by operator", {"O"},
            [](App& a) { a.show_gaps(GapsView::kOperators); }},
    Command{"dead_windows", Menu::kView, "Dead windows of annotations", {},
            [](App& a) { a.show_gaps(GapsView::kDeadWindows); }},
    Command{"idle_figures", Menu::kView, "Idle figures side by side", {},
            [](App& a) { a.requests.add(ask::ExplainIdle{}); }, has_trace},
    Command{"page_report", Menu::kView, "Report", {"Ctrl+3"},
            [](App& a) { a.show_page(DrawerPage::kReport); }},
    Command{"report_right", Menu::kView, "Report at the right, full height", {},
            [](App& a) {
              a.settings.report_right = !a.settings.report_right;
              a.show_page(DrawerPage::kReport);
            },
            nullptr, [](const App& a) { return a.settings.report_right; }},
    Command{"page_job", Menu::kView, "Job: the ranks side by side, and who is late", {},
            [](App& a) { a.show_page(DrawerPage::kJob); }, has_trace},
    Command{"page_query", Menu::kView, "SQL over the trace", {"Ctrl+9"},
            [](App& a) {
              a.show_page(DrawerPage::kQuery);
              a.requests.add(ask::FocusQuery{});
            },
            has_trace},
    Command{"page_memory", Menu::kView, "Memory: who holds it, and what was live", {"Ctrl+M"},
            [](App& a) { a.show_page(DrawerPage::kMemory); }, has_trace},
    Command{"page_calls", Menu::kView, "Calls: flame graph and call tree", {"Ctrl+8", "K"},
            [](App& a) { a.show_page(DrawerPage::kCalls); }},
    Command{"calls_zoom_out", Menu::kView, "Calls: zoom out by a frame", {"Backspace"},
            [](App& a) {
              if (a.calls.tree() != nullptr) a.calls.zoom_to(a.calls.tree()->nodes[a.calls.zoomed()].parent);
            },
            [](const App& a) {
              return a.ui.drawer_open && a.ui.page == DrawerPage::kCalls && a.calls.tree() != nullptr &&
                     a.calls.zoomed() != 0;
            },
            nullptr, true, false},
    Command{"critical_path", Menu::kView, "Critical path on the timeline", {"Shift+C"},
            [](App& a) {
              a.path.is_drawn = !a.path.is_drawn;
              if (a.path.is_drawn) a.show_page(DrawerPage::kPath);
            },
            has_trace, [](const App& a) { return a.path.is_drawn; }},
    Command{"page_path", Menu::kView, "Critical path: what the end depended on", {},
            [](App& a) { a.show_page(DrawerPage::kPath); }, has_trace},
    Command{"page_what_if", Menu::kView, "What if: what would gain most", {},
            [](App& a) { a.show_page(DrawerPage::kWhatIf); }, has_trace},
    Command{"what_if_selection", Menu::kView, "What if the selection took less time\xE2\x80\xA6", {}, what_if_of_selection,
            can_ask_what_if},
    Command{"page_roofline", Menu::kView, "Roofline: bound by memory or by arithmetic", {"Shift+R"},
            [](App& a) { a.show_page(DrawerPage::kRoofline); }, has_trace},
    Command{"page_compare", Menu::kView, "Compare", {"Ctrl+4"},
            [](App& a) { a.show_page(DrawerPage::kCompare); }},
    Command{"split", Menu::kView, "Split timeline of the traces compared", {"Ctrl+Shift+S"},
            [](App& a) { a.diff.split = !a.diff.split; },
            [](const App& a) { return a.diff.has_other(); },
            [](const App& a) { return a.diff.is_split(); }},
    Command{"page_import", Menu::kView, "Import", {"Ctrl+5"},
            [](App& a) { a.show_page(DrawerPage::kImport); }},
    Command{"page_console", Menu::kView, "Console of the program", {"Ctrl+6"},
            [](App& a) { a.show_page(DrawerPage::kConsole); }, has_recording},
    Command{"page_markers", Menu::kView, "Markers", {"Ctrl+7"},
            [](App& a) { a.show_page(DrawerPage::kMarkers); }},
    Command{.id = "unit_start", .menu = Menu::kView, .name = "Times from the trace's start",
            .keys = {},
            .run = [](App& a) { a.workspace.set_time_unit(TimeUnit::kStart); },
            .is_enabled = has_trace,
            .is_checked = [](const App& a) { return a.workspace.time_unit() == TimeUnit::kStart; },
            .separator_before = true},
    Command{"unit_absolute", Menu::kView, "Times of day (UTC), or as in the file", {},
            [](App& a) { a.workspace.set_time_unit(TimeUnit::kAbsolute); }, has_trace,
            [](const App& a) { return a.workspace.time_unit() == TimeUnit::kAbsolute; }},
    Command{"unit_marker", Menu::kView, "Times from the chosen marker", {},
            [](App& a) { a.workspace.set_time_unit(TimeUnit::kMarker); },
            [](const App& a) { return has_trace(a) && !a.workspace.markers().all().empty(); },
            [](const App& a) { return a.workspace.time_unit() == TimeUnit::kMarker; }},
    Command{"unit_steps", Menu::kView, "Times in steps", {},
            [](App& a) { a.workspace.set_time_unit(TimeUnit::kSteps); }, has_steps,
            [](const App& a) { return a.workspace.time_unit() == TimeUnit::kSteps; }},
    Command{.id = "clock_files", .menu = Menu::kView, .name = "Clocks as the files say",
            .keys = {},
            .run = [](App& a) { a.use_clocks(FileClocks::kFiles); },
            .is_enabled = has_file,
            .is_checked = [](const App& a) { return a.clocks() == FileClocks::kFiles; },
            .separator_before = true},
    Command{"clock_collectives", Menu::kView, "Clocks by the ends of collectives", {},
            [](App& a) { a.use_clocks(FileClocks::kGiven); }, has_file,
            [](const App& a) { return a.clocks() == FileClocks::kGiven; }},
    Command{"clock_raw", Menu::kView, "Clocks raw: each file's own times", {},
            [](App& a) { a.use_clocks(FileClocks::kRaw); }, has_file,
            [](const App& a) { return a.clocks() == FileClocks::kRaw; }},
    Command{.id = "larger", .menu = Menu::kView, .name = "Larger text", .keys = {"Ctrl++", "Ctrl+="},
            .run = [](App& a) { a.set_ui_scale(a.settings.ui_scale * 1.1f + 0.01f); },
            .separator_before = true},
    Command{"smaller", Menu::kView, "Smaller text", {"Ctrl+-"},
            [](App& a) { a.set_ui_scale(a.settings.ui_scale / 1.1f - 0.01f); }},
    Command{"normal_size", Menu::kView, "Normal text size", {"Ctrl+0"},
            [](App& a) { a.set_ui_scale(1); }},
    Command{"light_theme", Menu::kView, "Light theme", {"Ctrl+Shift+L"},
            [](App& a) { a.set_theme(!a.settings.light_theme); }, nullptr,
            [](const App& a) { return a.settings.light_theme; }},
    Command{"fullscreen", Menu::kView, "Full screen", {"F11"},
            [](App& a) { a.requests.add(ask::ToggleFullscreen{}); }},

    // Go
    Command{"search", Menu::kGo, "Search…", {"/", "Ctrl+F"},
            [](App& a) { open_omnibox(a, OmniboxMode::kSearch); }, has_trace},
    Command{"find_track", Menu::kGo, "Go to a track…", {"Ctrl+P"},
            [](App& a) { open_omnibox(a, OmniboxMode::kTracks); }, has_trace},
    Command{"view_back", Menu::kGo, "Back to where the view was", {"Alt+Left", "MouseBack"},
            [](App& a) { a.workspace.step_view(-1); },
            [](const App& a) { return has_trace(a) && a.workspace.history().can_step(-1); }, nullptr, true},
    Command{"view_forward", Menu::kGo, "Forward again", {"Alt+Right", "MouseForward"},
            [](App& a) { a.workspace.step_view(1); },
            [](const App& a) { return has_trace(a) && a.workspace.history().can_step(1); }, nullptr, true},
    Command{.id = "next_gap", .menu = Menu::kGo, .name = "Next gap (of the chosen row)", .keys = {"N"},
            .run = [](App& a) { a.workspace.step_gap(1); }, .is_enabled = has_gaps, .repeats = true,
            .separator_before = true},
    Command{"previous_gap", Menu::kGo, "Previous gap (of the chosen row)", {"Shift+N"},
            [](App& a) { a.workspace.step_gap(-1); }, has_gaps, nullptr, true},
    Command{"longest_gap", Menu::kGo, "Longest gap of the whole GPU", {"Shift+L"},
            [](App& a) { a.workspace.go_to_longest_gap(); }, has_gaps},
    Command{.id = "steps", .menu = Menu::kGo, .name = "Select steps…", .keys = {"Ctrl+G"},
            .run = [](App& a) { a.requests.add(ask::ChooseSteps{}); }, .is_enabled = has_steps,
            .separator_before = true},
    Command{"steps_from", Menu::kGo, "Steps from…", {"Ctrl+Shift+G"},
            [](App& a) { a.requests.add(ask::ChooseStepsFrom{}); }, may_choose_steps},
    Command{"next_step", Menu::kGo, "Next step", {">"}, [](App& a) { a.workspace.step_step(1); },
            has_steps, nullptr, true},
    Command{"previous_step", Menu::kGo, "Previous step", {"<"},
            [](App& a) { a.workspace.step_step(-1); }, has_steps, nullptr, true},
    Command{.id = "next_slice", .menu = Menu::kGo, .name = "Next slice on the track",
            .keys = {".", "Right"}, .run = [](App& a) { a.workspace.step_on_track(1); },
            .is_enabled = has_selection, .repeats = true, .separator_before = true},
    Command{"previous_slice", Menu::kGo, "Previous slice on the track", {",", "Left"},
            [](App& a) { a.workspace.step_on_track(-1); }, has_selection, nullptr, true},
    Command{"parent", Menu::kGo, "Enclosing slice", {"Up"},
            [](App& a) { a.workspace.step_to_parent(); }, has_slice, nullptr, true},
    Command{"child", Menu::kGo, "First slice inside", {"Down"},
            [](App& a) { a.workspace.step_to_child(); }, has_slice, nullptr, true},
    Command{"link_forward", Menu::kGo, "To the first kernel launched inside, along a flow", {"]"},
            [](App& a) { a.workspace.follow_link(1); }, has_selection, nullptr, true},
    Command{"link_back", Menu::kGo, "Kernel to launch, back along a flow", {"["},
            [](App& a) { a.workspace.follow_link(-1); }, has_selection, nullptr, true},
    Command{"next_link", Menu::kGo, "Choose the next of several flows", {"Ctrl+]"},
            [](App& a) { a.workspace.choose_link(1); }, has_slice, nullptr, true},
    Command{"previous_link", Menu::kGo, "Choose the previous of several flows", {"Ctrl+["},
            [](App& a) { a.workspace.choose_link(-1); }, has_slice, nullptr, true},
    Command{.id = "highlight_name", .menu = Menu::kGo, .name = "Highlight all slices of this name",
            .keys = {"H"}, .run = highlight_name, .is_enabled = has_slice, .separator_before = true},
    Command{"next_occurrence", Menu::kGo, "Next slice found or highlighted", {"Enter"},
            [](App& a) { a.workspace.step_found(1); }, has_found, nullptr, true},
    Command{"previous_occurrence", Menu::kGo, "Previous slice found or highlighted", {"Shift+Enter"},
            [](App& a) { a.workspace.step_found(-1); }, has_found, nullptr, true},

    // Markers
    Command{.id = "mark", .menu = Menu::kGo, .name = "Show the selected span for the time being",
            .keys = {"M"}, .run = [](App& a) { a.workspace.mark_temporarily(); },
            .is_enabled = has_trace, .separator_before = true},
    Command{"add_marker", Menu::kGo, "Add a marker: the selection, else where the mouse is", {"Shift+M"},
            [](App& a) {
              const std::uint32_t added = a.workspace.add_marker();
              if (added == 0) return;
              a.requests.add(ask::EditNote{added});
              a.show_page(DrawerPage::kMarkers);
            },
            has_trace},
    Command{"remove_marker", Menu::kGo, "Remove the chosen marker", {"Delete"},
            [](App& a) { a.workspace.remove_chosen_marker(); },
            [](const App& a) { return a.workspace.markers().chosen() != 0; }},

    // Help
    Command{"palette", Menu::kHelp, "Find a command…", {"Ctrl+Shift+P"},
            [](App& a) { open_omnibox(a, OmniboxMode::kCommands); }},
    Command{"shortcuts", Menu::kHelp, "Keys and mouse", {"?", "F1"},
            [](App& a) { a.ui.shortcuts_open = !a.ui.shortcuts_open; }},
    Command{"menus", Menu::kHelp, "Menus by keyboard (a press of Alt alone, too)", {"F10"},
            [](App& a) { a.requests.add(ask::OpenMenu{}); }, nullptr, nullptr, false, false},
    Command{"glossary", Menu::kHelp, "Glossary: what the words mean", {},
            [](App& a) { a.ui.glossary_open = !a.ui.glossary_open; }, nullptr,
            [](const App& a) { return a.ui.glossary_open; }},
    Command{"tour", Menu::kHelp, "Example trace, with a tour", {}, [](App& a) { open_example(a, true); }},
    Command{"about", Menu::kHelp, "About Lacuna", {}, [](App& a) { a.ui.about_open = true; }},

    // Mouse: described in the sheet only.
    Command{"mouse_select", Menu::kMouse, "Select a slice or a gap", {"Click"}},
    Command{"mouse_menu", Menu::kMouse, "Copy, highlight or zoom to a slice", {"Right-click"}},
    Command{"mouse_zoom_to", Menu::kMouse, "Zoom to a slice", {"Double-click"}},
    Command{"mouse_range", Menu::kMouse, "Select a range", {"Drag"}},
    Command{"mouse_pan", Menu::kMouse, "Pan", {"Shift+Drag", "Right-drag"}},
    Command{"mouse_zoom_range", Menu::kMouse, "Zoom to a range", {"Middle-drag"}},
    Command{"mouse_zoom", Menu::kMouse, "Zoom at the mouse", {"Ctrl+Wheel"}},
    Command{"mouse_scroll", Menu::kMouse, "Scroll", {"Wheel"}},
    Command{"mouse_pan_wheel", Menu::kMouse, "Pan sideways", {"Shift+Wheel"}},
    Command{"mouse_collapse", Menu::kMouse, "Collapse a track", {"Click title"}},
    Command{"mouse_move_track", Menu::kMouse, "Move a track or a pin", {"Drag title"}},
    Command{"mouse_minimap", Menu::kMouse, "Go there, move the part shown", {"Click, drag minimap"}},
    Command{"mouse_count", Menu::kMouse, "Count only some tracks in the statistics", {"Right-click title"}},
    Command{"mouse_row", Menu::kMouse, "Zoom to the next place of a table's row", {"Double-click row"}},
    Command{"mouse_row_menu", Menu::kMouse, "Copy a row, filter by it, go to its places", {"Right-click row"}},
    Command{"mouse_columns", Menu::kMouse, "Choose the columns of a table", {"Right-click header"}},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace lacuna
