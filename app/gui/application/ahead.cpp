#include "app/gui/application/ahead.h"

#include "app/gui/application/app_state.h"
#include "model/base/os/machine.h"
#include "model/columns/argument_columns.h"

namespace lacuna {
namespace {

constexpr int kLowPriority = 10;  // as nice(1) has it

/// False when it was given up.
bool read_arguments_ahead(const Trace& trace, const std::atomic<bool>& cancelled) {
  give_way_to_others(kLowPriority);
  for (std::uint32_t s = 0; s < trace.sources().size() && !cancelled; ++s) {
    // Who needs them says why they cannot be read.
    (void)argument_columns(trace).gpu(trace, SourceId{s}, 1, &cancelled);
    (void)argument_columns(trace).operators(trace, SourceId{s}, 1, &cancelled);
  }
  return !cancelled;
}

}  // namespace

void Ahead::cancel() {
  if (cancelled_) *cancelled_ = true;
  cancelled_.reset();
  job_.cancel();
}

void Ahead::update(App& app) {
  const DocumentPtr& document = app.workspace.document();
  if (document != document_) {
    cancel();
    document_ = document;
    step_ = Step::kWaiting;
  }
  if (!document_ || document_->is_partial || app.live.is_running() || app.loader.is_loading()) return;
  switch (step_) {
    case Step::kWaiting: {
      if (document_->trace.slice_count() > kMostSlices || app.workspace.causes().is_computing()) return;
      cancelled_ = std::make_shared<std::atomic<bool>>(false);
      job_.start([d = document_, c = cancelled_] { return read_arguments_ahead(d->trace, *c); });
      step_ = Step::kArguments;
      return;
    }
    case Step::kArguments:
      if (!job_.take()) return;
      app.workspace.ask_torch();
      step_ = Step::kTorch;
      return;
    case Step::kTorch:
      if (app.workspace.torch().is_computing()) return;
      app.report.ask(document_);
      step_ = Step::kReport;
      return;
    case Step::kReport:
      if (!app.report.is_computing()) step_ = Step::kDone;
      return;
    case Step::kDone:
      return;
  }
}

}  // namespace lacuna
