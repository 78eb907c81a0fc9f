// What bounds a program without a GPU.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/causes/known_names.h"
#include "model/help/column_help.h"
#include "model/import/importer.h"
#include "model/report/advice.h"
#include "model/report/report_words.h"
#include "model/trace/sampled_tracks.h"
#include "render/format.h"
#include "tests/causes/causes_support.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

constexpr ReportFormat kFormat{format_duration, format_count, format_percent, format_bytes};

std::set<std::string_view> advised(const Report& report) {
  std::set<std::string_view> keys;
  for (const AdviceGiven& given : report.advice) keys.insert(advice_rules()[given.rule].key);
  return keys;
}

std::string words_of(const Trace& trace, const Report& report, std::string_view key = {}) {
  std::string all;
  for (const ReportSection& section : describe_report(trace, report, kFormat)) {
    if (!key.empty() && section.key != key) continue;
    all += std::string(section.title) + "\n";
    for (const ReportLine& line : section.lines) all += line.text + "\n";
    for (const auto& row : section.table.rows)
      for (const std::string& cell : row) all += cell + "\n";
  }
  return all;
}

/// Random operators, ranges, frames and waits on three threads of a process without a GPU.
Trace random_cpu_trace(std::uint32_t seed) {
  Dice dice(seed);
  TraceMaker make;
  for (int step = 0; step < 3; ++step)
    make.thread("ProfilerStep#" + std::to_string(step), step * 5 * kMs, (step + 1) * 5 * kMs, "user_annotation");
  for (const char* tid : {"1", "2", "3"}) {
    for (Nanos now = dice.roll(1, 500 * kUs); now < 15 * kMs - 3 * kMs;) {
      const Nanos length = dice.roll(1 * kUs, 400 * kUs);
      switch (dice.roll(0, 5)) {
        case 0:
          make.thread("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", now, now + length,
                      "user_annotation", tid);
          break;
        case 1:
          make.thread("gloo:all_reduce", now, now + length, "user_annotation", tid);
          break;
        case 2:
          make.thread("threading.py(1): wait", now, now + length, "python_function", tid);
          make.thread("<built-in method acquire of _thread.lock object at 0x7f>", now + length / 4, now + length / 2,
                      "python_function", tid);
          break;
        default:
          make.thread("aten::add", now, now + length, "cpu_op", tid);
          make.thread("aten::copy_", now + length / 3, now + length / 2, "cpu_op", tid);
      }
      now += length + (dice.roll(0, 9) == 0 ? dice.roll(1 * kMs, 2 * kMs) : dice.roll(0, 300 * kUs));
    }
  }
  return make.build();
}

