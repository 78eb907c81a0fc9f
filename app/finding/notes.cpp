#include "app/finding/notes.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/cut/json_text.h"

namespace lacuna {
namespace {

using NoteJson = nlohmann::json;

constexpr int kNotesVersion = 1;
constexpr std::size_t kMostNoteFileBytes = 4u << 20;

const NoteJson* field(const NoteJson& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() ? nullptr : &*found;
}

std::string text_field(const NoteJson& json, const char* name) {
  const NoteJson* found = field(json, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::string_view note_kind(const Note& note) {
  switch (note.on) {
    case NoteOn::kSlice:
      return "slice";
    case NoteOn::kGap:
      return "gap";
    case NoteOn::kTime:
      break;
  }
  return note.span.begin == note.span.end ? "moment" : "range";
}

NoteJson notes_to_json(std::span<const Note> notes) {
  NoteJson list = NoteJson::array();
  for (const Note& note : notes) {
    NoteJson json = {{"beginNs", note.span.begin}, {"endNs", note.span.end}, {"note", note.text}};
    if (note.on != NoteOn::kTime) json["on"] = note_kind(note);
    if (note.on == NoteOn::kSlice) json["name"] = note.name;
    list.push_back(std::move(json));
  }
  return list;
}

std::vector<Note> notes_of_json(const NoteJson& list, std::size_t* passed_over) {
  std::vector<Note> notes;
  for (const NoteJson& json : list) {
    const NoteJson* begin = json.is_object() ? field(json, "beginNs") : nullptr;
    const NoteJson* end = json.is_object() ? field(json, "endNs") : nullptr;
    const bool is_note = notes.size() < kMostNotes && begin != nullptr && end != nullptr &&
                         begin->is_number_integer() && end->is_number_integer() &&
                         begin->get<Nanos>() <= end->get<Nanos>();
    if (!is_note) {
      if (passed_over != nullptr) ++*passed_over;
      continue;
    }
    Note note{{begin->get<Nanos>(), end->get<Nanos>()}, text_field(json, "note")};
    const std::string on = text_field(json, "on");
    if (on == "slice") {
      note.on = NoteOn::kSlice;
      note.name = text_field(json, "name");
    }
    if (on == "gap") note.on = NoteOn::kGap;
    notes.push_back(std::move(note));
  }
  return notes;
}

std::string format_notes(std::span<const Note> notes) {
  return with_notes({}, notes);
}

std::string with_notes(std::string_view side_car, std::span<const Note> notes) {
  NoteJson json = side_car.empty() ? NoteJson() : parse_json(side_car);
  if (!json.is_object()) json = {{"version", kNotesVersion}};
  json["markers"] = notes_to_json(notes);
  return json.dump(1, ' ', false, NoteJson::error_handler_t::replace) + "\n";
}

Result<ParsedNotes> read_notes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::kNotReadable, "cannot be opened", path);
  std::string text;
  for (std::istreambuf_iterator<char> at(file), end; at != end && text.size() <= kMostNoteFileBytes; ++at) text += *at;
  if (text.size() > kMostNoteFileBytes)
    return fail(ErrorCode::kLimit, "is larger than 4 MiB, which no notes are", path);
  Result<ParsedNotes> parsed = parse_notes(text);
  if (!parsed) parsed.error().file = path;
  return parsed;
}

bool holds_no_notes(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(path, unknown) && !read_notes(path);
}

Result<ParsedNotes> parse_notes(std::string_view text) {
  const NoteJson json = parse_json(text);
  const NoteJson* list = json.is_object() ? field(json, "markers") : nullptr;
  if (list == nullptr || !list->is_array())
    return fail(ErrorCode::kInvalidArgument, "holds no notes: a file of them is JSON with a list \"markers\"");
  const NoteJson* version = field(json, "version");
  if (version == nullptr || !version->is_number_integer())
    return fail(ErrorCode::kInvalidArgument, "holds no notes: it does not say its version");
  if (*version != kNotesVersion)
    return fail(ErrorCode::kUnsupported, "holds notes of another version of Lacuna, which this one does not read");
  ParsedNotes parsed;
  parsed.notes = notes_of_json(*list, &parsed.passed_over);
  return parsed;
}

}  // namespace lacuna
