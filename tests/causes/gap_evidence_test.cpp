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
