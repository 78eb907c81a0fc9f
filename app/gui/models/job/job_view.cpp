#include "app/gui/models/job/job_view.h"

#include <utility>

#include "model/job/rank_extract.h"

namespace lacuna {

void JobView::reset() {
  job_.cancel();
  document_.reset();
  answer_.reset();
}

void JobView::ask(const DocumentPtr& document) {
  if (document == document_ || (document && document->is_partial)) return;
  reset();
  document_ = document;
  if (!document_) return;
  job_.start([document] {
    Answer answer;
    answer.hang = find_flight_dumps(document->paths);
    Result<std::vector<JobRank>> ranks = extract_ranks(document->trace, 2);
    if (!ranks) {
      answer.error = ranks.error().message();
      return answer;
    }
    answer.job = analyse_job(std::move(*ranks));
    return answer;
  });
}

bool JobView::update() {
  auto result = job_.take();
  if (!result) return false;
  answer_ = std::move(result);
  return true;
}

void JobView::settle() {
  job_.wait();
  update();
}

Nanos JobView::value(const JobCell& cell, JobColumn column) {
  switch (column) {
    case JobColumn::kWaited:
      return cell.waited;
    case JobColumn::kDelay:
      return cell.delay;
    case JobColumn::kLength:
      return cell.length;
    case JobColumn::kLost:
      break;
  }
  return cell.lost;
}

ReportPlace JobView::place_of(const Trace& trace, const JobRank& rank, Nanos start, Nanos duration) {
  ReportPlace place{{start, saturating_add(start, duration)}, {}};
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kGpuStream || trace.process(track.process).source.value != rank.source) continue;
    const SliceId slice = trace.innermost_at(track, start);
    if (slice.valid() && trace.span(slice) == place.span) place.slice = slice;
  }
  return place;
}

ReportPlace JobView::step_of(const Trace& trace, const Job& job, std::size_t rank, std::size_t step) {
  const JobRank& facts = job.ranks[rank];
  for (const RankStep& s : facts.steps)
    if (s.number == job.steps[step])
      return place_of(trace, facts, saturating_sub(s.start, facts.epoch), saturating_sub(s.end, s.start));
  return {};
}

}  // namespace lacuna
