// zip and tar archives: what of them opens, and what is refused, with words.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "import_support.h"
#include "model/import/arguments.h"
#include "model/import/trace_files.h"
#include "model/input/archive.h"
#include "tests/support/archive_maker.h"
#include "tests/support/temporary_folder.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

std::string trace_named(const std::string& name) {
  return R"({"traceEvents":[{"ph":"X","name":")" + name + R"(","pid":1,"tid":1,"ts":5,"dur":2,"args":{"k":")" + name +
         "!\"}}]}";
}

/// The names of all slices, by file, with what their args say; or the error.
std::string slices_of(const std::string& path, const ImportOptions& options = {}) {
  const auto trace = import_files(std::span(&path, 1), options);
  if (!trace) return trace.error().message();
  std::string text;
  for (const TraceSource& source : trace->sources())
    text += (text.empty() ? "" : " ") + source.path.substr(source.path.rfind('/') + 1) + ":" + source.format;
  for (const Track& track : trace->tracks()) {
    for (std::uint32_t l = 0; l < track.lane_count; ++l) {
      const LaneId lane{track.first_lane.value + l};
      for (std::uint32_t i = 0; i < trace->lane(lane).size(); ++i) {
        const auto args = read_arguments(*trace, {lane, i});
        text += " " + std::string(trace->name({lane, i})) + "=" + (args && !args->empty() ? args->front().value : "?");
      }
    }
  }
  return text;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

std::string gzipped(std::string_view text) {
  return deflate(text, IGZIP_GZIP);
}

}  // namespace

TEST_CASE("the traces in a zip archive open side by side, and one by its path") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("run.zip", make_zip({{"logs/rank10.json", trace_named("ten")},
                                        {"logs/rank2.json", trace_named("two"), false},
                                        {"logs/readme.txt", "nothing"},
                                        {"__MACOSX/logs/._rank2.json", "resources"},
                                        {"logs/rank3.json.gz", gzipped(trace_named("three")), false}}));
  CHECK(slices_of(path) ==
        "rank2.json:Chrome JSON, zip rank3.json.gz:Chrome JSON, zip, gzip rank10.json:Chrome JSON, zip"
        " two=two! three=three! ten=ten!");
  CHECK(slices_of(path + "/logs/rank10.json") == "rank10.json:Chrome JSON, zip ten=ten!");
  CHECK(has(slices_of(path + "/logs/rank4.json"), "the archive has no such file; it holds __MACOSX"));
  CHECK(has(slices_of(folder.write("none.zip", make_zip({{"a.txt", "x"}}))),
            "no traces in this zip archive, which holds 1 files"));
  CHECK(has(slices_of(folder.write("empty.zip", make_zip({}))), "no traces in this zip archive"));
}

TEST_CASE("so do those of a tar archive, compressed or not") {
  const TemporaryFolder folder;
  const std::string tar = make_tar({{"./b.json", trace_named("b")}, {"a.json", trace_named("a")}});
  const std::string both = "a.json:Chrome JSON, tar b.json:Chrome JSON, tar a=a! b=b!";
  CHECK(slices_of(folder.write("run.tar", tar)) == both);
  CHECK(slices_of(folder.write("run.tar.gz", gzipped(tar))) == both);
  CHECK(slices_of(folder.write("run.tgz", gzipped(gzipped(tar)))) == both);
  CHECK(slices_of(folder.path + "/run.tgz/b.json") == "b.json:Chrome JSON, tar b=b!");
  const std::string long_name(150, 'd');
  const std::string record = std::to_string(long_name.size() + 17) + " path=" + long_name + "/p.json\n";
  const std::string named = tar_entry("././@LongLink", long_name + "/l.json", 'L') +
                            tar_entry("cut", trace_named("l")) + tar_entry("pax", record, 'x') +
                            tar_entry("cut", trace_named("p")) + tar_entry("link.json", "", '2') +
                            std::string(1024, '\0');
  CHECK(slices_of(folder.write("names.tar", named)) == "l.json:Chrome JSON, tar p.json:Chrome JSON, tar l=l! p=p!");
  // A record that is too short to say anything ends the list of them.
  const std::string short_record =
      tar_entry("pax", "2 path=b.json\n", 'x') + tar_entry("a.json", trace_named("a")) + std::string(1024, '\0');
  CHECK(slices_of(folder.write("short.tar", short_record)) == "a.json:Chrome JSON, tar a=a!");
}

