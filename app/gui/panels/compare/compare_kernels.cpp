// The kernels of both sides that did the same work: a list, and the chosen pair decoded side by side.

#include <algorithm>

#include "app/gui/panels/compare/compare_panel.h"
#include "app/gui/panels/widgets/kernel_words.h"
#include "app/gui/panels/widgets/widgets.h"
#include "app/tables/diff_summary.h"

namespace lacuna {
namespace {

constexpr float kLeastListPx = 300;
constexpr float kLeastPairPx = 320;
constexpr float kShareOfList = 0.5f;

const std::vector<TableColumn>& pair_columns() {
  static const std::vector<TableColumn> kColumns = {{.title = "Operator", .weight = 1.1f, .can_sort = false},
                                                    {.title = "What differs", .can_sort = false},
                                                    {.title = "Total A", .sample = "123.4 ms", .can_sort = false},
                                                    {.title = "Total B", .sample = "123.4 ms", .can_sort = false}};
  return kColumns;
}

/// The name of one side's kernel as a link to its longest run.
bool kernel_link(UiContext& ui, const PairedKernel& kernel, const char* place) {
  if (!kernel.is_there()) {
    muted_text(ui, "none like it");
    return false;
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(place);
  const float room = ImGui::GetContentRegionAvail().x;
  const bool is_pressed = ImGui::InvisibleButton("##kernel", {room < 1 ? 1 : room, ImGui::GetTextLineHeight()});
  const bool is_hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  note_place(ui, place);
  if (is_hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImGui::SetCursorScreenPos(at);
  fitted_kernel_name(ui, kernel.name, CategoryClass::kKernel);
  return is_pressed;
}

}  // namespace

void ComparePanel::kernels(UiContext& ui) {
  view_.update();
  if (view_.diff()->kernels.empty()) return muted_text(ui, "Neither trace has kernels in its measured window.");
  if (view_.kernels().empty()) return muted_text(ui, "No kernel matches the filter.");
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float list = std::max(ui.px(kLeastListPx), std::min(room.x * kShareOfList, room.x - ui.px(kLeastPairPx)));
  kernel_list(ui, list);
  ImGui::SameLine(0, ui.px(10));
  if (ImGui::BeginChild("pair", {0, 0})) chosen_kernels(ui);
  ImGui::EndChild();
}

void ComparePanel::kernel_list(UiContext& ui, float width) {
  const TraceDiff& diff = *view_.diff();
  const std::vector<TableColumn>& looks = pair_columns();
  if (!ImGui::BeginTable("kernel_pairs", static_cast<int>(looks.size()),
                         (kDrawerTable & ~ImGuiTableFlags_Sortable) | ImGuiTableFlags_Hideable, {width, 0}))
    return;
  table_headers(ui, "kernel_pairs", looks);
  for_each_row_in_view(view_.kernels().size(), [&](std::size_t i) {
    const std::uint32_t index = view_.kernels()[i];
    const KernelPair& pair = diff.kernels[index];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (ImGui::Selectable("##pair", view_.chosen_kernels() == index, ImGuiSelectableFlags_SpanAllColumns)) {
      view_.choose_kernels(index);
      show_both(ui, pair.a.longest, pair.b.longest);
    }
    note_place(ui, ("pair " + kernel_pair_operators(pair)).c_str());
    ImGui::SameLine(0, 0);
    colour_swatch(ui, ui.palette.of_class(pair.kernel_class).fill);
    ImGui::SameLine(0, ui.px(6));
    fitted_text(ui, kernel_pair_operators(pair));
    ImGui::TableNextColumn();
    fitted_text(ui, kernel_pair_difference(pair), 0, pair.is_same());
    const double a = static_cast<double>(pair.a.total) / diff.steps_a;
    const double b = static_cast<double>(pair.b.total) / diff.steps_b;
    const auto shown = [](const PairedKernel& kernel, double total) {
      return kernel.is_there() ? rounded_duration(total) : "\xE2\x80\x93";
    };
    const std::string texts[] = {shown(pair.a, a), shown(pair.b, b)};
    for (std::size_t c = 0; c < 2; ++c)
      if (ImGui::TableNextColumn())
        explained_number(ui, "kernel_pairs", looks[c + 2], texts[c], texts[c], pair.is_same());
  });
  ImGui::EndTable();
}

void ComparePanel::chosen_kernels(UiContext& ui) {
  if (!view_.chosen_kernels()) return;
  const KernelPair& pair = view_.diff()->kernels[*view_.chosen_kernels()];
  ImGui::PushTextWrapPos(0);
  // The table says the rest.
  text(pair.has_both() && !pair.is_same() ? "Not the same kernel. Different: " + kernel_pair_difference(pair) + "."
                                          : kernel_pair_sentence(pair));
  ImGui::PopTextWrapPos();
  tooltip(kernel_pair_sentence(pair));
  ImGui::Spacing();
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable("pair_facts", 3, kFlags)) return;
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, ui.px(130));
  ImGui::TableSetupColumn("A", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("B", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  muted_text(ui, "Kernel");
  ImGui::TableNextColumn();
  if (kernel_link(ui, pair.a, "kernel_a")) go_to(ui, pair.a.longest, {});
  ImGui::TableNextColumn();
  if (kernel_link(ui, pair.b, "kernel_b")) go_to(ui, {}, pair.b.longest);
  // By value: reading the second name may give up the first.
  const KernelName a = read_kernel(pair.a.name), b = read_kernel(pair.b.name);
  std::vector<KernelFactPair> facts = compare_kernel_names(a, b);
  if (pair.has_both()) std::ranges::stable_partition(facts, &KernelFactPair::differs);
  for (const KernelFactPair& fact : facts) {
    const bool is_marked = pair.has_both() && fact.differs();
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (is_marked)
      coloured_text(ui.theme.accent, std::string(kernel_fact_label(fact.fact)) + " \xE2\x89\xA0");
    else
      muted_text(ui, kernel_fact_label(fact.fact));
    tooltip(kernel_fact_help(fact.fact));
    for (const std::string* value : {&fact.a, &fact.b}) {
      ImGui::TableNextColumn();
      ImGui::PushTextWrapPos(0);
      if (value->empty())
        muted_text(ui, "\xE2\x80\x93");
      else if (is_marked)
        text(*value);
      else
        muted_text(ui, *value);
      ImGui::PopTextWrapPos();
    }
  }
  ImGui::EndTable();
}

}  // namespace lacuna
