// Details of the GPU work behind a slice or a row: what an operator launched, what launched a kernel.

#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "app/gui/panels/details/details_panel.h"
#include "app/gui/panels/widgets/table_parts.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/causes/known_names.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kFewWorkRows = 10;
constexpr std::size_t kMostStackRows = 200;

/// Rows of GPU work: name, count, time. The name leads to the first slice of the row.
void work_table(UiContext& ui, const char* id, const char* title, const std::vector<WorkRow>& rows) {
  static const TableColumn kCount{.title = "Count", .sample = "12,345", .can_sort = false};
  static const TableColumn kTime{.title = "GPU time", .sample = "1,234 ms", .can_sort = false};
  if (rows.empty()) return;
  const Trace& trace = ui.workspace().trace();
  ImGui::PushID(id);
  bool* shows_all = ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("shows_all"), false);
  const bool is_long = rows.size() > kFewWorkRows + 2;  // two rows are not worth hiding
  const std::size_t shown = is_long && !*shows_all ? kFewWorkRows : rows.size();
  constexpr ImGuiTableFlags kWorkFlags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
  if (ImGui::BeginTable("work", 3, kWorkFlags)) {
    table_headers(ui, "work", std::vector<TableColumn>{{.title = title, .can_sort = false}, kCount, kTime});
    for (std::size_t i = 0; i < shown; ++i) {
      const WorkRow& row = rows[i];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      colour_swatch(ui, ui.palette.slice(trace.text(row.name), trace.category_class(row.category)));
      ImGui::SameLine(0, ui.px(6));
      slice_link(ui, row.first, static_cast<int>(i));
      if (i == 0) note_place(ui, id);
      ImGui::TableNextColumn();
      explained_number(ui, "work", kCount, format_count(row.count), format_count(row.count));
      ImGui::TableNextColumn();
      explained_number(ui, "work", kTime, format_duration(row.time), format_duration_exact(row.time));
    }
    ImGui::EndTable();
  }
  if (is_long) {
    const std::string label = *shows_all ? "Show fewer" : fmt::format("Show all {}", format_count(rows.size()));
    if (link(ui, label.c_str())) *shows_all = !*shows_all;
  }
  ImGui::PopID();
}

/// What a slice of a stack is, in a word.
std::string_view frame_kind(const Trace& trace, SliceId slice) {
  switch (trace.category_class(slice)) {
    case CategoryClass::kCpuOperator:
      return is_annotation_name(trace.name(slice)) ? "Annotation" : "Operator";
    case CategoryClass::kRuntime:
      return "Call";
    case CategoryClass::kCpuAnnotation:
      return "Annotation";
    case CategoryClass::kPythonFunction:
      return is_module_frame(trace.name(slice)) ? "Module" : "Python";
    default:
      return trace.category_name(trace.lane(slice).category(slice.index));
  }
}

}  // namespace

void draw_launched_work(UiContext& ui, const LaunchedWorkView& view, std::string_view of_what) {
  const std::shared_ptr<const LaunchedWorkView::Answer> answer = view.answer();
  if (answer == nullptr) {
    if (view.is_computing()) muted_text(ui, "Looking for its GPU work\xE2\x80\xA6");
    return;
  }
  const LaunchedWork& work = answer->work;
  if (work.count > 0) {
    section(ui, fmt::format("GPU work launched {}", of_what));
    text(fmt::format("{}, {}", counted(work.count, "activity"), format_duration(work.time)));
    tooltip(column_definition("work", "GPU time"));
    ImGui::SameLine(0, ui.px(4));
    if (link(ui, "First")) ui.workspace().go_to(work.first);
    note_place(ui, "first_work");
    tooltip(with_key(ui, "The activity that starts first", "link_forward"));
    if (of_what.ends_with("this thread")) {
      ImGui::PushTextWrapPos(0);
      muted_text(ui, "What the autograd thread launched for it (backward) is counted there.");
      ImGui::PopTextWrapPos();
    }
    work_table(ui, "work_kernels", "Kernel, copy or set", work.kernels);
  }
  const LaunchSites& sites = answer->sites;
  if (sites.count < 2) return;  // one activity has a stack
  section(ui, fmt::format("Launched by, {}", of_what));
  if (sites.unlinked > 0)
    muted_text(ui, fmt::format("{} of {} have no launch in the file", format_count(sites.unlinked),
                               format_count(sites.count)));
  if (sites.unattributed > 0)
    muted_text(
        ui, fmt::format("{} of {} are nodes of CUDA graphs; the trace does not tell which code was captured for them",
                        format_count(sites.unattributed), format_count(sites.count)));
  work_table(ui, "work_operators", "Operator", sites.operators);
  work_table(ui, "work_modules", "Module", sites.modules);
  work_table(ui, "work_frames", "Python frame", sites.frames);
}

void draw_stack(UiContext& ui, SliceId activity, const LaunchedWorkView& work) {
  const Trace& trace = ui.workspace().trace();
  // What graphs were captured in is known a moment later.
  const std::shared_ptr<const LaunchedWorkView::Answer> answer = work.answer();
  const std::vector<SliceId> stack = answer && !answer->stack.empty() ? answer->stack : stack_above(trace, activity);
  if (stack.empty()) return;
  section(ui, "Stack above its launch, innermost first");
  if (!begin_facts(ui, "stack")) return;
  std::string_view kind_before;
  for (std::size_t i = 0; i < std::min(stack.size(), kMostStackRows); ++i) {
    const std::string_view kind = frame_kind(trace, stack[i]);
    begin_fact_row(ui, kind == kind_before ? "" : kind);
    kind_before = kind;
    colour_swatch(ui, ui.palette.slice(trace.name(stack[i]), trace.category_class(stack[i])));
    ImGui::SameLine(0, ui.px(6));
    slice_link(ui, stack[i], static_cast<int>(i));
    if (i == 1) note_place(ui, "stack_second");
  }
  if (stack.size() > kMostStackRows) {
    begin_fact_row(ui, "");
    muted_text(ui, fmt::format("and {} more around them", format_count(stack.size() - kMostStackRows)));
  }
  end_facts();
}

}  // namespace lacuna
