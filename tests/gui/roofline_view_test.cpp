#include "app/gui/models/roofline/roofline_view.h"

#include <cmath>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "app/gui/panels/widgets/table_parts.h"
#include "app/tables/roofline_table.h"
#include "model/import/importer.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

/// Operators one after the other, each 10 ms apart with one launch and GPU work of so many us; 0: none.
class RooflineCalls {
 public:
  RooflineCalls& call(const char* name, int size, const char* type, int gpu_us) {
    const int ts = 10'000 * ++calls_;
    slice(name, size, type, ts, 60);
    if (gpu_us == 0) return *this;
    events_ += fmt::format(
        R"(,{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":5,)"
        R"("args":{{"correlation":{}}}}},{{"ph":"X","cat":"kernel","name":"work","pid":0,"tid":7,"ts":{},"dur":{},)"
        R"("args":{{"correlation":{},"device":0,"stream":7}}}})",
        ts + 5, calls_, ts + 20, gpu_us, calls_);
    return *this;
  }
  /// What the next call lies in.
  RooflineCalls& around(const char* name, int size, const char* type) {
    return slice(name, size, type, 10'000 * (calls_ + 1) - 5, 70);
  }
  std::string json(const char* gpu = "NVIDIA H100 80GB HBM3") const {
    return fmt::format(R"({{"deviceProperties":[{{"id":0,"name":"{}"}}],"traceEvents":[{{"ph":"M"}}{}]}})", gpu,
                       events_);
  }
  DocumentPtr document(const char* gpu = "NVIDIA H100 80GB HBM3") const {
    return make_document(std::move(*import_json(json(gpu))), {"literal"});
  }

 private:
  RooflineCalls& slice(const char* name, int size, const char* type, int ts, int duration) {
    events_ += fmt::format(
        R"(,{{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":1,"ts":{},"dur":{},"args":{{"Input Dims":)"
        R"([[{},{}],[{},{}]],"Input type":["{}","{}"],"Concrete Inputs":["",""],"Input Strides":[[],[]]}}}})",
        name, ts, duration, size, size, size, size, type, type);
    return *this;
  }

  int calls_ = 0;
  std::string events_;
};

/// Bound by compute, by memory and by latency, and one that never reached the GPU.
RooflineCalls of_all_bounds() {
  return RooflineCalls()
      .call("aten::mul", 8192, "float", 500)
      .call("aten::mm", 8192, "c10::BFloat16", 2'000)
      .call("aten::mul", 32, "float", 5)
      .call("aten::mm", 64, "c10::BFloat16", 0);
}

std::string operator_at(const RooflineView& view, std::size_t i) {
  const RooflineView::Answer& answer = *view.answer();
  return answer.roofline.rows[view.rows()[i]].name;
}

std::size_t column_called(const RooflineView& view, std::string_view title) {
  for (std::size_t c = 0; c < view.columns().size(); ++c)
    if (view.columns()[c]->title == title) return c;
  FAIL("no column " << title);
  return 0;
}

TEST_CASE("rows of a roofline come in the background, and are sorted with what is unknown last") {
  BackgroundJobs jobs;
  RooflineView view{jobs};
  const DocumentPtr document = of_all_bounds().document();
  view.ask(document, TimeSpan::everything());
  CHECK(view.answer() == nullptr);
  CHECK(view.is_computing());
  view.settle();
  REQUIRE(view.answer() != nullptr);
  CHECK(view.answer()->error.empty());
  REQUIRE(view.rows().size() == 4);
  CHECK(view.columns()[view.column]->title == "GPU time");
  CHECK(operator_at(view, 0) == "aten::mm");
  CHECK(view.answer()->roofline.rows[view.rows()[3]].gpu_time == 0);

  view.column = column_called(view, "Of roof");
  for (const bool descending : {false, true}) {
    view.descending = descending;
    view.sort();
    CAPTURE(descending);
    CHECK(operator_at(view, 3) == "aten::mm");
    CHECK(view.answer()->roofline.rows[view.rows()[3]].roof_share < 0);
    const auto share = [&](std::size_t i) { return view.answer()->roofline.rows[view.rows()[i]].roof_share; };
    CHECK((share(0) < share(2)) != descending);
  }
  view.column = column_called(view, "Operator");
  view.descending = false;
  view.sort();
  CHECK(operator_at(view, 0) == "aten::mm");
  CHECK(operator_at(view, 3) == "aten::mul");
}

TEST_CASE("dots stand where their rates are, below the roofs of their units") {
  BackgroundJobs jobs;
  RooflineView view{jobs};
  view.ask(of_all_bounds().document(), TimeSpan::everything());
  view.settle();
  REQUIRE(view.answer() != nullptr);
  const RooflinePlot& plot = view.answer()->plot;
  REQUIRE(plot.dots.size() == 3);
  CHECK(plot.without_place == 1);
  CHECK(plot.left_out == 0);
  const double flop = 2 * std::pow(8192.0, 3);
  CHECK(plot.dots[0].x == doctest::Approx(std::log10(flop / (3 * 2 * 8192.0 * 8192.0))));
  CHECK(plot.dots[0].y == doctest::Approx(std::log10(flop / 2e-3)));
  REQUIRE(plot.roofs.size() == 2);
  CHECK(plot.roofs[0].type == FlopType::kHalf);
  CHECK(plot.roofs[1].type == FlopType::kFp32);
  CHECK(plot.roofs[0].tflops > plot.roofs[1].tflops);
  for (const RooflineDot& dot : plot.dots) {
    const RooflineRow& row = view.answer()->roofline.rows[dot.row];
    const RooflineRoof& roof = plot.roofs[row.unit_type() == FlopType::kHalf ? 0 : 1];
    // What is left to the roof is the share of it.
    const double best = std::min(roof.top(), dot.x + roof.slope());
    CHECK(dot.y - best == doctest::Approx(std::log10(row.roof_share)));
    CHECK(dot.x >= plot.x_low);
    CHECK(dot.x <= plot.x_high);
    CHECK(dot.y >= plot.y_low);
    CHECK(dot.y <= plot.y_high);
  }
  CHECK(plot.x_high >= plot.roofs[0].ridge());
  CHECK(plot.y_high >= plot.roofs[0].top());
}

TEST_CASE("operators whose GPU time is that of operators inside them are counted, not shown") {
  BackgroundJobs jobs;
  RooflineView view{jobs};
  view.ask(RooflineCalls()
               .around("aten::linear", 512, "c10::BFloat16")
               .call("aten::mm", 512, "c10::BFloat16", 30)
               .document(),
           TimeSpan::everything());
  view.settle();
  REQUIRE(view.rows().size() == 1);
  CHECK(operator_at(view, 0) == "aten::mm");
  CHECK(view.answer()->roofline.around_others == 1);
  CHECK(view.answer()->plot.dots.size() == 1);
}

TEST_CASE("without peaks there are dots and no roofs, and a plot has so many dots at most") {
  BackgroundJobs jobs;
  RooflineView view{jobs};
  view.ask(of_all_bounds().document("Some Other GPU"), TimeSpan::everything());
  view.settle();
  REQUIRE(view.answer() != nullptr);
  CHECK(view.answer()->plot.dots.size() == 3);
  CHECK(view.answer()->plot.roofs.empty());
  CHECK_FALSE(view.answer()->roofline.peak);

  std::vector<RooflineRow> rows(RooflinePlot::kMostDots + 7);
  for (RooflineRow& row : rows) {
    row.work.work = {1e9, 1e6};
    row.count = 1;
    row.gpu_time = 1'000;
  }
  rows[0].work.physical = Work{1e9, 1e5};
  rows[2].work.physical = Work{0, 5e5};  // a copy
  const RooflinePlot plot = plot_roofline(rows);
  CHECK(plot.dots.size() == RooflinePlot::kMostDots);
  CHECK(plot.left_out == 7);
  CHECK(plot.dots[0].x == doctest::Approx(4));  // by what the hardware has to do
  CHECK(plot.dots[1].x == doctest::Approx(3));
  CHECK(plot.dots[2].x == doctest::Approx(std::log10(2e3)));
  CHECK(plot_roofline({}).dots.empty());
}

TEST_CASE("a range has its own roofline, and going back to the trace computes nothing") {
  BackgroundJobs jobs;
  RooflineView view{jobs};
  const DocumentPtr document = of_all_bounds().document();
  view.ask(document, TimeSpan::everything());
  view.settle();
  const RooflineView::Answer* const whole = view.answer();
  view.chosen = 2;
  const Nanos first = document->trace.span().begin;
  view.ask(document, {first, first + 5'000'000});
  view.settle();
  REQUIRE(view.rows().size() == 1);
  CHECK(operator_at(view, 0) == "aten::mul");
  CHECK_FALSE(view.chosen);
  view.ask(document, TimeSpan::everything());
  CHECK_FALSE(view.is_computing());
  CHECK(view.answer() == whole);
  CHECK(view.rows().size() == 4);

  view.ask(of_all_bounds().document(), TimeSpan::everything());
  CHECK(view.answer() == nullptr);
  view.reset();
  CHECK_FALSE(view.is_computing());
}

TEST_CASE("a file that changed is said, and parts of a trace get no answer") {
  TemporaryFolder folder;
  const std::string path = folder.write("calls.json", of_all_bounds().json());
  ImportProgress progress;
  const Result<DocumentPtr> document = load_document(std::vector{path}, ImportOptions{}, progress);
  REQUIRE(document);
  folder.write("calls.json", "{}");
  BackgroundJobs jobs;
  RooflineView view{jobs};
  view.ask(*document, TimeSpan::everything());
  view.settle();
  REQUIRE(view.answer() != nullptr);
  CHECK(view.answer()->error.find("the file changed since it was opened") != std::string::npos);
  CHECK(view.rows().empty());

  const auto part = make_document(std::move(*import_json(of_all_bounds().json())), {"literal"}, true);
  view.reset();
  view.ask(part, TimeSpan::everything());
  CHECK_FALSE(view.is_computing());
}

TEST_CASE("every column of the roofline has a definition") {
  BackgroundJobs jobs;
  RooflineView view{jobs};
  view.ask(of_all_bounds().document(), TimeSpan::everything());
  view.settle();
  std::size_t titled = 0;
  const Table table = roofline_table(view.answer()->roofline);
  for (const Table::Column& column : table.columns) titled += !column.title.empty();
  CHECK(view.columns().size() == titled);
  for (const Table::Column* column : view.columns()) {
    CAPTURE(column->title);
    CHECK_FALSE(column_definition("roofline", column->title).empty());
  }
}

}  // namespace
}  // namespace lacuna