TEST_CASE("CPU: time by kind, against a count of each piece between two events") {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    const Trace trace = random_cpu_trace(seed);
    const Report report = compute_report(trace, SourceId{0}, {.leave_out_warm_up = false});
    REQUIRE(report.cpu.is_known);
    std::set<Nanos> edges{report.window.begin, report.window.end};
    for (const Lane& lane : trace.lanes())
      for (std::uint32_t i = 0; i < lane.size(); ++i) edges.insert({lane.start(i), lane.end(i)});
    const auto any = [&](TimeSpan piece, auto&& counts) {
      for (const Lane& lane : trace.lanes())
        for (std::uint32_t i = 0; i < lane.size(); ++i)
          if (lane.start(i) <= piece.begin && lane.end(i) >= piece.end && counts(trace.text(lane.name(i)), lane))
            return true;
      return false;
    };
    const auto starts = [](std::string_view with) {
      return [=](std::string_view name, const Lane&) { return name.starts_with(with); };
    };
    CpuUse naive;
    TimeSpan gap{0, 0};
    std::vector<std::pair<TimeSpan, Nanos>> gaps;  // and what of it does not wait
    for (auto edge = edges.begin(); std::next(edge) != edges.end(); ++edge) {
      const TimeSpan piece{*edge, *std::next(edge)};
      if (piece.intersect(report.window).empty()) continue;
      const auto add = [&](CpuKind kind) { naive.by_kind[static_cast<std::size_t>(kind)] += piece.duration(); };
      if (any(piece, starts("enumerate"))) {
        add(CpuKind::kDataLoading);
        continue;
      }
      if (any(piece, starts("aten::"))) {
        add(CpuKind::kOperators);
        continue;
      }
      if (any(piece, starts("gloo:"))) {
        add(CpuKind::kCollectives);
        continue;
      }
      if (gaps.empty() || gap.end != piece.begin) gaps.push_back({gap = piece, 0});
      gap.end = gaps.back().first.end = piece.end;
      const TrackId leading = report.cpu.thread;
      if (any(piece, [&](std::string_view name, const Lane& lane) {
            return lane.track == leading && name.find("acquire") != name.npos;
          })) {
        add(CpuKind::kWaiting);
      } else {
        gaps.back().second += piece.duration();
      }
    }
    for (const auto& [span, time] : gaps)
      naive.by_kind[static_cast<std::size_t>(span.duration() >= 1 * kMs ? CpuKind::kLongGaps : CpuKind::kPython)] +=
          time;
    CHECK(report.cpu.use.by_kind == naive.by_kind);
    Nanos sum = 0, frames = 0;
    for (const Nanos part : report.cpu.use.by_kind) sum += part;
    CHECK(sum == report.use.wall);
    CHECK(report.cpu.use.at(CpuKind::kLongGaps) > 0);
    CHECK(report.cpu.use.at(CpuKind::kWaiting) > 0);
    // What is between is charged to frames, all of it.
    for (const CpuFrame& frame : report.cpu.frames) frames += frame.time;
    using enum CpuKind;
    CHECK(frames == report.cpu.use.at(kWaiting) + report.cpu.use.at(kPython) + report.cpu.use.at(kLongGaps));
    CHECK(report.cpu.own_time == report.operator_self_cpu);
    REQUIRE(report.cpu.by_step.size() == 3);
    Nanos in_steps = 0;
    for (const CpuUse& step : report.cpu.by_step) in_steps += step.at(kOperators);
    CHECK(in_steps == report.cpu.use.at(kOperators));
  }
}

TEST_CASE("CPU: what takes half of the time is the verdict") {
  const auto bound = [](auto&& fill) {
    TraceMaker make;
    make.thread("ProfilerStep#1", 0, 1000 * kUs, "user_annotation");
    fill(make);
    const Trace trace = make.build();
    return compute_report(trace, SourceId{0}).bound;
  };
  CHECK(bound([](TraceMaker& m) { m.thread("aten::mm", 0, 500 * kUs); }) == Bound::kCpuOperators);
  CHECK(bound([](TraceMaker& m) { m.thread("aten::mm", 0, 499 * kUs); }) == Bound::kCpuPython);
  CHECK(bound([](TraceMaker& m) {
          m.thread("aten::mm", 0, 100 * kUs)
              .thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 200 * kUs, 900 * kUs,
                      "user_annotation")
              .thread("aten::stack", 300 * kUs, 800 * kUs);  // part of loading
        }) == Bound::kDataLoading);
  CHECK(bound([](TraceMaker& m) {
          m.thread("aten::mm", 0, 100 * kUs).thread("gloo:all_reduce", 50 * kUs, 700 * kUs, "user_annotation", "2");
        }) == Bound::kCommunication);
  CHECK(bound([](TraceMaker& m) {
          m.thread("aten::mm", 0, 100 * kUs).thread("a.py(1): nap", 100 * kUs, 800 * kUs, "python_function");
          m.thread("<built-in function sleep>", 150 * kUs, 790 * kUs, "python_function");
        }) == Bound::kCpuWaiting);
  CHECK(bound([](TraceMaker& m) {  // 400, 300 and 300 us
          m.thread("aten::mm", 0, 400 * kUs).thread("gloo:all_reduce", 400 * kUs, 700 * kUs, "user_annotation", "2");
        }) == Bound::kCpuMixed);
  // No operators: ranges, or nothing.
  CHECK(bound([](TraceMaker& m) { m.thread("work", 0, 600 * kUs, "user_annotation"); }) == Bound::kCpuRanges);
  CHECK(bound([](TraceMaker& m) { m.thread("work", 0, 400 * kUs, "user_annotation"); }) == Bound::kCpuUnrecorded);
}

