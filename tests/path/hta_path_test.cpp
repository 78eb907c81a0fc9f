#include "model/path/hta_path.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/critical_path.h"
#include "app/cli/output.h"
#include "model/import/importer.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;

namespace {

Trace hta_trace(const std::string& path) {
  Result<Trace> trace = import_files(std::span<const std::string>(&path, 1));
  REQUIRE_MESSAGE(trace.has_value(), path);
  return std::move(*trace);
}

std::string event(const char* name, const char* category, int pid, int tid, int ts, int duration,
                  const std::string& args) {
  return fmt::format(R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})", name,
                     category, pid, tid, ts, duration, args);
}

/// Two operators that launch to two streams; the second stream waits for an event, and the CPU for the second stream.
Trace two_streams(std::string_view calls = "cuda_runtime") {
  static const TemporaryFolder folder;
  std::ostringstream text;
  text << R"({"schemaVersion":1,"distributedInfo":{"rank":0},"traceEvents":[)"
       << event("ProfilerStep#1", "user_annotation", 1, 11, 0, 500, "") << ','
       << event("aten::mm", "cpu_op", 1, 11, 10, 60, R"("External id":1)") << ','
       << event("cudaLaunchKernel", calls.data(), 1, 11, 20, 10, R"("correlation":101)") << ','
       << event("void gemm<float>(int)", "kernel", 0, 7, 35, 100, R"("stream":7,"device":0,"correlation":101)") << ','
       << event("cudaEventRecord", calls.data(), 1, 11, 40, 5, R"("correlation":102)") << ','
       << event("cudaStreamWaitEvent", calls.data(), 1, 11, 50, 5, R"("correlation":103)") << ','
       << event("Stream Wait Event", "cuda_sync", 0, 20, 51, 3,
                R"("stream":20,"device":0,"correlation":103,"wait_on_stream":7,)"
                R"("wait_on_cuda_event_record_corr_id":102)")
       << ',' << event("aten::add", "cpu_op", 1, 11, 80, 60, R"("External id":2)") << ','
       << event("cudaLaunchKernel", calls.data(), 1, 11, 90, 10, R"("correlation":104)") << ','
       << event("ncclKernel_AllReduce", "kernel", 0, 20, 137, 200, R"("stream":20,"device":0,"correlation":104)") << ','
       << event("cudaStreamSynchronize", calls.data(), 1, 11, 200, 140, R"("correlation":105)") << ','
       << event("Stream Sync", "cuda_sync", 0, 20, 201, 137, R"("stream":20,"device":0,"correlation":105)") << "]}";
  return hta_trace(folder.write(std::string(calls) + ".json", text.str()));
}

}  // namespace

