#include "app/finding/markers.h"

#include <algorithm>
#include <utility>

namespace lacuna {
namespace {

bool earlier(const Marker& a, const Marker& b) {
  if (a.span.begin != b.span.begin) return a.span.begin < b.span.begin;
  return a.span.end != b.span.end ? a.span.end < b.span.end : a.number < b.number;
}

/// Not cut inside a UTF-8 sequence.
void shorten(std::string& note) {
  if (note.size() <= Markers::kMostNoteBytes) return;
  std::size_t end = Markers::kMostNoteBytes;
  while (end > 0 && (static_cast<unsigned char>(note[end]) & 0xc0u) == 0x80u) --end;
  note.resize(end);
}

}  // namespace

void Markers::clear() {
  const std::uint64_t version = version_;
  *this = Markers{};
  version_ = version + 1;
}

const Marker* Markers::find(std::uint32_t number) const {
  const auto found = std::ranges::find(markers_, number, &Marker::number);
  return found == markers_.end() ? nullptr : &*found;
}

std::uint32_t Markers::add(TimeSpan span, std::string note, NoteOn on, std::string name) {
  if (span.end < span.begin) span.end = span.begin;
  if (const auto same = std::ranges::find(markers_, span, &Marker::span); same != markers_.end()) return same->number;
  if (markers_.size() >= kMost) return 0;
  shorten(note);
  const Marker marker{span, std::move(note), next_number_++, on, std::move(name)};
  markers_.insert(std::ranges::upper_bound(markers_, marker, earlier), marker);
  ++version_;
  return marker.number;
}

void Markers::remove(std::uint32_t number) {
  if (std::erase_if(markers_, [&](const Marker& m) { return m.number == number; }) == 0) return;
  if (chosen_ == number) chosen_ = 0;
  ++version_;
}

void Markers::set_note(std::uint32_t number, std::string note) {
  const auto found = std::ranges::find(markers_, number, &Marker::number);
  if (found == markers_.end()) return;
  shorten(note);
  found->note = std::move(note);
  ++version_;
}

std::vector<Note> Markers::notes() const {
  std::vector<Note> notes;
  for (const Marker& m : markers_) notes.push_back({m.span, m.note, m.on, m.name});
  return notes;
}

void Markers::take_changes(const std::vector<Note>& before, const std::vector<Note>& after) {
  const auto at = [](const std::vector<Note>& notes, TimeSpan span) {
    const auto found = std::ranges::find(notes, span, &Note::span);
    return found == notes.end() ? nullptr : &*found;
  };
  for (const Note& note : after) {
    const Note* const old = at(before, note.span);
    if (old != nullptr && *old == note) continue;
    const auto here = std::ranges::find(markers_, note.span, &Marker::span);
    if (here != markers_.end() && old != nullptr && here->note == old->text)
      set_note(here->number, note.text);
    else
      take_over({note});
  }
  for (const Note& old : before) {
    if (at(after, old.span) != nullptr) continue;
    const auto here = std::ranges::find(markers_, old.span, &Marker::span);
    if (here != markers_.end() && here->note == old.text) remove(here->number);
  }
}

std::size_t Markers::take_over(const std::vector<Note>& notes) {
  std::size_t changes = 0;
  for (const Note& note : notes) {
    const std::uint64_t before = version_;
    const Marker* marker = find(add(note.span, note.text, note.on, note.name));
    const bool is_there =  // in lines of its own: "loss 1" is none of "loss 10"
        marker == nullptr || ("\n" + marker->note + "\n").find("\n" + note.text + "\n") != std::string::npos;
    if (!is_there && version_ == before && !note.text.empty())
      set_note(marker->number, marker->note.empty() ? note.text : marker->note + "\n" + note.text);
    if (version_ != before) ++changes;
  }
  return changes;
}

}  // namespace lacuna
