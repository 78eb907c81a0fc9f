#include "app/gui/panels/widgets/what_if_item.h"

#include <string>

#include "app/gui/panels/widgets/widgets.h"

namespace lacuna {
namespace {

void what_if_item(UiContext& ui, const char* label, ask::WhatIfAbout about, std::string_view what) {
  if (ImGui::MenuItem(label, nullptr, false, !what.empty() && ui.workspace().document()->is_answerable())) {
    ui.requests.add(ask::TryWhatIf{about, std::string(what)});
    ui.show_page(DrawerPage::kWhatIf);
  }
  note_place(ui, "what_if_item");
}

}  // namespace

void what_if_faster_item(UiContext& ui, std::string_view name) {
  what_if_item(ui, "What if it took less time\xE2\x80\xA6", ask::WhatIfAbout::kName, name);
}

void what_if_no_gaps_item(UiContext& ui, std::string_view name) {
  what_if_item(ui, "What if it left no gaps\xE2\x80\xA6", ask::WhatIfAbout::kGapsOf, name);
}

void what_if_no_cause_item(UiContext& ui, GapCause cause) {
  what_if_item(ui, "What if this cause were gone\xE2\x80\xA6", ask::WhatIfAbout::kCause, cause_key(cause));
}

}  // namespace lacuna
