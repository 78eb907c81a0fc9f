// Files of sampling profilers: each becomes sampled stacks, or says why not.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include "format_support.h"
#include "model/formats/chrome/raw_events.h"
#include "model/formats/formats.h"
#include "model/formats/stacks/stack_formats.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

std::string traced(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder.write("profile", text);
  const auto trace = import_path(path);
  return trace ? describe_trace(*trace) : trace.error().message();
}

std::string stack_title_of(const std::string& text) {
  return std::string(recognise_format({.bytes = make_memory_bytes(text), .is_plain = true}).title);
}

/// As py-spy writes it: what is shared comes last.
std::string speedscope_text() {
  return R"({"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[
    {"type":"sampled","name":"Thread 7","unit":"seconds","startValue":0,"endValue":0.04,
     "samples":[[0,1],[0,1],[0,2],[]],"weights":[0.01,0.01,0.01,0.01]}],
    "shared":{"frames":[{"name":"main","file":"/app/train.py","line":3},{"name":"step","file":"/usr/lib/python3/a.py"},
                        {"name":"read \"x\"","file":"libc.so"}]},
    "activeProfileIndex":0,"exporter":"py-spy@0.4"})";
}

std::string evented_text() {
  return R"({"exporter":"speedscope@1.2","shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[
    {"events":[{"type":"O","at":0,"frame":0},{"type":"O","at":2,"frame":1},{"type":"C","at":5,"frame":1},
               {"type":"C","at":5,"frame":1},{"type":"O","at":6,"frame":9}],
     "type":"evented","name":"t","unit":"microseconds","startValue":0,"endValue":7}]})";
}

constexpr std::string_view kPerfText = R"(# ========
# captured on    : today
# ========
#
python my app  10/11 [003]     5.000001:     250000 cycles:u:
	    7f00aa step+0x3c (/usr/lib/libwork.so)
	    7f00bb py::main:/app/train.py (/tmp/perf-10.map)

python my app  10/11 [003]     5.000002000:     250000 cycles:u:
	    7f00aa [unknown] (/usr/lib/libwork.so)
	    7f00bb py::main:/app/train.py (/tmp/perf-10.map)

swapper     0 [001]     5.000009: sched:sched_switch: a ==> b
swapper     0 [001]     5.000010: cycles:
	    ffff do_idle ([kernel.kallsyms])
)";

std::string gecko_text() {
  return R"--({"meta":{"interval":1,"startTime":1700000000000,"processType":0},"threads":[
    {"name":"GeckoMain","pid":5,"tid":6,"samples":{"schema":{"stack":0,"time":1},"data":[[1,0],[1,1.0],[0,2],[null,3]]},
     "markers":{"schema":{"name":0,"startTime":1},"data":[[0,1]]},
     "stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1]]},
     "frameTable":{"schema":{"location":0},"data":[[0],[1]]},
     "stringTable":["main (in libxul.so)","js::Run (app.js:3)"]}]})--";
}

std::string processed_gecko_text() {
  return R"({"meta":{"preprocessedProfileVersion":56,"interval":0.5},"threads":[
    {"name":"MainThread","pid":"5","tid":"6","samples":{"length":2,"stack":[1,0],"timeDeltas":[10,0.5]}}],
    "shared":{"stringArray":["main","step","/app/train.py"],
     "stackTable":{"prefix":[null,0],"frame":[0,1]},"frameTable":{"func":[0,1],"line":[null,7]},
     "funcTable":{"name":[0,1],"fileName":[2,2]}}})";
}

