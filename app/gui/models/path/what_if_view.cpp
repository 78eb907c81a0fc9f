#include "app/gui/models/path/what_if_view.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "capture/remote/remote_questions.h"
#include "model/causes/gap_cause.h"

namespace lacuna {

void WhatIfView::reset() {
  forget();
  changes_.clear();
  source = 0;
}

void WhatIfView::forget() {
  job_.cancel();
  asked_.reset();
  answer_.reset();
  tables_.reset();
}

void WhatIfView::ask(const DocumentPtr& document) {
  if (!document || !document->is_answerable()) return;
  if (asked_ && !is_same_trace(asked_->document, document)) {
    // When all of a trace has come from another machine, the changes are still those that the user chose.
    has_come_whole(asked_->document, document) ? forget() : reset();
  }
  Asked wanted{document, source, changes_};
  if (asked_ == wanted) return;
  asked_ = std::move(wanted);
  if (document->is_thinned) return take_remote();
  if (!tables_) tables_ = std::make_shared<Tables>(document);
  job_.start([asked = *asked_, tables = tables_] {
    return Answer{asked.document, asked.source, asked.changes,
                  tables->tables.of(SourceId{static_cast<std::uint32_t>(asked.source)}, asked.changes)};
  });
}

void WhatIfView::take_remote() {
  if (is_answered()) return;
  Answer answer{asked_->document, asked_->source, asked_->changes, {}};
  if (!may_be_asked(asked_->changes)) {
    answer.table.error = "these changes are too many, or their names too long, to be sent to another machine";
  } else if (const auto page = asked_->document->answers->page({asked()})) {
    answer.table = page->what_if;
    if (!page->problem.empty()) answer.table.error = page->problem;
  } else {
    return;
  }
  answer_ = std::make_shared<const Answer>(std::move(answer));
}

AskedWhatIf WhatIfView::asked() const {
  return {static_cast<std::uint32_t>(source), changes_};
}

bool WhatIfView::is_answered() const {
  return answer_ && answer_->source == asked_->source && answer_->changes == asked_->changes;
}

bool WhatIfView::is_computing() const {
  return asked_ && asked_->document->is_thinned ? !is_answered() : job_.is_busy();
}

bool WhatIfView::update() {
  auto result = job_.take();
  if (!result || !asked_ || result->document != asked_->document) return false;
  answer_ = std::move(result);
  return true;
}

void WhatIfView::settle() {
  job_.wait();
  update();
}

bool WhatIfView::has(const WhatIfChange& change) const {
  const std::string text = what_if_text(change);
  return std::ranges::any_of(changes_, [&](const WhatIfChange& other) { return what_if_text(other) == text; });
}

void WhatIfView::toggle(const WhatIfChange& change) {
  const std::string text = what_if_text(change);
  const auto before = changes_.size();
  std::erase_if(changes_, [&](const WhatIfChange& other) { return what_if_text(other) == text; });
  if (changes_.size() == before) changes_.push_back(change);
}

std::string what_if_factor(const WhatIfChange& change) {
  if (change.kind != WhatIfChange::Kind::kScale) return {};
  return change.factor == 0.5 ? "\xC2\xBD \xC3\x97" : fmt::format("{:.3g} \xC3\x97", change.factor);
}

std::string what_if_words(const WhatIfChange& change) {
  using Kind = WhatIfChange::Kind;
  switch (change.kind) {
    case Kind::kNoCause:
      for (const GapCause cause : all_gap_causes())
        if (change.argument == cause_key(cause)) return fmt::format("Without gaps for {}", cause_name(cause));
      return fmt::format("Without gaps for {}", change.argument);
    case Kind::kNoGap:
      return fmt::format("No gaps because of {}", change.argument);
    case Kind::kScale:
      return change.argument;
    case Kind::kFuse:
      return fmt::format("Neighbours fused: {}", change.argument);
    case Kind::kGraph:
      return change.argument.empty() || change.argument == "all"
                 ? std::string("Each step as one CUDA graph")
                 : fmt::format("Steps {} as one CUDA graph each", change.argument);
    case Kind::kOverlapComm:
      return "Communication beside computation";
    case Kind::kRankEven:
      break;
  }
  return "No rank late to a collective";
}

}  // namespace lacuna
