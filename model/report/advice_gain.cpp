// What following a piece of advice would return, by a replay.

#include "model/base/stable_sort.h"
#include "model/report/advice.h"

namespace lacuna {

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
  return changes;
}

void rank_advice(const Trace& trace, const Report& report, std::vector<AdviceGiven>& given, const LateRanksPtr& late,
                 const CauseIndex* causes) {
  if (report.devices.empty()) return;
  std::optional<WhatIf> what_if;
  for (AdviceGiven& advice : given) {
    const std::vector<WhatIfChange> changes = changes_of_advice(trace, report, advice_rules()[advice.rule]);
    if (changes.empty()) continue;
    if (!what_if) what_if.emplace(trace, report.source, report.window, late, causes);
    const Result<WhatIfAnswer> answer = what_if->ask(changes);
    if (!answer) continue;
    for (const WhatIfChange& change : changes) advice.changes.push_back(what_if_text(change));
    advice.gain = answer->replayed - answer->predicted;
    advice.replayed = answer->replayed;
    advice.held_by_gpu = answer->stream_busy * 2 >= answer->predicted;
  }
  sort_stably(given, [](const AdviceGiven& a, const AdviceGiven& b) {
    const auto place = [](const AdviceGiven& advice) { return !advice.gain ? 1 : *advice.gain > 0 ? 0 : 2; };
    if (place(a) != place(b)) return place(a) < place(b);
    return place(a) == 0 && *a.gain > *b.gain;
  });
}

}  // namespace lacuna