std::string pprof_text() {
  std::string text;
  protozero::pbf_writer profile(text);
  const auto type = [&](std::uint64_t name, std::uint64_t unit) {
    protozero::pbf_writer message(profile, 1);
    message.add_int64(1, static_cast<std::int64_t>(name));
    message.add_int64(2, static_cast<std::int64_t>(unit));
  };
  type(1, 2);
  type(3, 4);
  const auto sample = [&](std::vector<std::uint64_t> locations, std::vector<std::int64_t> values) {
    protozero::pbf_writer message(profile, 2);
    message.add_packed_uint64(1, locations.begin(), locations.end());
    message.add_packed_int64(2, values.begin(), values.end());
  };
  sample({2, 1}, {1, 1000});
  sample({1}, {1, 500});
  sample({3, 1}, {2, 300});
  sample({2, 1}, {1, 100});
  const auto location = [&](std::uint64_t id, std::vector<std::uint64_t> functions) {
    protozero::pbf_writer message(profile, 4);
    message.add_uint64(1, id);
    message.add_uint64(3, 0xabc);
    for (const std::uint64_t function : functions) {
      protozero::pbf_writer line(message, 4);
      line.add_uint64(1, function);
    }
  };
  location(1, {1});
  location(2, {3, 2});  // inlined into the second
  location(3, {});
  for (std::uint64_t f = 1; f <= 3; ++f) {
    protozero::pbf_writer message(profile, 5);
    message.add_uint64(1, f);
    message.add_int64(2, static_cast<std::int64_t>(4 + f));
  }
  for (const char* string : {"", "samples", "count", "cpu", "nanoseconds", "main", "step", "inlined"})
    profile.add_string(6, string);
  return text;
}

constexpr std::string_view kCollapsedText = "main;step;read 2\nidle 1\nmain;step 1\n";

std::string chrome_text() {
  return R"({"traceEvents":[{"ph":"X","name":"op","pid":1,"tid":7,"ts":1,"dur":9}],
    "samples":[{"cpu":"-1","ts":"10","pid":1,"tid":"7","sf":2},{"ts":20,"pid":1,"tid":7,"sf":"2"},
               {"ts":30,"pid":1,"tid":7,"sf":1},{"ts":31,"pid":1,"tid":7,"sf":99},{"pid":1,"tid":7,"sf":1}],
    "stackFrames":{"1":{"name":"main","category":"js"},"2":{"name":"step","parent":1},"3":{"name":"x","parent":3}}})";
}

}  // namespace

TEST_CASE("speedscope's samples are stacks beside a thread, its events slices") {
  const std::string track = "process 1/Thread 7 \xC2\xB7 stacks, sampled: ";
  CHECK(traced(speedscope_text()) ==
        track + "python_library_sample step 0+20000000 {file=/usr/lib/python3/a.py samples=2}\n" + track +
            "python_sample main 0+30000000 {file=/app/train.py line=3 samples=3}\n" + track +
            "native_sample read \"x\" 20000000+10000000 {file=libc.so samples=1}\n");
  CHECK(traced(evented_text()) == "process 1/t: function a 0+5000 {}\nprocess 1/t: function b 2000+3000 {}\n");
}

TEST_CASE("perf script's text without times is drawn with 1 ms for each sample") {
  const std::string text =
      "my java 19983/7 [001] 250000 cycles:u: \n\t 7f00aa step (/usr/lib/libwork.so)\n\n"
      "my java 19983/7 cycles:\nffffffff8103d0ca native_write ([kernel.kallsyms])\n"
      "7f00aa step (/usr/lib/libwork.so)\n\n";
  CHECK(stack_title_of(text) == "perf script");
  CHECK(stack_title_of("chapter 7 begins:\nwith words\n") != "perf script");
  const std::string where =
      "my java/my java \xC2\xB7 no times in the file, 1 ms for each sample \xC2\xB7 stacks, sampled: ";
  CHECK(traced(text) == where + "native_sample step 0+2000000 {file=/usr/lib/libwork.so samples=2}\n" + where +
                            "native_sample native_write 1000000+1000000 {file=[kernel.kallsyms] samples=1}\n");
}

TEST_CASE("simpleperf's times have no zeros at their ends, and tabs stand for blanks") {
  const std::string text =
      "main\t25117 [007] 115540.8374:\t\t1000000 task-clock:u:\n\tb250d7ba\tart::run() (/system/libart.so)\n\n"
      "main\t25117 [007] 115540.8384:\t\t1000000 task-clock:u:\n\tb250d7ba\tart::run() (/system/libart.so)\n\n";
  CHECK(stack_title_of(text) == "perf script");
  CHECK(traced(text) ==
        "main/main \xC2\xB7 stacks, sampled: native_sample art::run() 115540837400000+2000000 "
        "{file=/system/libart.so samples=2}\n");
}