TEST_CASE("CPU: a gap of 1 ms is long, with its whole length and not only what lies in the window") {
  const auto kinds = [](Nanos gap) {
    TraceMaker make;
    make.thread("aten::mm", 0, 100).thread("aten::mm", 100 + gap, 200 + gap);
    const Trace trace = make.build();
    return compute_report(trace, SourceId{0}).cpu;
  };
  CHECK(kinds(kLongGapNs).use.at(CpuKind::kLongGaps) == kLongGapNs);
  CHECK(kinds(kLongGapNs).long_gaps == 1);
  CHECK(kinds(kLongGapNs - 1).use.at(CpuKind::kPython) == kLongGapNs - 1);
  CHECK(kinds(kLongGapNs - 1).median_gap == kLongGapNs - 1);
  CHECK(kinds(kLongGapNs - 1).long_gaps == 0);
  // Half of it before the window: still the end of a long one.
  TraceMaker make;
  for (int step = 0; step < 9; ++step)
    make.thread("ProfilerStep#" + std::to_string(step), step == 0 ? -5 * kMs : (step - 1) * kMs, step * kMs,
                "user_annotation");
  make.thread("aten::mm", -5 * kMs, -600 * kUs).thread("aten::mm", 500 * kUs, 8 * kMs);
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  REQUIRE(report.steps.warm_up_count == 1);
  CHECK(report.cpu.use.at(CpuKind::kLongGaps) == 500 * kUs);
}

TEST_CASE("CPU: steps that a schedule left out are no gap") {
  TraceMaker make;
  for (const int step : {1, 2, 5, 6}) {
    make.thread("ProfilerStep#" + std::to_string(step), step * kMs, (step + 1) * kMs, "user_annotation");
    make.thread("aten::mm", step * kMs + 100 * kUs, step * kMs + 800 * kUs);
  }
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  CHECK(report.use.wall == 6 * kMs);
  CHECK(report.cpu.use.at(CpuKind::kOutsideSteps) == 2 * kMs);
  CHECK(report.cpu.use.at(CpuKind::kLongGaps) == 0);
  CHECK(report.cpu.use.share(CpuKind::kOperators) == doctest::Approx(0.7));
  CHECK(report.bound == Bound::kCpuOperators);  // 47 % of the window
  CHECK(words_of(trace, report, "summary").find("operators 70.0 %") != std::string::npos);
}

TEST_CASE("CPU: threads, parallel regions, families of operators") {
  TraceMaker make;
  make.thread("aten::linear", 0, 100 * kUs).thread("aten::addmm", 10 * kUs, 90 * kUs);
  make.thread("aten::copy_", 50 * kUs, 150 * kUs, "cpu_op", "2");
  make.thread("aten::add", 160 * kUs, 165 * kUs, "cpu_op", "2");
  make.thread("worker.py(1): idle", 0, 200 * kUs, "python_function", "3");
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  const CpuReport& cpu = report.cpu;
  CHECK(cpu.calls == 4);
  CHECK(cpu.own_time == 205 * kUs);
  CHECK(cpu.matrix == 100 * kUs);  // linear itself 20, addmm 80
  CHECK(cpu.copies == 100 * kUs);
  CHECK(cpu.short_calls == 5 * kUs);
  CHECK(cpu.thread_count == 3);
  REQUIRE(cpu.threads.size() == 2);
  CHECK(cpu.threads[0].in_operators == 105 * kUs);
  CHECK(cpu.operators_any == 155 * kUs);
  CHECK(cpu.operators_parallel == 50 * kUs);
  CHECK(advised(report) == std::set<std::string_view>{"cpuCopies"});  // 49 and 49 % of their own time
  CHECK(words_of(trace, report, "summary")
            .find("Threads with operators: 2 of 3 that the trace has of the process; two or "
                  "more at once for 32.3 %") != std::string::npos);
  for (const char* name :
       {"aten::mm", "aten::addmm_", "aten::baddbmm", "aten::_scaled_mm", "aten::mkldnn_convolution",
        "aten::convolution_backward", "aten::_scaled_dot_product_flash_attention_for_cpu", "aten::lstm",
        "mkldnn::_linear_pointwise", "quantized::conv2d", "aten::_weight_int4pack_mm_for_cpu"}) {
    CAPTURE(name);
    CHECK(is_matrix_operator(name));
  }
  for (const char* name : {"aten::add", "aten::_convert_weight_to_int4pack", "aten::upsample_bilinear2d", "mm", "",
                           "aten::", "autograd::engine::evaluate_function: AddmmBackward0", "aten::sum"}) {
    CAPTURE(name);
    CHECK_FALSE(is_matrix_operator(name));
  }
  for (const char* name : {"aten::copy_", "aten::_to_copy", "aten::clone", "aten::cat"}) CHECK(is_copy_operator(name));
  for (const char* name : {"aten::add", "aten::scatter", "copy_"}) CHECK_FALSE(is_copy_operator(name));
}

