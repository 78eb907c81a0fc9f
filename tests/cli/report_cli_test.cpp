#include <filesystem>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/diff.h"
#include "app/cli/report.h"
#include "tests/causes/causes_support.h"

namespace lacuna {
namespace {

/// Names as a hostile file could have them.
Trace hostile_trace() {
  TraceMaker make;
  make.thread("ProfilerStep#<script>alert(1)</script>", 0, 100'000, "user_annotation");
  make.thread("</td><img src=x onerror=\"alert(2)\">", 1000, 90'000);
  make.launch("cudaLaunchKernel", 2000, 3000, 1);
  make.kernel("gemm'\"><svg onload=alert(3)>\x1b[31m\xff", 4000, 9000, 1);
  make.copy("Memcpy HtoD (Pageable -> Device)</title>", 20'000, 30'000);
  return make.build();
}

std::string written(const Trace& trace, const ReportCommand& command) {
  std::string text;
  Output out(text);
  REQUIRE(print_reports(trace, command, out));
  REQUIRE(out.finish());
  return text;
}

/// True when every element that `html` opens is closed in order; void elements apart.
bool is_balanced(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = html.find('<', at)) != std::string::npos; ++at) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos) return false;
    const bool closes = html[at + 1] == '/';
    std::string name = html.substr(at + (closes ? 2 : 1));
    name.resize(std::min(name.find_first_of(" />\n"), name.size()));
    if (name == "!DOCTYPE" || name == "meta" || html[end - 1] == '/') continue;
    if (!closes) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

TEST_CASE("report --html: names cannot become markup, and nothing comes from elsewhere") {
  ReportCommand command;
  command.html = true;
  command.rows = 0;
  const std::string html = written(hostile_trace(), command);
  for (const char* bad : {"<script", "<img", "onload=alert(3)>", "http://", "https://", "url(", "@import", "\x1b"})
    CHECK_MESSAGE(html.find(bad) == std::string::npos, bad);
  CHECK(html.find("&lt;script&gt;") != std::string::npos);
  CHECK(html.find("<svg viewBox") != std::string::npos);
  CHECK(html.find("prefers-color-scheme: dark") != std::string::npos);
  CHECK(is_balanced(html));
}

TEST_CASE("report --html: pictures of random traces are whole") {
  ReportCommand command;
  command.html = true;
  for (std::uint32_t seed = 1; seed < 4; ++seed) CHECK(is_balanced(written(random_trace(seed), command)));
  CHECK(is_balanced(written(TraceMaker().build(), command)));
}

TEST_CASE("report --json: valid, and the parts add up") {
  ReportCommand command;
  command.json = true;
  const auto json = nlohmann::json::parse(written(hostile_trace(), command));
  const auto& report = json.at("reports").at(0);
  const auto& time = report.at("time");
  std::int64_t sum = 0;
  for (const char* key :
       {"kernelNs", "memcpyNs", "memsetNs", "communicationNs", "runtimeNs", "dataLoadingNs", "cpuNs", "otherNs"})
    sum += time.at(key).get<std::int64_t>();
  CHECK(sum == time.at("wallNs").get<std::int64_t>());
  CHECK(report.at("verdict") == "notRecorded");
  CHECK(report.at("sections").at(0).at("lines").size() > 2);
  for (const auto& advice : report.at("advice")) CHECK_FALSE(advice.at("threshold").empty());
}

TEST_CASE("report: text fits the width, and escape sequences stay out of the terminal") {
  ReportCommand command;
  command.width = 80;
  const std::string text = written(hostile_trace(), command);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("Why the GPU waits") != std::string::npos);
}

Trace waits_for_data() {
  TraceMaker make;
  make.thread("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 600'000, "user_annotation");
  make.thread("aten::mm", 600'000, 620'000).launch("cudaLaunchKernel", 610'000, 615'000, 1);
  make.kernel("void at::native::gemm<float>(int)", 620'000, 1'000'000, 1);
  return make.build();
}

TEST_CASE("report --brief: the answer, what to change, and commands for the places that show it") {
  ReportCommand command;
  command.brief = true;
  const Trace trace = waits_for_data();
  const std::string text = written(trace, command);
  CHECK(text.find("GPU 0 is idle for 62.0 %: data loading") != std::string::npos);
  CHECK(text.find("How sure: quite sure") != std::string::npos);
  CHECK(text.find("DataLoader(num_workers > 0") != std::string::npos);
  CHECK(text.find("the longest gap for data loading, 620 µs") != std::string::npos);
  CHECK(text.find("at::native::gemm<float>(int)") == std::string::npos);  // the short name does

  command.json = true;
  const auto brief = nlohmann::json::parse(written(trace, command))["briefs"][0];
  CHECK(brief["verdict"] == "dataLoading");
  CHECK(brief["confidence"] == "high");
  CHECK(brief["leftOut"] == 0);
  REQUIRE(!brief["places"].empty());
  const auto& place = brief["places"][0];
  CHECK(place["endNs"].get<Nanos>() - place["startNs"].get<Nanos>() == 620'000);
  const std::string shown = place["command"];
  CHECK(shown.find(fmt::format("--from-us {}.000 --to-us {}.000", place["startNs"].get<Nanos>() / 1000,
                               place["endNs"].get<Nanos>() / 1000)) != std::string::npos);
  for (const auto& lever : brief["levers"]) CHECK((lever["gainNs"].is_null() || lever["gainNs"] > 0));
}

TEST_CASE(
    "report --brief --tokens: the answer stays, the rest as far as there is room, and what is left out is counted") {
  ReportCommand command;
  command.brief = command.json = true;
  const Trace trace = waits_for_data();
  const auto all = nlohmann::json::parse(written(trace, command))["briefs"][0];
  const auto parts = [](const nlohmann::json& brief) {
    return brief["summary"].size() + brief["levers"].size() + brief["places"].size();
  };
  std::size_t before = 0;
  for (const std::size_t tokens : {50u, 100u, 200u, 10'000u}) {
    command.tokens = tokens;
    const auto brief = nlohmann::json::parse(written(trace, command))["briefs"][0];
    CHECK(brief["answer"] == all["answer"]);
    CHECK(brief["leftOut"] == parts(all) - parts(brief));
    CHECK(parts(brief) >= before);
    before = parts(brief);
    for (const bool json : {true, false}) {
      ReportCommand form = command;
      form.json = json;
      CHECK((parts(brief) == 0 || written(trace, form).size() <= 4 * tokens));
      CHECK(written(trace, form).find(json ? "\"confidence\": \"high\"" : "Confidence: high.") != std::string::npos);
    }
  }
  CHECK(before == parts(all));
}

TEST_CASE("report -o: a file, or an error that names it") {
  const std::string path = (std::filesystem::temp_directory_path() / "lacuna_report_test.html").string();
  ReportCommand command;
  command.html = true;
  command.output = path;
  CHECK(written(hostile_trace(), command).empty());
  CHECK(std::filesystem::file_size(path) > 5000);
  std::filesystem::remove(path);
  command.output = "/no/such/folder/report.html";
  std::string text;
  Output out(text);
  const Result<void> result = print_reports(hostile_trace(), command, out);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kNotWritable);
}

TEST_CASE("diff: text and JSON") {
  const Trace a = random_trace(1), b = random_trace(2);
  DiffCommand command;
  command.name_a = "a.json";
  command.name_b = "b\x1b.json";
  std::string text;
  Output out(text);
  print_diff(a, b, command, out);
  REQUIRE(out.finish());
  CHECK(text.find("A: a.json\nB: b\\x1b.json\n") == 0);
  CHECK(text.find("GPU 0 idle") != std::string::npos);
  command.json = true;
  std::string document;
  Output json_out(document);
  print_diff(a, b, command, json_out);
  REQUIRE(json_out.finish());
  const auto json = nlohmann::json::parse(document);
  CHECK(json.at("rows").size() == json.at("rowCount").get<std::size_t>());
  double last = 1e300;
  for (const auto& row : json.at("rows")) {
    const double size = std::abs(row.at("totalDifferenceNs").get<double>());
    CHECK(size <= last);
    last = size;
  }
  CHECK(json.at("kernelPairs").size() == json.at("kernelPairCount").get<std::size_t>());
}

TEST_CASE("diff: kernels of one operator side by side") {
  const auto run = [](const char* kernel) {
    TraceMaker make;
    make.thread("aten::mm", 0, 50).launch("cudaLaunchKernel", 10, 20, 1).kernel(kernel, 60, 160, 1);
    return make.build();
  };
  const Trace a = run("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn");
  const Trace b = run("ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x4_tn");
  DiffCommand command;
  std::string text;
  Output out(text);
  print_diff(a, b, command, out);
  REQUIRE(out.finish());
  CHECK(text.find("aten::mm (GEMM): A 1 kernel, 100 ns; B 1 kernel, 100 ns\n  Not the same kernel.") != text.npos);
  CHECK(text.find("  *  Tile         128x64") != text.npos);
  CHECK(text.find("     Library      cuBLAS") != text.npos);
  command.json = true;
  std::string document;
  Output json_out(document);
  print_diff(a, b, command, json_out);
  REQUIRE(json_out.finish());
  const auto pair = nlohmann::json::parse(document).at("kernelPairs").at(0);
  CHECK(pair.at("same") == false);
  CHECK(pair.at("class") == "gemm");
  CHECK(pair.at("differs") == nlohmann::json::array({"Tile"}));
  CHECK(pair.at("b").at("facts").at("Tile").get<std::string>().find("256x128") == 0);
  CHECK(pair.at("a").at("operator") == "aten::mm");
}

TEST_CASE("diff: the structure of eager and compiled code") {
  TraceMaker eager, compiled;
  eager.thread("aten::mul", 0, 50).launch("cudaLaunchKernel", 10, 20, 1).kernel("mul", 100, 130, 1);
  eager.thread("aten::add", 50, 90).launch("cudaLaunchKernel", 60, 70, 2).kernel("add", 140, 160, 2);
  compiled.thread("Torch-Compiled Region: 0/0", 0, 90).thread("triton_poi_fused_add_mul_0", 10, 80);
  compiled.launch("cuLaunchKernel", 20, 30, 1).kernel("triton_poi_fused_add_mul_0", 100, 135, 1);
  const Trace a = eager.build(), b = compiled.build();
  DiffCommand command;
  std::string text;
  Output out(text);
  print_diff(a, b, command, out);
  REQUIRE(out.finish());
  CHECK(text.find("By structure (kernel time)") != text.npos);
  const std::size_t line = text.find("\n  aten::mul, aten::add \xE2\x86\x92 Torch-Compiled Region: 0/0 ");
  REQUIRE(line != text.npos);
  const std::string shown = text.substr(line + 1, text.find('\n', line + 1) - line - 1);
  CHECK(shown.find("50 ns") != shown.npos);
  CHECK(shown.find("35 ns") != shown.npos);
  CHECK(shown.ends_with("fused"));
  CHECK(text.find("places, those that differ most") == text.npos);
  command.limit = 2;
  command.has_limit = true;
  command.json = true;
  std::string document;
  Output json_out(document);
  print_diff(a, b, command, json_out);
  REQUIRE(json_out.finish());
  const auto structure = nlohmann::json::parse(document).at("structure");
  CHECK(structure.at("rowCount") == 4);
  REQUIRE(structure.at("rows").size() == 2);
  CHECK(structure.at("rows").at(0).at("parent").is_null());
  const auto& fused = structure.at("rows").at(1);
  CHECK(fused.at("relation") == "fused");
  CHECK(fused.at("parent") == 0);
  CHECK(fused.at("a").at("names") == nlohmann::json::array({"aten::mul", "aten::add"}));
  CHECK(fused.at("a").at("kernelNs") == 50);
  CHECK(fused.at("b").at("hostNs") == 90);
  CHECK(fused.at("kernelDifferenceNs") == -15);
  CHECK(structure.at("operators").size() == 2);
  CHECK(structure.at("operatorCount") == 4);
  CHECK(structure.at("operators").at(0).at("b").at("ownKernelNs") == 35);

  // Where nothing differs, one line says so.
  std::string same;
  Output same_out(same);
  print_diff(a, a, {}, same_out);
  REQUIRE(same_out.finish());
  CHECK(same.find("By structure: kernels take the same time everywhere.\n") != same.npos);
}

}  // namespace
}  // namespace lacuna