TEST_CASE("perf script's text has its times, threads and libraries") {
  const std::string track = "python my app/python my app \xC2\xB7 stacks, sampled: ";
  CHECK(traced(std::string(kPerfText)) ==
        track + "native_sample step 5000001000+1000 {file=/usr/lib/libwork.so samples=1}\n" + track +
            "python_sample main 5000001000+2000 {file=/app/train.py samples=2}\n" + track +
            "native_sample libwork.so (no symbol) 5000002000+1000 {file=/usr/lib/libwork.so samples=1}\n" +
            "swapper/swapper \xC2\xB7 stacks, sampled: native_sample do_idle 5000010000+1000000 "
            "{file=[kernel.kallsyms] samples=1}\n");
}

TEST_CASE("Firefox's profiles open as they are recorded and as they are processed") {
  const std::string main = "process 5/GeckoMain \xC2\xB7 stacks, sampled: native_sample ";
  CHECK(traced(gecko_text()) == main + "js::Run 0+2000000 {file=app.js:3 samples=2}\n" + main +
                                    "main 0+3000000 {file=libxul.so samples=3}\n" +
                                    "process 5/GeckoMain: main (in libxul.so) @1000000\n");
  const std::string python = "process 5/MainThread \xC2\xB7 stacks, sampled: python_sample ";
  CHECK(traced(processed_gecko_text()) == python + "main 10000000+1000000 {file=/app/train.py samples=2}\n" + python +
                                              "step 10000000+500000 {file=/app/train.py line=7 samples=1}\n");
  const TemporaryFolder folder;
  const auto trace = import_path(folder.write("a.json", gecko_text()));
  CHECK(trace->sources()[0].base_time_ns == 1'700'000'000'000'000'000);
  CHECK(trace->report().count(Finding::kTableNotRead) == 0);
}

TEST_CASE("markers of Firefox profiles stand on their threads") {
  const std::string rows = R"({"meta":{"interval":1,"startTime":1700000000000,"processType":0},"threads":[
    {"name":"Main","pid":5,"tid":6,"samples":{"schema":{"stack":0,"time":1},"data":[]},
     "markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"data":4},"data":[
       [0,1,null,0,{"type":"Log","text":"a\nb"}],[1,2,4.5,1,{"n":
 7}],[1,5,null,2],[1,null,7,3],[1,8,null,2],[1,null,9,3],[1,null,9,3]]},"stringTable":["log","paint"]}],
   "processes":[{"threads":[{"name":"Child","pid":8,"tid":9,
     "markers":{"data":[[0,1,{"interval":"start"}],[0,3,{"interval":"end"}],[0,4,{"startTime":5,"endTime":6}],
       [0,9,{"interval":"start"}]],"schema":{"name":0,"time":1,"data":2}},"stringTable":["old"]}],
     "meta":{"startTime":1700000001000}}]})";
  CHECK(traced(rows) ==
        "process 5/Main: log @1000000\nprocess 5/Main: marker paint 2000000+2500000 {data.n=7}\n"
        "process 5/Main: marker paint 5000000+2000000 {}\nprocess 5/Main: marker paint 8000000+1000000 {}\n"
        "process 8/Child: marker old 1001000000+2000000 {data.interval=start}\n"
        "process 8/Child: marker old 1005000000+1000000 {data.startTime=5 data.endTime=6}\n"
        "process 8/Child: marker old 1009000000+0 {data.interval=start}\n");
  const std::string columns = R"({"meta":{"preprocessedProfileVersion":56,"interval":1},"threads":[
    {"name":"Main","pid":"5","tid":"6","samples":{"stack":[],"time":[]},
     "markers":{"length":2,"name":[0,1],"startTime":[1,2],"endTime":[null,4],"phase":[0,1],"data":[null,{"a":1}]}}],
    "shared":{"stringArray":["log","paint"]}})";
  CHECK(traced(columns) == "process 5/Main: log @1000000\nprocess 5/Main: marker paint 2000000+2000000 {data.a=1}\n");
  const TemporaryFolder folder;
  const auto trace = import_path(folder.write("a.json", rows));
  CHECK(trace->report().count(Finding::kUnmatchedEnd) == 1);
}

