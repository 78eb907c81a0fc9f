// What the name of a kernel says, and what else there is to say of a slice.

#include "app/gui/panels/details/details_panel.h"
#include "app/gui/panels/widgets/widgets.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostOfFullName = 4000;

}  // namespace

void draw_kernel_sentence(const UiContext& ui, const KernelName& kernel) {
  ui.observed.kernel_sentence = kernel.sentence;
  ImGui::PushTextWrapPos(0);
  text(kernel.sentence);
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
}

void draw_slice_notes(UiContext& ui, std::span<const SliceNote> notes) {
  int id = 0;
  for (const SliceNote& note : notes) {
    ui.observed.notes.push_back(note.text);
    ImGui::PushID(++id);
    ImGui::PushTextWrapPos(0);
    text(note.text);
    ImGui::PopTextWrapPos();
    if (note.place.valid()) {
      slice_link(ui, note.place, 0);
      note_place(ui, ("note_" + std::string(note.key)).c_str());
    }
    ImGui::PopID();
  }
  if (!notes.empty()) ImGui::Spacing();
}

void draw_kernel_class(const UiContext& ui, KernelClass of) {
  begin_fact_row(ui, "Class");
  colour_swatch(ui, ui.palette.of_class(of).fill);
  ImGui::SameLine(0, ui.px(6));
  text(kernel_class_name(of));
  tooltip(kernel_class_definition(of));
}

void draw_kernel_facts(const UiContext& ui, const KernelName& kernel, std::string_view name) {
  section(ui, "What its name says");
  if (begin_facts(ui, "kernel_name")) {
    for (std::size_t f = 0; f < kKernelFactCount; ++f) {
      const auto fact = static_cast<KernelFact>(f);
      if (kernel[fact].empty()) continue;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      muted_text(ui, kernel_fact_label(fact));
      tooltip(kernel_fact_help(fact));
      ImGui::TableNextColumn();
      ImGui::PushTextWrapPos(0);
      text(kernel[fact]);
      ImGui::PopTextWrapPos();
    }
    end_facts();
  }
  if (kernel.title == name) return;
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(ui.theme.muted));
  const bool is_open =
      ImGui::TreeNodeEx("Full name", ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth);
  ImGui::PopStyleColor();
  note_place(ui, "full_name");
  if (!is_open) return;
  ImGui::PushTextWrapPos(0);
  text(name.substr(0, kMostOfFullName));
  ImGui::PopTextWrapPos();
}

}  // namespace lacuna