TEST_CASE("CPU: frames of C code that wait") {
  const std::pair<const char*, const char*> frames[] = {
      {"<built-in method acquire of _thread.lock object at 0x7f92>", "acquire"},
      {"<built-in method acquire of _thread.RLock object at 0x7f92>", "acquire"},
      {"<built-in method acquire of _multiprocessing.SemLock object at 0x7f92>", "acquire"},
      {"<built-in function sleep>", "sleep"},
      {"<built-in method sleep of module object at 0x7f92>", "sleep"},
      {"<built-in method poll of select.poll object at 0x7f92>", "poll"},
      {"<built-in method recv_into of _socket.socket object at 0x7f92>", "recv_into"},
      {"<built-in method read of _io.BufferedReader object at 0x7f92>", "read"},
      {"<built-in method flush of _io.TextIOWrapper object at 0x7f92>", "flush"},
      {"<built-in function waitpid>", "waitpid"},
      {"<built-in method get of _queue.SimpleQueue object at 0x7f92>", "get"},
      {"<built-in method get of dict object at 0x7f92>", ""},
      {"<built-in method send of generator object at 0x7f92>", ""},
      {"<built-in method write of list object at 0x7f92>", ""},
      {"<built-in function isinstance>", ""},
      {"<built-in method add of type object at 0x7f92>", ""},
      {"threading.py(1): acquire", ""},
      {"", ""}};
  for (const auto& row : frames) {
    CAPTURE(row.first);
    CHECK(waiting_call(row.first) == row.second);
  }
}

TEST_CASE("CPU: time between operators is charged to the innermost frame or range") {
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100 * kUs, "user_annotation");
  make.thread("train.py(7): loop", 0, 90 * kUs, "python_function");
  make.thread("queue.py(1): get", 10 * kUs, 40 * kUs, "python_function");
  make.thread("<built-in method acquire of _thread.lock object at 0x1>", 15 * kUs, 35 * kUs, "python_function");
  make.thread("<built-in function isinstance>", 50 * kUs, 55 * kUs, "python_function");
  make.thread("aten::mm", 60 * kUs, 80 * kUs);
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  const std::vector<CpuFrame>& frames = report.cpu.frames;
  REQUIRE(frames.size() == 4);
  const auto row = [&](std::size_t i) {
    return std::tuple(trace.text(frames[i].name), std::string_view(frames[i].call), frames[i].time);
  };
  CHECK(row(0) == std::tuple("train.py(7): loop", "", 40 * kUs));  // with the isinstance of its own
  CHECK(row(1) == std::tuple("queue.py(1): get", "acquire", 20 * kUs));
  CHECK(row(2) == std::tuple("", "", 10 * kUs));  // the end of the step
  CHECK(row(3) == std::tuple("queue.py(1): get", "", 10 * kUs));
  CHECK(report.cpu.use.at(CpuKind::kWaiting) == 20 * kUs);
  CHECK(advised(report).contains("cpuWaiting"));
  CHECK(words_of(trace, report, "summary").find("20.0 \xC2\xB5s of it in acquire of queue.py(1): get") !=
        std::string::npos);
}