TEST_CASE("the performance tool of old Firefox has the profile as a member, and children count from their own start") {
  const std::string text =
      R"({"label":"a","duration":74.1,"markers":[{"x":[1]}],"frames":[],"profile":)" + gecko_text() + "}";
  CHECK(stack_title_of(text) == "Firefox profile");
  // Of markers, whose times count from another start, it is said that they are there.
  const std::string samples = traced(gecko_text());
  CHECK(traced(text) == samples.substr(0, samples.find("process 5/GeckoMain: main (in")));
  std::string child = gecko_text();
  child.replace(child.find("1700000000000"), 13, "1700000001000");
  const std::string family =
      R"({"meta":{"interval":1,"startTime":1700000000000,"processType":0},"threads":[],"processes":[)" + child + "]}";
  CHECK(traced(family).find("js::Run 1000000000+2000000") != std::string::npos);
}

TEST_CASE("pprof's samples lie side by side, as a flame graph has them") {
  const std::string track =
      "process 1/cpu \xC2\xB7 no times in the file, one after the other \xC2\xB7 stacks, sampled: native_sample ";
  CHECK(traced(pprof_text()) == track + "main 0+1900 {samples=4}\n" + track + "inlined 500+1100 {samples=2}\n" + track +
                                    "step 500+1100 {samples=2}\n" + track + "0xabc 1600+300 {samples=1}\n");
}

TEST_CASE("collapsed stacks are as wide as their samples are many") {
  const std::string track =
      "process 1/all threads \xC2\xB7 no times in the file, 1 ms for each sample \xC2\xB7 stacks, sampled: "
      "native_sample ";
  CHECK(traced(std::string(kCollapsedText)) ==
        track + "main 0+3000000 {samples=2}\n" + track + "step 0+3000000 {samples=2}\n" + track +
            "read 1000000+2000000 {samples=1}\n" + track + "idle 3000000+1000000 {samples=1}\n");
}

TEST_CASE("samples of Chrome JSON are stacks beside their thread") {
  const std::string track = "process 1/thread 7 \xC2\xB7 stacks, sampled: native_sample ";
  CHECK(traced(chrome_text()) ==
        "process 1/thread 7:  op 1000+9000 {}\n" + track + "main 10000+30000 {}\n" + track + "step 10000+20000 {}\n");
  const TemporaryFolder folder;
  const auto trace = import_path(folder.write("a.json", chrome_text()));
  CHECK(trace->report().count(Finding::kSamplesNotRead) == 2);
  // SQL reads the file again.
  std::string raw;
  const auto read = read_raw_events(trace->sources()[0], 1, nullptr, [&](RawEventList list, const TraceSource&) {
    for (const RawEvent& event : list.events)
      raw += fmt::format("{} {} {}+{} ", event.phase, list.strings.get(event.name), event.ts, event.dur);
  });
  CHECK(read.has_value());
  CHECK(raw == "X op 1000+9000 X main 10000+30000 X step 10000+20000 ");
}

TEST_CASE("deep stacks keep the outermost frames, and say so") {
  const auto deep = [](std::size_t frames) {
    std::string text;
    for (std::size_t i = 0; i < frames; ++i) text += fmt::format("{}f{}", i > 0 ? ";" : "", i);
    return text + " 1\nmain;a 1\n";
  };
  const TemporaryFolder folder;
  const auto cut_of = [&](std::size_t frames) {
    const auto trace = import_path(folder.write("a.folded", deep(frames)));
    REQUIRE(trace.has_value());
    return trace->report().count(Finding::kStackCut);
  };
  CHECK(cut_of(1000) == 0);
  CHECK(cut_of(1001) == 1);
  CHECK(cut_of(1500) == 1);
}

