// What each kind of event becomes, in the strict and in the tolerant reader alike.
#include <doctest/doctest.h>

#include "import_support.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

using Lines = std::vector<std::string>;

/// The records of a list of events without offsets (checked here) and counts, and checked to be the
/// same however the list is read. Nor has `expected_report` offsets.
Lines records(std::string_view events, Lines expected_report = {}) {
  const std::string json = "[" + std::string(events) + "]";
  const ReadResult read = read_text(json);
  CHECK(read.result.has_value());
  Lines report = report_lines(read);
  for (std::string& line : report) line.resize(line.find(" @"));
  CHECK(report == expected_report);
  const Lines all = lines(read);
  CHECK(lines(read_text(json, tolerant())) == all);
  CHECK(lines(read_text(json, cut_every(1))) == all);
  Lines result;
  for (const std::string& line : all)
    if (line.starts_with('@')) {
      CHECK(json.at(std::stoul(line.substr(1))) == '{');
      result.push_back(line.substr(line.find(' ') + 1));
    } else if (line.starts_with("C ")) {
      result.push_back(line);
    }
  return result;
}

}  // namespace

TEST_CASE("X: a CPU operator") {
  CHECK(records(R"({"ph": "X", "cat": "cpu_op", "name": "aten::div", "pid": 1102, "tid": 1262,
    "ts": 1712195495519698.687, "dur": 49.743, "args": {"External id": 2051,"Ev Idx": 2, "Input Dims": [[1,{"a":2}],[]]}})") ==
        Lines{"X 0:1102/1262 / 1712195495519698687+49743 'aten::div' cpu_op c0 e2051 f0"});
}

TEST_CASE("X: kernels lie on the stream of their args") {
  CHECK(records(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,
    "args":{"device":3,"context":1,"stream":22,"correlation":99,"External id":5}})") ==
        Lines{"X 3:0/7 3/22 1000+2000 'k' kernel c99 e5 f0"});
  CHECK(records(R"({"ph":"X","cat":"gpu_memcpy","name":"k","pid":2,"tid":"stream 7","ts":1,"dur":2})") ==
        Lines{"X 3:2/stream 7 2/7 1000+2000 'k' gpu_memcpy c0 e0 f0"});
  CHECK(
      records(
          R"({"ph":"X","cat":"Memset","name":"k","pid":"2","tid":7,"ts":1,"dur":2,"args":{"stream":null,"external id":"8"}})") ==
      Lines{"X 3:2/7 2/7 1000+2000 'k' Memset c0 e8 f0"});
}

TEST_CASE("X: annotations of the GPU have tracks of their own; cuda_sync is no activity") {
  CHECK(records(R"({"ph":"X","cat":"gpu_user_annotation","name":"step","pid":0,"tid":7,"ts":1,"dur":2},
{"ph":"X","cat":"cuda_sync","name":"wait","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7}})") ==
        Lines{"X 4:0/7 0/7 1000+2000 'step' gpu_user_annotation c0 e0 f0",
              "X 0:0/7 / 1000+2000 'wait' cuda_sync c0 e0 f0"});
}

TEST_CASE("pid and tid: numbers and strings are the same text") {
  CHECK(
      records(
          R"({"ph":"X","name":"a","pid":7,"tid":"x","ts":0,"dur":1},{"ph":"X","name":"b","pid":"7","tid":"x","ts":1,"dur":1},{"ph":"X","name":"c","pid":"","tid":"PyTorch Profiler, the long one","ts":2,"dur":1})") ==
      Lines{"X 0:7/x / 0+1000 'a' (none) c0 e0 f0", "X 0:7/x / 1000+1000 'b' (none) c0 e0 f0",
            "X 0:/PyTorch Profiler, the long one / 2000+1000 'c' (none) c0 e0 f0"});
  const ReadResult read = read_text(
      R"([{"ph":"X","name":"a","pid":7,"tid":1,"ts":0,"dur":1},{"ph":"X","name":"b","pid":"7","tid":"1","ts":1,"dur":1}])");
  REQUIRE(read.batches.size() == 1);
  CHECK(read.batches[0].tracks.size() == 1);
}

TEST_CASE("times as strings, with exponents, below a nanosecond") {
  CHECK(records(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":"1698292137871041.25","dur":19.94140625},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":1e3,"dur":"2.5e-3"})",
                {"sub_nanosecond_rounded 2"}) ==
        Lines{"X 0:1/1 / 1698292137871041250+19941 'a' (none) c0 e0 f0", "X 0:1/1 / 1000000+2 'b' (none) c0 e0 f0"});
}

