#include "model/steps/request_times.h"

#include <numeric>

#include <doctest/doctest.h>

#include "model/import/alignment.h"
#include "model/import/importer.h"
#include "tests/support/paths.h"
#include "tests/support/trace_maker.h"

using namespace lacuna;

namespace {

/// Two steps, of which the second has a prefill: GPU work [100, 200), [300, 500); idle [0, 100), [200, 300), [500,
/// 600).
Trace two_steps() {
  TraceMaker make;
  make.thread("step[DECODE bs=1]", 0, 150, "user_annotation").launch("cudaLaunchKernel", 10, 20, 1);
  make.kernel("k", 100, 200, 1);
  make.thread("step[EXTEND bs=1 toks=64]", 210, 450, "user_annotation").launch("cudaLaunchKernel", 290, 295, 2);
  make.kernel("k", 300, 500, 2);
  make.thread("aten::add", 580, 600);
  return make.build();
}

Request request(TimeSpan span, Nanos first_token, std::optional<TimeSpan> queue, std::optional<TimeSpan> prefill) {
  Request made;
  made.span = span;
  made.time_to_first_token = first_token - span.begin;
  made.queue = queue;
  made.prefill = prefill;
  return made;
}

FirstTokenTime split_one(const Trace& trace, const Request& r, bool has_clock = true) {
  const RequestTimes times = split_first_tokens(CauseIndex(trace), std::span(&r, 1), has_clock);
  REQUIRE(times.first_tokens.size() == 1);
  REQUIRE(times.first_tokens[0].has_value());
  const FirstTokenTime& time = *times.first_tokens[0];
  CHECK(std::accumulate(time.parts.begin(), time.parts.end(), Nanos{0}) == time.whole);
  CHECK(std::accumulate(time.idle_by.begin(), time.idle_by.end(), Nanos{0}) == time.at(FirstTokenPart::kIdle));
  return time;
}

using Part = FirstTokenPart;

}  // namespace

TEST_CASE("Time to first token: what the GPU did in the prefill") {
  const Trace trace = two_steps();
  const FirstTokenTime time = split_one(trace, request({40, 590}, 520, TimeSpan{60, 180}, TimeSpan{180, 510}));
  CHECK(time.whole == 480);
  CHECK(time.at(Part::kAroundEngine) == 30);  // [40, 60) and [510, 520)
  CHECK(time.at(Part::kQueued) == 120);
  CHECK(time.queued_idle == 40);            // [60, 100)
  CHECK(time.at(Part::kOtherSteps) == 20);  // [180, 200)
  CHECK(time.at(Part::kOwnSteps) == 200);   // [300, 500)
  CHECK(time.at(Part::kIdle) == 110);       // [200, 300) and [500, 510)
  CHECK(time.at(Part::kNotRecorded) == 0);
  CHECK(time.at(Part::kUnknown) == 0);
  CHECK(time.idle_by[static_cast<std::size_t>(GapCause::kLaunchBound)] >= 100);
}

TEST_CASE("Time to first token: a prefill of another request is another step") {
  const Trace trace = two_steps();
  // The middle of the step is at 355; its prefill ends before.
  const FirstTokenTime time = split_one(trace, request({180, 600}, 340, TimeSpan{180, 200}, TimeSpan{200, 340}));
  CHECK(time.at(Part::kOtherSteps) == 40);
  CHECK(time.at(Part::kOwnSteps) == 0);
  CHECK(time.at(Part::kIdle) == 100);
}

