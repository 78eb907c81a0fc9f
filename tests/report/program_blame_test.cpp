// Which place in a program is blamed, from thread states, sampled stacks and what the machine allowed.
#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "model/import/importer.h"
#include "model/report/advice.h"
#include "model/report/headline.h"
#include "model/report/report_words.h"
#include "model/trace/hardware_tracks.h"
#include "model/trace/sampled_tracks.h"
#include "render/format.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

constexpr ReportFormat kBlameFormat{format_duration, format_count, format_percent, format_bytes};

/// A recording of a program as `lacuna record` writes it. Times in us.
struct RecordedProgram {
  std::string events = R"({"ph":"M","pid":10,"name":"process_name","args":{"name":"python3"}})";

  RecordedProgram& state(int tid, std::string_view name, double from, double to, int pid = 10) {
    return slice(pid, kStatesTid + static_cast<std::uint32_t>(tid), kThreadStateCategory, name, from, to, 0);
  }
  /// A frame of the thread's stack; those inside of others come after them.
  RecordedProgram& frame(int tid, std::string_view name, double from, double to, int line = 0, int pid = 10) {
    return slice(pid, kStacksTid + static_cast<std::uint32_t>(tid), kPythonSampleCategory, name, from, to, line);
  }
  RecordedProgram& library(int tid, std::string_view name, double from, double to, int pid = 10) {
    return slice(pid, kStacksTid + static_cast<std::uint32_t>(tid), kPythonLibraryCategory, name, from, to, 1);
  }
  RecordedProgram& counter(std::uint32_t pid, std::string_view name, std::string_view series, double at, double value) {
    events += fmt::format(",\n{{\"ph\":\"C\",\"pid\":{},\"ts\":{:.3f},\"name\":\"{}\",\"args\":{{\"{}\":{}}}}}", pid,
                          at, name, series, value);
    return *this;
  }
  RecordedProgram& slice(int pid, std::uint32_t tid, std::string_view category, std::string_view name, double from,
                         double to, int line) {
    events += fmt::format(
        ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},\"cat\":\"{}\",\"name\":"
        "\"{}\",\"args\":{{\"line\":{}}}}}",
        pid, tid, from, to - from, category, name, line);
    return *this;
  }
};

struct Judged {
  TemporaryFolder folder;
  Trace trace;
  Report report;

