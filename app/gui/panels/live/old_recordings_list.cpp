#include "app/gui/panels/live/old_recordings_list.h"

#include <optional>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/gui/panels/widgets/widgets.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostShown = 5;

}  // namespace

void draw_old_recordings(UiContext& ui, std::vector<OldRecording>& found, float width,
                         const std::function<void(const OldRecording&)>& open) {
  if (found.empty()) return;
  ImGui::Dummy({width, ui.px(8)});
  push_font(ui.fonts.strong, ui.fonts.strong_px);
  muted_text(ui, found.size() == 1 ? "A recording was left unsaved" : "Recordings were left unsaved");
  ImGui::PopFont();
  std::optional<std::size_t> opened, deleted;
  for (std::size_t i = 0; i < found.size() && i < kMostShown; ++i) {
    ImGui::PushID(static_cast<int>(i));
    ImGui::AlignTextToFramePadding();
    fitted_text(ui,
                fmt::format("{:%d %b %H:%M}, {}: {}", fmt::localtime(found[i].began), format_bytes(found[i].bytes),
                            found[i].command.empty() ? found[i].name() : found[i].command),
                width - ui.px(150));
    ImGui::SameLine(width - ui.px(130));
    if (ImGui::Button("Open")) opened = i;
    if (i == 0) note_place(ui, "old_open");
    ImGui::SameLine(0, ui.px(6));
    if (ImGui::Button("Delete")) deleted = i;
    if (i == 0) note_place(ui, "old_delete");
    tooltip("For good: what was recorded is gone then.");
    ImGui::PopID();
  }
  if (found.size() > kMostShown)
    muted_text(ui, fmt::format("and {} more: lacuna recordings", format_count(found.size() - kMostShown)));
  if (opened) open(found[*opened]);
  if (deleted) {
    if (Result<void> gone = delete_old_recording(found[*deleted]); !gone) {
      ui.show_error(gone.error().message());
    } else {
      found.erase(found.begin() + static_cast<std::ptrdiff_t>(*deleted));
    }
  }
}

}  // namespace lacuna
