#include "capture/remote/page_answerer.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "model/base/guarded.h"
#include "model/base/start_thread.h"
#include "model/calls/call_tree.h"
#include "model/groups/full_groups.h"

namespace lacuna {
namespace {

/// Keeps the kMostPageRows rows of the largest `time`, in their order. Returns how many it drops.
template <class Row, class Time>
std::uint64_t keep_most(std::vector<Row>& rows, Time time) {
  if (rows.size() <= kMostPageRows) return 0;
  std::vector<std::uint32_t> order(rows.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint32_t i) { return time(rows[i]); });
  order.resize(kMostPageRows);
  std::ranges::sort(order);
  std::vector<Row> kept;
  for (const std::uint32_t i : order) kept.push_back(std::move(rows[i]));
  const std::uint64_t dropped = rows.size() - kept.size();
  rows = std::move(kept);
  return dropped;
}

bool needs_causes(const AskedPage& asked) {
  const auto* calls = std::get_if<AskedCalls>(&asked.what);
  return std::holds_alternative<AskedGaps>(asked.what) || (calls != nullptr && calls->metric == CallMetric::kIdleTime);
}

/// The tracks that the trace has.
std::vector<TrackId> known_tracks(const AskedPage& asked, const Trace& trace) {
  std::vector<TrackId> tracks = asked.tracks;
  std::erase_if(tracks, [&](TrackId track) { return track.value >= trace.tracks().size(); });
  return tracks;
}

void compute_groups_for(RemotePage& page, const Trace& trace, std::shared_ptr<const Roofline>& roofline,
                        const std::atomic<bool>& cancel) {
  GroupOptions options;
  options.by = std::get<GroupBy>(page.asked.what);
  options.range = page.asked.range;
  options.tracks = known_tracks(page.asked, trace);
  options.roofline = roofline;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  options.cancel = &cancel;
  FullGroups full = compute_full_groups(trace, options);
  roofline = full.options.roofline;
  page.problem = full.problem;
  page.groups = std::move(full.table);
  page.rows_left_out = keep_most(page.groups.rows, [](const GroupRow& row) { return row.self; });
  for (GroupRow& row : page.groups.rows) {
    row.label = shortened(row.label, kMostPageText);
    if (row.category.value >= trace.categories().size()) row.category = {};
    LongestSlice& longest = page.longest.emplace_back();
    if (!row.longest.valid()) continue;
    longest = {row.longest.lane, trace.span(row.longest), shortened(trace.name(row.longest), kMostPageText)};
  }
}

void compute_roofline_for(RemotePage& page, const Trace& trace, const std::atomic<bool>& cancel) {
  RooflineOptions options;
  options.range = page.asked.range;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  options.cancel = &cancel;
  Result<Roofline> roofline = compute_roofline(trace, options);
  if (!roofline) {
    page.problem = roofline.error().message();
    return;
  }
  page.roofline = std::move(*roofline);
  page.roofline.drop_around_others();
  page.rows_left_out = keep_most(page.roofline.rows, std::mem_fn(&RooflineRow::gpu_time));
  for (RooflineRow& row : page.roofline.rows)
    for (std::string* text : {&row.name, &row.dims, &row.types}) *text = shortened(*text, kMostPageText);
}

void compute_torch_for(RemotePage& page, const Trace& trace) {
  const AskedTorch& asked = std::get<AskedTorch>(page.asked.what);
  TorchTableOptions options;
  options.group_by_input_shape = asked.by_shape;
  options.group_by_stack_n = asked.stack_frames;
  options.include_python_functions = asked.python_functions;
  options.covered = true;
  options.range = page.asked.range;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  Result<TorchTable> torch = compute_torch_table(trace, options);
  if (!torch) {
    page.problem = torch.error().message();
    return;
  }
  page.torch = std::move(*torch);
  page.totals = torch_totals(page.torch);
  page.rows_left_out = keep_most(page.torch.rows, [](const TorchRow& row) { return row.self_cpu + row.self_device; });
  for (TorchRow& row : page.torch.rows) {
    row.name = shortened(row.name, kMostPageText);
    row.input_shapes = shortened(row.input_shapes, kMostPageText);
    for (std::string& frame : row.stack) frame = shortened(frame, kMostPageText);
  }
}

void shorten(Headline& headline) {
  for (Headline::Subject& subject : headline.subjects) subject.sentence = shortened(subject.sentence, kMostPageText);
}

void compute_report_for(RemotePage& page, const Trace& trace, const ReportFormat& format) {
  page.reports = describe_reports(trace, format, kMostReportRows);
  shorten(page.reports.headline);
  for (DescribedReport& file : page.reports.files) {
    for (ReportSection& section : file.sections) {
      for (ReportLine& line : section.lines) {
        line.places.resize(std::min(line.places.size(), kMostReportRows));
        line.how_measured = line.text.size() > kMostPageText ? 0 : line.how_measured;
        line.text = shortened(line.text, kMostPageText);
      }
      for (std::vector<std::string>& row : section.table.rows)
        for (std::string& cell : row) cell = shortened(cell, kMostPageText);
    }
  }
}

void compute_gaps_for(RemotePage& page, const CausedTrace& causes, const ReportFormat& format) {
  const AskedGaps& asked = std::get<AskedGaps>(page.asked.what);
  page.gaps = describe_gaps(causes, {asked.what, asked.whole_gpu, asked.shortest, page.asked.range, page.asked.tracks},
                            format, kMostReportRows);
  for (std::vector<std::string>& row : page.gaps.table.rows)
    for (std::string& cell : row) cell = shortened(cell, kMostPageText);
}

void compute_path_for(RemotePage& page, const Trace& trace, const std::atomic<bool>& cancel) {
  const CriticalPath path = find_critical_path(trace, path_options(trace, page.asked.range));
  std::vector<PathRow> rows = tabulate_path(trace, path);
  if (cancel) return;
  add_slack(trace, path, rows);
  page.path = describe_path(trace, path, rows, kMostPageRows, kMostPathPlaces);
  if (path.parts.size() <= kMostPathMarks) page.path_marks = PathMarks::of(path);
  for (DescribedPath::Row& row : page.path.rows) {
    row.name = shortened(row.name, kMostPageText);
    row.lane = shortened(row.lane, kMostPageText);
  }
}

void compute_what_if_for(RemotePage& page, const Trace& trace, std::optional<WhatIfTables>& tables) {
  const AskedWhatIf& asked = std::get<AskedWhatIf>(page.asked.what);
  if (asked.source >= trace.sources().size()) {
    page.problem = "there is no such file";
    return;
  }
  if (!tables) tables.emplace(trace);
  page.what_if = tables->of(SourceId{asked.source}, asked.changes);
}

void compute_memory_for(RemotePage& page, const Trace& trace, const std::atomic<bool>& cancel) {
  auto histories = read_memory_histories(trace);
  if (!histories) {
    page.problem = histories.error().message();
    return;
  }
  page.rows_left_out = histories->size() - std::min(histories->size(), kMostRemoteDevices);
  histories->resize(histories->size() - page.rows_left_out);
  for (const auto& history : *histories) {
    if (cancel) return;
    MemoryExcerpt& excerpt = page.memory.emplace_back(excerpt_memory(*history, kMemoryLimits));
    excerpt.name = shortened(excerpt.name, kMostPageText);
    for (std::vector<std::string>* texts : {&excerpt.labels, &excerpt.frames})
      for (std::string& text : *texts) text = shortened(text, kMostPageText);
    for (MemoryExcerpt::Group& group : excerpt.groups) {
      for (std::string& name : group.names) name = shortened(name, kMostPageText);
      for (HolderArea& area : group.areas) area.name = shortened(area.name, kMostPageText);
    }
  }
}

void compute_calls_for(RemotePage& page, const Trace& trace, const CausedTrace* causes,
                       const std::atomic<bool>& cancel) {
  const AskedCalls& asked = std::get<AskedCalls>(page.asked.what);
  CallTreeOptions options;
  options.metric = asked.metric;
  options.bottom_up = asked.bottom_up;
  options.hides_python = !asked.with_python;
  options.range = page.asked.range;
  options.tracks = known_tracks(page.asked, trace);
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  options.cancel = &cancel;
  ChosenGaps gaps;
  if (asked.metric == CallMetric::kIdleTime) {
    const bool by_stream = std::ranges::any_of(
        options.tracks, [&](TrackId track) { return trace.track(track).kind == TrackKind::kGpuStream; });
    GapTableOptions counted{.whole_gpu = !by_stream, .range = page.asked.range};
    if (by_stream) counted.tracks = options.tracks;
    gaps = choose_gaps(*causes, counted);
  }
  options.gaps = gaps.sets;
  std::vector<CallCharge> charges;
  if (asked.metric == CallMetric::kPath)
    for (const PathPart& part : find_critical_path(trace, path_options(trace, page.asked.range)).parts)
      charges.push_back({part.slice, part.span.duration()});
  options.charges = charges;
  page.calls = excerpt_calls(trace, build_call_tree(trace, options), kMostRemoteFrames);
  for (std::string& name : page.calls.names) name = shortened(name, kMostPageText);
}

}  // namespace

