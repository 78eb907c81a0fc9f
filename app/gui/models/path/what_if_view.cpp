#include "app/gui/models/path/what_if_view.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/causes/gap_cause.h"

namespace lacuna {

void WhatIfView::reset() {
  job_.cancel();
  asked_.reset();
  answer_.reset();
  slot_.reset();
  changes_.clear();
  source = 0;
}

void WhatIfView::ask(const DocumentPtr& document) {
  if (!document || document->is_partial) return;
  if (asked_ && asked_->document != document) reset();
  Asked wanted{document, source, {}};
  for (const WhatIfChange& change : changes_) wanted.changes.push_back(what_if_text(change));
  if (asked_ == wanted) return;
  asked_ = std::move(wanted);
  if (!slot_) slot_ = std::make_shared<Slot>();
  job_.start([document, source = source, changes = changes_, slot = slot_] {
    if (slot->kept == nullptr || slot->source != source) {
      slot->kept = std::make_unique<Kept>(document, source);
      slot->source = source;
    }
    Kept& kept = *slot->kept;
    Answer answer;
    answer.document = document;
    answer.source = source;
    answer.changes = changes;
    if (Result<WhatIfAnswer> prediction = kept.what_if.ask(changes)) {
      answer.prediction = std::move(*prediction);
    } else {
      answer.error = prediction.error().message();
    }
    if (!kept.ranking) {
      kept.ranking = kept.what_if.rank();
      std::erase_if(*kept.ranking, [](const WhatIfGain& gain) { return gain.gain <= 0; });
    }
    answer.ranking = *kept.ranking;
    return answer;
  });
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