// HolisticTraceAnalysis 0.5.0 with pandas 2.2.3 says so of the file above.
TEST_CASE("HTA's path goes through launches, events and synchronisations") {
  const Result<HtaPath> path = hta_critical_path(two_streams(), SourceId{0}, {});
  REQUIRE(path.has_value());
  CHECK(path->nodes == 6);
  CHECK(path->edges == path->nodes - 1);
  CHECK(path->events == 4);
  CHECK(path->graph_nodes == 18);
  CHECK(path->graph_edges == 18);
  CHECK(path->total == 325'000);
  CHECK(path->by_bound == std::map<std::string, Nanos>{{"", 0},
                                                       {"cpu_bound", 10'000},
                                                       {"gpu_communication_bound", 200'000},
                                                       {"gpu_compute_bound", 100'000},
                                                       {"gpu_kernel_launch_overhead", 15'000}});
  CHECK(path->by_type == std::map<std::string, Nanos>{{"critical_path_kernel_launch_delay", 15'000},
                                                      {"critical_path_operator", 310'000},
                                                      {"critical_path_sync_dependency", 0}});
}

TEST_CASE("HTA's path goes through calls of the driver as through those of the runtime") {
  const auto runtime = hta_critical_path(two_streams(), SourceId{0}, {});
  const auto driver = hta_critical_path(two_streams("cuda_driver"), SourceId{0}, {});
  REQUIRE(driver.has_value());
  CHECK(driver->total == runtime->total);
  CHECK(driver->graph_nodes == runtime->graph_nodes);
  CHECK(driver->graph_edges == runtime->graph_edges);
  CHECK(driver->by_bound == runtime->by_bound);
  CHECK(driver->by_type == runtime->by_type);
}

TEST_CASE("HTA's path: what does not exist is said") {
  const Trace trace = two_streams();
  const auto no_annotation = hta_critical_path(trace, SourceId{0}, {.annotation = "nothing like it"});
  REQUIRE_FALSE(no_annotation.has_value());
  CHECK(no_annotation.error().code == ErrorCode::kInvalidArgument);
  const auto no_instance = hta_critical_path(trace, SourceId{0}, {.instance = 1});
  REQUIRE_FALSE(no_instance.has_value());
  CHECK(no_instance.error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("critical-path --hta lists as many names as asked for, all with --limit 0") {
  const auto text = [trace = two_streams()](std::optional<std::size_t> limit) {
    std::string written;
    Output out(written);
    CriticalPathOptions options;
    options.hta = true;
    options.limit = limit;
    REQUIRE(print_critical_path(trace, options, out));
    return written;
  };
  CHECK(text(0) == text(std::nullopt));  // few names
  CHECK(text(1).find("\n  ncclKernel_AllReduce") != std::string::npos);
  CHECK(text(1).find("gemm") == std::string::npos);
  CHECK(text(0).find("\n  gemm") != std::string::npos);
}

TEST_CASE("HTA's short names") {
  CHECK(hta_short_name("void at::native::vec<4, float, F<int>>(int, T)") == "at::native::vec");
  CHECK(hta_short_name("Memcpy DtoH (Device -> Pageable)") == "Memcpy DtoH (Device -> Pageable)");
  CHECK(hta_short_name("aten::mm") == "aten::mm");
  CHECK(hta_short_name("a->b(c)") == "ab");
  CHECK(hta_short_name(")x>(y") == "(y");
}

// Recorded answers of HTA, where they lie.
TEST_CASE("HTA's path equals HTA's on shared traces") {
  const std::filesystem::path shared = std::filesystem::path(source_folder()) / ".." / "shared";
  const std::filesystem::path samples = shared / "samples" / "critical_path";
  const std::pair<const char*, std::filesystem::path> known[] = {
      {"hta_simple_add", samples / "hta_simple_add.json.gz"},
      {"dlrm_worker0", shared / "traces" / "param_v100_dlrm_8rank" / "worker0_step_12.pt.trace.json.gz"},
      {"dlrm_worker1", shared / "traces" / "param_v100_dlrm_8rank" / "worker1_step_12.pt.trace.json.gz"},
      {"dlrm_worker5", shared / "traces" / "param_v100_dlrm_8rank" / "worker5_step_12.pt.trace.json.gz"}};
  for (const auto& [name, file] : known) {
    std::ifstream answer(samples / (std::string(name) + ".ref.json"));
    if (!answer || !std::filesystem::exists(file)) {
      skip("no " + file.string());
      return;
    }
    const std::string which = name;
    CAPTURE(which);
    const nlohmann::json expected = nlohmann::json::parse(answer);
    const Result<HtaPath> path = hta_critical_path(
        hta_trace(file.string()), SourceId{0},
        {.annotation = expected["annotation"], .instance = expected["instance"].get<std::uint64_t>()});
    REQUIRE(path.has_value());
    CHECK(path->nodes == expected["nodes"]);
    CHECK(path->edges == expected["edges"]);
    CHECK(path->events == expected["events"]);
    CHECK(path->graph_nodes == expected["graph_nodes"]);
    CHECK(path->graph_edges == expected["graph_edges"]);
    CHECK(static_cast<double>(path->total) / 1000 == doctest::Approx(expected["total_us"].get<double>()));
    const auto same = [](const std::map<std::string, Nanos>& ours, const nlohmann::json& theirs) {
      CHECK(ours.size() == theirs.size());
      for (const auto& [key, time] : theirs.items())
        CHECK(static_cast<double>(ours.contains(key) ? ours.at(key) : -1) / 1000 ==
              doctest::Approx(time.get<double>()));
    };
    same(path->by_bound, expected["by_bound"]);
    same(path->by_type, expected["by_type"]);
    for (const auto& [top, time] : expected["top"].items()) {
      const std::string key = top;  // clang 14 captures no bindings
      const auto found = std::ranges::find(path->by_name, key, &std::pair<std::string, Nanos>::first);
      REQUIRE_MESSAGE(found != path->by_name.end(), key);
      CHECK(static_cast<double>(found->second) / 1000 == doctest::Approx(time.get<double>()));
    }
  }
}
