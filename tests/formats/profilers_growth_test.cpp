// What files of other profilers cost grows with what they hold, also where one thing is referred to by many.
#include <functional>

#include "tests/formats/format_support.h"
#include "tests/formats/plane_maker.h"
#include "tests/support/archive_maker.h"
#include "tests/support/counted_memory.h"
#include "tests/support/growth_check.h"
#include "tests/support/skip.h"

namespace lacuna::test {
namespace {

/// Rows of a table: `row` with each '#' as the number of the row.
std::string grown_rows(std::string_view table, std::string_view row, std::size_t count) {
  std::string sql;
  for (std::size_t i = 1; i <= count; ++i) {
    sql += fmt::format("INSERT INTO {} VALUES(", table);
    for (const char c : row) c == '#' ? sql += fmt::to_string(i) : sql += c;
    sql += ");";
  }
  return sql;
}

/// Text over and over, with each '#' as the number of the time.
std::string repeated(std::size_t count, std::string_view text) {
  std::string all;
  for (std::size_t i = 1; i <= count; ++i)
    for (const char c : text) c == '#' ? all += fmt::to_string(i) : all += c;
  return all;
}

constexpr std::string_view kRocpd =
    "CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, string);"
    "CREATE TABLE rocpd_event(id INTEGER PRIMARY KEY, category_id, stack_id);"
    "CREATE TABLE rocpd_arg(event_id, name, value);"
    "CREATE TABLE rocpd_pmc_event(event_id, pmc_id, value);"
    "CREATE TABLE rocpd_info_pmc(id INTEGER PRIMARY KEY, name);"
    "CREATE TABLE rocpd_region(start, \"end\", name_id, event_id, tid);"
    "CREATE TABLE rocpd_kernel_dispatch(start, \"end\", agent_id, stream_id, event_id);"
    "INSERT INTO rocpd_string VALUES(1,'HIP_API'),(2,'hipLaunchKernel');";

struct GrowingFile {
  const char* dimension;
  std::size_t count;  // of the small one
  const char* name;
  std::function<std::string(std::size_t)> make;  // SQL, or the file itself
};

std::string lanes_of(std::string_view process, std::string_view thread, std::size_t count) {
  std::string events = fmt::format(R"({{"ph":"M","name":"process_name","pid":1,"args":{{"name":"{}"}}}},)", process);
  for (std::size_t i = 0; i < count; ++i)
    events += fmt::format(R"({{"ph":"M","name":"thread_name","pid":1,"tid":{0},"args":{{"name":"{1}"}}}},)"
                          R"({{"ph":"X","name":"a","pid":1,"tid":{0},"ts":{0},"dur":1}},)",
                          i, thread);
  return R"({"traceEvents":[)" + events + "{}]}";
}

const GrowingFile kGrowing[] = {
    {"calls and kernels of rocpd, with args and counters", 500, "a.db",
     [](std::size_t count) {
       return std::string(kRocpd) + grown_rows("rocpd_event", "#,1,#", count) +
              grown_rows("rocpd_arg", "#,'dst','0x1'", count) + grown_rows("rocpd_pmc_event", "#,1,2", count) +
              grown_rows("rocpd_region", "#0,#4,2,#,1", count) +
              grown_rows("rocpd_kernel_dispatch", "#5,#9,1,1,#", count);
     }},
    {"calls that share one event, and its args and counters", 500, "a.db",
     [](std::size_t count) {
       return std::string(kRocpd) + "INSERT INTO rocpd_event VALUES(1,1,1);" +
              grown_rows("rocpd_arg", "1,'a#','0x1'", count) + grown_rows("rocpd_info_pmc", "#,'c#'", count) +
              grown_rows("rocpd_pmc_event", "1,#,2", count) + grown_rows("rocpd_region", "#0,#4,2,1,1", count);
     }},
    {"work and calls of RPD", 500, "a.rpd",
     [](std::size_t count) {
       return "CREATE TABLE rocpd_string(id, string); INSERT INTO rocpd_string VALUES(1,'hipLaunchKernel');"
              "CREATE TABLE rocpd_op(id, gpuId, queueId, start, \"end\", description_id, opType_id);"
              "CREATE TABLE rocpd_api(id, pid, tid, start, \"end\", apiName_id, args_id);"
              "CREATE TABLE rocpd_api_ops(api_id, op_id);" +
              grown_rows("rocpd_op", "#,0,0,#5,#9,1,1", count) + grown_rows("rocpd_api", "#,1,1,#0,#4,1,1", count) +
              grown_rows("rocpd_api_ops", "#,#", count);
     }},
    {"tasks and calls of Ascend", 500, "a.db",
     [](std::size_t count) {
       return "CREATE TABLE STRING_IDS(id, value); INSERT INTO STRING_IDS VALUES(1,'AI_CORE');"
              "CREATE TABLE TASK(startNs, endNs, deviceId, streamId, connectionId, globalTaskId, taskType);"
              "CREATE TABLE CANN_API(startNs, endNs, type, globalTid, connectionId, name);"
              "CREATE TABLE COMMUNICATION_OP(startNs, endNs, opName, groupName);" +
              grown_rows("TASK", "#5,#9,0,1,#,#,1", count) + grown_rows("CANN_API", "#0,#4,5000,1,#,1", count) +
              grown_rows("COMMUNICATION_OP", "#5,#9,1,#", count);
     }},
    {"events of XProf whose name tells much", 500, "a.xplane.pb",
     [](std::size_t count) {
       PlaneMaker plane("/device:GPU:0");
       PlaneMaker::Stats stats;
       for (std::size_t i = 0; i < count; ++i) stats.emplace_back(fmt::format("s{}", i), std::int64_t{1});
       const auto name = plane.event_name("gemm", {}, stats);
       plane.line(1, "Stream #1", 0);
       for (std::size_t i = 0; i < count; ++i) plane.event(name, static_cast<std::int64_t>(i) * 10'000, 5'000);
       return space_of({plane.bytes()});
     }},
    {"lines of XProf that stand for streams", 500, "a.xplane.pb",
     [](std::size_t count) {
       PlaneMaker plane("/device:TPU:0");
       const auto name = plane.event_name("fusion");
       for (std::size_t i = 0; i < count; ++i) {
         plane.line(static_cast<std::int64_t>(i), "XLA Ops", 0);
         plane.event(name, static_cast<std::int64_t>(i) * 10'000, 5'000);
       }
       return space_of({plane.bytes()});
     }},
    {"planes of XProf with the number of another", 100, "a.xplane.pb",
     [](std::size_t count) {
       std::string bytes;
       protozero::pbf_writer space(bytes);
       for (std::size_t i = 0; i < count; ++i) {
         PlaneMaker plane("/device:GPU:0");
         plane.line(1, "Stream #1", 0);
         plane.event(plane.event_name("gemm"), 0, 5'000);
         space.add_message(1, plane.bytes());
       }
       return bytes;
     }},
    {"lanes of JAX that stand for streams", 500, "a.json",
     [](std::size_t count) { return lanes_of("/device:TPU:0", "XLA Ops", count); }},
    {"collapsed stacks", 500, "a.folded",
     [](std::size_t count) { return repeated(count, "main;f#;g 1\nmain;f#;h 2\n"); }},
    {"samples of perf script", 500, "a.perf",
     [](std::size_t count) {
       return repeated(count, "p 1/1 [000] 5.00000#: 1 cycles:\n\t1 f# (lib)\n\t2 main (lib)\n\n");
     }},
    {"samples and frames of speedscope", 500, "a.speedscope.json",
     [](std::size_t count) {
       return R"({"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"sampled",)"
              R"("unit":"none","samples":[[0])" +
              repeated(count, ",[0,#]") + R"(]}],"shared":{"frames":[{"name":"main"})" +
              repeated(count, R"(,{"name":"f#"})") + "]}}";
     }},
    {"samples and stacks of Firefox", 500, "a.json",
     [](std::size_t count) {
       return R"({"meta":{"interval":1},"threads":[{"name":"t","samples":{"stack":[0)" + repeated(count, ",#") +
              R"(],"time":[0)" + repeated(count, ",#") + R"(]},"stackTable":{"prefix":[null)" + repeated(count, ",0") +
              R"(],"frame":[0)" + repeated(count, ",#") + R"(]},"frameTable":{"func":[0)" + repeated(count, ",#") +
              R"(]},"funcTable":{"name":[0)" + repeated(count, ",#") + R"(]},"stringArray":["main")" +
              repeated(count, R"(,"f#")") + "]}]}";
     }},
    {"samples and frames of Chrome JSON", 500, "a.json",
     [](std::size_t count) {
       return R"({"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}],"samples":[{"ts":1,"sf":1})" +
              repeated(count, R"(,{"ts":#,"tid":1,"pid":1,"sf":#})") + R"(],"stackFrames":{"0":{"name":"m"})" +
              repeated(count, R"(,"#":{"name":"f#","parent":0})") + "}}";
     }},
    {"lines of NCCL's inspector", 500, "a.jsonl",
     [](std::size_t count) {
       return repeated(count,
                       R"({"header":{"id":"0xa","rank":0,"n_ranks":2},"metadata":{"dump_timestamp_us":1700000#},)"
                       R"("coll_perf":{"coll":"AllReduce","coll_sn":#,"coll_exec_time_us":1}})"
                       "\n");
     }},
    {"files of a zip archive", 100, "a.zip",
     [](std::size_t count) {
       std::vector<ZipMember> members;
       for (std::size_t i = 0; i < count; ++i)
         members.push_back(
             {.name = fmt::format("{}.json", i), .text = R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}])"});
       return make_zip(members);
     }},
    {"queues of unitrace", 500, "a.json",
     [](std::size_t count) { return lanes_of("DEVICE<h>[0000:4d:00.0]", "L0 Queue", count); }},
};

TEST_CASE("a file of another profiler twice as large costs two and a half times as much at most") {
  if (!is_memory_counted()) return skip("memory is the sanitizer's");
  for (const GrowingFile& growing : kGrowing) {
    const TemporaryFolder small, large;
    const std::string paths[] = {small.path + "/" + growing.name, large.path + "/" + growing.name};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string made = growing.make(growing.count * (i == 0 ? 1 : kGrowth));
      if (made.find("CREATE TABLE") != std::string::npos) {
        write_sqlite(paths[i], made);
      } else {
        std::ofstream(paths[i], std::ios::binary) << made;
      }
    }
    check_growth(growing.dimension, [&](bool is_large, std::string& answer) {
      const auto trace = import_path(paths[is_large ? 1 : 0]);
      REQUIRE(trace.has_value());
      answer = fmt::format("{}", trace->slice_count());
    });
  }
}

}  // namespace
}  // namespace lacuna::test
