#include "capture/remote/remote_page.h"

#include <cmath>

#include "capture/remote/verbs.h"
#include "capture/remote/visit_fields.h"

namespace lacuna {

template <>
inline constexpr std::uint64_t kValuesOf<GroupBy> = static_cast<std::uint64_t>(GroupBy::kClass) + 1;
template <>
inline constexpr std::uint64_t kValuesOf<FlopType> = static_cast<std::uint64_t>(FlopType::kFp8) + 1;
template <>
inline constexpr std::uint64_t kValuesOf<ReportTone> = static_cast<std::uint64_t>(ReportTone::kAdvice) + 1;
template <>
inline constexpr std::uint64_t kValuesOf<GapCause> = kGapCauseCount;
template <>
inline constexpr std::uint64_t kValuesOf<GapTable> = static_cast<std::uint64_t>(GapTable::kDeadWindows) + 1;
template <>
inline constexpr std::uint64_t kValuesOf<Cell::Kind> = static_cast<std::uint64_t>(Cell::Kind::kOwnedText) + 1;
template <>
inline constexpr std::uint64_t kValuesOf<PathKind> = static_cast<std::uint64_t>(PathKind::kNothing) + 1;
template <>
inline constexpr std::uint64_t kValuesOf<PathCause> = kPathCauseCount;
template <>
inline constexpr std::uint64_t kValuesOf<CallKind> = static_cast<std::uint64_t>(CallKind::kCause) + 1;
template <>
inline constexpr std::uint64_t kValuesOf<CallMetric> = static_cast<std::uint64_t>(CallMetric::kSamples) + 1;
template <>
inline constexpr std::uint64_t kValuesOf<WhatIfChange::Kind> =
    static_cast<std::uint64_t>(WhatIfChange::Kind::kRankEven) + 1;
template <>
inline constexpr std::uint64_t kValuesOf<TimeKind> = kTimeKindCount;
template <>
inline constexpr std::uint64_t kValuesOf<RooflineBound> = static_cast<std::uint64_t>(RooflineBound::kLatency) + 1;
template <>
inline constexpr std::uint64_t kValuesOf<KernelClass> = kKernelClassCount;
template <>
inline constexpr std::uint64_t kValuesOf<ReportCard::Picture> =
    static_cast<std::uint64_t>(ReportCard::Picture::kColumns) + 1;

namespace {

/// T as it is written, or as it is read.
template <class Given, class T>
concept Is = std::same_as<std::remove_const_t<Given>, T>;

}  // namespace

template <class Given>
requires std::is_empty_v<Given>  // a question that says nothing but what it asks for
void visit_fields(auto&, Given&) {}

void visit_fields(auto& visit, Is<AskedTorch> auto& asked) {
  visit(asked.by_shape, asked.stack_frames, asked.python_functions);
}

void visit_fields(auto& visit, Is<AskedGaps> auto& asked) {
  visit(asked.what, asked.whole_gpu, asked.shortest);
}

void visit_fields(auto& visit, Is<AskedSql> auto& asked) {
  visit(asked.text, asked.run);
}

void visit_fields(auto& visit, Is<AskedCalls> auto& asked) {
  visit(asked.metric, asked.bottom_up, asked.with_python);
}

void visit_fields(auto& visit, Is<AskedWhatIf> auto& asked) {
  visit(asked.source, asked.changes);
}

void visit_fields(auto& visit, Is<GroupRow> auto& row) {
  visit(row.label, row.category, row.count, row.total, row.self, row.min, row.max, row.p50, row.p99, row.counted,
        row.launch_delay, row.launch_delays, row.gpu_time, row.occupancy, row.grids_differ, row.bytes, row.flops,
        row.flop_calls, row.flop_time, row.flop_type, row.peak_tflops, row.grid, row.block);
  auto& roofline = row.roofline;
  visit(roofline.flop, roofline.bytes, roofline.timed_bytes, roofline.time, roofline.best_time, roofline.roofed_time,
        roofline.bound_time);
}

void visit_fields(auto& visit, Is<LongestSlice> auto& longest) {
  visit(longest.lane, longest.span, longest.name);
}

void visit_fields(auto& visit, Is<TorchRow> auto& row) {
  visit(row.name, row.is_on_gpu, row.is_annotation, row.is_async, row.is_inside, row.count, row.cpu_total, row.self_cpu,
        row.device_total, row.self_device, row.cpu_memory, row.self_cpu_memory, row.device_memory,
        row.self_device_memory, row.input_shapes, row.cpu_covered, row.device_covered, row.self_device_covered,
        row.stack);
}

// A slice is sent as its lane and its time, whatever time stands beside it.
void visit_fields(PutFields& visit, const ReportPlace& place) {
  const SliceId slice = place.slice;
  const bool is_here = slice.valid() && slice.index != ReportPlace::kUnnumbered;
  visit(slice.lane, is_here ? visit.trace().span(slice) : place.span, place.gap_of);
}
void visit_fields(GetFields& visit, ReportPlace& place) {
  visit(place.slice.lane, place.span, place.gap_of);
  place.slice.index = ReportPlace::kUnnumbered;
}

void visit_fields(auto& visit, Is<ReportLine> auto& line) {
  visit(line.text, line.tone, line.places, line.idle_of, line.cause, line.how_measured);
}

void visit_fields(auto& visit, Is<ReportTable::Column> auto& column) {
  visit(column.title, column.is_number, column.is_definition);
}

void visit_fields(auto& visit, Is<ReportTable> auto& table) {
  visit(table.columns, table.rows, table.places, table.row_count);
}

void visit_fields(auto& visit, Is<ReportSection> auto& section) {
  visit(section.key, section.title, section.lines, section.table);
}

void visit_fields(auto& visit, Is<GapSum> auto& sum) {
  visit(sum.time, sum.gaps);
}

void visit_fields(auto& visit, Is<DescribedGaps> auto& gaps) {
  visit(gaps.table, gaps.counted, gaps.left_out, gaps.not_charged);
}

void visit_fields(auto& visit, Is<ReportCard::Part> auto& part) {
  visit(part.text, part.size, part.place, part.work, part.cause, part.kernel_class);
}

void visit_fields(auto& visit, Is<ReportCard> auto& card) {
  visit(card.section, card.title, card.number, card.caption, card.picture, card.parts, card.place);
}

void visit_fields(auto& visit, Is<DescribedReport> auto& file) {
  visit(file.source, file.sections, file.cards, file.window, file.window_name);
}

void visit_fields(auto& visit, Is<Headline::Part> auto& part) {
  visit(part.work, part.cause, part.name, part.time, part.kernel_class);
}

void visit_fields(auto& visit, Is<Headline::Lever> auto& lever) {
  visit(lever.text, lever.tooltip, lever.place);
}

void visit_fields(auto& visit, Is<Headline::Subject> auto& subject) {
  visit(subject.source, subject.device, subject.name, subject.sentence, subject.sure, subject.is_good, subject.window,
        subject.idle, subject.parts, subject.levers);
}

void visit_fields(PutFields& visit, const QueryRows& rows) {
  visit(rows.names(), rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < rows.names().size(); ++column) {
      const Cell cell = rows.cell(row, column);
      visit(cell.kind);
      if (cell.kind == Cell::Kind::kInteger) visit(cell.integer);
      if (cell.kind == Cell::Kind::kReal) visit(cell.real);
      if (cell.kind == Cell::Kind::kText) visit(shortened(cell.text, kMostPageText));
    }
  }
}
void visit_fields(GetFields& visit, QueryRows& rows) {
  std::vector<std::string> names;
  std::uint64_t count = 0;
  visit(names, count);
  visit.expect(count <= kMostPageRows);
  rows.start(names);
  std::vector<Cell> cells(names.size());
  for (std::uint64_t row = 0; row < count && visit.is_sound(); ++row) {
    for (Cell& cell : cells) {
      cell = {};
      visit(cell.kind);
      if (cell.kind == Cell::Kind::kInteger) visit(cell.integer);
      if (cell.kind == Cell::Kind::kReal) visit(cell.real);
      if (cell.kind != Cell::Kind::kText) continue;
      visit(cell.owned);
      cell.text = cell.owned;
    }
    visit.expect(rows.add(cells));
  }
}

