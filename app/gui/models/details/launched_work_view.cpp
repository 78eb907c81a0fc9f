#include "app/gui/models/details/launched_work_view.h"

#include <utility>

#include "model/base/cancel.h"

namespace lacuna {

void LaunchedWorkView::ask(DocumentPtr document, std::vector<SliceId> places, TimeSpan range) {
  clear();
  if (places.empty() || document == nullptr) return;
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  job_.start([document = std::move(document), places = std::move(places), range, cancel = cancelled_] {
    Answer answer;
    answer.work = work_launched_by(document->trace, places, range, cancel.get());
    // Where args cannot be read, graphs stay as they are: one launch.
    const Result<GraphOrigins> graphs = GraphOrigins::find(document->trace, 2, cancel.get());
    answer.sites = launch_sites_of(document->trace, places, range, cancel.get(), graphs ? &*graphs : nullptr);
    if (places.size() == 1 && is_gpu_activity(document->trace.category_class(places.front())))
      answer.stack = stack_above(document->trace, places.front(), graphs ? &*graphs : nullptr);
    answer.is_void = is_cancelled(cancel.get());
    return answer;
  });
}

void LaunchedWorkView::clear() {
  if (cancelled_) *cancelled_ = true;
  cancelled_.reset();
  job_.cancel();
  answer_.reset();
}

bool LaunchedWorkView::update() {
  auto answer = job_.take();
  if (answer == nullptr || answer->is_void) return false;
  answer_ = std::move(answer);
  return true;
}

}  // namespace lacuna
