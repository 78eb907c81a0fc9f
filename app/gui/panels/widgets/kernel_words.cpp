#include "app/gui/panels/widgets/kernel_words.h"

#include <array>
#include <cstddef>
#include <string>

#include "app/gui/panels/widgets/widgets.h"
#include "render/paint/short_name.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostOfName = 600;  // names can have thousands of characters
constexpr std::size_t kMostBeside = 240;  // where what it means is said already
constexpr float kKernelTooltipPx = 520;

}  // namespace

const KernelName& read_kernel(std::string_view name) {
  struct Kept {
    std::string text;
    KernelName read;
  };
  static std::array<Kept, 128> kept;  // more than a table shows
  static std::size_t next = 0;
  for (const Kept& one : kept)
    if (one.text == name) return one.read;
  Kept& oldest = kept[next++ % kept.size()];
  oldest = {std::string(name), read_kernel_name(name)};
  return oldest.read;
}

std::string_view uncut_title(std::string_view name, std::string_view title) {
  constexpr std::string_view kCut = "\xE2\x80\xA6";
  if (!title.ends_with(kCut)) return title;
  const std::size_t at = name.find(title.substr(0, title.size() - kCut.size()));
  if (at == name.npos) return title;
  const std::string_view from = name.substr(at);
  return from.substr(0, from.find_first_of("<( ,"));
}

bool tooltip_name(const UiContext& ui, std::string_view name, CategoryClass category) {
  if (category == CategoryClass::kKernel) {
    if (const KernelName& read = read_kernel(name); read.is_known()) {
      push_font(ui.fonts.strong, ui.fonts.strong_px);
      text(read.title);
      ImGui::PopFont();
      text(read.sentence);
      return read.title != name;
    }
  }
  text(name.substr(0, kMostOfName));
  return false;
}

void tooltip_full_name(const UiContext& ui, std::string_view name) {
  ImGui::Spacing();
  std::string cut(name.substr(0, kMostBeside));
  if (cut.size() < name.size()) cut += "\xE2\x80\xA6";
  muted_text(ui, cut);
}

void fitted_kernel_name(const UiContext& ui, std::string_view name, CategoryClass category) {
  if (category != CategoryClass::kKernel) return fitted_name(ui, name);
  const float room = ImGui::GetContentRegionAvail().x;
  ImFont* font = ImGui::GetFont();
  const float size = ImGui::GetFontSize();
  std::string_view shown = name;
  if (fit_text(font, size, name, room).elided) {
    const KernelName& read = read_kernel(name);
    shown = read.is_known() ? uncut_title(name, read.title) : short_name(name);
  }
  draw_text(*ImGui::GetWindowDrawList(), font, size, ImGui::GetCursorScreenPos(), to_imgui(ui.theme.text), shown, room);
  ImGui::Dummy({room < 1 ? 1 : room, size});  // all of the cell explains
  if (!ImGui::IsItemHovered()) return;
  begin_tooltip(ui, kKernelTooltipPx);
  if (tooltip_name(ui, name, category)) tooltip_full_name(ui, name);
  end_tooltip();
}

}  // namespace lacuna
