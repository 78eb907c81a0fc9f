#include "app/gui/panels/memory/memory_page.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/widgets/widgets.h"
#include "model/memory/out_of_memory.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr float kChartPart = 0.36f;
constexpr float kMainChartPart = 0.5f;
constexpr float kLegendPx = 170;
constexpr float kWideLegendPx = 250;

struct ViewName {
  MemoryShows shows;
  const char* label;
  const char* place;
  const char* help;
  bool of_snapshot;
  bool of_pieces;
  bool of_all = false;  ///< needs each allocation with its stack
};
constexpr std::array kMemoryViews = {
    ViewName{MemoryShows::kHolders, "Holders", "memory_holders", "Who holds how much over time.", false, false},
    ViewName{MemoryShows::kAllocations, "Allocations", "memory_allocations",
             "Each allocation is a band from its alloc to its free; the smallest ones are drawn together.", false,
             true},
    ViewName{MemoryShows::kSegments, "Segments", "memory_segments",
             "Memory taken from the driver: each segment is a band over the time in which the allocator held it.", true,
             true},
    ViewName{MemoryShows::kAllocator, "Allocator", "memory_allocator",
             "Segments and their blocks at the chosen moment.", true, true},
    ViewName{MemoryShows::kFragmentation, "Fragmentation", "memory_fragmentation",
             "Reserved, allocated and the largest free range over the history.", true, true},
    ViewName{MemoryShows::kFlames, "Flames", "memory_flames",
             "Who allocated what is held at the chosen moment, by stack; or what changed since another moment.", false,
             true, true},
    ViewName{MemoryShows::kCheckpointing, "Checkpointing", "memory_checkpointing",
             "What activation checkpointing would free at the chosen moment, by module.", false, true, true},
    ViewName{MemoryShows::kFindings, "Findings", "memory_findings", "Why memory ran out, and what grows.", true, true},
    ViewName{MemoryShows::kCompare, "Compare", "memory_compare", "What the other trace holds more or less.", false,
             false}};

struct GroupName {
  HolderGroup by;
  const char* label;
  const char* place;
  const char* help;
};
constexpr std::array kGroupNames = {
    GroupName{HolderGroup::kCategory, "Category", "memory_by_category",
              "Parameter, gradient, activation …: guessed from what allocated and what freed it."},
    GroupName{HolderGroup::kOperator, "Operator", "memory_by_operator", "The innermost operator that allocated."},
    GroupName{HolderGroup::kModule, "Module", "memory_by_module", "The innermost nn.Module around it."},
    GroupName{HolderGroup::kPhase, "Phase", "memory_by_phase",
              "What the program did then: construction, forward, backward, optimizer, data loading."},
    GroupName{HolderGroup::kFrame, "Frame", "memory_by_frame",
              "The innermost Python frame outside PyTorch's own files."}};

/// Of a history that tells sums only.
const std::vector<TableColumn>& category_columns() {
  static const std::vector<TableColumn> all = {
      {.title = "Size", .sample = "123.45 MiB", .unit = "B", .can_sort = false},
      {.title = "Own peak", .sample = "123.45 MiB", .unit = "B", .can_sort = false},
      {.title = "Category", .can_sort = false}};
  return all;
}

const std::vector<TableColumn>& live_columns() {
  static const std::vector<TableColumn> all = {
      {.title = "Size", .sample = "123.45 MiB", .unit = "B", .sorted_at_first = true},
      {.title = "Allocated by"},
      {.title = "Allocated", .sample = "123.4 ms", .unit = "ns"},
      {.title = "Freed", .sample = "123.4 ms", .unit = "ns"},
      {.title = "Unused", .sample = "123.4 ms", .unit = "ns"}};
  return all;
}

bool is_offered(const MemoryView& view, const ViewName& name) {
  return (!name.of_snapshot || view.snapshot() != nullptr) && (!name.of_pieces || view.device()->has_pieces()) &&
         (!name.of_all || view.device()->is_whole());
}