TEST_CASE("archives lie in archives, as files of continuous integration do") {
  const TemporaryFolder folder;
  const std::string inner = gzipped(make_tar({{"t/a.json", trace_named("a")}}));
  const std::string path = folder.write("artifact.zip", make_zip({{"out/traces.tar.gz", inner, false}}));
  CHECK(slices_of(path) == "a.json:Chrome JSON, tar a=a!");
  CHECK(slices_of(path + "/out/traces.tar.gz/t/a.json") == "a.json:Chrome JSON, tar a=a!");
  std::string deep = make_zip({{"a.json", trace_named("a")}});
  for (int i = 0; i < 5; ++i) deep = make_zip({{"b.zip", deep, false}});
  CHECK(has(slices_of(folder.write("deep.zip", deep)), "more than 3 deep"));
}

TEST_CASE("a folder stands for the archives in it, or for the one folder below that has traces") {
  const TemporaryFolder folder;
  folder.write("a.zip", make_zip({{"a.json", trace_named("a")}}));
  CHECK(slices_of(folder.path) == "a.json:Chrome JSON, zip a=a!");
  const TemporaryFolder logs;
  logs.write("train.log", "epoch 1\n");
  logs.write("stacks.txt", "main;step 3\n");
  CHECK(has(slices_of(logs.path), "stacks.txt:collapsed stacks main=1 step=1"));
  const TemporaryFolder board;
  std::filesystem::create_directories(board.path + "/plugins/profile/run1");
  std::filesystem::create_directories(board.path + "/plugins/profile/run2");
  board.write("plugins/profile/run1/host.json", trace_named("one"));
  CHECK(slices_of(board.path) == "host.json:Chrome JSON one=one!");
  board.write("plugins/profile/run2/host.json", trace_named("two"));
  CHECK(has(slices_of(board.path), "but in 2 folders below it; open one: plugins/profile/run1, plugins/profile/run2"));
}

