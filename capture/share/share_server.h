#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capture/share/share_message.h"
#include "capture/share/share_socket.h"
#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// The recording's side of `lacuna attach`: lets one window watch. Owns the socket and the
/// descriptor of the file to read. One thread; no call blocks. A slow window misses states,
/// a dead one makes room for the next; a second one is refused while the first is attached.
class ShareServer {
 public:
  /// Listens at `path`. Takes ownership of `readable`, the descriptor of the file that is passed to viewers.
  static Result<std::unique_ptr<ShareServer>> open(const std::string& path, ShareDescription description, int readable);
  /// Removes the socket and its note.
  ~ShareServer();
  ShareServer(const ShareServer&) = delete;
  ShareServer& operator=(const ShareServer&) = delete;

  const std::string& path() const { return path_; }
  void set_target(int pid) { description_.target = pid; }
  /// Accepts new viewers, and notices those that left.
  void serve();
  bool has_viewer() const { return viewer_.is_open(); }
  /// Sends the state to the viewer, if there is one.
  void send(const ShareState& state, const ShareRunning& running);
  /// Sends the last state; a slow viewer gets `tries` times 10 ms to receive it.
  void finish(const ShareState& last, int tries);
  /// Sends a line to the viewer's console; later viewers get it, too.
  void say(const std::string& text);
  std::uint64_t refused() const { return refused_; }
  /// Whether the viewer has asked the recording to end since the last call.
  bool take_stop() { return std::exchange(has_stop_, false); }

 private:
  ShareServer() = default;
  void answer(ShareSocket& guest);

  std::string path_;
  std::string note_;  // note file in share_folder(), when the socket is elsewhere
  ShareSocket listener_;
  ShareSocket viewer_;
  std::vector<ShareSocket> guests_;  // connections that have not sent their request yet
  ShareDescription description_;
  std::vector<std::string> said_;
  Descriptor readable_;
  std::uint64_t refused_ = 0;
  bool has_stop_ = false;
};

}  // namespace lacuna
