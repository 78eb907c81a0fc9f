#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/finding/notes.h"
#include "model/base/time.h"

namespace lacuna {

/// A moment (empty span), a stretch of time, a slice or a gap with a note.
struct Marker {
  TimeSpan span;
  std::string note;
  std::uint32_t number = 0;  ///< names it as long as it lives: "marker 3"; never given twice
  NoteOn on = NoteOn::kTime;
  std::string name = {};  ///< of the slice

  bool is_moment() const { return span.begin == span.end; }
  bool operator==(const Marker&) const = default;
};

/// The markers of one trace, ascending by time, and the temporary span of which there is at most one.
/// A plain value. UI thread.
class Markers {
 public:
  static constexpr std::size_t kMost = 1000;
  static constexpr std::size_t kMostNoteBytes = 4000;

  void clear();
  const std::vector<Marker>& all() const { return markers_; }
  const Marker* find(std::uint32_t number) const;

  /// Returns the number of the marker; 0 when there are kMost already. The same span twice is the same marker.
  std::uint32_t add(TimeSpan span, std::string note = {}, NoteOn on = NoteOn::kTime, std::string name = {});
  void remove(std::uint32_t number);
  void set_note(std::uint32_t number, std::string note);
  /// All markers as notes, to be saved.
  std::vector<Note> notes() const;
  /// Merges the notes of another file: a note on a marker that exists already adds its text to it, unless the text is
  /// the same. Returns how many notes changed anything.
  std::size_t take_over(const std::vector<Note>& notes);
  /// Applies the difference between the notes `before` and `after`, which another writer made: adds, changes, removes.
  /// Notes that were changed here since `before` stay, and the other writer's text is added to them.
  void take_changes(const std::vector<Note>& before, const std::vector<Note>& after);

  /// The one chosen in the list or on the ruler; 0 = none.
  std::uint32_t chosen() const { return chosen_; }
  void choose(std::uint32_t number) { chosen_ = number; }

  /// A span that is shown until another one replaces it or it is cleared.
  const std::optional<TimeSpan>& temporary() const { return temporary_; }
  void set_temporary(std::optional<TimeSpan> span) { temporary_ = span; }

  /// Counts changes of what is worth keeping: not the temporary span, nor which one is chosen.
  std::uint64_t version() const { return version_; }

 private:
  std::vector<Marker> markers_;
  std::optional<TimeSpan> temporary_;
  std::uint32_t next_number_ = 1;
  std::uint32_t chosen_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace lacuna
