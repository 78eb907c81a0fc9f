#include "capture/remote/frame.h"

#include <algorithm>

#include <fmt/format.h>

#include "capture/remote/fields.h"

namespace lacuna {
namespace {

constexpr std::size_t kHeaderBytes = 12;  // length, kind, nothing, request
constexpr std::size_t kMostErrorText = 4096;

void put_bits(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

std::uint32_t get_bits(std::string_view from, std::size_t at, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |= std::uint32_t{static_cast<unsigned char>(from[at + static_cast<std::size_t>(i)])} << (8 * i);
  return value;
}

}  // namespace

std::string encode_frame(FrameKind kind, std::uint32_t request, std::string_view payload) {
  std::string out;
  out.reserve(kHeaderBytes + payload.size());
  put_bits(out, payload.size(), 4);
  put_bits(out, static_cast<std::uint16_t>(kind), 2);
  put_bits(out, 0, 2);
  put_bits(out, request, 4);
  return out.append(payload);
}

std::string encode_hello() {
  FieldWriter fields;
  fields.number(kRemoteVersion).text("lacuna " LACUNA_VERSION);
  return encode_frame(FrameKind::kHello, 0, fields.bytes());
}

std::string problem_of_hello(const Frame& frame) {
  if (frame.kind == FrameKind::kRefusal) return frame.payload.substr(0, kMostErrorText);
  if (frame.kind != FrameKind::kHello) return "the other side does not say hello";
  FieldReader fields(frame.payload);
  const std::uint64_t version = fields.number();
  const std::string program = fields.text().substr(0, 100);
  if (!fields.ok()) return "the greeting of the other side is malformed";
  if (version != kRemoteVersion)
    return fmt::format("the other side is {} and speaks version {} of the protocol, this side version {} (lacuna {})",
                       program, version, kRemoteVersion, LACUNA_VERSION);
  return {};
}

std::string encode_error(const Error& error) {
  FieldWriter fields;
  fields.number(static_cast<std::uint64_t>(error.code)).text(error.cause).text(error.file);
  return fields.take();
}

Error decode_error(std::string_view payload) {
  FieldReader fields(payload);
  const std::uint64_t code = fields.number();
  Error error;
  error.code = code <= static_cast<std::uint64_t>(ErrorCode::kUnsupported) ? static_cast<ErrorCode>(code)
                                                                           : ErrorCode::kNotReadable;
  error.cause = fields.text().substr(0, kMostErrorText);
  error.file = fields.text().substr(0, kMostErrorText);
  if (!fields.ok()) error = {ErrorCode::kNotReadable, "the other side failed, and does not say why", {}, {}};
  return error;
}

bool FrameReader::begin() {
  const std::size_t found = buffer_.find(kPreamble);
  if (found == 0 || (found != std::string::npos && skips_noise_ && found <= kMostNoise)) {
    noise_ = buffer_.substr(0, found);
    at_ = found + kPreamble.size();
    return has_begun_ = true;
  }
  const bool may_begin =
      skips_noise_ ? buffer_.size() <= kMostNoise
                   : std::string_view(buffer_).substr(0, kPreamble.size()) == kPreamble.substr(0, buffer_.size());
  if (!may_begin || found != std::string::npos) {
    problem_ = "the data received are not from Lacuna";
    noise_ = buffer_.substr(0, kMostNoise);
  } else if (skips_noise_) {
    noise_ = buffer_;
  }
  return false;
}

bool FrameReader::next(Frame& frame) {
  if (!problem_.empty() || (!has_begun_ && !begin())) return false;
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  if (rest.size() < kHeaderBytes) {
    buffer_.erase(0, std::exchange(at_, 0));
    return false;
  }
  const std::size_t length = get_bits(rest, 0, 4);
  const std::uint32_t kind = get_bits(rest, 4, 2);
  if (length > kMostPayload || get_bits(rest, 6, 2) != 0) {
    problem_ = fmt::format("received a frame of {} bytes, which is not a valid size", length);
    return false;
  }
  if (kind < static_cast<std::uint32_t>(FrameKind::kHello) || kind > static_cast<std::uint32_t>(FrameKind::kMay)) {
    problem_ = fmt::format("received a frame of unknown kind {}", kind);
    return false;
  }
  if (rest.size() < kHeaderBytes + length) {
    buffer_.erase(0, std::exchange(at_, 0));
    return false;
  }
  frame.kind = static_cast<FrameKind>(kind);
  frame.request = get_bits(rest, 8, 4);
  frame.payload = rest.substr(kHeaderBytes, length);
  at_ += kHeaderBytes + length;
  return true;
}

}  // namespace lacuna
