#pragma once

#include <memory>
#include <vector>

#include "app/gui/core/document.h"
#include "app/gui/core/latest_job.h"
#include "model/notes/slice_notes.h"

namespace lacuna {

/// What there is to say of the selected slice, as the details show it. Computed in the background, since a slice may
/// hold millions of others. UI thread.
class SliceNotesView {
 public:
  explicit SliceNotesView(BackgroundJobs& jobs) : job_(jobs) {}

  struct Answer {
    SliceId slice;
    std::vector<SliceNote> notes;
  };

  /// Asks about a slice; what was known of another one is forgotten. Nothing is said of what another machine shows.
  void ask(DocumentPtr document, SliceId slice);
  void clear();
  /// Fetches what was computed. True when something changed.
  bool update();
  /// Null until it is known. Who draws it holds it: a link in it selects another slice, which forgets this answer.
  std::shared_ptr<const Answer> answer() const { return answer_; }

 private:
  std::shared_ptr<const Answer> answer_;
  LatestJob<Answer> job_;
};

}  // namespace lacuna
