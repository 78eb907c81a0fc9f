#include "app/gui/models/memory/memory_view.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "capture/remote/remote_questions.h"
#include "model/base/seeded_hash.h"
#include "model/base/stable_sort.h"

namespace lacuna {
namespace {

constexpr std::size_t kStatesOverTime = 300;

/// Segments as they lie, with what is held in them.
std::vector<SegmentPicture> picture_segments(const SnapshotHistory& history, const AllocatorReplay& replay,
                                             const std::vector<std::uint32_t>& piece_of) {
  std::vector<SegmentPicture> pictures;
  const DeviceMemory& memory = history.memory();
  auto block = replay.live().begin();
  for (const auto& [address, index] : replay.segments()) {
    const SegmentSpan& span = memory.segments[index];
    SegmentPicture& picture = pictures.emplace_back();
    picture.span = index;
    picture.address = span.address;
    picture.size = span.size;
    while (block != replay.live().end() && block->first < span.address) ++block;
    for (; block != replay.live().end() && block->first - span.address < span.size; ++block) {
      const Allocation& allocation = memory.allocations[block->second];
      const std::uint64_t offset = block->first - span.address;
      picture.blocks.push_back({offset, std::min(allocation.size, span.size - offset), piece_of[block->second],
                                allocation.requested != Allocation::kNever && allocation.requested <= replay.moment()});
    }
  }
  sort_stably(pictures, std::ranges::greater(), &SegmentPicture::size);
  return pictures;
}

}  // namespace

/// The allocator's state, moved from moment to moment by the worker of moment_job_ alone.
struct MemoryView::Replay {
  HistoryPtr history;
  std::unique_ptr<AllocatorReplay> state;
  std::vector<std::uint32_t> piece_of;  // by allocation
};

std::vector<std::size_t> MemoryView::Histories::ran_out() const {
  std::vector<std::size_t> found;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const auto* snapshot = dynamic_cast<const SnapshotHistory*>(devices[d].get());
    if (snapshot == nullptr) continue;
    const auto is_oom = [](const auto& action) { return action.first == "oom"; };
    if (std::ranges::any_of(snapshot->memory().actions, is_oom)) found.push_back(d);
  }
  return found;
}

MemoryView::MemoryView(BackgroundJobs& jobs)
    : histories_job_(jobs), areas_job_(jobs), moment_job_(jobs), findings_job_(jobs) {}

MemoryView::~MemoryView() = default;

void MemoryView::reset() {
  histories_job_.cancel();
  document_.reset();
  histories_.reset();
  choose_device(0);
}

void MemoryView::ask(const DocumentPtr& document) {
  if (document == document_ || (document && !document->is_answerable())) return;
  if (!is_same_trace(document, document_)) reset();
  document_ = document;
  if (!document_) return;
  if (document_->is_thinned) return take_remote();
  histories_job_.start([document] {
    Histories found;
    found.document = document;
    auto read = read_memory_histories(document->trace);
    if (read) {
      found.devices = std::move(*read);
      found.mark();
    } else {
      found.error = read.error().message();
    }
    return found;
  });
}

/// It is about all of the trace, and the same with each picture, which has the slices under which marks are drawn.
void MemoryView::take_remote() {
  const bool is_there = histories_ != nullptr && histories_->error.empty();
  const std::shared_ptr<const RemotePage> page = is_there ? nullptr : document_->answers->page({AskedMemory{}});
  if (!is_there && page == nullptr) return;
  Histories answer = is_there ? *histories_ : Histories{};
  answer.document = document_;
  if (page != nullptr) {
    answer.error = page->problem;
    answer.devices_left_out = page->rows_left_out;
    for (const MemoryExcerpt& device : page->memory)
      answer.devices.push_back(std::make_shared<const ExcerptHistory>(device));
  }
  answer.mark();
  histories_ = std::make_shared<const Histories>(std::move(answer));
  if (!is_there) choose_device(0);
}

void MemoryView::Histories::mark() {
  marks = std::make_shared<const MemoryMarks>(document->trace, devices);
  if (marks->size() == 0) marks.reset();
}

std::shared_ptr<const MemoryMarks> MemoryView::marks(const DocumentPtr& document) const {
  return histories_ != nullptr && histories_->document == document ? histories_->marks : nullptr;
}

void MemoryView::choose(const MemoryMarks::Mark& mark) {
  if (histories_ == nullptr || mark.history >= histories_->devices.size()) return;
  if (mark.history != device_) choose_device(mark.history);
  choose_moment(device()->table.pieces[mark.piece].begin);
  chosen_piece = mark.piece;
  only_area.reset();
}

const MemoryHistory* MemoryView::device() const {
  return histories_ != nullptr && device_ < histories_->devices.size() ? histories_->devices[device_].get() : nullptr;
}

