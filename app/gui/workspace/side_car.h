#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "app/gui/core/document.h"
#include "model/base/result.h"

namespace lacuna {

class Workspace;

/// $XDG_STATE_HOME/lacuna/traces, or below ~/.local/state; empty when neither is known.
std::string side_car_folder();

/// Small files about traces, one for each, never beside the trace: a folder of NAME.json, of which the
/// `most` written last are kept. Mode 0600, whole or not at all. Blocking.
class SideCarFolder {
 public:
  static constexpr std::size_t kMostFiles = 300;
  static constexpr std::size_t kMostBytes = 4u << 20;

  /// An empty folder stores nothing.
  explicit SideCarFolder(std::string folder, std::size_t most = kMostFiles) : folder_(std::move(folder)), most_(most) {}
  bool is_on() const { return !folder_.empty(); }
  /// Empty when there is none, or one larger than kMostBytes.
  std::string load(const std::string& identity) const;
  /// Writes it, then forgets the oldest beyond `most`.
  Result<void> save(const std::string& identity, const std::string& text) const;

 private:
  std::string path_of(const std::string& identity) const;
  void forget_oldest() const;

  std::string folder_;
  std::size_t most_;
};

/// What is remembered of a trace: layout of its tracks and markers, as JSON. Bytes that are no UTF-8
/// come out replaced.
std::string format_side_car(const Workspace& workspace);
/// Takes over what `text` says of tracks that the trace has. Anything that is missing, of the wrong kind
/// or unknown is passed over: a damaged file costs its contents, nothing else.
void apply_side_car(const std::string& text, Workspace& workspace);

/// Reads the side-car of what the workspace shows when it is opened, and writes it when the user changed
/// something: a little later, so that dragging writes once. UI thread.
class SideCarKeeper {
 public:
  /// Until then nothing is read or written (screenshots, tests).
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