std::string freed_text(const UiContext& ui, const MemoryTable& table, const MemoryPiece& piece) {
  return piece.end == MemoryPiece::kNever ? "not freed" : time_text(ui, table.time_of(piece.end));
}

std::string begin_text(const UiContext& ui, const MemoryTable& table, const MemoryPiece& piece) {
  return piece.begin == 0 ? "before" : time_text(ui, table.time_of(piece.begin));
}

/// What the moment of the table is.
std::string moment_words(const UiContext& ui, const MemoryView& view) {
  if (view.has_chosen_moment()) return "the moment clicked";
  const std::string_view where = ui.workspace().selected_span() ? "the selection" : "view";
  switch (view.moment_lies()) {
    case MemoryView::Lies::kInside:
      break;
    case MemoryView::Lies::kBefore:
      return fmt::format("the peak in {}, reached before it at {}", where,
                         time_text(ui, view.device()->table.time_of(view.moment())));
    case MemoryView::Lies::kAfter:
      return fmt::format("the first change recorded, after {}", where);
  }
  return fmt::format("the peak in {}", where);
}

}  // namespace

Rgba segment_colour(const UiContext& ui, std::uint32_t kind) {
  return ui.palette.colour(static_cast<std::uint8_t>(kind * 7 + 5), CategoryClass::kKernel).fill;
}

Rgba memory_colour(const UiContext& ui, const MemoryView& view, std::uint32_t area) {
  const HolderAreas* areas = view.areas();
  if (areas == nullptr || area >= areas->areas.size()) return mix(ui.theme.background, ui.theme.muted, 0.35f);
  if (areas->others > 0 && area + 1 == areas->areas.size()) return mix(ui.theme.background, ui.theme.muted, 0.6f);
  // Neighbours in the stack are far apart in hue.
  return ui.palette.colour(static_cast<std::uint8_t>(area * 7 + 3), CategoryClass::kKernel).fill;
}

