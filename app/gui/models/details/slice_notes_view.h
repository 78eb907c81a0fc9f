#pragma once

#include <memory>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/notes/slice_notes.h"

namespace lacuna {

/// The notes about the selected slice in the details panel. Computed in the background, since a slice may
/// contain millions of others. UI thread.
class SliceNotesView {
 public:
  explicit SliceNotesView(BackgroundJobs& jobs) : job_(jobs) {}

  struct Answer {
    SliceId slice;
    std::vector<SliceNote> notes;
  };

  /// Requests the notes of a slice and drops those of another one. There are none for pictures of another machine.
  void ask(DocumentPtr document, SliceId slice);
  void clear();
  /// Takes the computed answer. Returns true when something changed.
  bool update();
  /// Null until computed. Hold the pointer while drawing: a link in it selects another slice, which drops this answer.
  std::shared_ptr<const Answer> answer() const { return answer_; }

 private:
  std::shared_ptr<const Answer> answer_;
  LatestJob<Answer> job_;
};

}  // namespace lacuna
