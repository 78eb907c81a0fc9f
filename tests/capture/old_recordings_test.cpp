// What a window that crashed leaves behind: found, kept, joined, deleted; what is under way is left alone.
#include "capture/session/old_recordings.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/session/recording_spool.h"
#include "model/import/importer.h"

using namespace lacuna;

namespace {

namespace fs = std::filesystem;

struct OldFolder {
  fs::path path = fs::temp_directory_path() / fmt::format("lacuna_old_test_{}", getpid());
  OldFolder() { fs::create_directories(path); }
  ~OldFolder() { fs::remove_all(path); }
  std::string file(const char* name) const { return (path / name).string(); }
};

void fill(RecordingSpool& spool, int events, bool in_parts) {
  spool.begin(1'000'000);
  spool.describe("python train.py");
  for (int i = 0; i < events; ++i) {
    StreamedSlice slice;
    slice.track = {7, 8, TrackKind::kThread, 0};
    const std::string name = fmt::format("event {}", i);
    slice.name = name;
    slice.category = "user_annotation";
    slice.start = i * 1000;
    slice.duration = 500;
    spool.add(slice);
    spool.flush();
    if (in_parts && i % 10 == 9) spool.start_part();
  }
}

/// A process that dies with a recording.
void crash_with_a_recording(const std::string& parent, int events, bool in_parts, const std::string& saved = {}) {
  const pid_t child = fork();
  if (child == 0) {
    BatchSink batches;
    auto spool = std::move(*RecordingSpool::create(parent, &batches));
    fill(*spool, events, in_parts);
    if (!saved.empty()) spool->mark_saved(saved);
    _exit(0);  // no destructor
  }
  int status = 0;
  waitpid(child, &status, 0);
}

std::size_t slices_of(const std::string& path) {
  const auto trace = import_files(std::span(&path, 1), {}, nullptr);
  REQUIRE_MESSAGE(trace, trace.error().message());
  return trace->slice_count();
}

}  // namespace

TEST_CASE("a recording that was left behind is found, can be saved whole, and goes when it is deleted") {
  const OldFolder folder;
  crash_with_a_recording(folder.path.string(), 25, true);
  const auto found = find_old_recordings(folder.path.string());
  REQUIRE(found.size() == 1);
  CHECK(found[0].command == "python train.py");
  CHECK(found[0].parts.size() == 3);
  CHECK(found[0].bytes > 1000);
  const std::string out = folder.file("saved.json.gz");
  REQUIRE(save_old_recording(found[0], out, Existing::kReplaceOurs));
  CHECK(slices_of(out) == 25);
  CHECK(find_old_recordings(folder.path.string()).size() == 1);  // saving deletes nothing
  REQUIRE(delete_old_recording(found[0]));
  CHECK(find_old_recordings(folder.path.string()).empty());
  CHECK_FALSE(fs::exists(found[0].folder));
}

TEST_CASE("a last event that was cut off is left out") {
  const OldFolder folder;
  crash_with_a_recording(folder.path.string(), 9, false);
  const auto found = find_old_recordings(folder.path.string());
  REQUIRE(found.size() == 1);
  fs::resize_file(found[0].parts[0], fs::file_size(found[0].parts[0]) - 5);
  const std::string out = folder.file("saved.json");
  REQUIRE(save_old_recording(found[0], out, Existing::kReplaceOurs));
  CHECK(slices_of(out) == 8);
}