void MemoryPage::draw(UiContext& ui) {
  MemoryView& view = view_;
  view.ask(ui.workspace().document());
  ui.state.asked_page = AskedPage{AskedMemory{}};
  if (!ui.workspace().document()->is_answerable())
    return muted_text(ui, "Memory is read once the whole trace is loaded.");
  if (view.histories() == nullptr) return asked_text(ui, "Reading the records of memory\xE2\x80\xA6");
  if (!view.histories()->error.empty()) return muted_text(ui, view.histories()->error);
  if (view.device() == nullptr) {
    ImGui::PushTextWrapPos(0);
    if (ui.live.has_recording())
      muted_text(ui, "A recording shows its memory as counters. Who held it is read from the file: save and open it.");
    muted_text(ui,
               "This trace has no records of memory. torch.profiler writes [memory] records with profile_memory=True, "
               "lacuna record with --allocator; torch.cuda.memory._record_memory_history() and _dump_snapshot() write "
               "a snapshot, which opens like a trace, alone or beside the trace of the same run.");
    ImGui::PopTextWrapPos();
    return;
  }
  if (!is_offered(view, *std::ranges::find(kMemoryViews, view.shows, &ViewName::shows)))
    view.shows = MemoryShows::kHolders;
  if (const auto asked = ui.requests.take<ask::ShowAllocation>()) {
    const auto marks = view.marks(ui.workspace().document());
    if (marks != nullptr && asked->mark < marks->size()) view.choose((*marks)[asked->mark]);
  }
  view.look_at(ui.workspace().selected_span().value_or(ui.workspace().view().visible()));
  toolbar(ui, view);
  if (ui.workspace().document()->is_thinned) left_out(ui, view);
  switch (view.shows) {
    case MemoryShows::kFlames:
      moment_line(ui, view);
      return flames(ui, view);
    case MemoryShows::kFindings:
      return findings(ui, view);
    case MemoryShows::kCompare:
      return compare(ui, view);
    case MemoryShows::kCheckpointing:
      moment_line(ui, view);
      return checkpointing(ui, view);
    default:
      break;
  }
  moment_line(ui, view);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = ui.px(8);
  const bool is_of_state = view.shows == MemoryShows::kAllocator || view.shows == MemoryShows::kFragmentation;
  // Where there is nothing but memory, its picture has most of the room.
  const bool is_main = !ui.state.has_report;
  const float legend_px = is_of_state ? 0 : std::min(ui.px(is_main ? kWideLegendPx : kLegendPx), room.x * 0.2f);
  const float part = is_main ? kMainChartPart : kChartPart;
  const float chart_px = std::round((is_of_state ? part + 0.08f : part) * room.x);
  if (!is_of_state) {
    begin_child("memory_legend", {legend_px, room.y});
    legend(ui, view);
    ImGui::EndChild();
    ImGui::SameLine(0, gap);
  }
  begin_child("memory_chart", {chart_px - legend_px * 0.5f, room.y});
  const ImVec2 size = ImGui::GetContentRegionAvail();
  if (view.shows == MemoryShows::kAllocator) {
    allocator(ui, view, size);
  } else if (view.shows == MemoryShows::kFragmentation) {
    fragmentation(ui, view, size);
  } else {
    chart(ui, view, size);
  }
  ImGui::EndChild();
  ImGui::SameLine(0, gap);
  begin_child("memory_live", {0, room.y});
  const ImVec2 right = ImGui::GetContentRegionAvail();
  if (!view.device()->has_pieces()) {
    category_table(ui, view, right);
    return ImGui::EndChild();
  }
  const float stack_px = view.chosen_piece ? std::min(ui.px(96), right.y * 0.4f) : 0;
  live_table(ui, view, {right.x, right.y - stack_px});
  if (view.chosen_piece) stack_of_chosen(ui, view);
  ImGui::EndChild();
}

void MemoryPage::toolbar(UiContext& ui, MemoryView& view) {
  const auto& devices = view.histories()->devices;
  if (devices.size() > 1) {
    ImGui::SetNextItemWidth(ui.px(120));
    if (ImGui::BeginCombo("##device", view.device()->name.c_str())) {
      for (std::size_t d = 0; d < devices.size(); ++d) {
        ImGui::PushID(static_cast<int>(d));
        if (ImGui::Selectable(devices[d]->name.c_str(), d == view.chosen_device())) view.choose_device(d);
        note_place(ui, fmt::format("memory_device {}", d).c_str());
        ImGui::PopID();
      }
      ImGui::EndCombo();
    }
    note_place(ui, "memory_device");
    ImGui::SameLine(0, ui.px(8));
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {1, ImGui::GetStyle().ItemSpacing.y});
  bool is_first = true;
  for (const ViewName& name : kMemoryViews) {
    if (!is_offered(view, name)) continue;
    if (!is_first) ImGui::SameLine();
    is_first = false;
    if (segment(ui, name.label, view.shows == name.shows)) view.shows = name.shows;
    note_place(ui, name.place);
    tooltip(name.help);
  }
  const bool has_groups = view.shows == MemoryShows::kHolders || view.shows == MemoryShows::kAllocations ||
                          view.shows == MemoryShows::kAllocator;
  if (has_groups) {
    ImGui::SameLine(0, ui.px(12));
    for (const GroupName& name : kGroupNames) {
      if (!view.device()->has_group(name.by)) continue;
      if (name.by != HolderGroup::kCategory) ImGui::SameLine();
      if (segment(ui, name.label, view.by() == name.by)) view.group_by(name.by);
      note_place(ui, name.place);
      tooltip(name.help);
    }
  }
  ImGui::PopStyleVar();
  if (view.shows == MemoryShows::kFlames || view.shows == MemoryShows::kFindings ||
      view.shows == MemoryShows::kCheckpointing)
    return;
  const float copy_px = ImGui::CalcTextSize("Copy").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine(0, ui.px(8));
  ImGui::SetCursorPosX(
      std::max(ImGui::GetCursorPosX(), ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - copy_px - ui.px(2)));
  if (const auto format = copy_button(ui, "Memory")) copy(ui, view, *format);
}

