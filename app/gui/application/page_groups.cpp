#include "app/gui/application/page_groups.h"

#include <algorithm>
#include <array>

namespace lacuna {
namespace {

constexpr std::array kWhy = {
    PageEntry{DrawerPage::kReport, "Report", "What limits the speed, how sure that is, and what to do about it first."},
    PageEntry{DrawerPage::kGaps, "Idle GPU", "When the GPU had nothing to do, for how long, and what kept it waiting."},
    PageEntry{DrawerPage::kPath, "Critical path",
              "Which work the end waited for. Only what lies on this path can make the run shorter."},
    PageEntry{DrawerPage::kWhatIf, "What if",
              "What a change would gain: kernels in half the time, no copies, a faster CPU."},
    PageEntry{DrawerPage::kJob, "Ranks",
              "The ranks of the job side by side: which one is late, and who waits for it."}};
constexpr std::array kWhat = {
    PageEntry{DrawerPage::kStatistics, "Time by name",
              "How often each operator, kernel and function ran, and how long it took."},
    PageEntry{DrawerPage::kCalls, "Call tree",
              "Who calls what, as a flame graph or a tree, with the GPU time behind it."},
    PageEntry{DrawerPage::kRoofline, "Roofline",
              "Which operators wait for memory, which for arithmetic, and how close each is to the GPU's peaks."},
    PageEntry{DrawerPage::kCompare, "Compare", "What became faster and what slower between two traces."}};
constexpr std::array kMemory = {PageEntry{DrawerPage::kMemory, "Memory",
                                          "How much memory was in use, who held it, and what was live at the peak."}};
constexpr std::array kSql = {
    PageEntry{DrawerPage::kQuery, "SQL", "Any question, as a query over slices, gaps and steps."}};
constexpr std::array kMore = {
    PageEntry{DrawerPage::kMarkers, "Markers", "Places that you marked, with your notes."},
    PageEntry{DrawerPage::kConsole, "Console", "The output of the recorded program."},
    PageEntry{DrawerPage::kImport, "Import notes", "What the import repaired, and what it could not show."}};

constexpr std::array kGroups = {
    PageGroup{"Why", "Why it takes that long: what limits the speed, and where the GPU waits.", kWhy},
    PageGroup{"What", "What ran, how often and for how long.", kWhat},
    PageGroup{"Memory", "Who holds GPU memory, and when.", kMemory},
    PageGroup{"SQL", "Questions of your own, as queries.", kSql},
    PageGroup{"More", "Markers, the program's console, notes of the import.", kMore}};

}  // namespace

std::span<const PageGroup> page_groups() {
  return kGroups;
}

const PageGroup& group_of(DrawerPage page) {
  for (const PageGroup& group : kGroups)
    if (std::ranges::find(group.pages, page, &PageEntry::page) != group.pages.end()) return group;
  return kGroups.front();
}

std::string_view page_key(DrawerPage page) {
  switch (page) {
    case DrawerPage::kStatistics:
      return "statistics";
    case DrawerPage::kGaps:
      return "gaps";
    case DrawerPage::kReport:
      return "report";
    case DrawerPage::kCompare:
      return "compare";
    case DrawerPage::kImport:
      return "import";
    case DrawerPage::kConsole:
      return "console";
    case DrawerPage::kMarkers:
      return "markers";
    case DrawerPage::kCalls:
      return "calls";
    case DrawerPage::kJob:
      return "job";
    case DrawerPage::kQuery:
      return "query";
    case DrawerPage::kMemory:
      return "memory";
    case DrawerPage::kPath:
      return "path";
    case DrawerPage::kWhatIf:
      return "what-if";
    case DrawerPage::kRoofline:
      return "roofline";
  }
  return {};
}

std::optional<DrawerPage> page_of_key(std::string_view key) {
  for (const PageGroup& group : page_groups())
    for (const PageEntry& entry : group.pages)
      if (page_key(entry.page) == key) return entry.page;
  return std::nullopt;
}

}  // namespace lacuna