void MemoryView::choose_device(std::size_t device) {
  areas_job_.cancel();
  moment_job_.cancel();
  findings_job_.cancel();
  device_ = device;
  areas_.reset();
  at_moment_.reset();
  rows_of_.reset();
  findings_.reset();
  asked_findings_ = false;
  asked_moment_.reset();
  chosen_.reset();
  base.reset();
  only_area.reset();
  chosen_piece.reset();
  replay_.reset();
  moment_ = 0;
  const MemoryHistory* history = this->device();
  if (history == nullptr) return;
  if (!history->has_group(by_)) by_ = HolderGroup::kCategory;
  moment_ = history->table.peak();
  ask_areas();
}

void MemoryView::group_by(HolderGroup by) {
  if (by == by_) return;
  by_ = by;
  only_area.reset();
  ask_areas();
}

void MemoryView::ask_areas() {
  if (device() == nullptr) return;
  areas_job_.start([history = histories_->devices[device_], by = by_, document = document_] {
    return make_holder_areas(*history, by);
  });
}

const HolderAreas* MemoryView::areas() const {
  return areas_ != nullptr && areas_->by == by_ ? areas_.get() : nullptr;
}

void MemoryView::look_at(TimeSpan range) {
  const MemoryHistory* history = device();
  if (history == nullptr || history->table.active.empty()) return;
  const MemoryTable& table = history->table;
  range_ = range;
  moment_ = chosen_ ? std::min(*chosen_, table.moments() - 1)
                    : table.peak(table.moment_at(range.begin),
                                 std::max(table.moment_at(range.begin), table.moment_at(saturating_sub(range.end, 1))));
  ask_moment();
  if (shows == MemoryShows::kFindings || shows == MemoryShows::kFragmentation) ask_findings();
}

MemoryView::Lies MemoryView::moment_lies() const {
  const Nanos time = device()->table.time_of(moment_);
  return time < range_.begin ? Lies::kBefore : time >= range_.end && time > range_.begin ? Lies::kAfter : Lies::kInside;
}

Nanos MemoryView::time_of_moment() const {
  const Nanos time = device()->table.time_of(moment_);
  return !chosen_ && moment_lies() == Lies::kBefore ? range_.begin : time;
}

void MemoryView::choose_moment(std::optional<std::uint32_t> moment) {
  chosen_ = moment;
  chosen_piece.reset();
}

void MemoryView::step_moment(int direction) {
  const MemoryHistory* history = device();
  if (history == nullptr) return;
  const std::uint32_t last = history->table.moments() - 1;
  if (direction < 0 && moment_ > 0) choose_moment(moment_ - 1);
  if (direction > 0 && moment_ < last) choose_moment(moment_ + 1);
}

void MemoryView::ask_moment() {
  const MomentWish wish{moment_, base, shows == MemoryShows::kFlames, shows == MemoryShows::kAllocator,
                        shows == MemoryShows::kCheckpointing};
  if (asked_moment_ == wish) return;
  asked_moment_ = wish;
  if (replay_ == nullptr) {
    replay_ = std::make_shared<Replay>();
    replay_->history = histories_->devices[device_];
  }
  moment_job_.start([replay = replay_, wish, document = document_] {
    const std::uint32_t moment = wish.moment;
    const MemoryHistory& history = *replay->history;
    AtMoment at;
    at.moment = moment;
    for (const std::uint32_t p : history.table.by_size) {
      if (!history.table.pieces[p].is_held(moment)) continue;
      at.live.push_back(p);
      at.bytes += history.table.pieces[p].bytes;
    }
    if (wish.with_tree) at.tree = make_byte_tree(history, moment, wish.base ? &*wish.base : nullptr);
    if (wish.with_checkpointing) at.checkpointing = find_checkpoint_savings(history, moment);
    const auto* snapshot = dynamic_cast<const SnapshotHistory*>(&history);
    if (snapshot == nullptr || !wish.with_segments) return at;
    if (replay->state == nullptr) {
      replay->state = std::make_unique<AllocatorReplay>(snapshot->memory());
      replay->piece_of.resize(snapshot->memory().allocations.size());
      for (std::uint32_t p = 0; p < history.table.pieces.size(); ++p)
        replay->piece_of[history.table.pieces[p].index] = p;
    }
    replay->state->go_to(moment);
    at.state = state_of(snapshot->memory(), *replay->state);
    at.segments = picture_segments(*snapshot, *replay->state, replay->piece_of);
    return at;
  });
}