void MemoryPage::moment_line(UiContext& ui, MemoryView& view) {
  const MemoryTable& table = view.device()->table;
  if (table.active.empty()) return;
  const auto active = static_cast<std::uint64_t>(std::max<std::int64_t>(table.active[view.moment()], 0));
  ImGui::AlignTextToFramePadding();
  text(fmt::format("{} at {}", describe_size(active), time_text(ui, view.time_of_moment())));
  ImGui::SameLine(0, ui.px(8));
  muted_text(ui, moment_words(ui, view));
  ImGui::SameLine(0, ui.px(8));
  if (ImGui::ArrowButton("memory_back", ImGuiDir_Left)) view.step_moment(-1);
  note_place(ui, "memory_back");
  tooltip("To the moment before this change.");
  ImGui::SameLine(0, ui.px(3));
  if (ImGui::ArrowButton("memory_forth", ImGuiDir_Right)) view.step_moment(1);
  note_place(ui, "memory_forth");
  tooltip("To the moment after the next change.");
  ImGui::SameLine(0, ui.px(8));
  if (link(ui, "Peak of all")) view.choose_moment(table.peak());
  note_place(ui, "memory_peak");
  if (view.has_chosen_moment()) {
    ImGui::SameLine(0, ui.px(8));
    if (link(ui, "Follow the view")) view.choose_moment({});
    note_place(ui, "memory_follow");
  }
  ImGui::SameLine(0, ui.px(8));
  if (link(ui, "Show on the timeline")) ui.workspace().view().centre_on(view.time_of_moment());
  note_place(ui, "memory_show");
  if (view.shows == MemoryShows::kFlames) {
    ImGui::SameLine(0, ui.px(8));
    if (link(ui, view.base ? "End the comparison" : "Compare with this moment")) {
      view.base = view.base ? std::nullopt : std::optional(view.moment());
    }
    note_place(ui, "memory_base");
    if (view.base) {
      ImGui::SameLine(0, ui.px(8));
      muted_text(ui, fmt::format("since {}", time_text(ui, table.time_of(*view.base))));
    }
  }
  if (view.shows == MemoryShows::kAllocations || view.shows == MemoryShows::kSegments) {
    ImGui::SameLine(0, ui.px(12));
    muted_text(ui, fmt::format("{} of {} drawn; the rest holds {} at the peak", format_count(list_.drawn),
                               format_count(list_.in_view), describe_size(list_.rest_at_peak)));
  }
}

/// Of a trace on another machine.
void MemoryPage::left_out(UiContext& ui, const MemoryView& view) {
  const MemoryHistory& device = *view.device();
  const MemoryHistory::LeftOut left = device.left_out();
  if (device.is_whole() && left.moments == 0 && view.histories()->devices_left_out == 0)
    return muted_text(ui, "What a snapshot tells of the allocator comes with the whole trace.");
  std::string words;
  if (left.pieces > 0)
    words += fmt::format("The {} largest of {} are here. ", format_count(device.table.pieces.size()),
                         counted(left.pieces + device.table.pieces.size(), "allocation"));
  if (left.moments > 0)
    words +=
        fmt::format("Sizes are those of {} of {}, each part's peak among them. ", format_count(device.table.moments()),
                    counted(left.moments + device.table.moments(), "moment"));
  if (!device.is_whole() && left.pieces == 0) words += "Long stacks are cut. ";
  if (view.histories()->devices_left_out > 0)
    words += fmt::format("{} more are not here. ", counted(view.histories()->devices_left_out, "device"));
  ImGui::PushTextWrapPos(0);
  coloured_text(ui.theme.warning, words + "All of it comes with the whole trace.");
  ImGui::PopTextWrapPos();
  note_place(ui, "memory_left_out");
}

