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

/// Lets one window watch a recording: the recording's side of `lacuna attach`. Owns the socket and the
/// descriptor of what is read. One thread; no call waits for anybody. A window that is slow misses states,
/// one that died makes room for the next; a second one is refused while the first is there.
class ShareServer {
 public:
  /// Listens at `path`. `readable`: of the file, to be handed to who comes; becomes ours.
  static Result<std::unique_ptr<ShareServer>> open(const std::string& path, ShareDescription description, int readable);
  /// Removes the socket, and the note of it.
  ~ShareServer();
  ShareServer(const ShareServer&) = delete;
  ShareServer& operator=(const ShareServer&) = delete;

  const std::string& path() const { return path_; }
  void set_target(int pid) { description_.target = pid; }
  /// Takes in who came, and notices who went.
  void serve();
  bool has_viewer() const { return viewer_.is_open(); }
  /// Sends it to the viewer, if there is one.
  void send(const ShareState& state, const ShareRunning& running);
  /// The last state; a viewer that is slow gets `tries` times 10 ms to take it.
  void finish(const ShareState& last, int tries);
  /// A line for the viewer's console; those that come later get it, too.
  void say(const std::string& text);
  std::uint64_t refused() const { return refused_; }
  /// Whether the viewer asked the recording to end since the last call.
  bool take_stop() { return std::exchange(has_stop_, false); }

 private:
  ShareServer() = default;
  void answer(ShareSocket& guest);

  std::string path_;
  std::string note_;  // for who looks for recordings, when the socket is at a place of its own
  ShareSocket listener_;
  ShareSocket viewer_;
  std::vector<ShareSocket> guests_;  // who has not said yet what it wants
  ShareDescription description_;
  std::vector<std::string> said_;
  Descriptor readable_;
  std::uint64_t refused_ = 0;
  bool has_stop_ = false;
};

}  // namespace lacuna
