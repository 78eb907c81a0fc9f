// The causes of gaps against the labels of a reader (gap_labels.json), who looked at the JSON of each trace through a
// script that knows nothing of the rules: the largest gaps of 100 us and more of each stream, up to 25 of a trace.
// "or" names causes that the reader would have taken as well.
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

std::map<std::string, std::vector<LabelledGap>> gap_labels() {
  std::map<std::string, std::vector<LabelledGap>> by_file;
  for (const auto& json : read_json(std::filesystem::path(source_folder()) / "tests/golden/gap_labels.json")) {
    LabelledGap label{json["stream"], json["cause"], json["why"], json["startNs"].get<Nanos>(), {}};
    if (json.contains("or")) label.others = json["or"].get<std::vector<std::string>>();
    by_file[json["file"]].push_back(std::move(label));
  }
  return by_file;
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
    const Trace trace = load_golden(folder / file);
    const std::vector<CausedGaps> sets = diagnose_streams(CauseIndex(trace));
    std::size_t here = 0;
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
      ++all;
      strictly += cause == label.cause ? 1 : 0;
      agreed += agrees ? 1 : 0;
      here += agrees ? 1 : 0;
      if (!agrees)
        MESSAGE(file << " " << label.stream << " at " << label.start << ": " << cause << ", the reader says "
                     << label.cause << ": " << label.why);
    }
    CHECK_MESSAGE(here * 100 >= labels.size() * 75, file);
  }
  MESSAGE(agreed << " of " << all << " labels agree, " << strictly << " with the reader's first choice");
  CHECK(agreed * 100 >= all * 90);
}