// As a recording of a loop that sleeps between its operators: nothing in the process recorded Python.
TEST_CASE("CPU: what was seen of the thread from outside tells what happened between operators") {
  constexpr Nanos kMs = 1'000'000;
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100 * kMs, "user_annotation", "7");
  make.thread("aten::mm", 0, 10 * kMs, "cpu_op", "7");
  make.thread("aten::mm", 70 * kMs, 80 * kMs, "cpu_op", "7");
  make.state("running", 0, 10 * kMs, "7").state("waiting: sleep", 10 * kMs, 65 * kMs, "7");
  make.state("running", 65 * kMs, 90 * kMs, "7").state("preempted", 90 * kMs, 94 * kMs, "7");
  make.state("running", 94 * kMs, 100 * kMs, "7");
  make.state("waiting: sleep", 100 * kMs, 900 * kMs, "7");  // outside of the steps
  make.sample("gap.py(1): <module>", 0, 100 * kMs, "7").sample("gap.py(7): throttle", 10 * kMs, 70 * kMs, "7");
  make.sample("time.sleep", 10 * kMs, 70 * kMs, "7");
  make.sample("gap.py(6): save_metrics", 80 * kMs, 100 * kMs, "7").sample("json.dumps", 81 * kMs, 100 * kMs, "7");
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  REQUIRE(report.cpu.is_known);
  CHECK(report.cpu.use.at(CpuKind::kWaiting) == 55 * kMs);
  CHECK(report.cpu.use.at(CpuKind::kLongGaps) == 25 * kMs);
  CHECK(report.cpu.preempted_in_gaps == 4 * kMs);
  CHECK(report.bound == Bound::kCpuWaiting);
  CHECK(advised(report).contains("cpuWaiting"));
  const std::vector<CpuFrame>& frames = report.cpu.frames;
  REQUIRE(frames.size() == 3);
  const auto row = [&](std::size_t i) {
    return std::tuple(trace.text(frames[i].name), std::string_view(frames[i].call), frames[i].time, frames[i].waits);
  };
  CHECK(row(0) == std::tuple("gap.py(7): throttle", "time.sleep", 60 * kMs, true));
  CHECK(row(1) == std::tuple("gap.py(6): save_metrics", "json.dumps", 19 * kMs, false));
  CHECK(row(2) == std::tuple("gap.py(6): save_metrics", "", 1 * kMs, false));
  const std::string words = words_of(trace, report, "summary");
  CHECK(words.find("55.0 ms of it in the state \"waiting: sleep\"; most in gap.py(7): throttle \xE2\x86\x92 time.sleep "
                   "(~100 %), by sampling") != std::string::npos);
  CHECK(
      words.find("In these 25.0 ms the thread ran for 21.0 ms, and others had the CPUs for 4.00 ms. Between operators "
                 "it was most in gap.py(6): save_metrics \xE2\x86\x92 json.dumps (~76.0 %) and gap.py(7): throttle "
                 "\xE2\x86\x92 time.sleep (~20.0 %), by sampling.") != std::string::npos);
  CHECK(words.find("The trace does not say") == std::string::npos);
  CHECK(words.find("are not in the trace") == std::string::npos);
}

TEST_CASE("CPU: of threads that did as much as each other the first is the one that is looked at") {
  TraceMaker make;
  for (const char* tid : {"3", "4", "5"}) make.thread("aten::mm", 0, tid[0] == '5' ? 90 : 100, "cpu_op", tid);
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  REQUIRE(report.cpu.is_known);
  CHECK(trace.text(trace.track(report.cpu.thread).tid) == "3");
}

TEST_CASE("CPU: time that the thread waited for the GIL is that of its state, between operators") {
  constexpr Nanos kMs = 1'000'000;
  TraceMaker make;
  make.thread("ProfilerStep#1", 0, 100 * kMs, "user_annotation", "7");
  make.thread("aten::mm", 0, 10 * kMs, "cpu_op", "7").thread("aten::mm", 70 * kMs, 80 * kMs, "cpu_op", "7");
  make.state("running", 0, 10 * kMs, "7").state("waiting: sleep", 10 * kMs, 40 * kMs, "7");
  make.state(kGilState, 40 * kMs, 65 * kMs, "7").state("running", 65 * kMs, 100 * kMs, "7");
  make.state("running", 0, 100 * kMs, "8");
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  CHECK(report.cpu.use.at(CpuKind::kWaiting) == 55 * kMs);
  CHECK(report.cpu.gil == 25 * kMs);
}