void MemoryPage::legend(UiContext& ui, MemoryView& view) {
  if (view.shows == MemoryShows::kSegments) {
    const MemoryTable& segments = view.snapshot()->segments();
    text(fmt::format("{} reserved", describe_size(static_cast<std::uint64_t>(
                                        std::max<std::int64_t>(0, segments.active[view.moment()])))));
    std::vector<std::uint64_t> bytes(segments.labels.size());
    for (const MemoryPiece& piece : segments.pieces)
      if (piece.is_held(view.moment())) bytes[piece.label] += piece.bytes;
    for (std::size_t l = 0; l < bytes.size(); ++l) {
      if (bytes[l] == 0) continue;
      colour_swatch(ui, segment_colour(ui, static_cast<std::uint32_t>(l)));
      ImGui::SameLine(0, ui.px(6));
      fitted_text(ui, fmt::format("{}  {}", describe_size(bytes[l]), segments.labels[l]));
    }
    return;
  }
  const HolderAreas* areas = view.areas();
  if (areas == nullptr) return muted_text(ui, "computing\xE2\x80\xA6");
  std::uint64_t known = 0;
  // In the order of the stack: the top one first.
  std::vector<std::uint32_t> order;
  for (std::uint32_t a = static_cast<std::uint32_t>(areas->areas.size()); a-- > 0;) order.push_back(a);
  for (const std::uint32_t a : order) known += areas->areas[a].at(view.moment());
  const std::int64_t active = view.device()->table.active[view.moment()];
  if (active > 0 && static_cast<std::uint64_t>(active) > known) {
    colour_swatch(ui, memory_colour(ui, view, kRest));
    ImGui::SameLine(0, ui.px(6));
    // No more than was there when the recording began: that is what it is. A snapshot lists that itself.
    const std::uint64_t rest = static_cast<std::uint64_t>(active) - known;
    const bool was_there = view.snapshot() == nullptr && rest <= static_cast<std::uint64_t>(std::max<std::int64_t>(
                                                                     0, view.device()->table.active[0]));
    fitted_text(ui, fmt::format("{}  {}", describe_size(rest), was_there ? kHeldBefore : "not attributed"), 0, true);
    tooltip(was_there
                ? "It was held when the recording began: no allocation in the file tells of it. What a program "
                  "holds all the time is mostly its parameters."
                : "There before the recording, or the allocator's rounding: no allocation in the file tells of it.");
  }
  for (const std::uint32_t a : order) {
    const std::uint64_t bytes = areas->areas[a].at(view.moment());
    ImGui::PushID(static_cast<int>(a));
    const bool is_chosen = view.only_area == a;
    if (ImGui::Selectable("##area", is_chosen)) view.only_area = is_chosen ? std::nullopt : std::optional(a);
    if (a == 0) note_place(ui, "memory_first_area");
    tooltip(fmt::format("{}\nat most {}. Click: {}.", areas->areas[a].name, describe_size(areas->areas[a].most),
                        view.device()->has_pieces() ? "only its allocations in the table" : "the others dimmed"));
    ImGui::SameLine(0, 0);
    colour_swatch(ui, memory_colour(ui, view, a));
    ImGui::SameLine(0, ui.px(6));
    fitted_text(ui, describe_size(bytes) + "  " + areas->areas[a].name, 0, bytes == 0);
    ImGui::PopID();
  }
}