PageAnswerer::Pages PageAnswerer::find(const std::vector<AskedPage>& asked, const CausedTrace* causes) {
  for (Worker& worker : workers_) {
    if (!worker.is_done) continue;
    worker.thread = {};
    if (!worker.cancel) kept_.push_back(worker.next);
    worker.next.reset();
    worker.is_done = false;
  }
  Pages found;
  std::array<const AskedPage*, std::tuple_size_v<decltype(workers_)>> missing{};
  for (const AskedPage& wanted : asked) {
    const AskedPage*& first_missing = missing[std::holds_alternative<AskedSql>(wanted.what) ? 1 : 0];
    const auto at = std::ranges::find(kept_, wanted, &RemotePage::asked);
    if (at != kept_.end()) {
      found.push_back(*at);
      std::rotate(at, at + 1, kept_.end());
    } else if (first_missing == nullptr && (causes != nullptr || !needs_causes(wanted))) {
      first_missing = &wanted;
    }
  }
  while (kept_.size() > kMostKept) kept_.erase(kept_.begin());
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    Worker& worker = workers_[w];
    if (worker.next && std::ranges::find(asked, worker.next->asked) == asked.end()) worker.cancel = true;
    if (worker.next || missing[w] == nullptr) continue;
    if (auto refused = start(worker, *missing[w], causes)) found.push_back(std::move(refused));
  }
  return found;
}

