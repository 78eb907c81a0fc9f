// Events that were written are read back as they were, whatever tracks, phases and texts follow each other.
#include "model/export/trace_json_writer.h"

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "model/export/claimed_file.h"
#include "model/import/importer.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

TEST_CASE("slices of many threads, whole ones and open ones, are read back with their threads, names and times") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/a.json";
  std::mt19937 random(25);
  using Key = std::tuple<std::string, std::string, std::string, std::string, Nanos>;
  std::map<Key, Nanos> expected;  // duration; open ones: -1
  {
    auto claimed = ClaimedFile::claim(path, Existing::kKeep);
    REQUIRE(claimed);
    TraceJsonWriter writer(claimed->file());
    writer.begin({});
    std::string name, category;  // the same memory for different texts
    for (Nanos t = 0; t < 2000; ++t) {
      const StreamedTrack track{static_cast<std::uint32_t>(1 + random() % 3),
                                static_cast<std::uint32_t>(random() % 200), TrackKind::kThread, 0};
      name = "n" + std::to_string(random() % 5);
      category = random() % 2 == 0 ? "cpu_op" : "user_annotation";
      const bool is_open = random() % 8 == 0;
      const Nanos start = 1 + t * 10, duration = is_open ? 0 : static_cast<Nanos>(random() % 9);
      writer.add(StreamedSlice{track, name, category, start, duration, 0, {}, is_open});
      expected[{std::to_string(track.pid), std::to_string(track.tid), name, category, start}] = is_open ? -1 : duration;
    }
    writer.end({});
    REQUIRE(claimed->file().finish());
    REQUIRE(claimed->publish());
  }
  const Result<Trace> trace = import_files(std::span<const std::string>(&path, 1));
  REQUIRE(trace.has_value());
  CHECK(trace->slice_count() == expected.size());
  std::size_t wrong = 0;
  for (std::uint32_t l = 0; l < trace->lanes().size(); ++l) {
    const Lane& lane = trace->lanes()[l];
    const Track& track = trace->track(lane.track);
    for (std::uint32_t i = 0; i < lane.size(); ++i) {
      const auto found = expected.find({std::string(trace->text(trace->process(track.process).pid)),
                                        std::string(trace->text(track.tid)), std::string(trace->text(lane.name(i))),
                                        std::string(trace->category_name(lane.category(i))), lane.start(i)});
      wrong += found == expected.end() || (found->second >= 0 && found->second != lane.duration(i));
    }
  }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace lacuna