void MemoryPage::live_table(UiContext& ui, MemoryView& view, ImVec2 size) {
  if (view.at_moment() == nullptr) return muted_text(ui, "computing\xE2\x80\xA6");
  const std::vector<TableColumn>& columns = live_columns();
  if (!ImGui::BeginTable("live", static_cast<int>(columns.size()), kDrawerTable | ImGuiTableFlags_Hideable, size))
    return;
  table_headers(ui, "memory", columns);
  int column = 0;
  bool descending = view.descending;
  if (table_order_changed(column, descending) && column >= 0) {
    view.column = static_cast<LiveColumn>(column);
    view.descending = descending;
  }
  const std::vector<std::uint32_t>& rows = view.rows();
  if (scroll_to_) {
    const auto found = std::ranges::find(rows, *scroll_to_);
    const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    if (found != rows.end())
      ImGui::SetScrollY(std::max(0.0f, static_cast<float>(found - rows.begin()) * line - size.y / 2));
    scroll_to_.reset();
  }
  for_each_row_in_view(rows.size(), [&](std::size_t i) { live_row(ui, view, rows[i], i); });
  ImGui::EndTable();
}

void MemoryPage::category_table(UiContext& ui, MemoryView& view, ImVec2 size) {
  const HolderAreas* areas = view.areas();
  if (areas == nullptr) return muted_text(ui, "computing\xE2\x80\xA6");
  const float words = 3 * ImGui::GetTextLineHeightWithSpacing();
  if (ImGui::BeginTable("categories", static_cast<int>(category_columns().size()),
                        kDrawerTable & ~ImGuiTableFlags_Sortable, {size.x, std::max(words, size.y - words)})) {
    table_headers(ui, "memory", category_columns());
    for_each_row_in_view(areas->areas.size(), [&](std::size_t a) {
      const HolderArea& area = areas->areas[a];
      const std::uint64_t bytes = area.at(view.moment());
      ImGui::TableNextRow();
      if (ImGui::TableNextColumn()) number_cell(ui, describe_size(bytes), bytes == 0);
      if (a == 0) note_place(ui, "memory_first_row");
      if (ImGui::TableNextColumn()) number_cell(ui, describe_size(area.most), area.most == 0);
      if (ImGui::TableNextColumn()) {
        colour_swatch(ui, memory_colour(ui, view, static_cast<std::uint32_t>(a)));
        ImGui::SameLine(0, ui.px(5));
        fitted_text(ui, area.name, 0, area.most == 0);
      }
    });
    ImGui::EndTable();
  }
  ImGui::PushTextWrapPos(0);
  muted_text(ui,
             "A memory timeline has the sum of each category and no allocations: a snapshot, or a trace with "
             "profile_memory=True, tells those.");
  ImGui::PopTextWrapPos();
}

void MemoryPage::live_row(UiContext& ui, MemoryView& view, std::uint32_t p, std::size_t row) {
  const MemoryHistory& history = *view.device();
  const MemoryTable& table = history.table;
  const MemoryPiece& piece = table.pieces[p];
  const std::vector<TableColumn>& columns = live_columns();
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (ImGui::Selectable("##piece", view.chosen_piece == p,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    view.chosen_piece = p;
    const ReportPlace place = history.allocated_by(piece);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      view.choose_moment(view.moment());  // what is looked at stays
      view.chosen_piece = p;
      if (place.slice.valid()) {
        ui.workspace().go_to(place);
      } else {
        const Nanos end = piece.end == MemoryPiece::kNever ? table.times.back() : table.time_of(piece.end);
        ui.workspace().go_to(ReportPlace{{table.time_of(piece.begin), end}, {}});
      }
    }
  }
  if (row == 0) note_place(ui, "memory_first_row");
  ImGui::SameLine(0, 0);
  explained_number(ui, "memory", columns[0], describe_size(piece.bytes), format_count(piece.bytes) + " B");
  if (ImGui::TableNextColumn()) {
    colour_swatch(ui, memory_colour(ui, view, view.areas() == nullptr ? kRest : view.areas()->area_of[p]));
    ImGui::SameLine(0, ui.px(5));
    fitted_text(ui, table.labels[piece.label]);
  }
  if (ImGui::TableNextColumn()) number_cell(ui, begin_text(ui, table, piece), true);
  if (ImGui::TableNextColumn()) number_cell(ui, freed_text(ui, table, piece), true);
  if (ImGui::TableNextColumn()) {
    if (piece.unused < 0) {
      number_cell(ui, "\xE2\x80\x93", true);
    } else {
      explained_number(ui, "memory", columns[4], format_duration(piece.unused), format_duration_exact(piece.unused));
    }
  }
}

