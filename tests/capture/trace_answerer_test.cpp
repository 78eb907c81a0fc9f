// What is told of a trace on another machine, against the trace itself.
#include "capture/remote/trace_answerer.h"

#include <algorithm>
#include <atomic>
#include <string>

#include <doctest/doctest.h>

#include "capture/remote/fields.h"
#include "model/gaps/gpu_idle.h"
#include "render/format.h"
#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

std::string in_ns(Nanos ns) {
  return std::to_string(ns) + " ns";
}

constexpr ReportFormat kFormat{in_ns, format_count, format_percent, format_bytes};

/// `kernels` with a gap before each but the first, the longer the later, and their launches.
Trace answered_trace(int kernels) {
  TraceMaker make;
  Nanos t = 1000;
  for (int i = 0; i < kernels; ++i) {
    const auto correlation = static_cast<std::uint64_t>(i + 1);
    make.launch("cudaLaunchKernel", t - 500, t - 400, correlation);
    make.kernel("gemm" + std::to_string(i % 3), t, t + 100, correlation);
    t += 1100 + i;
  }
  return make.build();
}

RemoteAnswers over_the_line(const RemoteAnswers& answers, const Trace& trace) {
  FieldWriter out;
  put(out, answers, trace);
  FieldReader in(out.bytes());
  const auto came = get_remote_answers(in, trace);
  REQUIRE(came);
  CHECK(in.is_at_end());
  return *came;
}

const StatisticsRow& row_of(const Trace& trace, const Statistics& statistics, const std::string& name) {
  const auto row = std::ranges::find_if(statistics.rows, [&](const auto& r) { return trace.text(r.name) == name; });
  REQUIRE(row != statistics.rows.end());
  return *row;
}

TEST_CASE("numbers that are told are those of the trace, of all of it and of a range") {
  const Trace trace = answered_trace(30);
  TraceAnswerer teller(trace, kFormat);
  const std::atomic<bool> never{false};
  const RemoteQuestions all;
  const TraceAnswerer::Answer early = teller.answer(all);
  CHECK_FALSE(early.answers.is_whole);
  CHECK_FALSE(early.answers.has_statistics);
  CHECK(early.statistics.rows.empty());
  teller.work_out({}, never);
  const TraceAnswerer::Answer told = teller.answer(all);
  CHECK(told.answers.is_whole);
  CHECK(told.answers.has_statistics);
  CHECK(row_of(trace, told.statistics, "gemm0").count == 10);
  CHECK(told.statistics.gpu_total == 3000);
  REQUIRE(told.answers.streams.size() == 1);
  CHECK(told.answers.streams[0].busy == 3000);

  RemoteQuestions some;
  some.range = {1000, 3300};  // the first two kernels, and the begin of the third
  const TraceAnswerer::Answer part = teller.answer(some);
  CHECK(part.answers.asked == some);
  CHECK(part.statistics.gpu_total == 299);
  CHECK(row_of(trace, part.statistics, "gemm2").total == 99);
  REQUIRE(part.answers.streams.size() == 1);
  CHECK(part.answers.streams[0].busy == 299);
  some.tracks = {part.answers.streams[0].track, TrackId{99}};  // one that is not there counts nothing
  CHECK(teller.answer(some).statistics.rows.size() == 3);
  CHECK(over_the_line(part.answers, trace).asked == part.answers.asked);
}

TEST_CASE("the longest gaps are told with their causes, the others counted") {
  const int many = static_cast<int>(kMostRemoteGaps) + 101;
  const Trace trace = answered_trace(many);
  TraceAnswerer teller(trace, kFormat);
  const std::atomic<bool> never{false};
  teller.work_out({}, never);
  RemoteQuestions questions;
  CHECK(teller.answer(questions).answers.gaps.empty());
  questions.lists_gaps = true;
  questions.min_gap = 1020;
  const RemoteAnswers told = over_the_line(teller.answer(questions).answers, trace);
  REQUIRE(told.has_gaps);
  // Gap i lasts 1000 + i.
  REQUIRE(told.gaps.size() == kMostRemoteGaps);
  CHECK(told.gaps.front().span.duration() == 1000 + many - 2);
  CHECK(
      std::ranges::is_sorted(told.gaps, std::ranges::greater{}, [](const RemoteGap& g) { return g.span.duration(); }));
  CHECK(told.shorter_gaps == 20);
  CHECK(told.shorter_time == 20 * 1000 + 190);
  CHECK(told.gaps_left_out == 80);
  CHECK(told.left_out_time == 80 * 1020 + 80 * 79 / 2);
  CHECK(told.gaps.front().cause == GapCause::kLaunchBound);
  CHECK(told.gaps.front().why.find(" ns") != std::string::npos);
  CHECK(told.gaps.front().launch == "cudaLaunchKernel");
  CHECK(told.gaps.front().after == "gemm" + std::to_string((many - 1) % 3));

  questions.lists_gaps = false;
  questions.gap = AskedGap{told.gaps[7].track, told.gaps[7].span};
  const RemoteAnswers one = over_the_line(teller.answer(questions).answers, trace);
  REQUIRE(one.gap);
  CHECK(one.gap->why == told.gaps[7].why);
  questions.gap->span.end += 1;
  CHECK_FALSE(teller.answer(questions).answers.gap);
  questions.streams = {TrackId{4711}};
  questions.lists_gaps = true;
  CHECK(teller.answer(questions).answers.gaps.empty());
}

