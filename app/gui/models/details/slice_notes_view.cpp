#include "app/gui/models/details/slice_notes_view.h"

#include <utility>

#include "render/format.h"

namespace lacuna {

void SliceNotesView::ask(DocumentPtr document, SliceId slice) {
  clear();
  if (document == nullptr || document->is_thinned || !slice.valid()) return;
  job_.start([document = std::move(document), slice] {
    const auto arguments = read_arguments(document->trace, slice);
    return Answer{slice, notes_about(document->trace, slice, arguments ? *arguments : std::vector<Argument>{},
                                     {format_duration, format_count, format_percent, format_bytes})};
  });
}

void SliceNotesView::clear() {
  job_.cancel();
  answer_.reset();
}

bool SliceNotesView::update() {
  auto answer = job_.take();
  if (answer == nullptr) return false;
  answer_ = std::move(answer);
  return true;
}

}  // namespace lacuna
