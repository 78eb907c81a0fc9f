// The project's own traces against references made by tests/golden/reference.py.

#include <doctest/doctest.h>

#include "model/trace/import_finding.h"
#include "tests/golden/check_reference.h"
#include "tests/golden/golden_support.h"

using namespace lacuna;

TEST_CASE("real PyTorch CPU traces agree with reference.py") {
  constexpr const char* kSuffix = ".pt.trace.ref.json";
  const auto references = files_ending_in(fixtures(), kSuffix);
  CHECK(references.size() >= 3);
  for (const auto& path : references) {
    CAPTURE(path.string());
    const Trace trace = load_golden(without_suffix(path, ".ref.json").string() + ".json.gz");
    CHECK(check_reference(trace, read_json(path)) == 13);
    CHECK(trace.report().total(Severity::kDataLoss) == 0);
    CHECK(trace.report().total(Severity::kRepaired) == 0);
    CHECK(trace.sources().front().has_base_time);
  }
}

TEST_CASE("the demo trace agrees with reference.py") {
  const Trace trace = load_golden(demo_trace());
  CHECK(check_reference(trace, read_json(fixtures() / "demo.trace.ref.json")) == 13);
  CHECK(trace.report().total(Severity::kDataLoss) == 0);
  CHECK(trace.report().total(Severity::kRepaired) == 0);
  CHECK(trace.links().unlinked() == 0);
  CHECK(trace.report().count(Finding::kCrossingSlices) == 0);
  REQUIRE(trace.sources().front().devices.size() == 1);
  CHECK(trace.sources().front().devices[0].name == "Synthetic H100-like GPU");
}