TEST_CASE("steps lead through all gaps of the asked length and streams in order, and to the longest") {
  TraceMaker make;
  for (int i = 0; i < 700; ++i) {  // two streams of a GPU; gaps of 10 to 16 ns, and of 80 ns now and then
    const Nanos t = i * 100;
    for (const int stream : {7, 9})
      make.kernel("gemm", t + stream, t + stream + 84 + (i + stream) % 7 - (i % 50 == stream ? 70 : 0), 0,
                  std::to_string(stream));
  }
  const Trace trace = make.build();
  const std::vector<StreamActivity> streams = analyze_streams(trace);
  REQUIRE(streams.size() == 2);
  TraceAnswerer teller(trace, kFormat);
  const std::atomic<bool> never{false};
  RemoteQuestions questions;
  questions.step = AskedStep{};
  CHECK_FALSE(teller.answer(questions).answers.has_step);
  teller.work_out({}, never);
  for (const Nanos least : {Nanos{0}, Nanos{13}, Nanos{60}, Nanos{5000}})
    for (const bool only_one : {false, true}) {
      std::vector<AskedGap> wanted;
      for (const StreamActivity& stream : streams)
        for (const Gap& gap : stream.gaps)
          if (gap.duration() >= least && (!only_one || stream.track == streams[1].track))
            wanted.push_back({stream.track, {gap.start, gap.end}});
      std::ranges::stable_sort(wanted, {}, [](const AskedGap& gap) { return gap.span.begin; });
      questions.min_gap = least;
      questions.streams.clear();
      if (only_one) questions.streams.push_back(streams[1].track);
      const auto walk = [&](int direction) {
        std::vector<AskedGap> found;
        questions.step = AskedStep{direction, {}, direction > 0 ? kMinNanos : kMaxNanos};
        for (;;) {
          const RemoteAnswers told = over_the_line(teller.answer(questions).answers, trace);
          CHECK(told.asked == questions);
          REQUIRE(told.has_step);
          if (!told.step) return found;
          found.push_back(*told.step);
          REQUIRE(found.size() <= wanted.size());
          questions.step->from = told.step;
        }
      };
      CHECK(walk(1) == wanted);
      std::vector<AskedGap> back = walk(-1);
      std::ranges::reverse(back);
      CHECK(back == wanted);
    }
  // From a moment in the middle, within a range, and to the longest.
  questions = {};
  questions.range = {20'000, 30'000};
  questions.step = AskedStep{1, {}, 25'000};
  CHECK(teller.answer(questions).answers.step->span.begin >= 25'000);
  questions.step->moment = 60'000;
  CHECK_FALSE(teller.answer(questions).answers.step);
  questions.range = TimeSpan::everything();
  questions.step = AskedStep{0, {}, 0};
  const auto longest = teller.answer(questions).answers.step;
  REQUIRE(longest);
  Nanos most = 0;
  for (std::size_t s = 0; s < streams.size(); ++s)
    for (const Gap& gap : streams[s].gaps) most = std::max(most, gpu_idle_in(trace, streams, s, gap));
  for (std::size_t s = 0; s < streams.size(); ++s)
    for (const Gap& gap : streams[s].gaps)
      if (streams[s].track == longest->track && gap.start == longest->span.begin)
        CHECK(gpu_idle_in(trace, streams, s, gap) == most);
}

TEST_CASE("a slice's links are told; one that is not there is an answer, too") {
  const Trace trace = answered_trace(3);
  TraceAnswerer teller(trace, kFormat);
  RemoteQuestions questions;
  SliceId launch;
  for (std::uint32_t l = 0; l < trace.lanes().size(); ++l)
    for (std::uint32_t i = 0; i < trace.lane(LaneId{l}).size() && !launch.valid(); ++i)
      if (trace.name(SliceId{LaneId{l}, i}) == "cudaLaunchKernel") launch = {LaneId{l}, i};
  REQUIRE(launch.valid());
  questions.slice = AskedSlice{launch.lane, trace.span(launch)};
  const RemoteAnswers told = over_the_line(teller.answer(questions).answers, trace);
  REQUIRE(told.slice);
  REQUIRE(told.slice->links.size() == 1);
  const RemoteLink kernel = told.slice->links[0];
  CHECK(kernel.kind == RemoteLinkKind::kLaunches);
  CHECK(kernel.name == "gemm0");
  questions.slice = AskedSlice{kernel.lane, kernel.span};
  const RemoteAnswers back = teller.answer(questions).answers;
  REQUIRE(back.slice);
  REQUIRE(back.slice->links.size() == 1);
  CHECK(back.slice->links[0].kind == RemoteLinkKind::kLaunchedBy);
  CHECK(back.slice->links[0].span == trace.span(launch));
  for (const AskedSlice& wrong :
       {AskedSlice{kernel.lane, {kernel.span.begin, kernel.span.end + 1}}, AskedSlice{LaneId{4711}, kernel.span}}) {
    questions.slice = wrong;
    CHECK(teller.answer(questions).answers.slice->problem == "there is no such slice there");
  }
}

TEST_CASE("answers that speak of what is not there are refused, cut ones too") {
  const Trace trace = answered_trace(3);
  TraceAnswerer teller(trace, kFormat);
  const std::atomic<bool> never{false};
  teller.work_out({}, never);
  RemoteQuestions questions;
  questions.lists_gaps = true;
  RemoteAnswers answers = teller.answer(questions).answers;
  REQUIRE(answers.gaps.size() == 2);
  FieldWriter good;
  put(good, answers, trace);
  for (std::size_t size = 0; size < good.bytes().size(); ++size) {
    FieldReader in(std::string_view(good.bytes()).substr(0, size));
    CHECK_FALSE(get_remote_answers(in, trace));
  }
  answers.gaps[1].track = TrackId{7777};
  FieldWriter wrong;
  put(wrong, answers, trace);
  FieldReader in(wrong.bytes());
  CHECK_FALSE(get_remote_answers(in, trace));
}

}  // namespace
}  // namespace lacuna