// Samples come every 10 ms; a batch is there after 1 ms.
TEST_CASE("CPU: waits shorter than the time between two samples are given no place") {
  for (const int wait : {1'000, 8'000}) {
    std::string events = fmt::format(
        R"({{"ph":"M","pid":1,"tid":{0},"name":"sample_period_ns","args":{{"value":10000000}}}},
           {{"ph":"X","pid":1,"tid":{0},"ts":0,"dur":100000,"cat":"python_sample","name":"train.py(3): forward"}})",
        kStacksTid + 1);
    for (int step = 0; step < 5; ++step) {
      const int at = step * 20'000;
      const auto add = [&](std::string_view name, int from, int to, std::string_view category) {
        events += fmt::format(R"(,{{"ph":"X","pid":1,"tid":1,"ts":{},"dur":{},"cat":"{}","name":"{}"}})", from,
                              to - from, category, name);
      };
      add(fmt::format("ProfilerStep#{}", step), at, at + 20'000, "user_annotation");
      add("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at, at + wait, "user_annotation");
      add("aten::mm", at + wait, at + 20'000, "cpu_op");
    }
    const TemporaryFolder folder;
    const std::string path = folder.write("loop.json", "{\"traceEvents\":[" + events + "]}");
    const Result<Trace> trace = import_files(std::span<const std::string>(&path, 1));
    REQUIRE(trace.has_value());
    const Report report = compute_report(*trace, SourceId{0});
    CHECK(report.cpu.use.at(CpuKind::kDataLoading) == Nanos{5'000} * wait);
    CHECK(report.cpu.loading.empty() == (wait == 1'000));
  }
}

TEST_CASE("CPU: all of an import is one call of the function that asked for it") {
  constexpr Nanos kMs = 1'000'000;
  TraceMaker make;
  make.thread("aten::mm", 0, 10 * kMs, "cpu_op", "7").thread("aten::mm", 90 * kMs, 100 * kMs, "cpu_op", "7");
  make.state("running", 0, 100 * kMs, "7");
  make.sample("train.py(3): main", 0, 100 * kMs, "7");
  make.sample("<frozen importlib._bootstrap>(1): _find_and_load", 10 * kMs, 90 * kMs, "7");
  make.sample("sympy/core.py(1): <module>", 20 * kMs, 80 * kMs, "7");
  make.sample("<frozen importlib._bootstrap>(1): _find_and_load", 30 * kMs, 50 * kMs, "7");
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  REQUIRE(report.cpu.frames.size() == 1);
  CHECK(trace.text(report.cpu.frames[0].name) == "train.py(3): main");
  CHECK(report.cpu.frames[0].call == "import");
  CHECK(report.cpu.frames[0].time == 80 * kMs);
  CHECK(words_of(trace, report, "summary").find("train.py(3): main \xE2\x86\x92 import (~100 %)") != std::string::npos);
}

TEST_CASE("CPU: other processes of the file do not count, and data that workers load is told apart") {
  for (const bool workers : {false, true}) {
    TraceMaker make;
    make.thread("ProfilerStep#1", 0, 100 * kUs, "user_annotation");
    make.thread(workers ? "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
                        : "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                0, 30 * kUs, "user_annotation");
    make.thread("aten::relu", 40 * kUs, 60 * kUs);
    const Trace trace = make.build();
    const Report report = compute_report(trace, SourceId{0});
    CHECK(report.cpu.data_waits == 1);
    CHECK(report.cpu.data_from_workers == (workers ? 30 * kUs : 0));
    CHECK(advised(report).contains("cpuDataFromWorkers") == workers);
    CHECK(advised(report).contains("cpuDataInProcess") == !workers);
    CHECK_FALSE(advised(report).contains("dataLoading"));  // which speaks of pinned memory
  }
}

TEST_CASE("CPU: operators for half of the time always have advice") {
  for (const char* name : {"aten::mm", "aten::copy_", "aten::tanh"})
    for (const Nanos each : {2 * kUs, 200 * kUs}) {
      TraceMaker make;
      Nanos now = 0;
      for (int k = 0; k < 50; ++k, now += each + 1) make.thread(name, now, now + each);
      const Trace trace = make.build();
      const Report report = compute_report(trace, SourceId{0});
      CHECK(report.bound == Bound::kCpuOperators);
      CHECK_FALSE(report.advice.empty());
      CHECK(words_of(trace, report, "advice").find("No rule applies") == std::string::npos);
    }
}

TEST_CASE("CPU: no rows about a GPU, every column has a definition") {
  const Trace trace = random_cpu_trace(7);
  const Report report = compute_report(trace, SourceId{0});
  for (const char* key : {"summary", "time", "steps", "operators", "threads", "between"}) {
    CAPTURE(key);
    const std::string words = words_of(trace, report, key);
    CHECK_FALSE(words.empty());
    for (const char* absent : {"GPU", "memcpy", "memset", "kernel", "Launches"}) {
      CAPTURE(absent);
      CHECK(words.find(absent) == std::string::npos);
    }
  }
  for (const ReportSection& section : describe_report(trace, report, kFormat))
    for (const ReportTable::Column& column : section.table.columns) {
      CAPTURE(column.title);
      CHECK_FALSE(column.title.starts_with("GPU"));
      CHECK(
          std::ranges::any_of(explain_column(column.title), [](const ColumnHelp* h) { return h->table == "report"; }));
    }
  Nanos sum = 0;
  for (const TimePart& part : time_parts(report)) sum += part.time;
  CHECK(sum == report.use.wall);
  CHECK(time_parts(report).size() < kCpuKindCount);  // those that are never there are left out
}

TEST_CASE("what a trace does not say has the options of who recorded it") {
  const std::string folder = source_folder() + "/tests/fixtures/";
  const auto missing = [&](const char* name) {
    const std::string path = folder + name;
    const Result<Trace> trace = import_files(std::span<const std::string>(&path, 1));
    REQUIRE(trace.has_value());
    return words_of(*trace, compute_report(*trace, SourceId{0}), "missing");
  };
  const std::string ours = missing("lacuna_torch_cpu_train.pt.trace.json.gz");
  CHECK(ours.find("shapes") == std::string::npos);  // its operators have them
  CHECK(ours.find("record_shapes") == std::string::npos);
  CHECK(ours.find("ProfilerActivity") == std::string::npos);
  CHECK(ours.find("lacuna record samples them (unless --no-stacks; --stack-rate N") != std::string::npos);
  TraceMaker with_samples;
  with_samples.thread("aten::mm", 0, 500 * kUs);
  with_samples.sampled("train.py(1): f", 0, 10 * kUs);
  const Trace sampled = with_samples.build();
  CHECK(words_of(sampled, compute_report(sampled, SourceId{0}), "missing").find("Python stacks") == std::string::npos);
  const std::string theirs = missing("torch_cpu_matmul_64.pt.trace.json.gz");
  CHECK(theirs.find("record_shapes=True") != std::string::npos);
  CHECK(theirs.find("lacuna") == std::string::npos);
}

TEST_CASE("a trace of nothing but Python frames has a window and a verdict") {
  TraceMaker make;
  make.thread("main.py(1): main", 0, 100 * kUs, "python_function")
      .thread("main.py(5): work", 10 * kUs, 90 * kUs, "python_function");
  const Trace trace = make.build();
  const Report report = compute_report(trace, SourceId{0});
  CHECK(report.use.wall == 100 * kUs);
  CHECK(report.bound == Bound::kCpuRanges);
  CHECK(trace.text(report.cpu.frames.at(0).name) == "main.py(5): work");
  CHECK(advised(report) == std::set<std::string_view>{"cpuRanges"});
}

}  // namespace
}  // namespace lacuna
