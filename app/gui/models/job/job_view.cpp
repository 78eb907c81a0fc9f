#include "app/gui/models/job/job_view.h"

#include <utility>

#include "model/job/rank_extract.h"
#include "model/trace/tracks_of.h"

namespace lacuna {
namespace {

/// More ranks than a page has rows.
constexpr std::size_t kManyRanks = 64;

/// The job of files, each reduced by itself.
Result<Job> read_job(const std::vector<std::string>& paths, const ImportOptions& import, LoadRanksProgress& progress) {
  ImportOptions each = import;
  each.clocks = FileClocks::kFiles;
  each.shifts.clear();
  Result<LoadedRanks> loaded = load_ranks(paths, each, 0, &progress);
  if (!loaded) return tl::make_unexpected(loaded.error());
  if (loaded->ranks.empty())
    return fail(ErrorCode::kNotATrace,
                loaded->problems.empty() ? "none of the files is a trace or a digest" : loaded->problems.front().text,
                paths.front());
  return analyse_job(std::move(loaded->ranks), std::move(loaded->problems));
}

}  // namespace

void JobView::stop() {
  if (reading_) reading_->cancel = true;
  if (reading_other_) reading_other_->cancel = true;
}

void JobView::forget_answer() {
  stop();
  job_.cancel();
  answer_.reset();
  map_.reset();
  reading_.reset();
  close_comparison();
}

void JobView::reset() {
  forget_answer();
  document_.reset();
  files_.clear();
}

void JobView::ask(const DocumentPtr& document) {
  if (has_files() || document == document_ || (document && document->is_partial)) return;
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

void JobView::open_files(std::vector<std::string> paths, const ImportOptions& import) {
  reset();
  files_ = std::move(paths);
  reading_ = std::make_shared<LoadRanksProgress>();
  job_.start([paths = files_, import, progress = reading_] {
    Answer answer;
    Result<Job> job = read_job(paths, import, *progress);
    if (job)
      answer.job = std::move(*job);
    else
      answer.error = job.error().message();
    return answer;
  });
}

std::pair<std::size_t, std::size_t> JobView::files_read() const {
  if (!reading_ || !job_.is_busy()) return {0, 0};
  return {reading_->done, reading_->files};
}

void JobView::compare_with(std::vector<std::string> paths, const ImportOptions& import) {
  if (answer_ == nullptr || !answer_->error.empty()) return;
  close_comparison();
  reading_other_ = std::make_shared<LoadRanksProgress>();
  comparison_job_.start([paths = std::move(paths), import, progress = reading_other_, answer = answer_] {
    Comparison comparison;
    comparison.paths = paths;
    const Result<Job> other = read_job(paths, import, *progress);
    if (other)
      comparison.both = compare_jobs(answer->job, *other);
    else
      comparison.error = other.error().message();
    return comparison;
  });
}

void JobView::close_comparison() {
  if (reading_other_) reading_other_->cancel = true;
  reading_other_.reset();
  comparison_job_.cancel();
  comparison_.reset();
}

bool JobView::update() {
  bool changed = false;
  if (auto result = job_.take()) {
    answer_ = std::move(result);
    map_.reset();
    order.is_by_value = answer_->job.ranks.size() > kManyRanks;
    changed = true;
  }
  if (auto result = comparison_job_.take()) {
    comparison_ = std::move(result);
    changed = true;
  }
  return changed;
}

void JobView::settle() {
  job_.wait();
  comparison_job_.wait();
  update();
}

const JobMap& JobView::map() {
  if (!map_ || map_order_ != order) {
    map_order_ = order;
    map_ = job_map(answer_->job, order);
  }
  return *map_;
}

ReportPlace JobView::place_of(const Trace& trace, std::uint32_t source, Nanos start, Nanos duration) {
  ReportPlace place{{start, saturating_add(start, duration)}, {}};
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, SourceId{source})) {
    const SliceId slice = trace.innermost_at(track, start);
    if (slice.valid() && trace.span(slice) == place.span) place.slice = slice;
  }
  return place;
}

TimeSpan JobView::step_of(const Job& job, std::size_t rank, std::size_t step) {
  const JobRank& facts = job.ranks[rank];
  for (const RankStep& s : facts.steps)
    if (s.number == job.steps[step]) return {saturating_sub(s.start, facts.epoch), saturating_sub(s.end, facts.epoch)};
  return {};
}

}  // namespace lacuna
