#include "app/gui/models/calls/call_view.h"

#include <algorithm>
#include <thread>
#include <unordered_map>
#include <utility>

#include "app/gui/models/statistics/statistics_view.h"
#include "capture/remote/remote_questions.h"
#include "model/base/cancel.h"

namespace lacuna {
namespace {

constexpr std::chrono::seconds kLiveRest{1};
constexpr int kMostHot = 100;     // levels opened at first
constexpr double kHotPart = 0.5;  // of its parent: opened at first

/// Those to which the keys of a tree refer.
struct FrameNames {
  const Trace& trace;  // of the categories
  const StringPool& names;
};

/// The same frame in another tree; names that it does not have match nothing.
CallKey translated(const CallKey& key, const FrameNames& of, const FrameNames& in) {
  if (&of.names == &in.names || !has_text(key.kind)) return key;
  const Trace &from = of.trace, &to = in.trace;
  CallKey result = key;
  result.name = in.names.find(of.names.get(key.name));
  result.category = CategoryId{};
  for (std::uint32_t c = 0; c < to.categories().size(); ++c)
    if (to.category_name(CategoryId{c}) == from.category_name(key.category)) result.category = CategoryId{c};
  return result;
}

}  // namespace

void CallView::choose_places(DocumentPtr document, std::string label, std::vector<SliceId> places) {
  if (!places.empty()) {
    const TrackKind kind = document->trace.track_of(places.front()).kind;
    if (kind == TrackKind::kGpuStream) metric = CallMetric::kGpuTime;  // it has no other
    if (kind == TrackKind::kStacks) metric = CallMetric::kSamples;
    if (kind == TrackKind::kThread && metric == CallMetric::kSamples) metric = CallMetric::kCpuTime;
  }
  std::ranges::sort(places);
  places_document_ = std::move(document);
  places_label_ = std::move(label);
  places_ = std::move(places);
  ++places_version_;
  zoomed_ = 0;
  chosen_.reset();
}

void CallView::forget_places() {
  places_.clear();
  places_label_.clear();
  places_document_.reset();
  ++places_version_;
  zoomed_ = 0;
}

void CallView::reset() {
  if (cancelled_) *cancelled_ = true;
  job_.cancel();
  forget_places();
  asked_.reset();
  asked_there_.reset();
  answered_there_.reset();
  answer_.reset();
  chosen_.reset();
  open_.clear();
  matches_.clear();
  rows_.clear();
}

void CallView::ask(Selected selected) {
  if (selected.document->is_thinned) return take_remote(selected);
  asked_there_.reset();
  // Ids of slices are those of one document.
  if (has_places() && places_document_ != selected.document) forget_places();
  if (!asked_ || asked_->selected.document != selected.document) fit_metric(selected.document->statistics);
  if (metric != CallMetric::kIdleTime) {
    selected.causes.reset();
    selected.gaps = {};
    selected.whole_gpu = true;
  }
  if (metric != CallMetric::kPath) selected.path.reset();
  Asked asked{std::move(selected), metric, bottom_up, with_python, places_version_};
  if (asked_ == asked) return;
  const auto now = std::chrono::steady_clock::now();
  const bool is_same_but_newer = asked_ && asked.selected.document->is_partial && asked_->metric == metric &&
                                 asked_->bottom_up == bottom_up && asked_->with_python == with_python;
  if (is_same_but_newer && (job_.is_busy() || now - asked_at_ < kLiveRest)) return;
  if (cancelled_) *cancelled_ = true;
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  asked_at_ = now;
  asked_ = std::move(asked);
  job_.start([asked = *asked_, places = places_, cancel = cancelled_] { return compute(asked, places, cancel.get()); });
}

/// A program without annotations has nothing but samples; others may have none.
void CallView::fit_metric(const Statistics& known) {
  if (metric == CallMetric::kCpuTime && known.cpu_self == 0 && known.sampled_self > 0) metric = CallMetric::kSamples;
  if (metric == CallMetric::kSamples && known.sampled_self == 0) metric = CallMetric::kCpuTime;
}

/// Each picture brings the tree anew; the first one stays.
void CallView::take_remote(const Selected& selected) {
  const DocumentPtr& document = selected.document;
  if (has_places()) forget_places();  // each picture numbers its slices anew
  if (asked_ || (answer_ && !is_same_trace(answer_->document, document))) reset();
  if (!asked_there_) {
    if (!document->answers->has_statistics) return;
    fit_metric(document->statistics);
  }
  asked_there_ = AskedPage{AskedCalls{metric, bottom_up, with_python}, selected.range, selected.tracks};
  if (answered_there_ == asked_there_) return;
  const std::shared_ptr<const RemotePage> page = document->answers->page(*asked_there_);
  if (page == nullptr) return;
  answered_there_ = asked_there_;
  Answer answer;
  answer.document = document;
  answer.options.metric = metric;
  answer.options.bottom_up = bottom_up;
  answer.tree = page->calls.tree;
  answer.longest = page->calls.longest;
  answer.frames_left_out = page->calls.frame_count - answer.tree.nodes.size();
  answer.problem = page->problem;
  if (answer.tree.nodes.empty()) answer.tree.nodes.emplace_back().key = CallKey::of(CallKind::kRoot);
  auto names = std::make_shared<StringPool>();
  for (CallNode& node : answer.tree.nodes)
    if (has_text(node.key.kind)) node.key.name = names->intern(page->calls.names[node.key.name.value]);
  answer.hues = std::make_shared<const NameHues>(*names);
  answer.names = std::move(names);
  take(std::make_shared<const Answer>(std::move(answer)));
}

std::optional<ReportPlace> CallView::longest(std::uint32_t node, const DocumentPtr& document) const {
  const SliceId slice = answer_->tree.nodes[node].longest;
  if (!slice.valid()) return std::nullopt;
  if (answered_there_) return ReportPlace{answer_->longest[node], slice};
  if (answer_->document != document) return std::nullopt;
  return ReportPlace{document->trace.span(slice), slice};
}

CallView::Answer CallView::compute(const Asked& asked, std::vector<SliceId> places, const std::atomic<bool>* cancel) {
  Answer answer;
  answer.document = asked.selected.document;
  answer.names = {answer.document, &answer.document->trace.strings()};
  answer.hues = {answer.document, &answer.document->hues};
  CallTreeOptions options;
  options.metric = asked.metric;
  options.bottom_up = asked.bottom_up;
  options.hides_python = !asked.with_python;
  options.range = asked.selected.range;
  options.tracks = asked.selected.tracks;
  options.places = std::move(places);
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  options.cancel = cancel;
  std::vector<CausedGaps> gaps;
  if (asked.metric == CallMetric::kIdleTime && asked.selected.causes != nullptr)
    gaps = gaps_of(*asked.selected.causes, asked.selected.gaps, asked.selected.whole_gpu, asked.selected.tracks);
  options.gaps = gaps;
  std::vector<CallCharge> charges;
  if (asked.metric == CallMetric::kPath && asked.selected.path != nullptr)
    for (const PathPart& part : asked.selected.path->path->parts) charges.push_back({part.slice, part.span.duration()});
  options.charges = charges;
  answer.tree = build_call_tree(answer.document->trace, options);
  answer.is_void = is_cancelled(cancel);
  options.gaps = {};
  options.charges = {};
  options.cancel = nullptr;
  answer.options = std::move(options);
  return answer;
}

bool CallView::update() {
  bool changed = false;
  if (auto answer = job_.take(); answer != nullptr && !answer->is_void && !asked_there_) {
    answered_there_.reset();
    take(std::move(answer));
    changed = true;
  }
  if (answer_ != nullptr && searched_ != filter) {
    search();
    list_rows();
    changed = true;
  }
  return changed;
}

void CallView::take(std::shared_ptr<const Answer> answer) {
  const std::shared_ptr<const Answer> before = std::exchange(answer_, std::move(answer));
  const auto found_again = [&](std::uint32_t node, bool whole) -> std::optional<std::uint32_t> {
    Path path = before->tree.path_to(node);
    for (CallKey& key : path)
      key = translated(key, {before->document->trace, *before->names}, {answer_->document->trace, *answer_->names});
    const std::uint32_t found = answer_->tree.follow(path);
    if (whole && answer_->tree.path_to(found).size() != path.size()) return std::nullopt;
    return found;
  };
  std::vector<std::uint8_t> open(answer_->tree.nodes.size());
  bool keeps_any = false;
  if (before != nullptr && before->options.bottom_up == answer_->options.bottom_up) {
    for (std::uint32_t n = 0; n < open_.size(); ++n) {
      if (open_[n] == 0) continue;
      if (const auto found = found_again(n, true)) open[*found] = 1;
      keeps_any = keeps_any || n != 0;
    }
    zoomed_ = zoomed_ < before->tree.nodes.size() ? found_again(zoomed_, false).value_or(0) : 0;
    if (chosen_) chosen_ = found_again(*chosen_, true);
  } else {
    zoomed_ = 0;
    chosen_.reset();
  }
  open_ = std::move(open);
  if (!keeps_any) open_hot_path();
  search();
  list_rows();
}

void CallView::open_hot_path() {
  const CallTree& tree = answer_->tree;
  std::uint32_t at = 0;
  open_[at] = 1;
  for (int depth = 0; depth < kMostHot && tree.nodes[at].child_count > 0; ++depth) {
    const CallNode& heaviest = tree.nodes[tree.nodes[at].first_child];
    if (static_cast<double>(heaviest.total) < kHotPart * static_cast<double>(tree.nodes[at].total)) break;
    at = tree.index_of(heaviest);
    open_[at] = 1;
  }
}

void CallView::search() {
  searched_ = filter;
  matches_.clear();
  leads_to_match_.clear();
  match_count_ = 0;
  matched_ = 0;
  if (filter.find_first_not_of(' ') == std::string::npos) return;
  const Trace& trace = answer_->document->trace;
  const std::vector<CallNode>& nodes = answer_->tree.nodes;
  std::unordered_map<std::uint64_t, bool> known;  // frames repeat
  matches_.resize(nodes.size());
  std::vector<std::uint8_t> is_inside(nodes.size());
  for (std::uint32_t n = 1; n < nodes.size(); ++n) {
    const CallKey& key = nodes[n].key;
    const auto [found, is_new] = known.try_emplace(key.packed(), false);
    if (is_new)
      found->second =
          matches_words(filter, call_label(names(), key),
                        key.kind == CallKind::kSlices ? trace.category_name(key.category) : std::string_view{});
    matches_[n] = found->second ? 1 : 0;
    is_inside[n] = is_inside[nodes[n].parent] | matches_[nodes[n].parent];
    if (!found->second) continue;
    ++match_count_;
    if (is_inside[n] == 0) matched_ = saturating_add(matched_, nodes[n].total);
  }
  leads_to_match_ = matches_;
  for (std::size_t n = nodes.size(); n-- > 1;) leads_to_match_[nodes[n].parent] |= leads_to_match_[n];
}

void CallView::list_rows() {
  rows_.clear();
  const CallTree& tree = answer_->tree;
  std::vector<Row> pending{{zoomed_, 0}};
  while (!pending.empty()) {
    const Row row = pending.back();
    pending.pop_back();
    rows_.push_back(row);
    if (!is_open(row.node)) continue;
    const auto below = tree.children(tree.nodes[row.node]);
    for (std::size_t i = below.size(); i-- > 0;) {
      const std::uint32_t child = tree.index_of(below[i]);
      if (leads_to_match_.empty() || leads_to_match_[child] != 0) pending.push_back({child, row.depth + 1});
    }
  }
}

bool CallView::is_open(std::uint32_t node) const {
  if (node == zoomed_) return true;
  if (open_[node] != 0) return true;
  // What leads to something found is open; a frame found is not: what is inside need not be.
  if (leads_to_match_.empty()) return false;
  const CallTree& tree = answer_->tree;
  return std::ranges::any_of(tree.children(tree.nodes[node]),
                             [&](const CallNode& child) { return leads_to_match_[tree.index_of(child)] != 0; });
}

void CallView::toggle(std::uint32_t node) {
  open_[node] = is_open(node) ? 0 : 1;
  list_rows();
}

void CallView::zoom_to(std::uint32_t node) {
  zoomed_ = node;
  if (answer_ != nullptr) list_rows();
}

}  // namespace lacuna
