// The memory page's flame graph, findings and comparison.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/panels/memory/memory_page.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/memory/out_of_memory.h"
#include "render/format.h"
#include "render/paint/text_fit.h"

namespace lacuna {
namespace {

constexpr float kByteRowPx = 19;
constexpr float kLeastFramePx = 1;

std::string change_text(std::int64_t change) {
  return (change < 0 ? "\xE2\x88\x92" : "+") +
         describe_size(change < 0 ? 0 - static_cast<std::uint64_t>(change) : static_cast<std::uint64_t>(change));
}

Rgba change_colour(const UiContext& ui, const ByteNode& node) {
  const Rgba neutral = mix(ui.theme.background, ui.theme.muted, 0.3f);
  if (node.larger() == 0) return neutral;
  const double part = static_cast<double>(node.change()) / static_cast<double>(node.larger());
  return mix(neutral, part > 0 ? ui.theme.warning : ui.theme.good, static_cast<float>(std::min(1.0, std::abs(part))));
}

const std::vector<TableColumn>& leak_columns() {
  static const std::vector<TableColumn> all = {{.title = "First", .sample = "123.45 MiB", .can_sort = false},
                                               {.title = "Last", .sample = "123.45 MiB", .can_sort = false},
                                               {.title = "Growth", .sample = "123.45 MiB", .can_sort = false},
                                               {.title = "Allocated by", .can_sort = false}};
  return all;
}

}  // namespace

const std::vector<TableColumn>& memory_change_columns() {
  static const std::vector<TableColumn> all = {{.title = "Here", .sample = "123.45 MiB", .can_sort = false},
                                               {.title = "There", .sample = "123.45 MiB", .can_sort = false},
                                               {.title = "Change", .sample = "+123.45 MiB", .can_sort = false},
                                               {.title = "Allocated by", .can_sort = false}};
  return all;
}

void MemoryPage::flames(UiContext& ui, MemoryView& view) {
  const MemoryView::AtMoment* at_moment = view.at_moment();
  if (at_moment == nullptr || at_moment->tree.nodes.empty()) return muted_text(ui, "computing\xE2\x80\xA6");
  const ByteTree& tree = at_moment->tree;
  if (tree.nodes.front().larger() == 0) return muted_text(ui, "Nothing whose allocation is in the file is held then.");
  if (zoomed_of_ != &tree) {
    zoomed_of_ = &tree;
    zoomed_ = 0;
  }
  begin_child("memory_flames", {0, 0});
  const float row = std::round(ui.px(kByteRowPx));
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  struct Place {
    std::uint32_t node;
    float x0, x1;
    std::size_t row;
  };
  std::vector<Place> places;
  std::size_t rows = 0;
  for (std::uint32_t above = zoomed_; above != 0;) {
    above = tree.nodes[above].parent;
    ++rows;
  }
  const std::size_t around = rows;
  for (std::uint32_t node = zoomed_; rows > 0;) {
    node = tree.nodes[node].parent;
    places.push_back({node, 0, width, --rows});
  }
  places.push_back({zoomed_, 0, width, around});
  std::size_t deepest = around;
  for (std::size_t i = around; i < places.size(); ++i) {
    const Place parent = places[i];
    const ByteNode& node = tree.nodes[parent.node];
    // Children may add up to more than their parent where some grew and others shrank.
    double whole = 0;
    for (const std::uint32_t child : node.children) whole += static_cast<double>(tree.nodes[child].larger());
    const double scale =
        static_cast<double>(parent.x1 - parent.x0) / std::max(whole, static_cast<double>(node.larger()));
    double x = static_cast<double>(parent.x0);
    for (const std::uint32_t child : node.children) {
      const double wide = static_cast<double>(tree.nodes[child].larger()) * scale;
      if (wide < static_cast<double>(kLeastFramePx)) break;  // widest first
      places.push_back({child, static_cast<float>(x), static_cast<float>(x + wide), parent.row + 1});
      deepest = std::max(deepest, parent.row + 1);
      x += wide;
    }
  }
  ImGui::InvisibleButton("byte_frames", {width, row * static_cast<float>(deepest + 1)});
  note_place(ui, "memory_flame");
  const bool is_hovered = ImGui::IsItemHovered();
  const ImVec2 mouse = ImGui::GetMousePos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  for (const Place& place : places) {
    const ByteNode& node = tree.nodes[place.node];
    const ImVec2 a(at.x + place.x0, at.y + row * static_cast<float>(place.row));
    const ImVec2 b(at.x + place.x1 - (place.x1 - place.x0 > 3 ? 1.0f : 0.0f), a.y + row - 1);
    if (b.y < draw.GetClipRectMin().y || a.y > draw.GetClipRectMax().y) continue;
    const Rgba colour = tree.has_before   ? change_colour(ui, node)
                        : place.node == 0 ? mix(ui.theme.background, ui.theme.muted, 0.4f)
                                          : ui.palette.slice(node.name, CategoryClass::kCpuOperator);
    draw.AddRectFilled(a, b, to_imgui(colour));
    const std::string size = tree.has_before ? change_text(node.change()) : describe_size(node.bytes);
    const float room = b.x - a.x - ui.px(8);
    if (room > ui.px(26))
      draw_text(draw, ImGui::GetFont(), ImGui::GetFontSize(),
                {a.x + ui.px(4), std::round(a.y + (row - 1 - ImGui::GetFontSize()) * 0.5f)},
                to_imgui(Palette::label_on(colour)), size + "  " + node.name, room);
    const bool is_under =
        is_hovered && mouse.x >= a.x && mouse.x < at.x + place.x1 && mouse.y >= a.y && mouse.y < a.y + row;
    if (!is_under) continue;
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) zoomed_ = place.node;
    if (begin_tooltip(ui, 520)) {
      text(node.name.substr(0, 600));
      const double whole = static_cast<double>(std::max<std::uint64_t>(1, tree.nodes.front().bytes));
      muted_text(ui, fmt::format("{} held ({})", describe_size(node.bytes),
                                 format_percent(static_cast<double>(node.bytes) / whole)));
      if (tree.has_before)
        muted_text(ui, fmt::format("{} at the moment compared with: {}", describe_size(node.before),
                                   change_text(node.change())));
      muted_text(ui, "Double click: zoom to it, or out again above.");
      end_tooltip();
    }
  }
  ImGui::EndChild();
}