TEST_CASE("X without or with a strange duration is shown with 0 and marked") {
  CHECK(records(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":2,"dur":-5},
{"ph":"X","name":"c","pid":1,"tid":1,"ts":3,"dur":"long"},
{"ph":"X","name":"d","pid":1,"tid":1,"ts":4,"dur":0})",
                {"duration_missing 1", "negative_duration 1", "duration_invalid 1"}) ==
        Lines{"X 0:1/1 / 1000+0 'a' (none) c0 e0 f2", "X 0:1/1 / 2000+0 'b' (none) c0 e0 f2",
              "X 0:1/1 / 3000+0 'c' (none) c0 e0 f2", "X 0:1/1 / 4000+0 'd' (none) c0 e0 f0"});
}

TEST_CASE("events without a usable time are counted, not shown") {
  CHECK(records(R"({"ph":"X","name":"a","pid":1,"tid":1,"dur":1},
{"ph":"i","name":"b","pid":1,"tid":1,"ts":"soon"},
{"ph":"B","name":"c","pid":1,"tid":1,"ts":1e300},
{"ph":"C","name":"d","pid":1,"ts":null,"args":{"v":1}})",
                {"timestamp_missing 1", "timestamp_invalid 3"})
            .empty());
}

TEST_CASE("B and E: args of either link a call to its work") {
  const std::string kernel =
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":2,"args":{"device":0,"stream":7,"correlation":9}})";
  const auto call = [](const char* of_begin, const char* of_end) {
    return R"({"ph":"B","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1)" +
           std::string(of_begin) + R"(},{"ph":"E","pid":1,"tid":1,"ts":5)" + of_end + "},";
  };
  const char* const args = R"(,"args":{"correlation":9,"External id":4})";
  for (const std::string& events : {call(args, ""), call("", args)}) {
    Result<Trace> trace = import_json("[" + events + kernel + "]");
    REQUIRE(trace.has_value());
    REQUIRE(trace->links().launches().size() == 1);
    const SliceId launch = trace->links().launches()[0].launch;
    CHECK(trace->name(launch) == "cudaLaunchKernel");
    CHECK(trace->lane(launch).external_id(launch.index) == 4);
  }
}

TEST_CASE("B and E") {
  CHECK(records(R"({"pid":0,"tid":0,"ph":"B","name":"alpha","ts":0,"cat":"x"},{"pid":0,"tid":0,"ph":"E","ts":13})") ==
        Lines{"B 0:0/0 / 0 'alpha' x", "E 0:0/0 / 13000 '' (none)"});
}

TEST_CASE("instants and their scope") {
  CHECK(
      records(
          R"({"ph":"i","name":"a","pid":1,"tid":2,"ts":1,"s":"t"},{"ph":"I","name":"b","pid":1,"tid":2,"ts":2,"s":"p"},{"ph":"R","name":"c","pid":1,"tid":2,"ts":3},{"ph":"i","name":"d","pid":1,"ts":4,"s":"g"})") ==
      Lines{"i 0:1/2 / 1000 'a' (none) t", "i 0:1/2 / 2000 'b' (none) p", "i 0:1/2 / 3000 'c' (none) t",
            "i 0:1/ / 4000 'd' (none) g"});
}

TEST_CASE("counters: one series per numeric argument") {
  CHECK(records(R"({"ph":"C","name":"mem","pid":1,"ts":1,"args":{"used":5,"free":-2.5,"note":"7"}},
{"ph":"C","name":"mem","id":3,"pid":1,"ts":2,"args":{"used":6,"bad":"six","list":[1]}},
{"ph":"C","name":"none","pid":1,"ts":3})",
                {"counter_not_numeric 3"}) == Lines{"C 1 1000 'mem' used = 5", "C 1 1000 'mem' free = -2.5",
                                                    "C 1 1000 'mem' note = 7", "C 1 2000 'mem[3]' used = 6"});
}

TEST_CASE("asynchronous events and their ids") {
  CHECK(records(R"({"ph":"b","cat":"c","name":"r","pid":1,"tid":2,"ts":1,"id":"0x3"},
{"ph":"n","cat":"c","name":"r","pid":1,"tid":2,"ts":2,"id":3,"scope":"page"},
{"ph":"e","cat":"c","name":"r","pid":1,"tid":2,"ts":3,"id2":{"local":"0x4"}},
{"ph":"S","cat":"c","name":"r","pid":1,"tid":2,"ts":4,"id2":{"global":5}},
{"ph":"T","cat":"c","name":"r","pid":1,"tid":2,"ts":5,"id":"us"})") ==
        Lines{"b 1/2 1000 'r' c id 0x3", "n 1/2 2000 'r' c id page:3", "e 1/2 3000 'r' c id local:1:0x4",
              "S 1/2 4000 'r' c id 5", "T 1/2 5000 'r' c id us"});
}