std::shared_ptr<const RemotePage> PageAnswerer::start(Worker& worker, const AskedPage& asked,
                                                      const CausedTrace* causes) {
  worker.next = std::make_shared<RemotePage>();
  worker.next->asked = asked;
  worker.cancel = false;
  worker.thread = start_thread([this, &worker, page = worker.next.get(), causes] {
    if (!run_guarded([&] { compute(*page, causes, worker.cancel); }, [&](std::string_view) {})) {
      AskedPage unanswered = std::move(page->asked);
      *page = {};
      page->asked = std::move(unanswered);
      page->problem.assign("no memory");  // 15 characters need none
    }
    worker.is_done = true;
  });
  if (worker.thread.joinable()) return nullptr;
  worker.next->problem = kNoMoreThreads;
  return std::exchange(worker.next, nullptr);
}

void PageAnswerer::compute(RemotePage& page, const CausedTrace* causes, const std::atomic<bool>& cancel) {
  if (std::holds_alternative<GroupBy>(page.asked.what)) {
    compute_groups_for(page, trace_, roofline_, cancel);
  } else if (std::holds_alternative<AskedRoofline>(page.asked.what)) {
    compute_roofline_for(page, trace_, cancel);
  } else if (std::holds_alternative<AskedTorch>(page.asked.what)) {
    compute_torch_for(page, trace_);
  } else if (std::holds_alternative<AskedReport>(page.asked.what)) {
    compute_report_for(page, trace_, format_);
  } else if (std::holds_alternative<AskedGaps>(page.asked.what)) {
    compute_gaps_for(page, *causes, format_);
  } else if (const auto* sql = std::get_if<AskedSql>(&page.asked.what)) {
    if (!queries_) queries_.emplace(trace_);
    page.query = queries_->run(sql->text, {kMostPageRows, kMostQueryBytes}, cancel);
  } else if (std::holds_alternative<AskedPath>(page.asked.what)) {
    compute_path_for(page, trace_, cancel);
  } else if (std::holds_alternative<AskedWhatIf>(page.asked.what)) {
    compute_what_if_for(page, trace_, what_if_);
  } else if (std::holds_alternative<AskedMemory>(page.asked.what)) {
    compute_memory_for(page, trace_, cancel);
  } else if (std::holds_alternative<AskedCalls>(page.asked.what)) {
    compute_calls_for(page, trace_, causes, cancel);
  } else {
    if (!range_reports_) range_reports_.emplace(trace_);
    std::vector<Report> reports = range_reports_->over(page.asked.range);
    for (Report& report : reports)
      if (!cancel) range_reports_->advise(report);
    page.reports.headline = make_headline_by_class(trace_, reports, format_);
    shorten(page.reports.headline);
  }
}

}  // namespace lacuna
