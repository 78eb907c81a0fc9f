// What the list under the omnibox shows.

#include <algorithm>
#include <functional>
#include <utility>

#include "app/gui/application/command_words.h"
#include "app/gui/application/commands.h"
#include "app/gui/models/search/fuzzy.h"
#include "app/gui/panels/search/omnibox.h"
#include "app/gui/panels/widgets/widgets.h"
#include "model/base/stable_sort.h"
#include "render/format.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostNames = 10;
constexpr int kOfOtherWords = 60;  // less than a name that has a word of five letters whole
constexpr std::size_t kMostRowCharacters = 300;
constexpr std::size_t kMostPhrase = 200;

}  // namespace

void Omnibox::update_rows(UiContext& ui) {
  const OmniboxMode mode = ui.state.omnibox.mode;
  const void* document = ui.open.document().get();
  const std::string wanted = std::to_string(static_cast<int>(mode)) + ' ' + std::string(typed()) + ' ' +
                             std::to_string(reinterpret_cast<std::uintptr_t>(document)) + ' ' +
                             std::to_string(reinterpret_cast<std::uintptr_t>(ui.open.search().matches().get()));
  if (wanted != listed_ || mode == OmniboxMode::kCommands) {
    listed_ = wanted;
    rows_.clear();
    switch (mode) {
      case OmniboxMode::kSearch:
        list_names(ui);
        break;
      case OmniboxMode::kCommands:
        list_commands(ui);
        break;
      case OmniboxMode::kTracks:
        list_tracks(ui);
        break;
    }
  }
  if (chosen_ != kNone && chosen_ >= rows_.size()) chosen_ = kNone;
  // A search goes on by itself; of commands and tracks the best one is taken.
  if (chosen_ == kNone && mode != OmniboxMode::kSearch && !rows_.empty()) chosen_ = 0;
}

/// The names that were found most often.
void Omnibox::list_names(UiContext& ui) {
  const Search& search = ui.open.search();
  if (!ui.open.has_trace() || !search.is_active() || !search.query().problems.empty()) return;
  const Trace& trace = ui.open.trace();
  struct Found {
    const StatisticsRow* row;
    std::uint64_t count;
  };
  std::vector<Found> found;
  // Where names and categories do not decide, the slices themselves are counted, once they are known.
  std::vector<std::uint32_t> counts;
  if (!search.query().is_simple()) {
    if (search.matches() == nullptr) return;
    counts.resize(trace.strings().size());
    for (const SliceId s : search.matches()->order) ++counts[trace.lane(s).name(s.index).value];
  }
  const SliceFilter& filter = search.filter();
  for (const StatisticsRow& row : ui.open.document()->statistics.rows) {
    if (filter.names[row.name.value] == 0 || filter.categories[row.category.value & 0xffff] == 0) continue;
    const std::uint64_t count = counts.empty() ? row.count : counts[row.name.value];
    if (count > 0) found.push_back({&row, std::min(count, row.count)});
  }
  const std::size_t shown = std::min(found.size(), kMostNames);
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(shown), found.end(),
                    [](const Found& a, const Found& b) { return a.count > b.count; });
  found.resize(shown);
  for (const auto& [row, count] : found) {
    const std::string_view name = trace.text(row->name);
    Row& line = rows_.emplace_back();
    line.text = name.substr(0, kMostRowCharacters);
    line.note = std::string(trace.category_name(row->category)) + "   " + format_count(count);
    line.phrase = '"' + std::string(name.substr(0, name.find('"')).substr(0, kMostPhrase)) + '"';
  }
}

void Omnibox::list_tracks(UiContext& ui) {
  if (!ui.open.has_trace()) return;
  const Trace& trace = ui.open.trace();
  for (const Track& track : trace.tracks()) {
    if (ui.open.view().vertical().find(track.id) == nullptr && !ui.open.view().is_collapsed(track.process))
      continue;  // nothing in it
    Row row;
    row.text = track_text(trace, track);
    auto match = fuzzy_match(typed(), row.text);
    if (!match) continue;
    row.positions = std::move(match->positions);
    row.score = match->score;
    row.note = counted(track.slice_count, "slice");
    row.track = track.id;
    rows_.push_back(std::move(row));
  }
  sort_stably(rows_, std::greater{}, &Row::score);
}

void Omnibox::list_commands(UiContext& ui) {
  std::string_view wanted = typed();
  if (wanted.starts_with('>')) wanted.remove_prefix(1);
  for (const Command& command : commands()) {
    if (command.run == nullptr) continue;
    Row row;
    row.text = std::string(to_text(command.menu)) + ": " + std::string(command.name);
    // The name alone decides; the menu is there to be read.
    const auto prefix = static_cast<std::uint32_t>(row.text.size() - command.name.size());
    auto match = fuzzy_match(wanted, command.name);
    if (match) {
      for (std::uint32_t& position : match->positions) position += prefix;
    } else if ((match = fuzzy_match(wanted, row.text))) {
      match->score -= 10;
    }
    // What users of other programs call it goes before letters here and there in a name.
    if (fits_words(wanted, command_words(command.id)) && (!match || match->score < kOfOtherWords)) {
      if (!match) match.emplace();
      match->score = kOfOtherWords;
    }
    if (!match) continue;
    row.positions = std::move(match->positions);
    row.score = match->score;
    row.is_enabled = ui.commands.may_run(command);
    if (!row.is_enabled) row.score -= 1000;
    for (const std::string& key : ui.keymap.keys_of(command)) row.note += (row.note.empty() ? "" : "   ") + key;
    row.command = &command;
    rows_.push_back(std::move(row));
  }
  sort_stably(rows_, std::greater{}, &Row::score);
  if (wanted.size() < 2 || !ui.open.has_trace()) return;
  // Whoever types a kernel's name here looks for it.
  Row& search = rows_.emplace_back();
  search.text = "Search the trace for \"" + std::string(wanted.substr(0, kMostPhrase)) + "\"";
  search.phrase = std::string(wanted.substr(0, kMostPhrase));
}

/// Why there are no rows, where that needs saying.
std::string Omnibox::message(const UiContext& ui) const {
  const OmniboxMode mode = ui.state.omnibox.mode;
  if (mode == OmniboxMode::kCommands) return rows_.empty() ? "No command fits." : "";
  if (!ui.open.has_trace()) return "Open a trace first.";
  if (mode == OmniboxMode::kTracks) return rows_.empty() ? "No track fits." : "";
  const Search& search = ui.open.search();
  if (!search.is_active()) return "";
  if (!search.query().problems.empty()) return search.query().problems.front();
  if (search.matches() != nullptr && !search.matches()->error.empty()) return search.matches()->error;
  return search.count() == std::uint64_t{0}
             ? "No slice matches. Names and categories are searched; arg:key=value searches args"
             : "";
}

/// What can be typed and pressed.
std::vector<std::string> Omnibox::footer(const UiContext& ui) {
  if (ui.state.omnibox.mode != OmniboxMode::kSearch || !ui.open.has_trace()) return {};
  const std::vector<std::string>& problems = ui.open.search().query().problems;
  std::vector<std::string> lines(problems.begin() + (problems.empty() ? 0 : 1), problems.end());
  lines.push_back("gemm   \"two words\"   cat:kernel   stream:7   gpu:0   track:autograd");
  lines.push_back("dur:>20us   dur:<1.5ms   arg:key   arg:key=value");
  lines.push_back("Enter, Shift+Enter: next, previous      Down: names      Esc: clear      >: commands");
  return lines;
}

}  // namespace lacuna
