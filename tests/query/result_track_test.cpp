#include "model/query/result_track.h"

#include <doctest/doctest.h>

#include "tests/query/query_support.h"

namespace lacuna {
namespace {

TEST_CASE("rows with ts and dur become slices in lanes") {
  Asked a(kSmallTrace);
  const QueryRows rows = rows_said(a, "SELECT name, ts, dur FROM slice ORDER BY name");
  const auto track = make_result_track(rows, ResultTrack::Kind::kSlices, 0);
  REQUIRE(track.has_value());
  // linear [100, 150) with mm [105.5, 135.5) in it and the launch [110, 115) in that; gemm [130, 150) beside mm.
  REQUIRE(track->lanes.size() == 3);
  CHECK(track->items == 6);
  const auto name = [&](std::size_t lane, std::size_t i) { return track->names[track->lanes[lane][i].name]; };
  CHECK(name(0, 0) == "aten::linear");
  CHECK(name(0, 1) == "relu");
  CHECK(name(0, 2) == "mark");
  CHECK(name(1, 0) == "aten::mm");
  CHECK(name(2, 0) == "cudaLaunchKernel");
  CHECK(name(2, 1) == "gemm");
  CHECK(track->lanes[2][1].begin == 130'000);
  CHECK(track->lanes[2][1].end == 150'000);
  // The row of the answer, which came in another order.
  CHECK(cell_text(rows.cell(track->lanes[2][1].row, 0)) == "gemm");
}

TEST_CASE("rows with a ts become marks, whatever their dur") {
  Asked a(kSmallTrace);
  const auto track =
      make_result_track(rows_said(a, "SELECT ts, dur, category FROM slice"), ResultTrack::Kind::kMarks, 0);
  REQUIRE(track.has_value());
  REQUIRE(track->lanes.size() == 1);
  CHECK(track->lanes[0].size() == 6);
  CHECK(track->lanes[0][3].begin == 130'000);
  CHECK(track->lanes[0][3].end == 130'000);
  CHECK(track->names[track->lanes[0][3].name] == "kernel");  // the first column of texts
}

TEST_CASE("rows without times are counted, and slices without an end last") {
  Asked a(kSmallTrace);
  const auto track = make_result_track(
      rows_said(a,
                "SELECT 5 AS ts, -1 AS dur UNION ALL SELECT NULL, 3 UNION ALL SELECT 1.5, 3 UNION ALL SELECT 'x', 3 "
                "UNION ALL SELECT 2, 0 UNION ALL SELECT 2, 0"),
      ResultTrack::Kind::kSlices, 100);
  REQUIRE(track.has_value());
  CHECK(track->without_time == 3);
  CHECK(track->items == 3);
  REQUIRE(track->lanes.size() == 2);  // of two at the same place one is below
  CHECK(track->lanes[0].back().end == 100);
  CHECK(track->lanes[0][0].row == 4);  // the earlier row
  CHECK(track->lanes[1][0].row == 5);
  CHECK(track->names[0].empty());
}

TEST_CASE("a track needs its columns and a row") {
  Asked a(kSmallTrace);
  const auto error = [&](std::string_view sql, ResultTrack::Kind kind) {
    const auto track = make_result_track(rows_said(a, sql), kind, 0);
    return track ? std::string() : track.error().cause;
  };
  CHECK(error("SELECT ts FROM slice", ResultTrack::Kind::kSlices) == "a track needs the columns ts and dur");
  CHECK(error("SELECT dur FROM slice", ResultTrack::Kind::kMarks) == "marks need a column ts");
  CHECK(error("SELECT ts FROM slice WHERE id < 0", ResultTrack::Kind::kMarks) == "there is no row");
  CHECK(error("SELECT 'a' AS ts", ResultTrack::Kind::kMarks) == "no row has a time in ns, as an integer");
}

TEST_CASE("what overlaps too often is counted") {
  Asked a(kSmallTrace);
  const auto track = make_result_track(
      rows_said(a,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) SELECT i AS ts, 1000 AS dur "
                "FROM n"),
      ResultTrack::Kind::kSlices, 0);
  REQUIRE(track.has_value());
  CHECK(track->lanes.size() == ResultTrack::kMostLanes);
  CHECK(track->too_deep == 100 - ResultTrack::kMostLanes);
}

}  // namespace
}  // namespace lacuna
