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

/// Timeouts for the remote end.
struct RemotePatience {
  int hello_ms = 10'000;      ///< until the first message …
  int password_ms = 120'000;  ///< … if ssh may have to ask the user for a password
  int silence_ms = 10'000;    ///< between any two frames: a busy remote end sends one every few seconds
};

class FarSide;

/// Sends its own requests on a connection while another request runs there. All on the thread of that request.
class FarAside {
 public:
  virtual ~FarAside() = default;
  /// Called for a new connection: earlier requests are not answered any more.
  virtual void begin() = 0;
  /// Returns a descriptor that is readable when there is something to request; step() resets it.
  virtual int wakes() const = 0;
  /// Called when wakes() is readable, and some ten times per second.
  virtual void step(FarSide& far) = 0;
  /// Takes a frame that does not belong to the main request.
  virtual void take(const Frame& frame) = 0;
  /// Whether it waits for an answer that has priority over others, here or in another window for the same machine.
  virtual bool is_urgent() const = 0;
};

/// A machine reached by ssh that runs `lacuna serve --stdio`: the client of the protocol. Validates
/// everything it receives. One thread; one request at a time.
class FarSide {
 public:
  /// Errors contain ssh's message, and what to do if Lacuna is missing there or has another version.
  static Result<std::unique_ptr<FarSide>> connect(const RemotePlace& place, const std::atomic<bool>* cancel = nullptr,
                                                  const RemotePatience& patience = {});

  const RemotePlace& place() const { return place_; }

  /// Callbacks of a running request, on the calling thread.
  struct Hears {
    std::function<Result<void>(const Frame&)> frame;  ///< for each frame of the request; an error closes the connection
    std::function<void()> tick;                       ///< called some ten times per second
  };
  /// Sends a request and returns the fields of its end. kCancelled: `cancel` was set, and the remote end was told.
  Result<std::string> ask(RemoteVerb verb, const std::string& fields, const Hears& hears,
                          const std::atomic<bool>* cancel = nullptr);
  /// Serves `aside` during all requests from now on; null: none.
  void set_aside(FarAside* aside);
  /// Sends a request besides the current one; call it from FarAside::step(). Returns the request's number, which its
  /// frames have; 0: the connection is lost.
  std::uint32_t ask_aside(RemoteVerb verb, const std::string& fields);
  /// Serves only the FarAside until `stops()`, which is called some ten times per second, returns true.
  Result<void> attend(const std::function<bool()>& stops);
  /// Sends a frame for the current request (kSignal, kStop, kMay); call it from a tick.
  bool send(FrameKind kind, std::string_view payload) { return line().send(kind, request_, payload); }
  /// Returns the shortest round trip; kMaxNanos: none was measured yet.
  Nanos round_trip() const { return round_trip_; }
  /// Whether the last error was a connection failure, so that a retry may succeed.
  bool is_line_lost() const { return is_line_lost_; }

  struct Listing {
    std::string folder;  ///< absolute
    std::vector<RemoteEntry> entries;
    std::uint64_t left_out = 0;  ///< entries beyond kMostEntries
  };
  /// Lists a folder there; empty: the home folder.
  Result<Listing> list(const std::string& folder, const std::atomic<bool>* cancel = nullptr);
  /// Returns the files that `paths` denote, by find_trace_files() on that machine.
  Result<std::vector<RemoteFile>> find(const std::vector<std::string>& paths,
                                       const std::atomic<bool>* cancel = nullptr);

 private:
  FarSide(RemotePlace place, std::unique_ptr<SpawnedLine> spawned, const RemotePatience& patience)
      : place_(std::move(place)), spawned_(std::move(spawned)), patience_(patience) {}
  RemoteLine& line() { return spawned_->line(); }
  Result<void> greet(const std::atomic<bool>* cancel);
  Error lost(RemoteLine::Got got);
  /// Processes answers until the current request ends or, without one, until `stops()`, which may be empty.
  Result<std::string> converse(const Hears& hears, const std::atomic<bool>* cancel, const std::function<bool()>& stops);

  RemotePlace place_;
  std::unique_ptr<SpawnedLine> spawned_;
  RemotePatience patience_;
  std::uint32_t request_ = 0;       // the current one; 0: none yet
  std::uint32_t last_request_ = 0;  // number of the last request of any kind
  bool has_met_ = false;
  FarAside* aside_ = nullptr;
  Nanos round_trip_ = kMaxNanos;
  bool is_line_lost_ = false;
};

}  // namespace lacuna
