#include "model/causes/gap_evidence.h"

#include <array>
#include <string>

#include "model/causes/cause_index.h"
#include "model/causes/cause_ranking.h"
#include "tests/causes/causes_support.h"
#include "tests/support/rounds.h"

using namespace lacuna;

namespace {

std::string evidence_text(const Trace& trace, const GapEvidence& evidence) {
  std::string text = std::to_string(evidence.window.begin) + " " + std::to_string(evidence.unrecorded);
  for (const CpuShare& share : evidence.most)
    text += "; " + std::string(trace.text(share.name)) + " " + std::to_string(share.time) + " " +
            std::to_string(share.stretches) + " " + std::to_string(share.longest.lane.value) + " " +
            std::to_string(share.longest.index);
  if (evidence.sync_operator.valid()) text += "; in " + std::string(trace.name(evidence.sync_operator));
  return text;
}

}  // namespace

TEST_CASE("the evidence of a gap is the same, however many were asked for before") {
  for (std::uint32_t seed = 0; seed < rounds(20U); ++seed) {
    const Trace trace = random_trace(seed);
    const CauseIndex index(trace);
    GapEvidences known(trace);
    for (int again = 0; again < 10; ++again)
      for (const CausedGaps& set : diagnose_streams(index))
        for (std::size_t g = 0; g < set.gaps.size(); ++g) {
          const std::string own = evidence_text(trace, gather_evidence(trace, set.gaps[g], set.diagnoses[g]));
          const std::string other = evidence_text(trace, known.of(set.gaps[g], set.diagnoses[g]));
          if (own != other) CHECK(own == other);
        }
  }
}

TEST_CASE("the operator that called for a synchronisation is the outermost one") {
  TraceMaker make;
  make.launch("cudaLaunchKernel", 0, 5 * kUs, 1)
      .kernel("first", 10 * kUs, 100 * kUs, 1)
      .thread("step", 5 * kUs, 450 * kUs, "user_annotation")
      .thread("aten::item", 6 * kUs, 380 * kUs)
      .thread("aten::_local_scalar_dense", 7 * kUs, 370 * kUs)
      .launch("cudaStreamSynchronize", 8 * kUs, 360 * kUs, 3)
      .launch("cudaLaunchKernel", 390 * kUs, 395 * kUs, 2)
      .kernel("second", 400 * kUs, 500 * kUs, 2);
  const Trace trace = make.build();
  GapDiagnosis diagnosis;
  diagnosis.sync_call = slice_named(trace, "cudaStreamSynchronize");
  GapEvidences evidences(trace);
  for (int again = 0; again < 2; ++again)
    CHECK(evidences.of({100 * kUs, 400 * kUs, {}, {}, {}}, diagnosis).sync_operator ==
          slice_named(trace, "aten::item"));
}

TEST_CASE(
    "what a thread did before a late launch: silence is said from half of the time on, frames where they fill it") {
  const auto why = [](Nanos operator_time, Nanos frame_time) {
    TraceMaker make;
    make.launch("cudaLaunchKernel", 0, 5 * kUs, 1)
        .kernel("first", 10 * kUs, 100 * kUs, 1)
        .thread("aten::index", 110 * kUs, 110 * kUs + operator_time)
        .launch("cudaLaunchKernel", 400 * kUs, 402 * kUs, 2)
        .kernel("second", 405 * kUs, 500 * kUs, 2);
    if (frame_time > 0) make.thread("train.py(7): sort", 105 * kUs, 105 * kUs + frame_time, "python_function");
    const Trace trace = make.build();
    const CauseIndex index(trace);
    const std::vector<CausedGaps> sets = diagnose_streams(index);
    const Gap& gap = sets.front().gaps[0];
    const GapDiagnosis& diagnosis = sets.front().diagnoses[0];
    return explain_gap(trace, gap, diagnosis, gather_evidence(trace, gap, diagnosis),
                       [](Nanos t) { return std::to_string(t / kUs) + " us"; });
  };
  const auto says = [](const std::string& text, std::string_view words) { return text.find(words) != text.npos; };
  CHECK(says(why(160 * kUs, 0), "160 us in aten::index"));
  CHECK_FALSE(says(why(160 * kUs, 0), "nothing recorded"));
  CHECK(says(why(140 * kUs, 0), "nothing recorded on"));
  CHECK(says(why(140 * kUs, 0), ", 140 us in aten::index"));
  // Frames enclose operators: they matter where operators do not fill the time.
  CHECK(says(why(160 * kUs, 250 * kUs), "160 us in aten::index"));
  CHECK_FALSE(says(why(160 * kUs, 250 * kUs), "in Python"));
  CHECK(says(why(100 * kUs, 250 * kUs), "in Python train.py(7): sort and below, 100 us in aten::index"));
  CHECK_FALSE(says(why(20 * kUs, 250 * kUs), "and below"));
}
