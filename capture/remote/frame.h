#pragma once
// The protocol between a window and a remote end (`lacuna serve --stdio`) over a pair of descriptors: a
// preamble, then frames with a kind, the number of their request, and a payload of bounded length. The
// first frame of each end is a hello with its version. Unknown frames are refused with a text, and end the connection.

#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/result.h"

namespace lacuna {

enum class FrameKind : std::uint16_t {
  kHello = 1,  ///< version, program: the first frame of each end
  kRefusal,    ///< a text; the connection ends
  kBeat,       ///< heartbeat: a number, returned with the clock of the other end
  kRequest,    ///< verb, then its fields
  kCancel,     ///< cancels a request, running or waiting
  kSignal,     ///< signal number for the command that runs there
  kStop,       ///< ends the watched recording
  kAnswer,     ///< fields that depend on the verb
  kData,       ///< packed bytes of a file
  kOut,        ///< standard output of the command
  kErr,        ///< its standard error
  kText,       ///< a line of text for the user
  kState,      ///< state of a recording (capture/share)
  kDone,       ///< success of the request: fields that depend on the verb
  kFailed,     ///< failure of the request: an Error
  kMay,        ///< for a fetch with flow control: the total of packed bytes that may be sent
};

/// The version of the protocol, which both ends must share.
inline constexpr std::uint32_t kRemoteVersion = 2;
/// Limit of a payload.
inline constexpr std::size_t kMostPayload = std::size_t{1} << 20;
/// The first bytes of each end. Terminates a line that a login script may have begun.
inline constexpr std::string_view kPreamble{"\0LacunaRemote\n", 14};
/// The most bytes that a login script may write before the preamble.
inline constexpr std::size_t kMostNoise = std::size_t{64} << 10;

struct Frame {
  FrameKind kind = FrameKind::kBeat;
  std::uint32_t request = 0;  ///< 0: about the connection itself
  std::string payload;
};

/// Makes a frame of a kind and at most kMostPayload bytes.
std::string encode_frame(FrameKind kind, std::uint32_t request, std::string_view payload);
std::string encode_hello();
/// Returns why this hello is incompatible, as text; empty: it is compatible.
std::string problem_of_hello(const Frame& frame);
std::string encode_error(const Error& error);
/// Decodes an untrusted error: unknown codes become kNotReadable, long texts are cut.
Error decode_error(std::string_view payload);

/// Splits a stream into frames. Holds at most one frame, and the bytes fed last. Accepts any bytes.
class FrameReader {
 public:
  /// `skips_noise`: skip bytes before the preamble, up to kMostNoise.
  explicit FrameReader(bool skips_noise) : skips_noise_(skips_noise) {}

  void feed(std::string_view bytes) { buffer_.append(bytes); }
  /// Extracts the next complete frame. Returns false if more bytes are needed, or there is a problem.
  bool next(Frame& frame);
  /// Returns why the stream is invalid, as text; empty: it is valid so far. A problem is permanent.
  const std::string& problem() const { return problem_; }
  /// Returns the bytes before the preamble, or in its place so far.
  const std::string& noise() const { return has_begun_ || !noise_.empty() ? noise_ : buffer_; }
  bool has_begun() const { return has_begun_; }

 private:
  bool begin();

  const bool skips_noise_;
  bool has_begun_ = false;
  std::string buffer_;
  std::size_t at_ = 0;  // offset in buffer_ of the bytes not yet extracted
  std::string noise_;
  std::string problem_;
};

}  // namespace lacuna
