#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/base/result.h"
#include "model/base/time.h"

namespace lacuna {

/// What of a trace a note is about.
enum class NoteOn : std::uint8_t {
  kTime,   ///< a moment or a range
  kSlice,  ///< the slice of its name and of exactly its time
  kGap,    ///< the gap of exactly its time
};

/// A text on a part of a trace. Times are those of the trace, in ns, so that it fits a cut-out part as well.
struct Note {
  TimeSpan span;  ///< empty: a moment
  std::string text;
  NoteOn on = NoteOn::kTime;
  std::string name = {};  ///< of the slice

  bool operator==(const Note&) const = default;
};

/// "slice", "gap", "range" or "moment": for people and in JSON.
std::string_view note_kind(const Note& note);

/// Notes in the JSON form of side-cars: a list of objects.
nlohmann::json notes_to_json(std::span<const Note> notes);
std::vector<Note> notes_of_json(const nlohmann::json& list, std::size_t* passed_over = nullptr);

/// A file of notes for other people: {"version": 1, "markers": […]}, as in a side-car. Bytes that are not UTF-8
/// come out replaced.
std::string format_notes(std::span<const Note> notes);

/// A side-car with these in place of its notes. Empty or damaged `side_car`: a new one.
std::string with_notes(std::string_view side_car, std::span<const Note> notes);

struct ParsedNotes {
  std::vector<Note> notes;
  std::size_t passed_over = 0;  ///< entries that are no notes, or beyond kMostNotes
};
inline constexpr std::size_t kMostNotes = 1000;
/// Parses the text of format_notes() or of a side-car. kInvalidArgument for other text, kUnsupported for that of a
/// later version. `text` is untrusted: any bytes.
Result<ParsedNotes> parse_notes(std::string_view text);

/// Those of the file at `path`, at most 4 MiB. Errors: of parse_notes(), kNotReadable, kLimit. Blocking; any thread.
Result<ParsedNotes> read_notes(const std::string& path);
/// Whether a file at `path` holds something else, which notes do not replace. Blocking; any thread.
bool holds_no_notes(const std::string& path);

}  // namespace lacuna
