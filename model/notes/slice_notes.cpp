#include "model/notes/slice_notes.h"

#include "model/notes/note_parts.h"

namespace lacuna {

std::vector<SliceNote> notes_about(const Trace& trace, SliceId slice, std::span<const Argument> arguments,
                                   const ReportFormat& format) {
  std::vector<SliceNote> notes;
  const NoteFacts facts{trace, slice, arguments, format, notes};
  for (const auto note : {note_known_name, note_compiled_code, note_dead_window, note_wait, note_attention, note_bias,
                          note_roof, note_copies, note_occupancy})
    note(facts);
  return notes;
}

}  // namespace lacuna
