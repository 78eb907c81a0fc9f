#include "app/gui/application/diff_view.h"

#include <algorithm>
#include <utility>

#include "app/gui/core/files.h"

namespace lacuna {

void DiffView::open(std::vector<std::string> paths, const ImportOptions& options) {
  error_.clear();
  if (!paths.empty()) loader_.start(std::move(paths), options);
}

std::string DiffView::title() const {
  return has_other() ? files_title(other_.document()->paths) : std::string();
}

void DiffView::close() {
  loader_.cancel();
  job_.cancel();
  other_.open(nullptr);
  answer_.reset();
  asked_ = {};
  shown_.reset();
  rows_.clear();
  kernels_.clear();
  structure.reset(nullptr);
  chosen_kernels_.reset();
  file_a = 0;
  file_b = 1;
}

void DiffView::ask(const DocumentPtr& a) {
  if (a && a->is_partial) return;
  document_a_ = a;
  const DocumentPtr b = document_b();
  if (!a || !b) return;
  file_a = std::min(file_a, a->trace.sources().size() - 1);
  file_b = std::min(file_b, b->trace.sources().size() - 1);
  if (a == b && file_a == file_b) return;
  const Asked wanted{a, b, file_a, file_b};
  if (wanted == asked_) return;
  const bool are_others = wanted.a != asked_.a || wanted.b != asked_.b;
  asked_ = wanted;
  if (are_others) {
    answer_.reset();  // its slices are those of other traces
    structure.reset(nullptr);
    align_starts();
    needs_offset_ = true;  // better once the measured windows are known
  }
  job_.start([wanted] {
    const DiffSide in_a{&wanted.a->trace, SourceId{static_cast<std::uint32_t>(wanted.file_a)}};
    const DiffSide in_b{&wanted.b->trace, SourceId{static_cast<std::uint32_t>(wanted.file_b)}};
    return compute_diff(in_a, in_b);
  });
}

bool DiffView::update() {
  bool changed = other_.update();
  if (std::optional<Result<DocumentPtr>> result = loader_.poll()) {
    changed = true;
    if (*result) {
      file_b = 0;
      answer_.reset();
      structure.reset(nullptr);
      other_.open(std::move(**result));
    } else if (result->error().code != ErrorCode::kCancelled) {
      error_ = result->error().message();
    }
  }
  bool is_new = false;
  if (auto answer = job_.take()) {
    answer_ = std::move(answer);
    is_new = changed = true;
    if (needs_offset_) align_starts();
  }
  const Shown wanted{filter, side, which, key};
  if (!answer_ || (!is_new && shown_ == wanted)) return changed;
  if (is_new || !shown_ || shown_->key != key) {
    sorted_ = *answer_;
    sort_diff(sorted_, key);
  }
  if (is_new) structure.reset(&answer_->structure);
  structure.set_filter(filter);
  shown_ = wanted;
  rows_.clear();
  for (std::uint32_t i = 0; i < sorted_.rows.size(); ++i) {
    const DiffRow& row = sorted_.rows[i];
    if (which == DiffRows::kNew && !row.is_new()) continue;
    if (which == DiffRows::kVanished && !row.is_vanished()) continue;
    if (side != StatisticsSide::kAll && is_gpu_side(row.category) != (side == StatisticsSide::kGpu)) continue;
    if (matches_words(filter, row.name, {})) rows_.push_back(i);
  }
  kernels_.clear();
  for (std::uint32_t i = 0; i < sorted_.kernels.size(); ++i) {
    const KernelPair& pair = sorted_.kernels[i];
    if (matches_words(filter, pair.a.op + " " + pair.a.name + " " + pair.b.op + " " + pair.b.name,
                      kernel_class_name(pair.kernel_class)))
      kernels_.push_back(i);
  }
  if (is_new || !chosen_kernels_ || std::ranges::find(kernels_, *chosen_kernels_) == kernels_.end()) {
    chosen_kernels_.reset();
    if (!kernels_.empty()) chosen_kernels_ = kernels_.front();
  }
  return true;
}

void DiffView::settle() {
  other_.settle();
  update();
  job_.wait();
  update();
}

void DiffView::align_starts() {
  if (!document_a_ || !has_other()) return;
  needs_offset_ = false;
  const Trace& a = document_a_->trace;
  const Trace& b = other_.trace();
  Nanos start_a = a.span().begin, start_b = b.span().begin;
  if (answer_ && !answer_->a.window.empty() && !answer_->b.window.empty()) {
    start_a = answer_->a.window.begin;
    start_b = answer_->b.window.begin;
  }
  set_offset(saturating_sub(start_b, start_a));
}

void DiffView::set_offset(Nanos offset) {
  offset_ = offset;
  seen_a_ = Camera{};  // A leads in the next frame
}

void DiffView::synchronise(TimelineView& a) {
  TimelineView& b = other_.view();
  // Before B has a place of its own and is asked about, there is nothing to be tied: A would follow it anywhere.
  if (!is_split() || !a.has_place() || !b.has_place() || asked_.b != other_.document()) return;
  if (!is_locked) {
    // What is shown now is what stays tied together when it is locked again.
    offset_ = saturating_sub(b.camera().begin(), a.camera().begin());
  } else if (a.camera() != seen_a_ || b.camera() == seen_b_) {
    const Camera& lead = a.camera();
    b.show_at(Camera::at(saturating_add(lead.begin(), offset_), lead.begin_fraction(), lead.ns_per_px()));
  } else {
    const Camera& lead = b.camera();
    a.show_at(Camera::at(saturating_sub(lead.begin(), offset_), lead.begin_fraction(), lead.ns_per_px()));
  }
  seen_a_ = a.camera();
  seen_b_ = b.camera();
}

}  // namespace lacuna
