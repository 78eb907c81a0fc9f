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

/// What is remembered of a trace: layout of its tracks and markers, as JSON. Bytes that are no UTF-8
/// come out replaced.
std::string format_side_car(const Workspace& workspace);
/// The same for somebody else: with the times in view and those selected, what is selected, the track at the top and
/// the drawer's page (page_key(); empty: it is closed), without the paths of the files.
std::string format_finding(const Workspace& workspace, std::string_view page);
/// Takes over what `text` says of tracks that the trace has. Anything that is missing, of the wrong kind
/// or unknown is passed over: a damaged file costs its contents, nothing else.
void apply_side_car(const std::string& text, Workspace& workspace);
/// What the steps of the trace are told by (Trace::steps_from()); empty: as found.
std::string steps_of_side_car(const std::string& text);
/// The page that format_finding() was given.
std::string page_of_finding(const std::string& text);

/// Reads the side-car of what the workspace shows when it is opened, and writes it when the user changed
/// something: a little later, so that dragging writes once. Notes that another window or `lacuna notes` wrote meanwhile
/// are taken over, note by note; of the layout the last one to write wins. UI thread.
class SideCarKeeper {
 public:
  /// Until then nothing of the user's is read or written (screenshots, tests); what a finding says counts.
  void use(SideCarFolder folder) { folder_ = std::move(folder); }
  /// Once a frame. Seconds after which it wants to be called again; 0 = never.
  double update(Workspace& workspace);
  /// Writes what is not written yet: before the trace is closed.
  void flush(Workspace& workspace);
  /// The drawer's page that a finding was left at, once after it was opened; else empty. Not believed: any text.
  std::string take_page() { return std::exchange(page_, {}); }
  const std::string& error() const { return error_; }  ///< of the last attempt to write

 private:
  void read_notes_of_others(Workspace& workspace);

  SideCarFolder folder_{""};
  DocumentPtr document_;       // whose side-car was read
  std::uint64_t written_ = 0;  // version that is on the disk
  std::uint64_t seen_ = 0;
  std::vector<Note> notes_;  // on the disk, as far as is known
  std::optional<SideCarFolder::Stamp> stamp_;
  std::chrono::steady_clock::time_point looked_at_;
  std::chrono::steady_clock::time_point changed_at_;
  std::string error_, page_;
};

}  // namespace lacuna