void visit_fields(auto& visit, Is<QueryAnswer> auto& answer) {
  visit(answer.sql, answer.rows, answer.places, answer.count, answer.is_cut_short, answer.error, answer.error_offset,
        answer.is_cancelled, answer.seconds);
}

void visit_fields(auto& visit, Is<PathPlace> auto& place) {
  visit(place.span, place.slice.lane, place.slice_span, place.track);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(place)>>) place.slice.index = kNoIndex;
}

void visit_fields(auto& visit, Is<DescribedPath::Row> auto& row) {
  visit(row.name, row.lane, row.kind, row.cause, row.track, row.category, row.time, row.parts, row.beside, row.slack,
        row.places);
}

void visit_fields(auto& visit, Is<DescribedPath> auto& path) {
  visit(path.wall, path.parts, path.causes, path.rows, path.row_count);
}

void visit_fields(auto& visit, Is<PathMarks::Mark> auto& mark) {
  visit(mark.span, mark.slice.lane, mark.is_wait);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(mark)>>) mark.slice.index = kNoIndex;
}

void visit_fields(auto& visit, Is<WhatIfChange> auto& change) {
  visit(change.kind, change.argument, change.factor);
}

void visit_fields(auto& visit, Is<WhatIfGain> auto& gain) {
  visit(gain.change, gain.predicted, gain.gain);
}