TEST_CASE("flows") {
  CHECK(
      records(
          R"({"ph":"s","id":4,"pid":1,"tid":2,"ts":1,"cat":"ac2g","name":"ac2g"},{"ph":"f","id":"4","pid":0,"tid":7,"ts":2,"cat":"ac2g","name":"ac2g","bp":"e"},{"ph":"t","bind_id":9,"pid":0,"tid":7,"ts":2,"cat":"x","name":"y"})") ==
      Lines{"s 1/2 1000 ac2g id 4", "f 0/7 2000 ac2g id 4 enclosing", "t 0/7 2000 x id 9"});
}

TEST_CASE("flows that slices carry: bind_id with flow_in and flow_out") {
  const std::string slice = R"("cat":"ipc","name":"a","pid":1,"tid":2,"dur":1,)";
  CHECK(records(R"({"ph":"X",)" + slice + R"("ts":1,"bind_id":"0x4","flow_out":true},)" + R"({"ph":"B",)" + slice +
                    R"("ts":2,"bind_id":"0x4","flow_in":true,"flow_out":true},)" + R"({"ph":"X",)" + slice +
                    R"("ts":3,"bind_id":"0x4","flow_in":true,"flow_out":false},)" + R"({"ph":"E",)" + slice +
                    R"("ts":4,"bind_id":"0x4","flow_in":true},)" + R"({"ph":"X",)" + slice +
                    R"("ts":5,"bind_id":"0x4"})",
                {"flow_without_slice 1"}) ==
        Lines{"X 0:1/2 / 1000+1000 'a' ipc c0 e0 f0", "s 1/2 1000 (none) id bind_id:0x4 enclosing",
              "B 0:1/2 / 2000 'a' ipc", "t 1/2 2000 (none) id bind_id:0x4 enclosing",
              "X 0:1/2 / 3000+1000 'a' ipc c0 e0 f0", "f 1/2 3000 (none) id bind_id:0x4 enclosing",
              "E 0:1/2 / 4000 'a' ipc", "X 0:1/2 / 5000+1000 'a' ipc c0 e0 f0"});
}

TEST_CASE("metadata") {
  CHECK(records(R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}},
{"ph":"M","name":"process_labels","pid":1,"args":{"labels":"GPU 0"}},
{"ph":"M","name":"process_sort_index","pid":1,"args":{"sort_index":5000000}},
{"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"stream 7"}},
{"ph":"M","name":"thread_sort_index","pid":1,"tid":7,"args":{"sort_index":"-3"}},
{"ph":"M","name":"num_cpus","pid":1,"args":{"number":8}},
{"ph":"M","name":"process_name","pid":1,"args":{}},
{"ph":"M","name":"process_sort_index","pid":1,"args":{"sort_index":"first"}})",
                {"metadata_not_understood 3"}) ==
        Lines{"M 0 1/ 'python' 0", "M 1 1/ 'GPU 0' 0", "M 2 1/ '' 5000000", "M 3 1/7 'stream 7' 0", "M 4 1/7 '' -3"});
}

TEST_CASE("phases without a picture and unknown ones are counted by name") {
  const ReadResult read = read_text(
      R"([{"ph":"O","name":"a","pid":1,"ts":1,"id":1},{"ph":"N","ts":1},{"ph":"P","ts":1},{"ph":"Q","ts":1},{"ph":"XX","ts":1},{"ph":"","ts":1},{"ph":7,"ts":1},{"name":"no phase"},{}])");
  CHECK(read.count(Finding::kPhaseNotShown) == 3);
  CHECK(read.report.line(Finding::kPhaseNotShown).example == "O");
  CHECK(read.count(Finding::kUnknownPhase) == 4);
  CHECK(read.report.line(Finding::kUnknownPhase).example == "Q");
  CHECK(read.count(Finding::kNotAnEvent) == 1);
  CHECK(read.count(Finding::kEmptyEvent) == 1);
  CHECK(read.phase('O') == 1);
  CHECK(read.phase('Q') == 1);
  CHECK(read.events() == 7);
}

