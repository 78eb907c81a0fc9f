// When side-cars are read and written.

#include "app/gui/workspace/side_car.h"

#include <utility>

#include "app/gui/workspace/workspace.h"

namespace lacuna {
namespace {

constexpr double kWriteAfterS = 0.3;
constexpr int kMostLockMs = 200;  // the window waits no longer for another writer
/// While somebody uses the window, so often what others wrote is looked for.
constexpr std::chrono::milliseconds kLookForNotesEvery{500};

std::vector<Note> notes_in(const std::string& side_car) {
  Result<ParsedNotes> parsed = parse_notes(side_car);
  return parsed ? std::move(parsed->notes) : std::vector<Note>();
}

}  // namespace

/// What is on the disk may have been written since it was read.
void SideCarKeeper::read_notes_of_others(Workspace& workspace) {
  const auto now = folder_.stamp(document_->identity);
  if (!now || now == stamp_) return;
  stamp_ = now;
  const std::string text = folder_.load(document_->identity);
  if (text.empty()) return;  // it is gone, or damaged: what is here is written anew
  std::vector<Note> theirs = notes_in(text);
  workspace.markers().take_changes(notes_, theirs);
  notes_ = std::move(theirs);
}

double SideCarKeeper::update(Workspace& workspace) {
  const DocumentPtr& now = workspace.document();
  if (now != document_) {
    if (now != nullptr && now->is_partial) return 0;  // what is not there yet cannot be laid out
    document_ = now;
    if (now != nullptr) {
      stamp_ = folder_.stamp(now->identity);  // before it is read: what comes between is read again
      const std::string own = folder_.load(now->identity);
      const std::string& text = own.empty() ? now->found_view : own;
      apply_side_car(text, workspace);
      notes_ = notes_in(text);
      page_ = own.empty() ? page_of_finding(text) : std::string();
    }
    written_ = seen_ = workspace.side_car_version();
    return 0;
  }
  if (now == nullptr || !folder_.is_on()) return 0;
  const auto time = std::chrono::steady_clock::now();
  if (workspace.side_car_version() == written_ && time - looked_at_ > kLookForNotesEvery) {
    looked_at_ = time;
    read_notes_of_others(workspace);
    written_ = seen_ = workspace.side_car_version();
  }
  const std::uint64_t version = workspace.side_car_version();
  if (version == written_) return 0;
  if (version != seen_) {
    seen_ = version;
    changed_at_ = time;
  }
  const double waited = std::chrono::duration<double>(time - changed_at_).count();
  if (waited < kWriteAfterS) return kWriteAfterS - waited + 0.01;
  flush(workspace);
  return 0;
}

void SideCarKeeper::flush(Workspace& workspace) {
  if (!folder_.is_on() || document_ == nullptr || workspace.document() != document_) return;
  if (workspace.side_car_version() == written_) return;
  const Descriptor lock = folder_.lock(kMostLockMs);
  read_notes_of_others(workspace);
  written_ = seen_ = workspace.side_car_version();
  const std::string text = format_side_car(workspace);
  const Result<void> saved = folder_.save(document_->identity, text);
  error_ = saved ? std::string() : saved.error().message();
  if (!saved) return;
  notes_ = notes_in(text);
  stamp_ = folder_.stamp(document_->identity);
}

}  // namespace lacuna
