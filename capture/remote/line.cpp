#include "capture/remote/line.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace lacuna {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

int ms_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

void set_nonblocking(int descriptor) {
  if (descriptor >= 0) fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

}  // namespace

RemoteLine::RemoteLine(int in, int out, bool skips_noise) : in_(in), out_(out), reader_(skips_noise) {
  set_nonblocking(in);
  set_nonblocking(out);
}

RemoteLine::~RemoteLine() {
  close();
}

void RemoteLine::close() {
  if (in_ >= 0) ::close(in_);
  if (out_ >= 0 && out_ != in_) ::close(out_);
  in_ = out_ = -1;
}

bool RemoteLine::write_all(std::string_view bytes) {
  auto until = Clock::now() + std::chrono::milliseconds(stall_ms_);
  while (!bytes.empty()) {
    const ssize_t written = ::write(out_, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      until = Clock::now() + std::chrono::milliseconds(stall_ms_);
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno != EAGAIN) return false;
    pollfd wanted{out_, POLLOUT, 0};
    if (::poll(&wanted, 1, ms_until(until)) == 0) return false;
    if ((wanted.revents & (POLLERR | POLLNVAL)) != 0) return false;
  }
  return true;
}

bool RemoteLine::send(FrameKind kind, std::uint32_t request, std::string_view payload) {
  if (out_ < 0) return false;
  std::string bytes;
  if (!std::exchange(has_begun_, true)) bytes = std::string(kPreamble) + encode_hello();
  if (kind != FrameKind::kHello) bytes += encode_frame(kind, request, payload);
  last_sent_ = Clock::now();
  if (write_all(bytes)) return true;
  close();
  return false;
}

RemoteLine::Got RemoteLine::receive(Frame& frame, int timeout_ms, int extra) {
  const auto until = Clock::now() + std::chrono::milliseconds(timeout_ms);
  std::string chunk;
  for (;;) {
    if (reader_.next(frame)) {
      last_received_ = Clock::now();
      return Got::kFrame;
    }
    if (!reader_.problem().empty()) return Got::kBroken;
    if (in_ < 0 || is_at_end_) return Got::kGone;
    pollfd wanted[2] = {{in_, POLLIN, 0}, {extra, POLLIN, 0}};
    const int ready = ::poll(wanted, extra >= 0 ? 2 : 1, ms_until(until));
    if (ready < 0 && errno == EINTR) return Got::kNothing;
    if (ready <= 0) return Got::kNothing;
    if (wanted[0].revents == 0) return Got::kNothing;  // `extra` has something
    chunk.resize(kReadBytes);
    const ssize_t got = ::read(in_, chunk.data(), chunk.size());
    if (got > 0) {
      reader_.feed(std::string_view(chunk).substr(0, static_cast<std::size_t>(got)));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      is_at_end_ = true;
    }
  }
}

}  // namespace lacuna
