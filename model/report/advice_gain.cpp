// What following a piece of advice would return, by a replay.

#include "model/base/stable_sort.h"
#include "model/report/advice.h"

namespace lacuna {

const RooflineReport::Part* roofline_part(const Report& report, std::string_view rule) {
  const RooflineReport& roofline = report.roofline;
  if (rule == "fuse") return &roofline.fusible;
  if (rule == "fewerBytes") return &roofline.memory_product;
  if (rule == "largerTiles") return &roofline.slow_product;
  if (rule == "lowerPrecision") return &roofline.half_product;
  if (rule == "tinyKernels") return &roofline.tiny;
  return nullptr;
}

std::vector<WhatIfChange> changes_of_advice(const Trace& trace, const Report& report, const AdviceRule& rule) {
  using Kind = WhatIfChange::Kind;
  const auto without = [](GapCause cause) {
    return std::vector<WhatIfChange>{{Kind::kNoCause, std::string(cause_key(cause)), 1}};
  };
  // What was not recorded cannot be left out, either.
  if (rule.idle_for)
    return *rule.idle_for == GapCause::kNotRecorded ? std::vector<WhatIfChange>{} : without(*rule.idle_for);
  if (rule.key == "communication") return {{Kind::kOverlapComm, "comm", 1}};
  if (rule.key == "pageableCopies") return without(GapCause::kBlockingCopy);
  if (rule.key == "allocation") return without(GapCause::kAllocation);
  if (rule.key == "codeLoading") return without(GapCause::kFirstUse);
  std::vector<WhatIfChange> changes;
  if (rule.key == "tensorCores") {
    // The least that tensor cores are faster at: twice, for TF32 on A100 in matrices that are not large.
    constexpr double kTensorCoreFactor = 0.5;
    for (const ReportKernel& kernel : report.kernels)
      if (kernel.matrix == MatrixUse::kPlain)
        changes.push_back({Kind::kScale, std::string(trace.text(kernel.name)), kTensorCoreFactor});
  }
  if (const RooflineReport::Part* part = roofline_part(report, rule.key))
    for (const auto& [kernel, after] : part->kernels)
      changes.push_back({Kind::kScale, std::string(trace.text(kernel)), after});
  return changes;
}

void rank_advice(const Trace& trace, const Report& report, std::vector<AdviceGiven>& given, const WhatIf* what_if,
                 unsigned threads) {
  if (report.devices.empty() || what_if == nullptr) return;
  std::vector<AdviceGiven*> asked;
  std::vector<std::vector<WhatIfChange>> questions;
  for (AdviceGiven& advice : given) {
    std::vector<WhatIfChange> changes = changes_of_advice(trace, report, advice_rules()[advice.rule]);
    if (changes.empty()) continue;
    asked.push_back(&advice);
    questions.push_back(std::move(changes));
  }
  if (asked.empty()) return;
  const std::vector<Result<WhatIfAnswer>> answers = what_if->ask_each(questions, threads);
  for (std::size_t a = 0; a < asked.size(); ++a) {
    if (!answers[a]) continue;
    AdviceGiven& advice = *asked[a];
    for (const WhatIfChange& change : questions[a]) advice.changes.push_back(what_if_text(change));
    advice.gain = answers[a]->replayed - answers[a]->predicted;
    advice.replayed = answers[a]->replayed;
    advice.held_by_gpu = answers[a]->stream_busy * 2 >= answers[a]->predicted;
  }
  sort_stably(given, [](const AdviceGiven& a, const AdviceGiven& b) {
    const auto place = [](const AdviceGiven& advice) { return !advice.gain ? 1 : *advice.gain > 0 ? 0 : 2; };
    if (place(a) != place(b)) return place(a) < place(b);
    return place(a) == 0 && *a.gain > *b.gain;
  });
}

}  // namespace lacuna