void visit_fields(auto& visit, Is<WhatIfTable> auto& table) {
  auto& prediction = table.prediction;
  visit(table.ranking, prediction.measured, prediction.replayed, prediction.predicted, prediction.stream_busy,
        prediction.steps, prediction.assumptions, table.error);
}

void visit_fields(auto& visit, Is<MemoryExcerpt::Piece> auto& piece) {
  auto& held = piece.piece;
  visit(held.bytes, held.address, held.unused, held.begin, held.end, held.label, piece.stack, piece.group,
        piece.allocated_by, piece.freed_by);
}

void visit_fields(auto& visit, Is<HolderArea> auto& area) {
  visit(area.name, area.most, area.moments, area.bytes);
}

void visit_fields(auto& visit, Is<MemoryExcerpt::Group> auto& group) {
  visit(group.is_there, group.names, group.areas, group.area_of, group.others);
}

void visit_fields(auto& visit, Is<MemoryExcerpt> auto& excerpt) {
  visit(excerpt.name, excerpt.source, excerpt.has_pieces, excerpt.times, excerpt.active, excerpt.labels, excerpt.pieces,
        excerpt.groups, excerpt.frames, excerpt.stacks, excerpt.piece_count, excerpt.moment_count,
        excerpt.has_whole_stacks);
}

// The number of a name is that of CallExcerpt, not that of a string of the trace.
void visit_fields(auto& visit, Is<CallNode> auto& node) {
  visit(node.key.kind, node.key.category, node.key.name.value, node.parent, node.first_child, node.child_count,
        node.total, node.self, node.count, node.longest.lane);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(node)>>) node.longest.index = kNoIndex;
}

void visit_fields(auto& visit, Is<CallExcerpt> auto& excerpt) {
  visit(excerpt.tree.nodes, excerpt.names, excerpt.longest, excerpt.frame_count);
}

void visit_fields(auto& visit, Is<Work> auto& work) {
  visit(work.flop, work.bytes);
}

void visit_fields(auto& visit, Is<RooflineRow> auto& row) {
  auto& work = row.work;
  visit(row.name, row.dims, row.types, work.operator_class, work.type, work.on_matrix_units, work.work, work.physical,
        work.why, row.count, row.gpu_time, row.longest.lane, row.longest_span, row.bound, row.roof_share,
        row.peak_tflops, row.peak_gigabytes);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(row)>>) row.longest.index = kNoIndex;
}

void visit_fields(auto& visit, Is<Roofline> auto& roofline) {
  visit(roofline.rows, roofline.around_others, roofline.device, roofline.gpu_time, roofline.modelled_time);
}

void visit_fields(auto& visit, Is<RemotePage> auto& page) {
  visit(page.problem, page.rows_left_out, page.groups.cpu_self, page.groups.gpu_total, page.groups.sampled_self,
        page.groups.rows, page.longest);
  auto& torch = page.torch;
  visit(torch.device_name, torch.has_memory, torch.has_covered, torch.cpu_covered, torch.device_covered, torch.rows);
  auto& totals = page.totals;
  visit(totals.self_cpu, totals.self_device, totals.has_device_time, totals.has_device_memory);
  visit(page.gaps, page.query, page.path, page.what_if, page.memory, page.reports.files, page.reports.headline.subjects,
        page.reports.headline.worst, page.roofline);
}