void MemoryPage::findings(UiContext& ui, MemoryView& view) {
  const MemoryView::Findings* found = view.findings();
  if (found == nullptr) return muted_text(ui, "Replaying the allocator\xE2\x80\xA6");
  const ImVec2 room = ImGui::GetContentRegionAvail();
  begin_child("memory_oom", {std::round(room.x * 0.5f), room.y});
  ImGui::PushTextWrapPos(0);
  if (found->out_of_memory.empty()) {
    text(fmt::format("Memory did not run out on {} in this history.", view.device()->name));
    for (const std::size_t d : view.histories()->ran_out())
      text(fmt::format("It ran out on {}, which can be chosen above.", view.histories()->devices[d]->name));
  }
  for (std::size_t o = 0; o < found->out_of_memory.size(); ++o) {
    const OutOfMemory& oom = found->out_of_memory[o];
    ImGui::PushID(static_cast<int>(o));
    const auto moment = static_cast<std::uint32_t>(oom.moment);
    const Nanos when = view.device()->table.time_of(moment + 1);
    if (link(ui, fmt::format("Out of memory at {}", time_text(ui, when)).c_str())) {
      view.choose_moment(moment);
      ui.workspace().view().centre_on(when);
      view.shows = MemoryShows::kHolders;
    }
    if (o == 0) note_place(ui, "memory_oom");
    tooltip("Who held what then.");
    for (const std::string& sentence : oom.sentences) text(sentence + ".");
    if (const SnapshotHistory* snapshot = view.snapshot(); oom.stack != 0) {
      std::vector<std::uint32_t> frames;
      snapshot->snapshot().stacks.read_stack(oom.stack, frames);
      for (std::size_t f = 0; f < std::min<std::size_t>(frames.size(), 4); ++f)
        muted_text(ui, snapshot->snapshot().describe(snapshot->snapshot().stacks.frame(frames[f])));
    }
    ImGui::Spacing();
    ImGui::PopID();
  }
  ImGui::PopTextWrapPos();
  ImGui::EndChild();
  ImGui::SameLine(0, ui.px(10));
  begin_child("memory_leaks", {0, room.y});
  ImGui::PushTextWrapPos(0);
  if (found->leaks.empty()) {
    text(fmt::format("Nothing grows over {} moments.", found->steps));
  } else {
    muted_text(ui, fmt::format("What never fell and grew over {} moments, {}", found->steps,
                               found->has_steps
                                   ? "the ends of steps: a leak?"
                                   : "parts of the history (it names no steps; memory usually grows within one)"));
  }
  ImGui::PopTextWrapPos();
  if (!found->leaks.empty() &&
      ImGui::BeginTable("leaks", static_cast<int>(leak_columns().size()), kDrawerTable & ~ImGuiTableFlags_Sortable,
                        ImGui::GetContentRegionAvail())) {
    table_headers(ui, "memory", leak_columns());
    for_each_row_in_view(found->leaks.size(), [&](std::size_t i) {
      const Leak& leak = found->leaks[i];
      ImGui::TableNextRow();
      if (ImGui::TableNextColumn()) number_cell(ui, describe_size(leak.bytes.front()));
      if (ImGui::TableNextColumn()) number_cell(ui, describe_size(leak.bytes.back()));
      if (ImGui::TableNextColumn()) number_cell(ui, describe_size(leak.growth()));
      if (ImGui::TableNextColumn()) fitted_text(ui, leak.name);
    });
    ImGui::EndTable();
  }
  ImGui::EndChild();
}

const std::vector<TableColumn>& checkpointing_columns() {
  static const std::vector<TableColumn> all = {
      {.title = "Frees", .sample = "123.45 MiB", .unit = "B", .can_sort = false},
      {.title = "Part", .sample = "100.0 %", .can_sort = false},
      {.title = "Count", .sample = "123,456", .can_sort = false},
      {.title = "Module", .can_sort = false}};
  return all;
}