void MemoryPage::stack_of_chosen(UiContext& ui, MemoryView& view) {
  const MemoryHistory& history = *view.device();
  if (*view.chosen_piece >= history.table.pieces.size()) return view.chosen_piece.reset();
  const MemoryPiece& piece = history.table.pieces[*view.chosen_piece];
  begin_child("memory_stack", {0, 0});
  text(fmt::format("{} at 0x{:x}, {} to {}", describe_size(piece.bytes), piece.address,
                   begin_text(ui, history.table, piece), freed_text(ui, history.table, piece)));
  const auto go = [&](const char* label, const char* place, const ReportPlace& to) {
    if (!to.slice.valid()) return;
    ImGui::SameLine(0, ui.px(8));
    if (link(ui, label)) {
      view.choose_moment(view.moment());
      view.chosen_piece = static_cast<std::uint32_t>(&piece - history.table.pieces.data());
      ui.workspace().go_to(to);
    }
    note_place(ui, place);
  };
  go("Allocated here", "memory_go_begin", history.allocated_by(piece));
  go("Freed here", "memory_go_end", history.freed_by(piece));
  const std::vector<std::string> stack = history.stack(piece);
  if (stack.empty()) muted_text(ui, "Its stack was not recorded.");
  for (const std::string& line : stack) fitted_text(ui, line, 0, true);
  ImGui::EndChild();
}

void MemoryPage::copy(UiContext& ui, MemoryView& view, CopyFormat format) {
  CopiedTable copied;
  const bool is_csv = format == CopyFormat::kCsv;
  const auto bytes = [&](std::uint64_t b) { return is_csv ? std::to_string(b) : describe_size(b); };
  if (view.shows == MemoryShows::kCompare) {
    copied = copied_columns(memory_change_columns(), format);
    for (const MemoryView::Change& change : MemoryView::compare(view, other_))
      copied.rows.push_back({bytes(change.here), bytes(change.there), std::to_string(change.change()), change.name});
  } else if (!view.device()->has_pieces()) {
    copied = copied_columns(category_columns(), format);
    if (view.areas() != nullptr)
      for (const HolderArea& area : view.areas()->areas)
        copied.rows.push_back({bytes(area.at(view.moment())), bytes(area.most), area.name});
  } else {
    const MemoryTable& table = view.device()->table;
    copied = copied_columns(live_columns(), format);
    // The group is a colour in the window.
    copied.titles.insert(copied.titles.begin() + 2, "Group");
    copied.is_number.insert(copied.is_number.begin() + 2, false);
    for (const std::uint32_t p : view.rows()) {
      const MemoryPiece& piece = table.pieces[p];
      const bool never = piece.end == MemoryPiece::kNever;
      copied.rows.push_back(
          {bytes(piece.bytes), table.labels[piece.label],
           view.areas() == nullptr ? "" : view.areas()->areas[view.areas()->area_of[p]].name,
           is_csv ? (piece.begin == 0 ? "" : std::to_string(table.time_of(piece.begin))) : begin_text(ui, table, piece),
           is_csv ? (never ? "" : std::to_string(table.time_of(piece.end))) : freed_text(ui, table, piece),
           piece.unused < 0 ? ""
           : is_csv         ? std::to_string(piece.unused)
                            : format_duration(piece.unused)});
    }
  }
  ui.requests.add(ask::Copy{is_csv ? copied.csv() : copied.text()});
}

}  // namespace lacuna
