#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/remote/remote_place.h"
#include "capture/remote/spawned_line.h"
#include "capture/remote/verbs.h"
#include "model/base/result.h"
#include "model/base/time.h"

namespace lacuna {

/// How long one waits for a far side.
struct RemotePatience {
  int hello_ms = 10'000;      ///< the first word …
  int password_ms = 120'000;  ///< … where ssh may have to ask the user for a password
  int silence_ms = 10'000;    ///< between any two frames: a far side that works says so every few seconds
};

class FarSide;

/// Sends requests of its own on a line while another request runs on it. All on the thread of that request.
class FarAside {
 public:
  virtual ~FarAside() = default;
  /// A new line: what was asked before is not answered any more.
  virtual void begin() = 0;
  /// A descriptor that is readable when there is something to ask; step() takes that away.
  virtual int wakes() const = 0;
  /// Then, and some ten times a second.
  virtual void step(FarSide& far) = 0;
  /// A frame that does not belong to the request under way.
  virtual void take(const Frame& frame) = 0;
  /// Whether an answer is waited for that should not wait behind others, here or in another window on the same machine.
  virtual bool is_urgent() const = 0;
};

/// A machine that one reaches by ssh, with `lacuna serve --stdio` at work there: the client of the protocol. Trusts
/// nothing that comes. One thread; one request at a time.
class FarSide {
 public:
  /// Errors say what ssh said, and what to do where Lacuna is missing there or has another version.
  static Result<std::unique_ptr<FarSide>> connect(const RemotePlace& place, const std::atomic<bool>* cancel = nullptr,
                                                  const RemotePatience& patience = {});

  const RemotePlace& place() const { return place_; }

  /// Callbacks of a request while it runs, on the calling thread.
  struct Hears {
    std::function<Result<void>(const Frame&)> frame;  ///< whatever belongs to the request; an error ends the line
    std::function<void()> tick;                       ///< some ten times a second
  };
  /// Asks, and returns the fields of the end. kCancelled: `cancel` was set, and the far side knows.
  Result<std::string> ask(RemoteVerb verb, const std::string& fields, const Hears& hears,
                          const std::atomic<bool>* cancel = nullptr);
  /// Runs beside all requests from now on; null: nothing does.
  void set_aside(FarAside* aside);
  /// Asks for something beside the request under way; from FarAside::step(). The request's number, of which the frames
  /// are; 0: the line is gone.
  std::uint32_t ask_aside(RemoteVerb verb, const std::string& fields);
  /// Asks for nothing, but for what stands beside, until `stops()`, which is called some ten times a second.
  Result<void> attend(const std::function<bool()>& stops);
  /// Sends a frame of the request under way (kSignal, kStop, kMay); from a tick.
  bool send(FrameKind kind, std::string_view payload) { return line().send(kind, request_, payload); }
  /// What a word and its answer took at best; kMaxNanos: nothing was asked yet.
  Nanos round_trip() const { return round_trip_; }
  /// Whether the last error was of the line, so that it may be worth a second try.
  bool is_line_lost() const { return is_line_lost_; }

  struct Listing {
    std::string folder;  ///< absolute
    std::vector<RemoteEntry> entries;
    std::uint64_t left_out = 0;  ///< beyond kMostEntries
  };
  /// Lists a folder there; empty: the home.
  Result<Listing> list(const std::string& folder, const std::atomic<bool>* cancel = nullptr);
  /// The files that `paths` stand for, as find_trace_files() sees them there.
  Result<std::vector<RemoteFile>> find(const std::vector<std::string>& paths,
                                       const std::atomic<bool>* cancel = nullptr);

 private:
  FarSide(RemotePlace place, std::unique_ptr<SpawnedLine> spawned, const RemotePatience& patience)
      : place_(std::move(place)), spawned_(std::move(spawned)), patience_(patience) {}
  RemoteLine& line() { return spawned_->line(); }
  Result<void> greet(const std::atomic<bool>* cancel);
  Error lost(RemoteLine::Got got);
  /// Hears answers until the request under way ends or, without one, until `stops()`, which may be empty.
  Result<std::string> converse(const Hears& hears, const std::atomic<bool>* cancel, const std::function<bool()>& stops);

  RemotePlace place_;
  std::unique_ptr<SpawnedLine> spawned_;
  RemotePatience patience_;
  std::uint32_t request_ = 0;       // under way; 0: none yet
  std::uint32_t last_request_ = 0;  // all that were asked
  bool has_met_ = false;
  FarAside* aside_ = nullptr;
  Nanos round_trip_ = kMaxNanos;
  bool is_line_lost_ = false;
};

}  // namespace lacuna