TEST_CASE("entries that are no objects are counted") {
  const std::string json =
      R"([1, null, "text", [{"ph":"X"}], true, -2.5, {"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}])";
  for (const ImportOptions& options : {ImportOptions(), tolerant(), cut_every(1)}) {
    const ReadResult read = read_text(json, options);
    CHECK(read.result.has_value());
    CHECK(read.count(Finding::kNotAnEvent) == 6);
    CHECK(read.events() == 1);
  }
}

TEST_CASE("keys in any order, unknown keys, args first") {
  CHECK(
      records(
          R"({"args":{"stream":9,"correlation":"12"},"cname":"good","dur":1,"tdur":4,"sf":7,"ts":3,"tid":1,"pid":1,"name":"n","cat":"kernel","ph":"X","stack":["a","b"]})") ==
      Lines{"X 3:1/1 1/9 3000+1000 'n' kernel c12 e0 f0"});
}

TEST_CASE("repeated keys: the last one counts") {
  const std::string json =
      R"([{"ph":"X","name":"a","name":"b","pid":1,"tid":1,"ts":1,"dur":1,"ts":2,"args":{"correlation":5},"args":{}}])";
  for (const ImportOptions& options : {ImportOptions(), tolerant()}) {
    const ReadResult read = read_text(json, options);
    CHECK(lines(read).front() == "@1 X 0:1/1 / 2000+1000 'b' (none) c0 e0 f0");
    CHECK(read.count(Finding::kDuplicateKey) == 3);
  }
}

TEST_CASE("names with escapes, odd characters and great length") {
  const std::string length(5160, 'n');
  CHECK(
      records(R"({"ph":"X","name":"void f<\"x\">(int)\n\u00e9 é","pid":1,"tid":1,"ts":1,"dur":1},{"ph":"X","name":")" +
              length + R"(","pid":1,"tid":1,"ts":1,"dur":1})") ==
      Lines{"X 0:1/1 / 1000+1000 'void f<\"x\">(int)\n\xC3\xA9 \xC3\xA9' (none) c0 e0 f0",
            "X 0:1/1 / 1000+1000 '" + length + "' (none) c0 e0 f0"});
  CHECK(
      read_text(R"([{"ph":"i","name":"a\qb","pid":1,"tid":1,"ts":1},{"ph":"i","name":"a\qb","pid":1,"tid":1,"ts":1}])")
          .count(Finding::kBadEscape) == 2);
  // Each time, also where the name is known already.
  CHECK(read_text(R"([{"ph":"i","name":"a longer name\qb","pid":1,"tid":1,"ts":1},)"
                  R"({"ph":"i","name":"a longer name\qb","pid":1,"tid":1,"ts":1}])")
            .count(Finding::kBadEscape) == 2);
  // One that differs in its middle alone is another one.
  CHECK(records(R"({"ph":"X","name":"01234567a01234567","pid":1,"tid":1,"ts":1,"dur":1},)"
                R"({"ph":"X","name":"01234567b01234567","pid":1,"tid":1,"ts":1,"dur":1})") ==
        Lines{"X 0:1/1 / 1000+1000 '01234567a01234567' (none) c0 e0 f0",
              "X 0:1/1 / 1000+1000 '01234567b01234567' (none) c0 e0 f0"});
}

TEST_CASE("missing pid, tid and name are counted where they matter") {
  const ReadResult read = read_text(
      R"([{"ph":"X","ts":1,"dur":1},{"ph":"C","name":"c","ts":1,"args":{"v":1}},{"ph":"E","pid":1,"tid":1,"ts":2}])");
  CHECK(report_lines(read) == Lines{"name_missing 1 @1", "pid_or_tid_missing 1 @1"});
}

TEST_CASE("histograms count every event") {
  const std::string json =
      R"([{"ph":"X","cat":"a","name":"n","pid":1,"tid":1,"ts":1,"dur":1},{"ph":"Q","cat":"a"},{"ph":"i","cat":"","ts":1,"pid":1,"tid":1,"name":"x"},{"ph":"s"}])";
  const ReadResult read = read_text(json);
  REQUIRE(read.batches.size() == 1);
  const EventBatch& batch = read.batches[0];
  REQUIRE(batch.categories.size() == 2);
  CHECK(batch.category_counts == std::vector<std::uint64_t>{2, 1});
  CHECK(batch.category_first_offsets == std::vector<std::uint64_t>{1, json.find(R"({"ph":"i")")});
  CHECK(batch.without_category == 1);
  CHECK(batch.event_count() == 4);
}