TEST_CASE("Time to first token: what was not recorded, and what is not known") {
  const Trace trace = two_steps();
  SUBCASE("before the recording") {
    const FirstTokenTime time = split_one(trace, request({-900, 600}, 150, TimeSpan{-800, -700}, TimeSpan{-700, 150}));
    CHECK(time.at(Part::kNotRecorded) == 700);
    CHECK(time.at(Part::kIdle) == 100);
    CHECK(time.at(Part::kOtherSteps) == 50);
    CHECK(time.at(Part::kAroundEngine) == 100);
  }
  SUBCASE("no clock") {
    const FirstTokenTime time = split_one(trace, request({40, 590}, 520, TimeSpan{60, 180}, TimeSpan{180, 510}), false);
    CHECK(time.at(Part::kQueued) == 120);
    CHECK(time.at(Part::kAroundEngine) == 30);
    CHECK(time.at(Part::kUnknown) == 330);
    CHECK_FALSE(time.queued_idle.has_value());
  }
  SUBCASE("no queue said: the rest may have been in it") {
    const FirstTokenTime time = split_one(trace, request({40, 590}, 520, std::nullopt, TimeSpan{300, 520}));
    CHECK(time.at(Part::kUnknown) == 260);
    CHECK(time.at(Part::kAroundEngine) == 0);
    CHECK(time.at(Part::kOwnSteps) == 200);
  }
  SUBCASE("nothing said") {
    CHECK(split_one(trace, request({40, 590}, 520, std::nullopt, std::nullopt)).at(Part::kUnknown) == 480);
  }
  SUBCASE("no first token") {
    Request r;
    r.span = {700, 800};
    const RequestTimes times = split_first_tokens(CauseIndex(trace), std::span(&r, 1), true);
    CHECK_FALSE(times.first_tokens.at(0).has_value());
    CHECK(times.outside == 1);
    CHECK(times.total.whole == 0);
    CHECK(times.engine_steps == 2);
  }
  SUBCASE("outside: split, but not in the sum") {
    const Request both[] = {request({700, 800}, 750, TimeSpan{700, 700}, TimeSpan{700, 750}),
                            request({180, 600}, 340, TimeSpan{180, 200}, TimeSpan{200, 340})};
    const RequestTimes times = split_first_tokens(CauseIndex(trace), both, true);
    CHECK(times.outside == 1);
    CHECK(times.first_tokens.at(0)->at(Part::kNotRecorded) == 50);
    CHECK(times.total.whole == 160);
  }
  SUBCASE("no step: GPU work of nobody") {
    TraceMaker make;
    make.launch("cudaLaunchKernel", 0, 20, 1).kernel("k", 100, 200, 1);
    const FirstTokenTime time = split_one(make.build(), request({0, 200}, 200, TimeSpan{0, 50}, TimeSpan{50, 200}));
    CHECK(time.at(Part::kOtherWork) == 100);
    CHECK(time.at(Part::kIdle) == 50);
  }
}

TEST_CASE("Time to first token: of several GPUs one is idle when all are") {
  TraceMaker make;
  make.thread("step[EXTEND bs=1 toks=64]", 0, 90, "user_annotation").launch("cudaLaunchKernel", 0, 20, 1);
  make.launch("cudaLaunchKernel", 22, 24, 2).launch("cudaLaunchKernel", 26, 28, 3);
  make.kernel("k", 100, 200, 1, "7", "0").kernel("k", 150, 300, 2, "7", "1").kernel("k", 350, 400, 3, "7", "0");
  const FirstTokenTime time = split_one(make.build(), request({0, 400}, 400, TimeSpan{0, 0}, TimeSpan{0, 400}));
  CHECK(time.at(Part::kOwnSteps) == 250);
  CHECK(time.at(Part::kIdle) == 150);
}

TEST_CASE("Requests on the clock of a trace") {
  const std::string folder = source_folder() + "/tests/fixtures/requests/";
  const std::string path = folder + "vllm.trace.json";
  const auto trace = import_files(std::span(&path, 1));
  auto file = read_request_file(folder + "vllm.trace.otel.json", 1 << 20);
  REQUIRE(trace.has_value());
  REQUIRE(file.has_value());
  const auto clock = to_absolute(*trace, SourceId{0});
  REQUIRE(clock == 1'700'000'000'000'000'000);
  shift_requests(file->requests, -*clock);
  CHECK(file->requests[1].span == TimeSpan{500'000, 7'200'000});
  CHECK(file->requests[1].prefill == TimeSpan{1'950'000, 5'100'000});
  const RequestTimes times = split_first_tokens(CauseIndex(*trace), file->requests, true);
  REQUIRE(times.first_tokens[1].has_value());
  const FirstTokenTime& time = *times.first_tokens[1];
  CHECK(time.whole == 4'600'000);
  CHECK(time.at(Part::kAroundEngine) == 250'000);
  CHECK(time.at(Part::kQueued) == 1'200'000);
  CHECK(time.at(Part::kOwnSteps) == 2'800'000);
  CHECK(time.at(Part::kIdle) == 350'000);
  CHECK(times.outside == 0);
  SUBCASE("absolute times need no base, others do not know") {
    const auto absolute = import_json(R"([{"ph":"X","name":"a","ts":1700000000000000,"dur":1,"pid":1,"tid":1}])");
    CHECK(to_absolute(*absolute, SourceId{0}) == 0);
    const auto relative = import_json(R"([{"ph":"X","name":"a","ts":17,"dur":1,"pid":1,"tid":1}])");
    CHECK_FALSE(to_absolute(*relative, SourceId{0}).has_value());
  }
}
