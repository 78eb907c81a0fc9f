// The causes of gaps against labels that know nothing of the rules. Of real traces (gap_labels.json): a reader's, who
// looked at the JSON of each through a script; the largest gaps of 100 us and more of each stream, up to 25 of a trace.
// "or" names causes that the reader would have taken as well. Of a made one: what its maker put there
// (labelled_gaps.py).
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "model/causes/cause_ranking.h"
#include "model/import/importer.h"
#include "tests/golden/golden_support.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

using namespace lacuna;

namespace {

struct LabelledGap {
  std::string stream, cause, why;
  Nanos start = 0;
  std::vector<std::string> others;
};

std::map<std::string, std::vector<LabelledGap>> gap_labels(const char* path = "tests/golden/gap_labels.json") {
  std::map<std::string, std::vector<LabelledGap>> by_file;
  for (const auto& json : read_json(std::filesystem::path(source_folder()) / path)) {
    LabelledGap label{json["stream"], json["cause"], json["why"], json["startNs"].get<Nanos>(), {}};
    if (json.contains("or")) label.others = json["or"].get<std::vector<std::string>>();
    by_file[json["file"]].push_back(std::move(label));
  }
  return by_file;
}

struct Agreement {
  std::size_t all = 0, agreed = 0, strictly = 0;
};

/// How many of the labels of a trace the verdicts agree with; those that do not are said.
Agreement agreement_of(const Trace& trace, const std::string& file, const std::vector<LabelledGap>& labels) {
  const std::vector<CausedGaps> sets = diagnose_streams(CauseIndex(trace));
  Agreement count;
  for (const LabelledGap& label : labels) {
    CAPTURE(file);
    CAPTURE(label.stream);
    CAPTURE(label.start);
    const GapDiagnosis* found = nullptr;
    for (const CausedGaps& set : sets) {
      if (std::string(trace.text(set.device)) + ":" + std::string(trace.text(set.stream)) != label.stream) continue;
      for (std::size_t g = 0; g < set.gaps.size(); ++g)
        if (set.gaps[g].start == label.start - trace.sources()[0].shift_ns ||
            set.gaps[g].start == label.start + trace.sources()[0].shift_ns)
          found = &set.diagnoses[g];
    }
    REQUIRE(found != nullptr);
    const std::string cause(cause_key(found->cause));
    const bool agrees = cause == label.cause || std::ranges::find(label.others, cause) != label.others.end();
    ++count.all;
    count.strictly += cause == label.cause ? 1 : 0;
    count.agreed += agrees ? 1 : 0;
    if (!agrees)
      MESSAGE(file << " " << label.stream << " at " << label.start << ": " << cause << ", the reader says "
                   << label.cause << ": " << label.why);
  }
  return count;
}

}  // namespace

TEST_CASE("labels of gaps name causes that there are, each with a reason, and enough of them") {
  std::size_t count = 0;
  for (const auto& of_file : gap_labels())
    for (const LabelledGap& label : of_file.second) {
      const std::string& file = of_file.first;
      CAPTURE(file);
      ++count;
      CHECK(label.why.size() > 10);
      for (std::string cause : {label.cause, label.others.empty() ? label.cause : label.others.front()})
        CHECK(std::ranges::any_of(all_gap_causes(), [&](GapCause known) { return cause_key(known) == cause; }));
    }
  CHECK(count >= 200);
}

TEST_CASE("a second reader's labels agree with the verdicts for 90 % of the gaps") {
  const auto folder = shared_traces();
  if (folder.empty()) {
    skip("no shared traces (set LACUNA_SHARED_TRACES)");
    return;
  }
  std::size_t all = 0, agreed = 0, strictly = 0;
  for (const auto& of_file : gap_labels()) {
    const std::string& file = of_file.first;
    const std::vector<LabelledGap>& labels = of_file.second;
    if (!std::filesystem::exists(folder / file)) continue;
    const Agreement here = agreement_of(load_golden(folder / file), file, labels);
    all += here.all;
    agreed += here.agreed;
    strictly += here.strictly;
    CHECK_MESSAGE(here.agreed * 100 >= here.all * 75, file);
  }
  MESSAGE(agreed << " of " << all << " labels agree, " << strictly << " with the reader's first choice");
  CHECK(agreed * 100 >= all * 90);
}

TEST_CASE("every gap of a made trace has the cause that was put there") {
  const auto labels = gap_labels("tests/fixtures/labelled_gaps.labels.json");
  REQUIRE(labels.size() == 1);
  const auto& [file, gaps] = *labels.begin();
  const Trace trace = load_golden(fixtures() / file);
  const Agreement all = agreement_of(trace, file, gaps);
  CHECK(all.all >= 49);
  CHECK(all.strictly == all.all);
  // Beside them only what lies between kernels of a queue.
  std::size_t others = 0;
  for (const CausedGaps& set : diagnose_streams(CauseIndex(trace)))
    for (std::size_t g = 0; g < set.gaps.size(); ++g)
      if (trace.text(set.stream) == "7" &&
          std::ranges::find(gaps, set.gaps[g].start, &LabelledGap::start) == gaps.end()) {
        ++others;
        CHECK(set.diagnoses[g].cause == GapCause::kKernelSpacing);
      }
  CHECK(others > 20);
}
