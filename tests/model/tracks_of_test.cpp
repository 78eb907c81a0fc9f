#include "model/trace/tracks_of.h"

#include <vector>

#include <doctest/doctest.h>

#include "tests/support/trace_maker.h"

namespace lacuna {
namespace {

std::vector<TrackKind> kinds(const TracksOf& tracks) {
  std::vector<TrackKind> found;
  for (const Track& track : tracks) found.push_back(track.kind);
  return found;
}

TEST_CASE("tracks of a kind come in the order of the trace, those of other kinds and files do not") {
  TraceMaker make;
  make.thread("aten::mm", 0, 9'000).launch("cudaLaunchKernel", 1'000, 2'000, 1);
  make.kernel("gemm", 10'000, 20'000, 1).kernel("copy", 0, 5'000, 0, "8");
  const Trace trace = make.build();
  std::size_t streams = 0;
  TrackId last;
  for (const Track& track : tracks_of(trace, TrackKind::kGpuStream, SourceId{0})) {
    CHECK(track.kind == TrackKind::kGpuStream);
    CHECK((!last.valid() || last < track.id));
    last = track.id;
    ++streams;
  }
  CHECK(streams == 2);
  CHECK(kinds(tracks_of(trace, TrackKind::kGpuStream)).size() == 2);
  CHECK(kinds(tracks_of(trace, TrackKind::kThread)) == std::vector{TrackKind::kThread});
  CHECK(kinds(tracks_of(trace, TrackKind::kCounter)).empty());
  CHECK(kinds(tracks_of(trace, TrackKind::kThread, SourceId{1})).empty());
  CHECK(kinds(tracks_of(Trace{}, TrackKind::kThread)).empty());
}

}  // namespace
}  // namespace lacuna
