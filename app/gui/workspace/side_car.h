#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/finding/notes.h"
#include "app/finding/side_car_folder.h"
#include "app/gui/core/document.h"

namespace lacuna {

class Workspace;

/// Returns the stored state of a trace: layout of its tracks and markers, as JSON. Invalid UTF-8
/// is replaced.
std::string format_side_car(const Workspace& workspace);
/// Like format_side_car(), for another user: adds the visible and the selected times, the selection, the track at the
/// top and the drawer's page (page_key(); empty: closed), and leaves out the paths of the files.
std::string format_finding(const Workspace& workspace, std::string_view page);
/// Applies `text` to the tracks that the trace has. Anything missing, of the wrong type
/// or unknown is skipped: a damaged file loses its contents, but nothing else.
void apply_side_car(const std::string& text, Workspace& workspace);
/// Returns the `page` of format_finding().
std::string page_of_finding(const std::string& text);

/// Reads the side-car of the workspace's trace when it is opened, and writes it shortly after the user changed
/// something, so that a drag writes once. Notes that another window or `lacuna notes` wrote meanwhile
/// are merged note by note; for the layout the last writer wins. UI thread.
class SideCarKeeper {
 public:
  /// Sets the folder. Until then no file of the user is read or written (screenshots, tests); findings are applied.
  void use(SideCarFolder folder) { folder_ = std::move(folder); }
  /// Call once a frame. Returns after how many seconds to call again; 0 = never.
  double update(Workspace& workspace);
  /// Writes pending changes: call before the trace is closed.
  void flush(Workspace& workspace);
  /// Returns the drawer's page of a finding, once after it was opened; else empty. Unvalidated: any text.
  std::string take_page() { return std::exchange(page_, {}); }
  const std::string& error() const { return error_; }  ///< of the last write

 private:
  void read_notes_of_others(Workspace& workspace);

  SideCarFolder folder_{""};
  DocumentPtr document_;       // the document whose side-car was read
  std::uint64_t written_ = 0;  // the version on disk
  std::uint64_t seen_ = 0;
  std::vector<Note> notes_;  // the notes on disk, as far as known
  std::optional<SideCarFolder::Stamp> stamp_;
  std::chrono::steady_clock::time_point looked_at_;
  std::chrono::steady_clock::time_point changed_at_;
  std::string error_, page_;
};

}  // namespace lacuna
