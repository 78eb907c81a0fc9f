#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <unistd.h>

#include "app/gui/application/app_state.h"
#include "app/gui/core/file_uri.h"
#include "app/gui/core/folder_list.h"
#include "app/gui/models/files/loader.h"
#include "model/formats/file_names.h"
#include "render/paint/short_name.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a file's address names its path, and no other address does") {
  CHECK(path_of_file_uri("file:///a/b.json") == "/a/b.json");
  CHECK(path_of_file_uri("file://localhost/a") == "/a");
  CHECK(path_of_file_uri("file:///a%20b%25%C3%a4.json") == "/a b%\xC3\xA4.json");
  for (const char* other : {"", "/a", "file:", "file://", "file:a", "file://far/a", "sftp:///a", "file:///a%",
                            "file:///a%2", "file:///%+1", "file:///%zz", "file:///a%00b", "FILE"})
    CHECK_MESSAGE(!path_of_file_uri(other), other);
}

TEST_CASE("a folder shows its newest trace first, below the folders") {
  const fs::path folder = fs::temp_directory_path() / ("lacuna_folder_" + std::to_string(::getpid()));
  fs::create_directories(folder / "zeta");
  std::ofstream(folder / "a.json") << "{}";
  std::ofstream(folder / "B.json") << "{} ";
  std::ofstream(folder / "a.txt") << "text";
  std::ofstream(folder / ".hidden.json") << "";
  fs::last_write_time(folder / "a.json", fs::file_time_type::clock::now() - std::chrono::hours(2));
  const std::vector<FolderEntry> entries = list_folder(folder.string()).entries;
  CHECK(entries.size() == 5);
  const auto names = [&](const FolderView& view) {
    std::vector<std::string> shown;
    for (const std::size_t i : rows_of(entries, view)) shown.push_back(entries[i].name);
    return shown;
  };
  using Names = std::vector<std::string>;
  CHECK(names({}) == Names{"zeta", "B.json", "a.json"});
  CHECK(names({.descending = false}) == Names{"zeta", "a.json", "B.json"});
  CHECK(names({.column = FolderColumn::kName, .descending = false}) == Names{"zeta", "a.json", "B.json"});
  CHECK(names({.column = FolderColumn::kSize}) == Names{"zeta", "B.json", "a.json"});
  CHECK(names({.typed = "A", .only_traces = false}) == Names{"a.txt", "a.json", "zeta"});  // begins with, then contains
  CHECK(names({.typed = ".h"}) == Names{".hidden.json"});
  CHECK(names({.typed = "nothing"}).empty());
  for (const FolderEntry& entry : entries) {
    if (entry.name == "a.txt") CHECK(entry.bytes == 4);
    if (entry.name == "a.json") CHECK(std::abs(std::time(nullptr) - entry.modified_s - 7200) < 60);
  }
  fs::remove_all(folder);
  CHECK(!list_folder("/nonexistent").problem.empty());
  CHECK(looks_like_trace("x.pt.trace.json.gz"));
  CHECK(!looks_like_trace("x.txt"));
}

TEST_CASE("paths are typed with ~, relative ones too, and completed") {
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  if (home.starts_with('/')) {
    CHECK(expand_home("~") == home);
    CHECK(expand_home("~/x") == home + "/x");
    CHECK(split_typed("/a", "~/x/y").folder == home + "/x");
  }
  CHECK(expand_home("/~/x") == "/~/x");
  CHECK(split_typed("/a/b", "name").folder == "/a/b");
  CHECK(split_typed("/a/b", "name").name == "name");
  CHECK(split_typed("/a/b", "c/na").folder == "/a/b/c");
  CHECK(split_typed("/a/b", "../na").folder == "/a");
  CHECK(split_typed("/a/b", "/x/").folder == "/x");
  CHECK(split_typed("/a/b", "/x/").name == "");
  CHECK(split_typed("/a/b", "/x").folder == "/");

  const std::vector<FolderEntry> entries = {
      {"traces", true}, {"rank0.json", false}, {"rank1.json", false}, {"notes.txt", false}, {".git", true}};
  CHECK(complete_path("ra", entries, true) == "rank");
  CHECK(complete_path("/x/rank0", entries, true) == "/x/rank0.json");
  CHECK(complete_path("TR", entries, true) == "traces/");
  CHECK(complete_path("~/tr", entries, true) == "~/traces/");
  CHECK(complete_path("no", entries, true) == "no");  // no trace
  CHECK(complete_path("no", entries, false) == "notes.txt");
  CHECK(complete_path(".", entries, true) == ".git/");
  CHECK(complete_path("~", entries, true) == "~/");
  CHECK(complete_path("zzz", entries, true) == "zzz");
}

