#include "app/gui/models/search/search.h"

#include <utility>

namespace lacuna {

void Search::cancel() {
  if (stop_) stop_->store(true);
  job_.cancel();
}

void Search::open(DocumentPtr document) {
  cancel();
  matches_.reset();
  current_.reset();
  names_ = NameSearch();
  names_of_ = nullptr;
  document_ = std::move(document);
  start();
}

void Search::set_text(std::string text) {
  if (text == text_) return;
  text_ = std::move(text);
  SearchQuery query = parse_query(text_);
  if (query == query_) return;
  query_ = std::move(query);
  cancel();
  start();
}

void Search::start() {
  late_step_ = 0;
  current_.reset();
  known_count_.reset();
  // What is marked stays until the answer is there, unless that takes long.
  if (!is_active() || !query_.is_simple()) matches_.reset();
  is_stale_ = matches_ != nullptr;
  if (!document_ || !is_active()) return;
  if (names_of_ != document_.get()) {
    names_ = NameSearch(document_->trace.strings());
    names_of_ = document_.get();
  }
  filter_ = make_filter(document_->trace, names_, query_);
  known_count_ = count_by_name(query_, filter_, document_->statistics);
  stop_ = std::make_shared<std::atomic<bool>>(false);
  job_.start([document = document_, filter = filter_, stop = stop_] {
    return find_matches(document->trace, filter, stop.get());
  });
}

bool Search::update() {
  std::shared_ptr<const SliceMatches> found = job_.take();
  if (!found || found->is_cancelled) return false;
  matches_ = std::move(found);
  is_stale_ = false;
  return true;
}

std::optional<std::uint64_t> Search::count() const {
  if (known_count_) return known_count_;
  if (matches_ && !is_stale_) return matches_->order.size();
  return std::nullopt;
}

SliceId Search::step(int direction, Nanos from) {
  if (!document_ || !is_active()) return {};
  if (!matches_ || is_stale_) {
    late_step_ = direction;
    late_from_ = from;
    return {};
  }
  const std::size_t n = matches_->order.size();
  if (n == 0) return {};
  if (current_) {
    current_ = direction > 0 ? (*current_ + 1) % n : (*current_ + n - 1) % n;
  } else {
    const std::size_t next = matches_->first_from(document_->trace, from);
    current_ = direction > 0 ? next % n : (next + n - 1) % n;
  }
  return matches_->order[*current_];
}

SliceId Search::take_late_step() {
  if (late_step_ == 0 || !matches_ || is_stale_) return {};
  return step(std::exchange(late_step_, 0), late_from_);
}

void Search::point_at(SliceId slice) {
  current_.reset();
  if (document_ && matches_ && !is_stale_) current_ = matches_->find(document_->trace, slice);
}

}  // namespace lacuna