namespace {

bool is_sound(const ReportTable& table) {
  return std::ranges::all_of(table.rows, [&](const auto& row) { return row.size() == table.columns.size(); });
}

bool is_sound(const ReportSection& section) {
  return std::ranges::all_of(section.lines, [](const auto& line) { return line.how_measured <= line.text.size(); }) &&
         is_sound(section.table);
}

bool is_sound(const Work& work) {
  constexpr double kLeastBytes = 1e-3;  // for a sound ratio
  return is_countable(work) && (work.bytes == 0 || work.bytes >= kLeastBytes);
}

bool is_sound(const RooflineRow& row) {
  return is_sound(row.work.work) && (!row.work.physical || is_sound(*row.work.physical)) &&
         std::isfinite(row.roof_share) && is_countable({row.peak_tflops, row.peak_gigabytes});
}

/// In order, and none in another.
bool is_sound(const std::vector<PathMarks::Mark>& marks) {
  for (std::size_t m = 0; m < marks.size(); ++m)
    if (marks[m].span.end < marks[m].span.begin || (m > 0 && marks[m].span.begin < marks[m - 1].span.end)) return false;
  return marks.size() <= kMostPathMarks;
}

/// What those who show it rely on.
bool is_sound(const RemotePage& page) {
  // Rows are sorted by these.
  for (const TorchRow& row : page.torch.rows)
    for (const double us : {row.cpu_total, row.self_cpu, row.device_total, row.self_device})
      if (!std::isfinite(us)) return false;
  for (const DescribedReport& file : page.reports.files) {
    if (!file.source.valid()) return false;
    for (const ReportSection& section : file.sections)
      if (!is_sound(section)) return false;
    for (const ReportCard& card : file.cards)
      for (const ReportCard::Part& part : card.parts)
        if (!(part.size >= 0 && part.size <= 1)) return false;
  }
  for (const WhatIfGain& gain : page.what_if.ranking)
    if (!std::isfinite(gain.change.factor)) return false;
  const std::vector<RooflineRow>& works = page.roofline.rows;
  if (!std::ranges::all_of(works, [](const RooflineRow& row) { return is_sound(row); }) ||
      !std::ranges::is_sorted(works, std::ranges::greater{}, &RooflineRow::gpu_time))
    return false;
  if (!std::ranges::all_of(page.memory, [](const MemoryExcerpt& excerpt) { return is_sound(excerpt); })) return false;
  if (!is_sound(page.path_marks)) return false;
  const bool has_calls = std::holds_alternative<AskedCalls>(page.asked.what) && page.problem.empty();
  if (!is_sound(page.calls) || (has_calls && page.calls.tree.nodes.empty())) return false;
  const Headline& headline = page.reports.headline;
  const ReportTable& gaps = page.gaps.table;
  return is_sound(gaps) && gaps.places.size() == gaps.rows.size() && page.longest.size() == page.groups.rows.size() &&
         std::ranges::all_of(headline.subjects, [](const auto& subject) { return subject.source.valid(); }) &&
         (headline.subjects.empty() ? headline.worst == 0 : headline.worst < headline.subjects.size());
}

}  // namespace

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return std::string(text.substr(0, most)) + "\xE2\x80\xA6";
}

bool may_be_asked(const std::vector<WhatIfChange>& changes) {
  std::size_t bytes = 0;
  for (const WhatIfChange& change : changes) bytes += change.argument.size();
  return changes.size() <= kMostAskedChanges && bytes <= kMostAskedChangeText &&
         std::ranges::all_of(changes, [](const WhatIfChange& c) { return std::isfinite(c.factor) && c.factor >= 0; });
}

void put(FieldWriter& out, const AskedPage& asked) {
  static const Trace kNone;
  PutFields write(out, kNone);
  write(asked.what, asked.range, asked.tracks);
}

std::optional<AskedPage> get_asked_page(FieldReader& in) {
  static const Trace kNone;
  GetFields read(in, kNone, kMostRemoteViewTracks);
  AskedPage asked;
  read(asked.what);
  if (const auto* what_if = std::get_if<AskedWhatIf>(&asked.what)) read.expect(may_be_asked(what_if->changes));
  std::vector<std::uint32_t> tracks;
  read(asked.range, tracks);
  for (const std::uint32_t track : tracks) asked.tracks.push_back(TrackId{track});
  if (!read.is_sound()) return std::nullopt;
  return asked;
}

void put(FieldWriter& out, const RemotePage& page, const Trace& trace) {
  put(out, page.asked);
  PutFields write(out, trace);
  visit_fields(write, page);
  write(page.calls, page.path_marks);
}

std::optional<RemotePage> get_remote_page(FieldReader& in, const Trace& trace) {
  std::optional<AskedPage> asked = get_asked_page(in);
  if (!asked) return std::nullopt;
  RemotePage page;
  page.asked = std::move(*asked);
  GetFields read(in, trace, kMostPageRows);
  visit_fields(read, page);
  GetFields read_longer(in, trace, kMostRemoteFrames);
  read_longer(page.calls, page.path_marks);
  if (!read.is_sound() || !read_longer.is_sound() || !is_sound(page)) return std::nullopt;
  if (const GpuPeak* peak = gpu_peak(page.roofline.device)) page.roofline.peak = *peak;
  return page;
}

}  // namespace lacuna