void MemoryPage::checkpointing(UiContext& ui, MemoryView& view) {
  const MemoryView::AtMoment* at = view.at_moment();
  if (at == nullptr || !at->checkpointing) return muted_text(ui, "Looking at lifetimes\xE2\x80\xA6");
  const Checkpointing& found = *at->checkpointing;
  const auto part = [&](std::uint64_t bytes) {
    return found.held == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(found.held);
  };
  ImGui::PushTextWrapPos(0);
  text(fmt::format(
      "Activations are {} of the {} held then ({}): the forward pass allocated them, and the backward pass "
      "frees them.",
      describe_size(found.activations), describe_size(found.held), format_percent(part(found.activations))));
  note_place(ui, "memory_activations");
  if (found.most_activations > found.activations) {
    text(fmt::format("They hold most, {}, at {}.", describe_size(found.most_activations),
                     time_text(ui, view.device()->table.time_of(found.most_at))));
    ImGui::SameLine(0, ui.px(6));
    if (link(ui, "Look at that moment")) view.choose_moment(found.most_at);
    note_place(ui, "memory_most_activations");
  }
  muted_text(
      ui, found.modules.empty()
              ? (found.activations == 0 ? "Nothing to free by activation checkpointing at this moment."
                                        : "Nothing tells in which module they were allocated.")
              : "torch.utils.checkpoint around a module frees at most what stands here, and computes its forward pass "
                "again in the backward pass; what the module takes in and hands on stays.");
  ImGui::PopTextWrapPos();
  if (found.modules.empty() ||
      !ImGui::BeginTable("memory_checkpointing", static_cast<int>(checkpointing_columns().size()),
                         kDrawerTable & ~ImGuiTableFlags_Sortable, ImGui::GetContentRegionAvail()))
    return;
  const std::vector<TableColumn>& columns = checkpointing_columns();
  table_headers(ui, "memory", columns);
  for_each_row_in_view(found.modules.size(), [&](std::size_t m) {
    const CheckpointSaving& saving = found.modules[m];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    // To the largest of its activations, among all allocations.
    if (ImGui::Selectable("##module", view.chosen_piece == saving.largest, ImGuiSelectableFlags_SpanAllColumns)) {
      view.shows = MemoryShows::kAllocations;
      view.chosen_piece = scroll_to_ = saving.largest;
    }
    if (m == 0) note_place(ui, "memory_first_module");
    tooltip("Click: its largest activation among the allocations.");
    ImGui::SameLine(0, 0);
    number_cell(ui, describe_size(saving.bytes));
    if (ImGui::TableNextColumn()) explained_number(ui, "memory", columns[1], format_percent(part(saving.bytes)), {});
    if (ImGui::TableNextColumn()) number_cell(ui, format_count(saving.allocations));
    if (ImGui::TableNextColumn()) fitted_text(ui, saving.module);
  });
  ImGui::EndTable();
}

void MemoryPage::compare(UiContext& ui, MemoryView& view) {
  if (!diff_.has_other()) {
    muted_text(ui, "Open another snapshot or trace with Compare (Ctrl+Shift+O) to see what it holds more or less.");
    return;
  }
  other_.ask(diff_.other().document());
  if (other_.device() == nullptr)
    return muted_text(ui, other_.histories() == nullptr ? "Reading the other one\xE2\x80\xA6"
                                                        : "The other trace has no records of memory.");
  other_.look_at(TimeSpan::everything());
  const auto bytes_at = [](const MemoryView& v) {
    return describe_size(static_cast<std::uint64_t>(std::max<std::int64_t>(0, v.device()->table.active[v.moment()])));
  };
  muted_text(ui, fmt::format("Here {} of {} at {}; there {} of {} at its peak", bytes_at(view), view.device()->name,
                             time_text(ui, view.device()->table.time_of(view.moment())), bytes_at(other_),
                             other_.device()->name));
  if (other_.at_moment() == nullptr || view.at_moment() == nullptr) return;
  const std::vector<MemoryView::Change> changes = MemoryView::compare(view, other_);
  if (!ImGui::BeginTable("memory_changes", static_cast<int>(memory_change_columns().size()),
                         kDrawerTable & ~ImGuiTableFlags_Sortable, ImGui::GetContentRegionAvail()))
    return;
  table_headers(ui, "memory", memory_change_columns());
  for_each_row_in_view(changes.size(), [&](std::size_t i) {
    const MemoryView::Change& change = changes[i];
    ImGui::TableNextRow();
    if (ImGui::TableNextColumn()) number_cell(ui, describe_size(change.here));
    if (i == 0) note_place(ui, "memory_first_change");
    if (ImGui::TableNextColumn()) number_cell(ui, describe_size(change.there));
    if (ImGui::TableNextColumn()) number_cell(ui, change_text(change.change()));
    if (ImGui::TableNextColumn()) fitted_text(ui, change.name);
  });
  ImGui::EndTable();
}

}  // namespace lacuna