TEST_CASE("what only looks like a profile is none") {
  CHECK(stack_title_of(speedscope_text()) == "speedscope");
  CHECK(stack_title_of(evented_text()) == "speedscope");
  CHECK(stack_title_of(gecko_text()) == "Firefox profile");
  CHECK(stack_title_of(processed_gecko_text()) == "Firefox profile");
  CHECK(stack_title_of(pprof_text()) == "pprof");
  // The order of fields is the encoder's: a time first, a mapping first.
  CHECK(stack_title_of("\x48\x86\x01" + pprof_text()) == "pprof");
  CHECK(stack_title_of("\x1a\x04\x08\x01\x10\x02" + pprof_text()) == "pprof");
  CHECK(stack_title_of("\x1a\x04\x08\x01\x12\x00" + pprof_text()) != "pprof");
  CHECK(stack_title_of(std::string(kPerfText)) == "perf script");
  CHECK(stack_title_of(std::string(kPerfText.substr(kPerfText.find("python")))) == "perf script");
  CHECK(stack_title_of(std::string(kCollapsedText)) == "collapsed stacks");
  for (const std::string& other :
       {std::string(R"({"traceEvents":[{"name":"speedscope@1"}]})"), std::string(R"({"meta":{},"traceEvents":[]})"),
        std::string("a b 12\nc d 13\n"), std::string("time;value\n1;2\n"), std::string("{\"a;b\": 3 1\n"),
        std::string("12:30:45 error: no file\n"), std::string("\x0a\x04\x08\x01\x12\x02xx", 8), chrome_text(),
        std::string("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")}) {
    CAPTURE(other);
    CHECK(stack_title_of(other) != "speedscope");
    CHECK(stack_title_of(other) != "Firefox profile");
    CHECK(stack_title_of(other) != "pprof");
    CHECK(stack_title_of(other) != "perf script");
    CHECK(stack_title_of(other) != "collapsed stacks");
  }
}

namespace {

/// Bytes that count how often they are asked for some.
class CountedReads final : public ImportBytes {
 public:
  explicit CountedReads(std::string text) : text_(std::move(text)) {}
  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    ++reads_;
    return offset < text_.size() ? text_.copy(out.data(), out.size(), static_cast<std::size_t>(offset)) : 0;
  }
  std::uint64_t size() const override { return text_.size(); }
  std::optional<std::uint64_t> known_size() const override { return text_.size(); }
  std::size_t reads() const { return reads_; }

 private:
  const std::string text_;
  mutable std::size_t reads_ = 0;
};

}  // namespace

TEST_CASE("a profile is read in large parts, whatever it is made of") {
  std::string samples, lines;
  for (int i = 0; i < 20'000; ++i) {
    samples += i == 0 ? "[0,1]" : ",[0,1]";
    lines += "main;step;read 2\n";
  }
  const std::string speedscope = R"({"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[
    {"type":"sampled","unit":"none","samples":[)" +
                                 samples + R"(]}],"shared":{"frames":[{"name":"a"},{"name":"b"}]}})";
  for (const auto& file : {std::pair(&kSpeedscopeFormat, speedscope), std::pair(&kCollapsedFormat, lines)}) {
    const auto& [format, text] = file;
    CAPTURE(file.first->title);
    const std::string path = "a";
    CountedReads bytes(text);
    TraceSource facts;
    REQUIRE(format->read({path, bytes, {}, nullptr}, facts, [](EventBatch) {}).has_value());
    CHECK(bytes.reads() < 100);
  }
}

TEST_CASE("a damaged profile ends with words or with what could be read") {
  const TemporaryFolder folder;
  for (const std::string& whole : {speedscope_text(), evented_text(), gecko_text(), processed_gecko_text(),
                                   pprof_text(), std::string(kPerfText), std::string(kCollapsedText), chrome_text()})
    check_damage(folder.path + "/a", whole, 1);
}
