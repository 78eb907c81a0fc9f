// Categories that were to be left out: counted by name, and nothing else is touched.
#include "import_support.h"

using namespace lacuna;
using namespace lacuna::test;

namespace {

const std::string kEvents =
    R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":9},
{"ph":"X","cat":"python_function","name":"p","pid":1,"tid":1,"ts":2,"dur":5},
{"ph":"X","cat":"python_function","name":"q","pid":1,"tid":1,"ts":3,"dur":1},
{"ph":"i","cat":"other,python_function","name":"i","pid":1,"tid":1,"ts":3,"s":"t"},
{"ph":"X","cat":"python","name":"r","pid":1,"tid":1,"ts":4,"dur":1},
{"ph":"X","cat":"overhead","name":"o","pid":1,"tid":1,"ts":5,"dur":1},
{"ph":"X","name":"none","pid":1,"tid":1,"ts":6,"dur":1})";

ImportOptions without(std::vector<std::string> categories) {
  ImportOptions options;
  options.skip_categories = std::move(categories);
  return options;
}

}  // namespace

TEST_CASE("skipped events are counted by category, and nowhere else") {
  for (const bool is_tolerant : {false, true}) {
    ImportOptions options = without({"python_function", "overhead", "absent"});
    options.tolerant_only = is_tolerant;
    const auto trace = import_json(in_object(kEvents), "literal", options);
    REQUIRE(trace.has_value());
    CHECK(trace->event_count() == 3);
    CHECK(trace->slice_count() == 3);
    const TraceSource& source = trace->sources().front();
    CHECK(source.skipped ==
          decltype(source.skipped){{"other,python_function", 1}, {"overhead", 1}, {"python_function", 2}});
    CHECK(trace->report().count(Finding::kSkippedOnRequest) == 4);
    for (const Category& category : trace->categories()) CHECK(trace->text(category.name) != "python_function");
  }
}

TEST_CASE("nothing is skipped unasked, and a trace of which all is skipped is still a trace") {
  const auto all = import_json(in_object(kEvents));
  REQUIRE(all.has_value());
  CHECK(all->event_count() == 7);
  CHECK(all->sources().front().skipped.empty());
  const auto none =
      import_json(R"([{"ph":"X","cat":"c","name":"a","pid":1,"tid":1,"ts":1,"dur":9},)", "literal", without({"c"}));
  REQUIRE(none.has_value());
  CHECK(none->event_count() == 0);
  CHECK(none->report().count(Finding::kSkippedOnRequest) == 1);
}

TEST_CASE("the same with every cut, and beside damage") {
  const std::string json = in_object(
      kEvents + R"(,{"ph":"X","cat":"python_function","name":"a "raw" quote","pid":1,"tid":1,"ts":7,"dur":1})");
  ImportOptions options = without({"python_function"});
  for (const std::size_t bytes : {1, 40, 100, 1000}) {
    options.chunk_bytes = bytes;
    options.threads = 3;
    const auto trace = import_json(json, "literal", options);
    REQUIRE(trace.has_value());
    CHECK(trace->event_count() == 4);
    CHECK(trace->sources().front().skipped.at("python_function") == 3);
    CHECK(trace->report().count(Finding::kRawQuote) == 2);
  }
}
