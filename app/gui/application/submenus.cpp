// Which commands share a submenu.

#include <algorithm>
#include <array>

#include "app/gui/application/commands.h"

namespace lacuna {
namespace {

using Id = std::string_view;

constexpr std::array kOnTimeline = {Id("gaps_shown"),  Id("hide_short_gaps"), Id("fold_time"),    Id("queue_depth"),
                                    Id("allocations"), Id("all_flows"),       Id("critical_path")};
constexpr std::array kOfTracks = {Id("gpu_first"),    Id("gpu_stays"), Id("squeeze_frames"),
                                  Id("collapse_all"), Id("pin_track"), Id("show_all_tracks")};
constexpr std::array kOfSlices = {Id("hide_name"), Id("hide_category"), Id("undo_hiding"), Id("show_hidden_slices")};
constexpr std::array kPages = {Id("page_statistics"), Id("torch_table"),   Id("page_gaps"),    Id("gap_list"),
                               Id("gap_causes"),      Id("gap_operators"), Id("dead_windows"), Id("idle_figures"),
                               Id("page_report"),     Id("page_job"),      Id("page_query"),   Id("page_calls"),
                               Id("page_memory"),     Id("page_path"),     Id("page_what_if"), Id("what_if_selection"),
                               Id("page_roofline"),   Id("page_compare"),  Id("page_import"),  Id("page_console"),
                               Id("page_markers")};
constexpr std::array kTimes = {Id("unit_start"),  Id("unit_absolute"),     Id("unit_marker"), Id("unit_steps"),
                               Id("clock_files"), Id("clock_collectives"), Id("clock_raw")};
constexpr std::array kLook = {Id("larger"),          Id("smaller"),  Id("normal_size"), Id("light_theme"),
                              Id("colour_by_class"), Id("headline"), Id("fullscreen")};

constexpr std::array kSubmenus = {Submenu{"Gaps, flows, path", kOnTimeline},
                                  Submenu{"Tracks", kOfTracks},
                                  Submenu{"Hidden slices", kOfSlices},
                                  Submenu{"Pages", kPages},
                                  Submenu{"Times", kTimes},
                                  Submenu{"Look", kLook}};

}  // namespace

std::span<const Submenu> submenus() {
  return kSubmenus;
}

const Submenu* submenu_of(const Command& command) {
  for (const Submenu& submenu : kSubmenus)
    if (std::ranges::find(submenu.ids, command.id) != submenu.ids.end()) return &submenu;
  return nullptr;
}

}  // namespace lacuna
