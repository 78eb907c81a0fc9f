#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/panels/ui_context.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "capture/remote/remote_page.h"
#include "capture/remote/remote_questions.h"

namespace lacuna {

/// The gaps page: the list of idle gaps; lost time by cause or by operator, with the places of each
/// row; dead windows of annotations. UI thread.
class GapsPanel {
 public:
  void draw(UiContext& ui);

 private:
  void toolbar(UiContext& ui);
  void facts(UiContext& ui);
  void list(UiContext& ui);
  void list_table(UiContext& ui, ImVec2 size);
  /// Begins the table of single gaps, of here or of elsewhere, and takes over the order that the user chose. Returns
  /// whether ImGui::EndTable() is to follow.
  bool begin_list(UiContext& ui, ImVec2 size);
  /// Draws the line below a table: what the threshold leaves out, and a link to the other idle figures.
  void left_out(UiContext& ui, const GapSum& counted_gaps, const GapSum& shorter);
  static float footer_px(const UiContext& ui);
  void row(UiContext& ui, GapRef ref);
  void copy(UiContext& ui, CopyFormat format);

  // In remote_gaps.cpp.
  /// Draws the gaps of a trace seen from another machine, as that machine reported them.
  void draw_remote(UiContext& ui);
  void remote_table(UiContext& ui, ImVec2 size);
  void remote_row(UiContext& ui, const RemoteGap& gap);
  /// What is asked for the view that is shown: a table of idle time.
  static AskedPage asked_ranking(const UiContext& ui);
  void remote_ranking(UiContext& ui);
  static void remote_ranking_table(UiContext& ui, const ReportTable& table, ImVec2 size);
  void copy_remote(UiContext& ui, CopyFormat format);

  // In rankings_panel.cpp.
  void rankings(UiContext& ui);
  void cause_rows(UiContext& ui, const GapRankings& rankings);
  void cause_menu(UiContext& ui, const CauseRow& row);
  void operator_rows(UiContext& ui, const GapRankings& rankings);
  void places(UiContext& ui, const std::vector<BlamedPlace>& places);
  void choose(UiContext& ui, const std::vector<BlamedPlace>& places);
  static CopiedTable copied_causes(const GapRankings& rankings, CopyFormat format);
  static CopiedTable copied_operators(const Trace& trace, const GapRankings& rankings, CopyFormat format);

  // In dead_windows_panel.cpp.
  void dead_windows(UiContext& ui);
  void dead_instances(UiContext& ui, const DeadWindowGroup& group);

  /// Identifies a gap of a recording while its index changes.
  struct SelectedGap {
    TrackId track;
    Nanos start = 0;
    bool operator==(const SelectedGap&) const = default;
  };
  static SelectedGap selected_gap(const Workspace& workspace);
  SelectedGap last_selected_;  ///< for scrolling to a selection made elsewhere
  // The row of a ranking whose places are shown.
  std::optional<GapCause> chosen_cause_;
  std::optional<std::pair<CpuLevel, StringId>> chosen_operator_;
  StringId chosen_annotation_;
  std::shared_ptr<const RemotePage> remote_ranking_;  ///< the one told last
};

/// The columns of the list.
struct GapPageColumn {
  GapColumn sort;
  TableColumn look;
};
const std::array<GapPageColumn, 8>& gap_columns();
std::vector<TableColumn> gap_looks();
/// Returns the total of all gaps of the minimum length, as the other machine reported it.
GapSum remote_gaps(const Document& document);
/// Returns "GPU 0 stream 7".
std::string remote_stream_text(const Document& document, TrackId track);

/// Returns the step of `t`, such as "#12"; "between" if there are steps, but none at `t`.
std::string step_of(const Workspace& workspace, Nanos t);

/// Draws a square in the colour and hatching of a cause.
void cause_swatch(const UiContext& ui, GapCause cause);
/// Draws swatch and name, with the definition as tooltip.
void cause_text(const UiContext& ui, GapCause cause);

}  // namespace lacuna