void MemoryView::ask_findings() {
  if (asked_findings_ || snapshot() == nullptr) return;
  asked_findings_ = true;
  findings_job_.start([history = histories_->devices[device_]] {
    const auto& snapshot = dynamic_cast<const SnapshotHistory&>(*history);
    Findings found;
    found.out_of_memory = explain_out_of_memory(snapshot.snapshot(), snapshot.memory());
    found.over_time = states_over_time(snapshot.memory(), kStatesOverTime);
    StackNames names(snapshot.snapshot());
    const std::vector<Moment> steps = step_moments(snapshot.snapshot(), *snapshot.memory().history);
    found.steps = steps.size();
    found.has_steps = has_steps(snapshot.snapshot());
    found.leaks = find_leaks(snapshot.snapshot(), snapshot.memory(), steps, names);
    return found;
  });
}

bool MemoryView::update() {
  bool changed = false;
  if (auto result = histories_job_.take()) {
    histories_ = std::move(result);
    const std::vector<std::size_t> devices = histories_->ran_out();
    choose_device(devices.empty() ? 0 : devices.front());
    changed = true;
  }
  if (auto result = areas_job_.take()) {
    areas_ = std::move(result);
    changed = true;
  }
  if (auto result = moment_job_.take()) {
    at_moment_ = std::move(result);
    changed = true;
  }
  if (auto result = findings_job_.take()) {
    findings_ = std::move(result);
    changed = true;
  }
  return changed;
}

bool MemoryView::is_computing() const {
  return histories_job_.is_busy() || areas_job_.is_busy() || moment_job_.is_busy() || findings_job_.is_busy();
}

void MemoryView::settle() {
  histories_job_.wait();
  update();
  areas_job_.wait();
  moment_job_.wait();
  findings_job_.wait();
  update();
}

const std::vector<std::uint32_t>& MemoryView::rows() {
  const RowOrder order{column, descending, only_area, areas()};
  if (rows_of_ == at_moment_ && rows_order_ == order) return rows_;
  rows_of_ = at_moment_;
  rows_order_ = order;
  rows_.clear();
  const MemoryHistory* history = device();
  if (at_moment_ == nullptr || history == nullptr) return rows_;
  const MemoryTable& table = history->table;
  for (const std::uint32_t p : at_moment_->live)
    if (!only_area || areas() == nullptr || areas()->area_of[p] == *only_area) rows_.push_back(p);
  const auto sort_by = [&](auto&& key) {
    if (descending) {
      std::ranges::stable_sort(rows_, std::ranges::greater(), key);
    } else {
      std::ranges::stable_sort(rows_, std::ranges::less(), key);
    }
  };
  switch (column) {
    case LiveColumn::kBytes:
      sort_by([&](std::uint32_t p) { return table.pieces[p].bytes; });
      break;
    case LiveColumn::kHolder:
      sort_by([&](std::uint32_t p) -> const std::string& { return table.labels[table.pieces[p].label]; });
      break;
    case LiveColumn::kBegin:
      sort_by([&](std::uint32_t p) { return table.pieces[p].begin; });
      break;
    case LiveColumn::kEnd:
      sort_by([&](std::uint32_t p) { return table.pieces[p].end; });
      break;
    case LiveColumn::kUnused:
      sort_by([&](std::uint32_t p) { return table.pieces[p].unused; });
      break;
  }
  return rows_;
}

std::vector<MemoryView::Change> MemoryView::compare(const MemoryView& here, const MemoryView& there) {
  std::unordered_map<std::string, std::size_t, SeededHash> known;
  std::vector<Change> changes;
  const auto has_pieces = [](const MemoryView& view) {
    return view.device() == nullptr || view.device()->has_pieces();
  };
  const bool by_area = !has_pieces(here) || !has_pieces(there);
  const auto add = [&](const MemoryView& view, std::uint64_t Change::*bytes) {
    const MemoryHistory* history = view.device();
    if (history == nullptr || view.at_moment() == nullptr) return;
    if (by_area) {
      if (view.areas() == nullptr) return;
      for (const HolderArea& area : view.areas()->areas) {
        const auto [found, is_new] = known.try_emplace(area.name, changes.size());
        if (is_new) changes.push_back({.name = area.name});
        changes[found->second].*bytes += area.at(view.moment());
      }
      return;
    }
    for (const std::uint32_t p : view.at_moment()->live) {
      const MemoryPiece& piece = history->table.pieces[p];
      const std::string& name = history->table.labels[piece.label];
      const auto [found, is_new] = known.try_emplace(name, changes.size());
      if (is_new) changes.push_back({.name = name});
      changes[found->second].*bytes += piece.bytes;
    }
  };
  add(here, &Change::here);
  add(there, &Change::there);
  sort_stably(changes, std::ranges::greater(),
              [](const Change& c) { return c.here > c.there ? c.here - c.there : c.there - c.here; });
  return changes;
}

}  // namespace lacuna
