#include "app/gui/application/ahead.h"

#include <doctest/doctest.h>

#include "app/gui/application/app_state.h"
#include "model/columns/argument_columns.h"
#include "model/import/importer.h"
#include "tests/support/paths.h"
#include "tests/support/waiting.h"

namespace lacuna {
namespace {

DocumentPtr document_of(const char* fixture) {
  const std::string path = source_folder() + "/tests/fixtures/" + fixture;
  Result<Trace> trace = import_files({&path, 1});
  REQUIRE(trace.has_value());
  return make_document(std::move(*trace), {path});
}

/// Frames, until there is nothing left to do; false when that never comes.
bool until_done(App& app) {
  return comes_true([&] {
    app.update();
    return app.ahead.is_done();
  });
}

TEST_CASE("ahead: args, torch's table and the report are there before anybody asks") {
  App app({}, [] {});
  app.computes_ahead = true;
  app.workspace.open(document_of("lacuna_torch_cpu_train.pt.trace.json.gz"));
  CHECK_FALSE(app.ahead.is_done());
  REQUIRE(until_done(app));
  const Trace& trace = app.workspace.document()->trace;
  CHECK(argument_columns(trace).memory_bytes() > 0);
  REQUIRE(app.workspace.torch().table() != nullptr);
  CHECK(app.workspace.torch().table()->rows.size() > 10);
  CHECK(app.report.files() != nullptr);

  // Another trace: everything again. Closed: nothing keeps it.
  std::weak_ptr<const Document> first = app.workspace.document();
  app.workspace.open(document_of("beside_lacuna.pt.trace.json.gz"));
  app.update();
  CHECK_FALSE(app.ahead.is_done());
  REQUIRE(until_done(app));
  CHECK(first.expired());
}

TEST_CASE("ahead: nothing without a window, and nothing that outlives the trace") {
  App quiet({}, [] {});
  quiet.workspace.open(document_of("lacuna_torch_cpu_train.pt.trace.json.gz"));
  for (int frame = 0; frame < 50; ++frame) quiet.update();
  CHECK(quiet.workspace.torch().table() == nullptr);
  CHECK_FALSE(quiet.ahead.is_done());

  App app({}, [] {});
  app.computes_ahead = true;
  app.workspace.open(document_of("lacuna_torch_cpu_train.pt.trace.json.gz"));
  app.workspace.causes().settle();
  app.update();  // args are being read
  app.workspace.open(nullptr);
  app.update();
  CHECK_FALSE(app.ahead.is_done());
}

}  // namespace
}  // namespace lacuna