  explicit Judged(const RecordedProgram& program) {
    const std::string path = folder.write("program.json", "{\"traceEvents\":[" + program.events + "]}");
    Result<Trace> read = import_files(std::span<const std::string>(&path, 1));
    REQUIRE(read.has_value());
    trace = std::move(*read);
    report = compute_report(trace, SourceId{0});
    REQUIRE(report.program.is_known);
  }
  std::set<std::string_view> rules() const {
    std::set<std::string_view> keys;
    for (const AdviceGiven& given : report.advice) keys.insert(advice_rules()[given.rule].key);
    return keys;
  }
  /// The advice of a rule in words; empty where it does not fire.
  std::string advice(std::string_view rule) const {
    for (const ReportSection& section : describe_report(trace, report, kBlameFormat))
      if (section.key == "advice")
        for (std::size_t i = 0; i < report.advice.size(); ++i)
          if (advice_rules()[report.advice[i].rule].key == rule) return section.lines[i].text;
    return {};
  }
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

TEST_CASE("a sleep is blamed on the line of the program's own function that asked for it") {
  RecordedProgram program;
  program.state(1, "running", 0, 1'000).state(1, "waiting: sleep", 1'000, 10'000);
  program.frame(1, "train.py(1): <module>", 0, 10'000, 30).frame(1, "train.py(7): throttle", 1'000, 10'000, 9);
  program.library(1, "asyncio/tasks.py(637): sleep", 1'000, 10'000).library(1, "time.sleep", 1'000, 10'000);
  const Judged judged(program);
  CHECK(has(judged.advice("programSleep"),
            "Most of it in train.py:9: throttle → asyncio/tasks.py(637): sleep → time.sleep (~100 %)."));
  const Headline headline = make_headline(judged.trace, std::span(&judged.report, 1), kBlameFormat);
  REQUIRE(headline.subjects.size() == 1);
  CHECK(headline.subjects[0].sentence ==
        "No GPU work; bound by waiting (locks, I/O, time); look first at train.py:9: throttle → "
        "asyncio/tasks.py(637): sleep → time.sleep");
  REQUIRE(headline.subjects[0].levers.size() == 1);
  CHECK(headline.subjects[0].levers[0].place.span == TimeSpan{1'000'000, 10'000'000});
}

TEST_CASE("of what runs below Python the function is named that Python calls, not the innermost one") {
  RecordedProgram program;
  program.state(1, "running", 0, 10'000).frame(1, "zl.py(3): pack", 0, 10'000, 4);
  const auto native = [&](std::string_view name) {
    program.slice(10, kStacksTid + 1, kNativeSampleCategory, name, 0, 10'000, 0);
  };
  native("_object* zlib::compress_<&(deflate)>(_object*, long)");
  native("deflate");
  native("libz.so.1 (no symbol)");
  CHECK(has(Judged(program).advice("programRunning"), "Most of it in zl.py:4: pack → zlib::compress_ (~100 %)."));
}

TEST_CASE("who waits for a lock is told with what the others did meanwhile, its holder among them") {
  RecordedProgram program;
  for (const int tid : {1, 2}) {
    const double from = tid == 1 ? 0 : 5'000, to = from + 5'000;
    program.frame(tid, "work.py(3): w", 0, 10'000, 5).library(tid, "threading.py(1): noise", 0, 0.001);
    if (from > 0) program.state(tid, "waiting: lock", 0, from).frame(tid, "with lock", 0, from, 4);
    program.state(tid, "running", from, from + 1'000).state(tid, "waiting: sleep", from + 1'000, to);
    program.frame(tid, "time.sleep", from, to, 5);
    if (to < 10'000) program.state(tid, "waiting: lock", to, 10'000).frame(tid, "with lock", to, 10'000, 4);
  }
  const Judged judged(program);
  CHECK(judged.report.program.leading_count == 2);
  CHECK(judged.report.program.at(ProgramKind::kLock) == 5'000'000);  // of the mean thread
  const std::string text = judged.advice("programLocks");
  CHECK(has(text, "Most of it in work.py:5: w → with lock (~100 %)."));
  CHECK(has(text, "Meanwhile others were most in work.py:5: w → time.sleep (~100 %)."));
}

TEST_CASE("waits for the interpreter's lock are told apart from other locks; short ones are shared out by samples") {
  RecordedProgram program;
  for (int turn = 0; turn < 40; ++turn) {
    const double at = turn * 10'000.0;
    for (const int tid : {1, 2}) {
      const double runs = at + (tid == 1 ? 0 : 5'000), waits = at + (tid == 1 ? 5'000 : 0);
      program.state(tid, "running", runs, runs + 5'000);
      // Every third wait was seen by a look.
      program.state(tid, turn % 3 == 0 ? "waiting: GIL" : "waiting", waits, waits + 5'000);
    }
  }
  for (const int tid : {1, 2}) program.frame(tid, "spin.py(2): spin", 0, 400'000, 4);
  const Judged judged(program);
  CHECK(judged.report.bound == Bound::kProgramGil);
  CHECK(judged.report.program.at(ProgramKind::kGil) == 200'000'000);
  CHECK(judged.report.program.at(ProgramKind::kWaiting) == 0);
  CHECK(has(judged.advice("programGil"), "spin.py:4: spin"));
  CHECK_FALSE(judged.rules().contains("programLocks"));
}

TEST_CASE("a server is judged by the threads that serve, not by the one that polls") {
  RecordedProgram program;
  program.state(1, "running", 0, 3'000).state(1, "waiting: poll", 3'000, 100'000);
  program.frame(1, "serve.py(20): main", 0, 100'000, 22);
  for (int request = 0; request < 20; ++request) {
    const double from = 4'000 + request * 4'500.0;
    const int tid = 100 + request;
    program.state(tid, "running", from, from + 500).state(tid, "waiting: sleep", from + 500, from + 4'000);
    program.library(tid, "threading.py(988): Thread._bootstrap", from, from + 4'000);
    program.frame(tid, "serve.py(5): answer", from, from + 4'000, 7)
        .library(tid, "time.sleep", from + 500, from + 4'000);
  }
  const Judged judged(program);
  CHECK(judged.report.program.leading_count == 20);
  CHECK(judged.trace.text(judged.report.program.entry) == "serve.py(5): answer");
  CHECK(judged.report.program.at(ProgramKind::kSleep) == doctest::Approx(70'000'000));
  CHECK(judged.report.program.at(ProgramKind::kNotSeen) == doctest::Approx(20'000'000));
  CHECK(has(judged.advice("programSleep"), "serve.py:7: answer → time.sleep"));
}

TEST_CASE("threads that live for a moment say nothing of the rest of the time") {
  RecordedProgram program;
  const auto spin = [&](double from) {
    for (const int tid : {101, 102}) {
      program.state(tid, "running", from, from + 5'000).state(tid, "waiting: GIL", from + 5'000, from + 10'000);
      program.library(tid, "threading.py(988): Thread._bootstrap", from, from + 10'000);
      program.frame(tid, "p.py(2): spin", from, from + 10'000, 4);
    }
  };
  SUBCASE("the main thread slept before and after them") {
    program.state(1, "running", 0, 1'000).state(1, "waiting: sleep", 1'000, 100'000);
    program.frame(1, "p.py(6): main", 0, 100'000, 6);
    spin(45'000);
    const Judged judged(program);
    CHECK(judged.report.bound == Bound::kCpuWaiting);
    CHECK(judged.report.program.at(ProgramKind::kSleep) == 99'000'000);
  }
  SUBCASE("nothing else was seen") {
    spin(0);
    program.state(101, "running", 99'000, 100'000, 11);
    const Judged judged(program);
    CHECK(judged.report.program.leading_count == 2);
    CHECK(judged.report.program.at(ProgramKind::kRunning) == 5'000'000);
    CHECK(judged.report.program.at(ProgramKind::kGil) == 5'000'000);
    CHECK(judged.report.program.at(ProgramKind::kNotSeen) == 90'000'000);
  }
}

TEST_CASE("known work is advised on by itself") {
  struct Case {
    std::string_view frame, rule;
  };
  for (const Case& c : {Case{"print", "programOutput"}, Case{"logging/__init__.py(2137): info", "programOutput"},
                        Case{"os.fsync", "programSync"}, Case{"gc.collect", "programCollection"},
                        Case{"socket.py(950): getaddrinfo", "programNames"}}) {
    RecordedProgram program;
    program.state(1, "running", 0, 10'000).frame(1, "job.py(1): <module>", 0, 10'000, 3);
    program.library(1, c.frame, 2'000, 10'000);
    const Judged judged(program);
    CHECK_MESSAGE(judged.rules().contains(c.rule), c.frame);
    CHECK(judged.rules().size() == 2);  // and that it runs
    CHECK(has(judged.advice(c.rule), "job.py:3: <module>"));
  }
}

TEST_CASE("what blocks asyncio's event loop is a wait inside of a callback, not the loop's own") {
  for (const bool blocks : {true, false}) {
    RecordedProgram program;
    program.state(1, blocks ? "waiting: sleep" : "waiting: poll", 0, 10'000).state(1, "running", 10'000, 10'100);
    program.library(1, "asyncio/base_events.py(1845): BaseEventLoop._run_once", 0, 10'000);
    if (blocks) program.library(1, "asyncio/events.py(78): Handle._run", 0, 10'000);
    if (blocks) program.frame(1, "app.py(4): render", 0, 10'000, 6);
    const Judged judged(program);
    CHECK(judged.rules().contains("programLoop") == blocks);
    if (blocks) CHECK(has(judged.advice("programLoop"), "app.py:6: render"));
  }
}

TEST_CASE("a quota, too many threads and others on the CPUs are told apart") {
  const auto crowded = [](int threads, bool has_quota) {
    RecordedProgram program;
    for (int tid = 1; tid <= threads; ++tid) {
      program.state(tid, "running", 0, 1'000'000.0 / threads);
      program.state(tid, "preempted", 1'000'000.0 / threads, 1'000'000);
      program.frame(tid, "burn.py(2): burn", 0, 1'000'000, 4);
    }
    for (const double at : {250'000.0, 500'000.0, 1'000'000.0}) {
      for (const int core : {0, 1}) program.counter(kCoresPid, fmt::format("Core {}", core), "%", at, 50);
      if (!has_quota) continue;
      program.counter(10, kQuotaCounter, kQuotaSeries, at, 20).counter(10, kQuotaCounter, kHeldBackSeries, at, 90);
    }
    return Judged(program);
  };
  const Judged quota = crowded(4, true);
  CHECK(quota.report.bound == Bound::kProgramQuota);
  CHECK(quota.report.program.limits.quota_cores == doctest::Approx(0.2));
  CHECK(quota.report.program.limits.throttled == doctest::Approx(0.9));
  CHECK(quota.rules() == std::set<std::string_view>{"quota"});

  const Judged many = crowded(8, false);
  CHECK(many.report.bound == Bound::kProgramPreempted);
  CHECK(many.report.program.limits.cores == 2);
  CHECK(many.rules() == std::set<std::string_view>{"tooManyThreads"});
  CHECK(has(many.advice("tooManyThreads"), "and it has 2: set 2."));

  const Judged others = crowded(2, false);
  CHECK(others.rules() == std::set<std::string_view>{"programPreempted", "programRunning"});
}

TEST_CASE("a program that waits for a process of its own is told what that does") {
  RecordedProgram program;
  program.state(1, "running", 0, 1'000).state(1, "waiting: child", 1'000, 50'000);
  program.frame(1, "main.py(2): convert", 0, 50'000, 3).library(1, "os.waitpid", 1'000, 50'000);
  program.state(2, "running", 2'000, 4'000, 11).state(2, "waiting: sleep", 4'000, 24'000, 11);
  program.frame(2, "child.py(2): slow", 2'000, 24'000, 3, 11).frame(2, "time.sleep", 4'000, 24'000, 3, 11);
  const Judged judged(program);
  CHECK(judged.trace.text(judged.trace.process(judged.report.program.process).pid) == "10");
  const std::string text = judged.advice("programChild");
  CHECK(has(text, "Most of it in main.py:3: convert → os.waitpid"));
  CHECK(has(text, "Meanwhile others were most in child.py:3: slow → time.sleep"));
}

TEST_CASE("the process that works is judged, in doubt the one that began first, not a helper of as long a life") {
  const auto judged_pid = [](double main, double helper, double worker) {
    RecordedProgram program;
    program.state(1, "running", 0, main).state(1, "waiting: child", main, 100'000);
    program.state(2, "running", 1'000, 1'000 + helper, 11).state(2, "preempted", 1'000 + helper, 90'000, 11);
    program.state(3, "running", 2'000, 2'000 + worker, 12).state(3, "waiting: sleep", 2'000 + worker, 45'000, 12);
    const Judged judged(program);
    return std::string(judged.trace.text(judged.trace.process(judged.report.program.process).pid));
  };
  CHECK(judged_pid(6'000, 4'000, 24'000) == "10");   // multiprocessing's resource_tracker beside a spawned worker
  CHECK(judged_pid(1'000, 4'000, 24'000) == "10");   // however little the main process does itself
  CHECK(judged_pid(1'000, 40'000, 24'000) == "11");  // a launcher of the program
  CHECK(judged_pid(1'000, 20'000, 40'000) == "11");  // … which started a compiler for a moment
}

TEST_CASE("a thread that waits for a lock beside a leading one that runs is contention; a queue's wait is none") {
  for (const bool by_design : {false, true}) {
    RecordedProgram program;
    program.state(1, "running", 0, 100'000).frame(1, "a.py(2): holder", 0, 100'000, 3);
    program.state(2, "waiting: lock", 0, 90'000).state(2, "running", 90'000, 91'000);
    program.frame(2, "a.py(9): wanter", 0, 91'000, 10);
    if (by_design) program.library(2, "queue.py(154): Queue.get", 0, 90'000);
    const Judged judged(program);
    CHECK(judged.rules().contains("programContention") != by_design);
    if (!by_design) CHECK(has(judged.advice("programContention"), "Meanwhile others were most in a.py:3: holder"));
  }
}

}  // namespace
}  // namespace lacuna
