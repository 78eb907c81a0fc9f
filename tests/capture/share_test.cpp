// A recording that another process watches: what it gets, who is refused, what a dead one costs.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/session/installation.h"
#include "capture/session/launcher.h"
#include "capture/session/trace_recorder.h"
#include "capture/share/attached_recording.h"
#include "capture/share/share_places.h"
#include "model/import/arguments.h"
#include "model/import/importer.h"
#include "model/statistics/statistics.h"
#include "tests/capture/live_consumer.h"

using namespace lacuna;

namespace {

namespace fs = std::filesystem;

struct RuntimeFolder {
  fs::path path = fs::temp_directory_path() / fmt::format("lacuna_share_test_{}", getpid());
  RuntimeFolder() {
    fs::create_directories(path);
    fs::permissions(path, fs::perms::owner_all);
    setenv("XDG_RUNTIME_DIR", path.c_str(), 1);
  }
  ~RuntimeFolder() {
    fs::remove_all(path);
    unsetenv("XDG_RUNTIME_DIR");
  }
  std::string file(const char* name) const { return (path / name).string(); }
};

/// The demo, recorded and shared, on the test's own thread.
struct Recorder {
  std::unique_ptr<TraceRecorder> recorder;
  std::optional<Launcher> target;

  Recorder(const RuntimeFolder& folder, const std::string& output, const std::string& socket, const char* steps) {
    SessionOptions options;
    options.collector = find_installation().collector;
    recorder = std::move(*TraceRecorder::start(std::move(*ClaimedFile::claim(output, Existing::kKeep)), options));
    const std::string demo = find_installation().demo;
    const Result<void> shared = recorder->share(socket, {demo, steps}, folder.file("copies"));
    REQUIRE_MESSAGE(shared, shared.error().message());
    LaunchOptions launch;
    launch.arguments = {demo, steps};
    launch.inherited = own_environment();
    launch.set = recorder->session().environment(launch.inherited);
    launch.output = launch.errors = open_null();
    target.emplace(std::move(*Launcher::start(launch)));
    ::close(launch.output);
  }
  static int open_null() { return ::open("/dev/null", O_RDWR); }
  bool step() {
    recorder->poll(5);
    return !target->poll_exit() || recorder->session().status().running > 0;
  }
  void run_to_its_end() {
    while (step()) {
    }
    recorder->set_exit(*target->poll_exit());
    REQUIRE(recorder->finish());
  }
};

/// attach() while the other side, here the same thread, answers.
Result<std::unique_ptr<AttachedRecording>> attach(Recorder& to, const std::string& socket, const KeepLimit& keep = {}) {
  Result<std::unique_ptr<AttachedRecording>> attached = fail(ErrorCode::kUnsupported, "");
  std::atomic<bool> is_done{false};
  std::thread viewer([&] {
    attached = AttachedRecording::attach(socket, keep);
    is_done = true;
  });
  while (!is_done) (void)to.step();
  viewer.join();
  return attached;
}

std::vector<std::string> numbers(const Trace& trace) {
  std::vector<std::string> lines = {fmt::format("{} events {} slices {}..{}", trace.event_count(), trace.slice_count(),
                                                trace.span().begin, trace.span().end)};
  for (const StatisticsRow& row : compute_statistics(trace).rows)
    lines.push_back(fmt::format("{} {} {}", trace.text(row.name), row.count, row.total));
  for (const Track& track : trace.tracks())
    if (track.slice_count > 0) lines.push_back(fmt::format("{} {}", trace.text(track.name), track.slice_count));
  std::ranges::sort(lines);
  return lines;
}

void watch_to_the_end(const char* file_name) {
  const RuntimeFolder folder;
  const std::string output = folder.file(file_name);
  const std::string socket = *share_path("watched");
  Recorder recorder(folder, output, socket, "40");
  struct stat found {};
  REQUIRE(lstat(socket.c_str(), &found) == 0);
  CHECK(S_ISSOCK(found.st_mode));
  CHECK((found.st_mode & 0777) == 0600);
  REQUIRE(lstat(share_folder()->c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0700);
  while (recorder.recorder->events() < 100) (void)recorder.step();  // what came before it attached counts, too

  auto attached = attach(recorder, socket);
  REQUIRE_MESSAGE(attached, attached.error().message());
  CHECK_FALSE((*attached)->is_own());
  CHECK((*attached)->plan().arguments == std::vector<std::string>{find_installation().demo, "40"});
  CHECK((*attached)->output() == output);
  LiveConsumer watched(**attached);
  std::thread viewer([&] {
    while (!watched.is_over) watched.take(**attached);
  });
  recorder.run_to_its_end();
  viewer.join();
  CHECK(watched.most_running > 0);
  CHECK(watched.deliveries > 5);
  const LiveSource::Status status = (*attached)->status();
  CHECK(status.is_over);
  CHECK(status.events == recorder.recorder->events());
  REQUIRE(status.exit);
  CHECK(status.exit->code == 0);
  CHECK(status.capture.dropped == 0);
  const std::string saved = folder.file("saved.json.gz");
  REQUIRE((*attached)->save(saved, Existing::kReplaceOurs));
  const auto live = numbers(watched.builder.finish());
  const std::string files[] = {output, saved};
  for (const std::string& file : files) {
    const auto trace = import_files(std::span(&file, 1), {}, nullptr);
    REQUIRE(trace);
    CHECK(numbers(*trace) == live);
    CHECK(trace->sources().front().report.lines().empty());
  }
  CHECK(fs::is_empty(*share_folder()) == false);  // until the recorder goes
  recorder.recorder.reset();
  CHECK(fs::is_empty(*share_folder()));
}

}  // namespace

TEST_CASE("a recording is watched from its first event to its last") {
  watch_to_the_end("out.json");
}

TEST_CASE("a compressed recording is watched, too") {
  watch_to_the_end("out.json.gz");
}

TEST_CASE("one window watches at a time; when it goes the next one may") {
  const RuntimeFolder folder;
  const std::string socket = folder.file("here");
  Recorder recorder(folder, folder.file("out.json"), socket, "4000");
  auto first = attach(recorder, socket);
  REQUIRE(first);
  const auto second = attach(recorder, socket);
  REQUIRE_FALSE(second);
  CHECK(second.error().cause.find("another window") != std::string::npos);
  CHECK(second.error().cause.find(std::to_string(getpid())) != std::string::npos);
  first->reset();
  for (int i = 0; i < 3; ++i) (void)recorder.step();
  CHECK(attach(recorder, socket));
  recorder.target->send(9);
  recorder.run_to_its_end();
}

TEST_CASE("a window that never reads costs the recording nothing") {
  const RuntimeFolder folder;
  const std::string socket = folder.file("here");
  Recorder recorder(folder, folder.file("out.json"), socket, "60");
  ShareSocket deaf = std::move(*ShareSocket::connect(socket));
  REQUIRE(deaf.send(encode_attach()) == ShareSocket::Sent::kYes);
  (void)recorder.step();
  CHECK(recorder.recorder->sharing()->has_viewer());
  while (recorder.step()) continue;  // where it waited for the window, it would for ever
  recorder.run_to_its_end();
  CHECK(recorder.recorder->session().status().dropped == 0);
}

TEST_CASE("when the recording's process dies, what it had written is shown and the end is told") {
  const RuntimeFolder folder;
  const std::string socket = folder.file("here");
  Recorder recorder(folder, folder.file("out.json"), socket, "4000");
  auto attached = attach(recorder, socket);
  REQUIRE(attached);
  LiveConsumer watched(**attached);
  while (recorder.recorder->events() < 300) {
    (void)recorder.step();
    if (recorder.recorder->events() > 100) watched.take(**attached);
  }
  recorder.target->send(9);
  recorder.recorder.reset();  // closes the socket without a last state; the file stays
  while (!watched.is_over) watched.take(**attached);
  CHECK((*attached)->console().text().find("without finishing its recording") != std::string::npos);
  CHECK(watched.builder.finish().event_count() >= 300);
}

TEST_CASE("a limit of the window's own forgets the oldest") {
  const RuntimeFolder folder;
  const std::string socket = folder.file("here");
  Recorder recorder(folder, folder.file("out.json"), socket, "60");
  auto attached = attach(recorder, socket, {.last_ns = 0, .memory_bytes = 200 * KeepLimit::kBytesPerEvent});
  REQUIRE(attached);
  LiveConsumer watched(**attached);
  std::thread viewer([&] {
    while (!watched.is_over) watched.take(**attached);
  });
  recorder.run_to_its_end();
  viewer.join();
  const LiveSource::Status status = (*attached)->status();
  CHECK(status.forgotten > 100);
  CHECK(watched.builder.finish().slice_count() < 400);
}

TEST_CASE("messages that make no sense are none") {
  ShareState state;
  state.readable = 12;
  state.now = 5000;
  state.devices.push_back({"1", "NVIDIA H100 80GB HBM3", 80'000'000'000, 9, 0, 132});
  ShareRunning running;
  StreamedSlice slice;
  slice.track = {1, 2, TrackKind::kThread, 0};
  slice.name = "runs";
  slice.category = "user_annotation";
  slice.start = 1000;
  running.add(slice);
  const std::string message = encode(state, running);
  BatchSink batches;
  const auto back = decode_state(message, batches);
  REQUIRE(back);
  CHECK(back->readable == 12);
  REQUIRE(back->devices.size() == 1);
  CHECK(back->devices[0].id == "1");
  CHECK(back->devices[0].name == "NVIDIA H100 80GB HBM3");
  CHECK(back->devices[0].total_memory_bytes == 80'000'000'000);
  CHECK(back->devices[0].compute_major == 9);
  CHECK(back->devices[0].multiprocessors == 132);
  REQUIRE(batches.batch().tracks.size() == 1);
  CHECK(batches.batch().tracks[0].slices[0].duration == 4000);
  for (std::size_t size = 0; size < message.size(); ++size) {
    BatchSink none;
    const auto cut = decode_state(std::string_view(message).substr(0, size), none);
    if (cut) CHECK(none.batch().tracks.empty());  // cut between the state and what runs
  }
  unsigned seed = 1;
  for (int round = 0; round < 20000; ++round) {
    std::string broken = message;
    for (int i = 0; i < 4; ++i) {
      seed = seed * 1664525u + 1013904223u;
      broken[(seed >> 8) % broken.size()] = static_cast<char>(seed >> 24);
    }
    BatchSink sink;
    (void)decode_state(broken, sink);
    (void)decode_description(broken);
    (void)decode_text(broken);
  }
  CHECK_FALSE(kind_of("hello"));
}

TEST_CASE("recordings under way are found, and what killed ones left is cleared away") {
  const RuntimeFolder folder;
  CHECK(shared_recordings().empty());
  const std::string stale = *share_path("stale");
  { ShareSocket gone = std::move(*ShareSocket::listen(stale)); }
  CHECK(fs::exists(stale));
  const ShareSocket one = std::move(*ShareSocket::listen(*share_path("one")));
  CHECK(shared_recordings() == std::vector<std::string>{*share_path("one")});
  CHECK_FALSE(fs::exists(stale));
  const auto taken = ShareSocket::listen(*share_path("one"));
  REQUIRE_FALSE(taken);
  CHECK(taken.error().cause.find("another recording") != std::string::npos);
  // One that has its socket elsewhere leaves word; killed, its note is cleared away, what it names is not.
  const std::string elsewhere = folder.file("elsewhere.socket");
  const std::string note = *share_folder() + "/" + std::to_string(getpid()) + ".elsewhere";
  {
    const auto server = ShareServer::open(elsewhere, {}, open("/dev/null", O_RDONLY));
    REQUIRE(server);
    CHECK((fs::status(note).permissions() & fs::perms::all) == (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(shared_recordings() == std::vector<std::string>{elsewhere, *share_path("one")});
  }
  CHECK_FALSE(fs::exists(note));
  CHECK(shared_recordings() == std::vector<std::string>{*share_path("one")});
  std::ofstream(folder.file("precious")) << "a file";
  REQUIRE(leave_note(folder.file("precious")) == note);
  CHECK(shared_recordings() == std::vector<std::string>{*share_path("one")});
  CHECK(fs::exists(folder.file("precious")));
  CHECK(leave_note(*share_path("two")).empty());  // found without
  fs::remove(note);
  fs::create_symlink(folder.file("precious"), note);
  std::ofstream(*share_folder() + "/odd.elsewhere") << "no path";
  CHECK(shared_recordings() == std::vector<std::string>{*share_path("one")});
  CHECK(leave_note(elsewhere).empty());  // never through a link
  fs::remove(note);
  // A folder that others may enter is none of ours.
  fs::permissions(*share_folder(), fs::perms::owner_all | fs::perms::others_exec);
  CHECK_FALSE(share_folder());
}
