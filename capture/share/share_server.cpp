#include "capture/share/share_server.h"

#include <ctime>
#include <utility>

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/share/share_places.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostGuests = 16;
constexpr std::size_t kMostSaid = 100;

}  // namespace

Result<std::unique_ptr<ShareServer>> ShareServer::open(const std::string& path, ShareDescription description,
                                                       int readable) {
  std::unique_ptr<ShareServer> server(new ShareServer);
  server->readable_ = Descriptor(readable);
  server->description_ = std::move(description);
  Result<ShareSocket> listener = ShareSocket::listen(path);
  if (!listener) return tl::make_unexpected(listener.error());
  server->listener_ = std::move(*listener);
  server->path_ = path;
  server->note_ = leave_note(path);
  return server;
}

ShareServer::~ShareServer() {
  if (!note_.empty()) unlink(note_.c_str());
  if (!path_.empty()) unlink(path_.c_str());
}

void ShareServer::answer(ShareSocket& guest) {
  if (viewer_.is_open()) {
    ++refused_;
    (void)guest.send(encode(ShareKind::kRefusal,
                            fmt::format("another window (process {}) shows this recording already", viewer_.peer())));
    return;
  }
  if (guest.send(encode(description_), readable_.get()) != ShareSocket::Sent::kYes) return;
  viewer_ = std::move(guest);
  for (const std::string& text : said_) (void)viewer_.send(encode(ShareKind::kText, text));
}

void ShareServer::serve() {
  std::string message;
  while (viewer_.is_open()) {
    const ShareSocket::Got got = viewer_.receive(message);
    if (got == ShareSocket::Got::kNothing) break;
    if (got == ShareSocket::Got::kMessage && kind_of(message) == ShareKind::kStop) has_stop_ = true;
    if (got == ShareSocket::Got::kGone) viewer_.close();
  }
  for (ShareSocket guest = listener_.accept(); guest.is_open(); guest = listener_.accept())
    if (guests_.size() < kMostGuests) guests_.push_back(std::move(guest));
  for (ShareSocket& guest : guests_) {
    const ShareSocket::Got got = guest.receive(message);
    if (got == ShareSocket::Got::kNothing) continue;
    if (got == ShareSocket::Got::kMessage) {
      if (kind_of(message) == ShareKind::kAttach) {
        answer(guest);
      } else {
        (void)guest.send(encode(ShareKind::kRefusal, "the recording is made by another version of Lacuna"));
      }
    }
    guest.close();
  }
  std::erase_if(guests_, [](const ShareSocket& guest) { return !guest.is_open(); });
}

void ShareServer::send(const ShareState& state, const ShareRunning& running) {
  if (viewer_.is_open() && viewer_.send(encode(state, running)) == ShareSocket::Sent::kGone) viewer_.close();
}

void ShareServer::finish(const ShareState& last, int tries) {
  const std::string message = encode(last, ShareRunning());
  const timespec pause{0, 10'000'000};
  for (int i = 0; i < tries && viewer_.is_open(); ++i) {
    if (viewer_.send(message) != ShareSocket::Sent::kFull) break;
    nanosleep(&pause, nullptr);
  }
  viewer_.close();
}

void ShareServer::say(const std::string& text) {
  if (said_.size() < kMostSaid) said_.push_back(text);
  if (viewer_.is_open()) (void)viewer_.send(encode(ShareKind::kText, text));
}

}  // namespace lacuna
