#pragma once
// Pages of the demo trace as they are computed for another machine, and sent over the line.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "app/tables/report_format.h"
#include "capture/remote/fields.h"
#include "capture/remote/page_answerer.h"
#include "model/import/importer.h"
#include "tests/support/paths.h"
#include "tests/support/waiting.h"

namespace lacuna {

inline Trace demo_trace() {
  const std::string path = source_folder() + "/assets/demo.trace.json.gz";
  Result<Trace> trace = import_files({{path}}, {});
  REQUIRE(trace);
  return std::move(*trace);
}

inline std::shared_ptr<const RemotePage> page_of(PageAnswerer& answerer, const AskedPage& asked) {
  PageAnswerer::Pages pages;
  REQUIRE(comes_true([&] { return !(pages = answerer.find({asked})).empty(); }));
  CHECK(pages[0]->asked == asked);
  return pages[0];
}

inline std::string sent(const RemotePage& page, const Trace& trace) {
  FieldWriter out;
  put(out, page, trace);
  return out.take();
}

inline bool is_refused(std::string_view bytes, const Trace& trace) {
  FieldReader in(bytes);
  return !get_remote_page(in, trace);
}

inline RemotePage page_over_the_line(const RemotePage& page, const Trace& trace) {
  const std::string bytes = sent(page, trace);
  FieldReader in(bytes);
  std::optional<RemotePage> came = get_remote_page(in, trace);
  REQUIRE(came);
  CHECK(in.is_at_end());
  CHECK(came->asked == page.asked);
  CHECK(sent(*came, trace) == bytes);
  return std::move(*came);
}

/// Where a place leads to, there or here.
inline std::pair<LaneId, TimeSpan> target(const ReportPlace& place, const Trace& trace) {
  const bool is_here = place.slice.valid() && place.slice.index != ReportPlace::kUnnumbered;
  return {place.slice.lane, is_here ? trace.span(place.slice) : place.span};
}

inline void check_places(const std::vector<ReportPlace>& there, const std::vector<ReportPlace>& here,
                         const Trace& trace) {
  REQUIRE(there.size() == here.size());
  for (std::size_t i = 0; i < here.size(); ++i) CHECK(target(there[i], trace) == target(here[i], trace));
}

}  // namespace lacuna
