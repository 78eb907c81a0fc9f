#pragma once
// What a window's side and a far side (`lacuna serve --stdio`) say to each other over a pair of descriptors: a
// preamble, then frames of a kind, the number of the request that they belong to, and a payload of bounded length. The
// first frame of each side is a hello with its version. What is not known is refused with words, and ends the line.

#include <cstdint>
#include <string>
#include <string_view>

#include "model/base/result.h"

namespace lacuna {

enum class FrameKind : std::uint16_t {
  kHello = 1,  ///< version, program: the first of each side
  kRefusal,    ///< words; the line ends
  kBeat,       ///< a number, sent back with the clock of the other side: a heartbeat
  kRequest,    ///< verb, then its fields
  kCancel,     ///< of a request, under way or waiting
  kSignal,     ///< for the command that runs there: the number of the signal
  kStop,       ///< ends the recording that is watched
  kAnswer,     ///< fields, by verb
  kData,       ///< packed bytes of a file
  kOut,        ///< standard output of the command
  kErr,        ///< its standard error
  kText,       ///< a line for people
  kState,      ///< of a recording (capture/share)
  kDone,       ///< the request's end: fields, by verb
  kFailed,     ///< the request's end: an Error
  kMay,        ///< of a fetch that waits for these: the total of packed bytes that may come
};

/// The version of the protocol, which both sides must share.
inline constexpr std::uint32_t kRemoteVersion = 1;
/// Longest payload.
inline constexpr std::size_t kMostPayload = std::size_t{1} << 20;
/// What each side writes first. It ends a line that a login script may have begun.
inline constexpr std::string_view kPreamble{"\0LacunaRemote\n", 14};
/// The most bytes that a login script may write before the first frame.
inline constexpr std::size_t kMostNoise = std::size_t{64} << 10;

struct Frame {
  FrameKind kind = FrameKind::kBeat;
  std::uint32_t request = 0;  ///< 0: of the line itself
  std::string payload;
};

/// Makes a frame of a kind and at most kMostPayload bytes.
std::string encode_frame(FrameKind kind, std::uint32_t request, std::string_view payload);
std::string encode_hello();
/// Why this hello is none that we can talk to, in words; empty: it is.
std::string problem_of_hello(const Frame& frame);
std::string encode_error(const Error& error);
/// Reads an error that a stranger may have sent: unknown codes become kNotReadable, long texts are cut.
Error decode_error(std::string_view payload);

/// Takes a stream apart into frames. Holds one frame at most, and what was fed last. Any bytes may come.
class FrameReader {
 public:
  /// `skips_noise`: what comes before the preamble is passed over, up to kMostNoise bytes.
  explicit FrameReader(bool skips_noise) : skips_noise_(skips_noise) {}

  void feed(std::string_view bytes) { buffer_.append(bytes); }
  /// The next whole frame. False: more must be fed, or there is a problem.
  bool next(Frame& frame);
  /// What cannot be a frame, in words; empty: nothing so far. For good.
  const std::string& problem() const { return problem_; }
  /// What came before the preamble, or comes in its place so far.
  const std::string& noise() const { return has_begun_ || !noise_.empty() ? noise_ : buffer_; }
  bool has_begun() const { return has_begun_; }

 private:
  bool begin();

  const bool skips_noise_;
  bool has_begun_ = false;
  std::string buffer_;
  std::size_t at_ = 0;  // in buffer_: what was handed out lies before
  std::string noise_;
  std::string problem_;
};

}  // namespace lacuna
