// When side-cars are read and written.

#include "app/gui/workspace/side_car.h"

#include "app/gui/workspace/workspace.h"

namespace lacuna {
namespace {

constexpr double kWriteAfterS = 0.3;

}  // namespace

double SideCarKeeper::update(Workspace& workspace) {
  const DocumentPtr& now = workspace.document();
  if (now != document_) {
    if (now != nullptr && now->is_partial) return 0;  // what is not there yet cannot be laid out
    document_ = now;
    if (now != nullptr) {
      const std::string own = folder_.load(now->identity);
      apply_side_car(own.empty() ? now->found_view : own, workspace);
    }
    written_ = seen_ = workspace.side_car_version();
    return 0;
  }
  const std::uint64_t version = workspace.side_car_version();
  if (now == nullptr || !folder_.is_on() || version == written_) return 0;
  const auto time = std::chrono::steady_clock::now();
  if (version != seen_) {
    seen_ = version;
    changed_at_ = time;
  }
  const double waited = std::chrono::duration<double>(time - changed_at_).count();
  if (waited < kWriteAfterS) return kWriteAfterS - waited + 0.01;
  flush(workspace);
  return 0;
}

void SideCarKeeper::flush(const Workspace& workspace) {
  if (!folder_.is_on() || document_ == nullptr || workspace.document() != document_) return;
  if (workspace.side_car_version() == written_) return;
  written_ = seen_ = workspace.side_car_version();
  const Result<void> saved = folder_.save(document_->identity, format_side_car(workspace));
  error_ = saved ? std::string() : saved.error().message();
}

}  // namespace lacuna
