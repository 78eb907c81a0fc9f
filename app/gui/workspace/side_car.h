#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "app/finding/side_car_folder.h"
#include "app/gui/core/document.h"

namespace lacuna {

class Workspace;

/// What is remembered of a trace: layout of its tracks and markers, as JSON. Bytes that are no UTF-8
/// come out replaced.
std::string format_side_car(const Workspace& workspace);
/// The same for somebody else: with the times in view and those selected, without the paths of the files.
std::string format_finding(const Workspace& workspace);
/// Takes over what `text` says of tracks that the trace has. Anything that is missing, of the wrong kind
/// or unknown is passed over: a damaged file costs its contents, nothing else.
void apply_side_car(const std::string& text, Workspace& workspace);

/// Reads the side-car of what the workspace shows when it is opened, and writes it when the user changed
/// something: a little later, so that dragging writes once. UI thread.
class SideCarKeeper {
 public:
  /// Until then nothing of the user's is read or written (screenshots, tests); what a finding says counts.
  void use(SideCarFolder folder) { folder_ = std::move(folder); }
  /// Once a frame. Seconds after which it wants to be called again; 0 = never.
  double update(Workspace& workspace);
  /// Writes what is not written yet: before the trace is closed.
  void flush(const Workspace& workspace);
  const std::string& error() const { return error_; }  ///< of the last attempt to write

 private:
  SideCarFolder folder_{""};
  DocumentPtr document_;       // whose side-car was read
  std::uint64_t written_ = 0;  // version that is on the disk
  std::uint64_t seen_ = 0;
  std::chrono::steady_clock::time_point changed_at_;
  std::string error_;
};

}  // namespace lacuna