TEST_CASE("plain parts, as they once were: lines that were cut off are left out of each") {
  const OldFolder folder;
  const fs::path recording = folder.path / "recording-1-2";
  fs::create_directories(recording);
  const auto event = [](int n) { return fmt::format(R"({{"ph":"X","pid":1,"tid":1,"ts":{},"dur":1,"name":"e"}})", n); };
  const std::string head = "{\n\"schemaVersion\": 1,\n\"traceEvents\": [\n";
  std::ofstream(recording / "part-0001.trace.json") << head << event(1) << ",\n"
                                                    << event(2) << ",\n"
                                                    << R"({"ph":"X","pid":1,"ti)";
  std::ofstream(recording / "part-0002.trace.json") << head << event(3) << ",\n" << event(4) << "\n]\n}\n";
  const auto found = find_old_recordings(folder.path.string());
  REQUIRE(found.size() == 1);
  const std::string out = folder.file("saved.json");
  REQUIRE(save_old_recording(found[0], out, Existing::kReplaceOurs));
  std::ifstream saved(out);
  const std::string text{std::istreambuf_iterator<char>(saved), {}};
  CHECK(text == head + event(1) + ",\n" + event(2) + ",\n" + event(3) + ",\n" + event(4) +
                    "\n],\n\"lacuna\": {\"recovered\": true}\n}\n");
}

TEST_CASE("a recording under way is nobody's to offer or delete") {
  const OldFolder folder;
  BatchSink batches;
  auto spool = std::move(*RecordingSpool::create(folder.path.string(), &batches));
  fill(*spool, 30, false);
  CHECK(find_old_recordings(folder.path.string()).empty());
  OldRecording mine;
  mine.folder = spool->folder();
  CHECK_FALSE(delete_old_recording(mine));
  CHECK(fs::exists(spool->folder()));
  mine.folder = folder.path.string();
  CHECK_FALSE(delete_old_recording(mine));  // not a recording at all
  CHECK(fs::exists(folder.path));
}

TEST_CASE("what had been saved is cleared away, unless the saved file is gone") {
  const OldFolder folder;
  const std::string saved = folder.file("there.json");
  std::ofstream(saved) << "[]";
  crash_with_a_recording(folder.path.string(), 30, false, saved);
  crash_with_a_recording(folder.path.string(), 30, false, folder.file("gone.json"));
  CHECK(find_old_recordings(folder.path.string()).size() == 1);
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(folder.path)) folders += entry.is_directory() ? 1 : 0;
  CHECK(folders == 1);
}

TEST_CASE("several parts are joined once, can be stopped, and what fails leaves nothing") {
  const OldFolder folder;
  crash_with_a_recording(folder.path.string(), 60'000, true);
  const auto found = find_old_recordings(folder.path.string());
  REQUIRE(found.size() == 1);
  const OldRecording& old = found[0];
  REQUIRE(old.parts.size() > 1);
  const auto files = [&] {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(old.folder), fs::directory_iterator{}));
  };
  const std::size_t before = files();

  REQUIRE(old.bytes < 100'000'000);
  int calls = 0;
  const Result<void> stopped = join_old_recording(old, [&](std::uint64_t bytes) {
    CHECK(bytes > 0);
    return ++calls < 3;
  });
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().code == ErrorCode::kCancelled);
  CHECK(calls == 3);
  CHECK(files() == before);

  std::uint64_t told = 0;
  REQUIRE(join_old_recording(old, [&](std::uint64_t bytes) {
    CHECK(bytes >= told);
    told = bytes;
    return true;
  }));
  CHECK(told <= old.bytes);
  CHECK(told > old.bytes / 2);
  CHECK(files() == before + 1);
  CHECK(slices_of(whole_path(old)) == 60'000);
  REQUIRE(join_old_recording(old, [](std::uint64_t) { return false; }));  // it is there: nothing to stop

  fs::remove(whole_path(old));
  for (const std::string& part : old.parts) fs::resize_file(part, 10);
  const Result<void> empty = join_old_recording(old, {});
  REQUIRE_FALSE(empty);
  CHECK(empty.error().code == ErrorCode::kEmpty);
  CHECK(files() == before);
}

TEST_CASE("one part is opened as it is") {
  const OldFolder folder;
  crash_with_a_recording(folder.path.string(), 9, false);
  const auto found = find_old_recordings(folder.path.string());
  REQUIRE(found.size() == 1);
  CHECK(whole_path(found[0]) == found[0].parts[0]);
}