TEST_CASE("an archive is not believed") {
  const TemporaryFolder folder;
  const auto zip_of = [&](const ZipMember& member) { return slices_of(folder.write("t.zip", make_zip({member}))); };
  const std::string json = trace_named("a");
  for (const char* name : {"../a.json", "x/../../a.json", "..", "a\nb.json"}) {
    CAPTURE(name);
    CHECK(has(zip_of({name, json}), "no traces in this zip archive, which holds 0 files"));
  }
  CHECK(has(zip_of({"/etc/a.json", json}), "a=a!"));  // a name, and no place of this machine
  CHECK(has(zip_of({"a.json", "/etc/passwd", false, 0, 0, 0120777}), "holds 0 files"));
  CHECK(has(zip_of({"a.json", json, true, 1}), "it is encrypted; unpack the archive first"));
  CHECK(has(zip_of({"a.json", json, false, 0, 12}), "zip method 12"));
  CHECK(has(zip_of({"a.json", json, false, 0, 0, 0, 5}), "its two sizes differ"));
  ImportOptions small;
  small.max_json_bytes = 1000;
  const std::string bomb = folder.write("bomb.zip", make_zip({{"a.json", std::string(100'000, ' ') + json}}));
  CHECK(has(slices_of(bomb, small), "the limit is"));
  const std::string liar =
      folder.write("liar.zip", make_zip({{"a.json", std::string(100'000, ' ') + json, true, 0, 0, 0, 900}}));
  CHECK(has(slices_of(liar, small), "not a Chrome trace"));  // no more comes out than was claimed
  // More files than fit are claimed, or a list that is elsewhere.
  std::string many = make_zip({{"a.json", json}});
  many[many.size() - 12] = many[many.size() - 14] = '\x7f';
  CHECK(has(slices_of(folder.write("many.zip", many)), "zip archive whose list of files is damaged"));
}

TEST_CASE("a checksum that differs is told") {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.zip", make_zip({{"a.json", trace_named("a"), true, 0, 0, 0, 0, 1}}));
  const auto trace = import_files(std::span(&path, 1));
  REQUIRE(trace.has_value());
  CHECK(trace->report().count(Finding::kTruncatedCompression) == 1);
}

TEST_CASE("cut off or changed at every byte, an archive ends with words or with what could be read") {
  const TemporaryFolder folder;
  const std::string json = trace_named("a");
  const std::string inner = make_tar({{"a.json", json}});
  for (const std::string& whole : {make_zip({{"a.json", json}, {"b.json", json, false}}), gzipped(inner),
                                   inner.substr(0, 1100), make_zip({{"t.tar", inner}})}) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      CAPTURE(at);
      const std::string cut = folder.write("x.zip", whole.substr(0, at));
      CHECK_FALSE(slices_of(cut).empty());
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (at % 3 == 0 ? 0xff : at % 3 == 1 ? 0x5a : 0x01));
      CHECK_FALSE(slices_of(folder.write("y.zip", changed)).empty());
    }
  }
}

TEST_CASE("an archive is listed once while it is held") {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.zip", make_zip({{"a.json", trace_named("a")}}));
  const auto first = OpenedArchive::open(path, 1 << 20, nullptr);
  REQUIRE(first.has_value());
  CHECK(OpenedArchive::open(path, 1 << 20, nullptr)->get() == first->get());
  std::ofstream(path, std::ios::binary) << make_zip({{"bb.json", trace_named("b")}});
  CHECK(OpenedArchive::open(path, 1 << 20, nullptr)->get() != first->get());
}

TEST_CASE("an address on the network is named as one") {
  for (const char* address : {"https://example.org/trace.json?x=*", "s3://bucket/trace.json", "gs://b/t.json.gz"}) {
    CAPTURE(address);
    CHECK(has(slices_of(address), "download the file, then open it"));
    CHECK(is_url(address));
  }
  CHECK_FALSE(is_url("C://x"));
  CHECK_FALSE(is_url("/tmp/a://b.json"));
}

TEST_CASE("Perfetto's manifest names machines and ties clocks, wherever in the archive it lies") {
  const TemporaryFolder folder;
  const auto manifest = [](const std::string& files) {
    return R"({"perfetto_manifest": {"version": 1, "attributes": {"run": 7, "name": "x"}, "files": [)" + files + "]}}";
  };
  const std::string files = R"({"path": "phone.json", "machine": {"name": "phone"}},
    {"path": "watch.json", "clocks": {"sync_to": {"file": "log.json"}, "offset_ns": 100}},
    {"path": "log.json", "clocks": {"clock": "BOOTTIME", "sync_to": {"file": "phone.json"}, "offset_ns": 250}})";
  const std::string path = folder.write("m.zip", make_zip({{"log.json", trace_named("l")},
                                                           {"perfetto_manifest.json", manifest(files)},
                                                           {"phone.json", trace_named("p")},
                                                           {"watch.json", trace_named("w")}}));
  const auto trace = import_files(std::span(&path, 1));
  REQUIRE(trace.has_value());
  REQUIRE(trace->sources().size() == 3);
  CHECK(trace->sources()[1].label == "phone");
  const Nanos phone = trace->sources()[1].shift_ns;
  CHECK(trace->sources()[0].shift_ns - phone == 250);
  CHECK(trace->sources()[2].shift_ns - phone == 350);
  CHECK(trace->report().count(Finding::kNotATraceFile) == 0);
  CHECK(std::ranges::count(trace->sources()[0].metadata,
                           std::pair<std::string, std::string>{"manifest_attribute.run", "7"}) == 1);
  const auto refused = [&](const std::string& text) {
    return slices_of(folder.write("r.zip", make_zip({{"a.json", trace_named("a")}, {"m.json", text}})));
  };
  CHECK(has(refused(R"({"perfetto_manifest": {"version": 2}})"), "has version 2; 1 is expected"));
  CHECK(has(refused(manifest(R"({"path": "a.json", "clocks": {"sync_to": {"file": "b.json"}}})")),
            "not in its list: b.json"));
  CHECK(has(refused(R"({"perfetto_manifest": {"version": 1)"), "is not JSON"));
}