TEST_CASE("a load that fails says why; one that is cancelled is silent") {
  Loader loader([] {});
  loader.start({"/nonexistent/trace.json"}, ImportOptions{});
  const Result<DocumentPtr> result = loader.wait();
  REQUIRE(!result);
  CHECK(result.error().code == ErrorCode::kNotFound);
  CHECK(result.error().message().find("/nonexistent/trace.json") != std::string::npos);
  CHECK(!loader.is_loading());
}

TEST_CASE("what makes the file runs on the loading thread, shows its progress, and can be cancelled") {
  const std::string path =
      (fs::temp_directory_path() / ("lacuna_made_" + std::to_string(::getpid()) + ".json")).string();
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<bool> goes_on{false};
  std::atomic<int> runs{0};
  std::atomic<int> running{0};
  const auto make = [&](ImportProgress& progress) -> Result<std::vector<std::string>> {
    ++runs;
    CHECK(++running == 1);  // never two at once, as they write the same file
    CHECK(std::this_thread::get_id() != here);
    progress.bytes_total = 200;
    progress.bytes_done = 50;
    while (!goes_on && !progress.cancel) std::this_thread::yield();
    const bool is_whole = !progress.cancel;
    if (is_whole) std::ofstream(path) << R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}])";
    --running;
    if (!is_whole) return fail(ErrorCode::kCancelled, "stopped");
    return std::vector<std::string>{path};
  };
  Loader loader([] {});
  loader.start({path}, ImportOptions{}, make);
  while (loader.status().part != 0.25) std::this_thread::yield();
  CHECK(loader.status().is_preparing);
  loader.cancel();
  CHECK(loader.wait().error().code == ErrorCode::kCancelled);
  CHECK_FALSE(fs::exists(path));

  goes_on = true;
  loader.start({path}, ImportOptions{}, make);
  loader.restart(ImportOptions{});  // is made again: the first may have been stopped before it was whole
  const Result<DocumentPtr> result = loader.wait();
  REQUIRE(result);
  CHECK((*result)->trace.slice_count() == 1);
  loader.start({path}, ImportOptions{}, [](ImportProgress&) -> Result<std::vector<std::string>> {
    return fail(ErrorCode::kEmpty, "nothing in it");
  });
  CHECK(loader.wait().error().code == ErrorCode::kEmpty);
  const int before = runs;
  loader.start({path}, ImportOptions{});  // an ordinary file makes nothing
  CHECK(loader.wait());
  CHECK(runs == before);
  fs::remove(path);
}

TEST_CASE("only for a large file that is loading there is an offer to leave out Python functions, once") {
  const std::string path =
      (fs::temp_directory_path() / ("lacuna_large_" + std::to_string(::getpid()) + ".json")).string();
  std::ofstream(path) << R"([{"ph":"X","cat":"python_function","name":"a","pid":1,"tid":1,"ts":1,"dur":1})";
  const auto offers = [&](std::uintmax_t bytes, std::vector<std::string> skipped) {
    std::filesystem::resize_file(path, bytes);  // sparse: zeros without disk
    App app(Settings{}, [] {});
    app.import.skip_categories = std::move(skipped);
    app.open({path});
    const bool first = app.offers_to_skip();
    if (first) {
      app.load_without("python_function");
      CHECK_FALSE(app.offers_to_skip());
    }
    app.loader.cancel();
    return first;
  };
  CHECK(offers(std::uintmax_t{1} << 30, {}));
  CHECK_FALSE(offers(std::uintmax_t{1} << 30, {"overhead"}));
  CHECK_FALSE(offers(1000, {}));
  std::filesystem::remove(path);
}

TEST_CASE("short names of kernels and Python frames") {
  CHECK(short_name("aten::add") == "aten::add");
  CHECK(short_name("Memcpy DtoH (Device -> Pageable)") == "DtoH (Device -> Pageable)");
  CHECK(short_name("Memset (Device)") == "Memset (Device)");
  CHECK(short_name("void at::native::foo<4, at::x>(int)") == "foo<4, at::x>(int)");
  CHECK(short_name("void (anonymous namespace)::kernel<float>(float*)") == "kernel<float>(float*)");
  CHECK(short_name("torch/nn/modules/linear.py(114): forward") == "linear.py(114): forward");
  CHECK(short_name("ampere_sgemm_128x64_tn") == "ampere_sgemm_128x64_tn");
  CHECK(short_name("ProfilerStep#5") == "ProfilerStep#5");
  CHECK(short_name("") == "");
  CHECK(short_name("::<") == "<");
}

}  // namespace
}  // namespace lacuna
