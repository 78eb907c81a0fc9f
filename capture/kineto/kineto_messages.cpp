#include "capture/kineto/kineto_messages.h"

#include <cstring>

#include <fmt/format.h>

namespace lacuna {
namespace {

constexpr std::size_t kTypeBytes = 32;
constexpr std::size_t kHeadBytes = sizeof(std::uint64_t) + kTypeBytes;
constexpr std::size_t kBodyBytes = 16;   // {i32, i32, i64}, of both types
constexpr std::int32_t kActivities = 2;  // bit of "type": events and activities in 2.8, activities in 2.15

template <class T>
T value_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string kineto_datagram(std::string_view type, std::string_view body) {
  const std::uint64_t size = body.size();
  std::string datagram(kHeadBytes, '\0');
  std::memcpy(datagram.data(), &size, sizeof size);
  std::memcpy(datagram.data() + sizeof size, type.data(), type.size());
  datagram += body;
  return datagram;
}

}  // namespace

Result<KinetoMessage> parse_kineto_message(std::string_view datagram) {
  const auto wrong = [](std::string cause) { return fail(ErrorCode::kInvalidArgument, std::move(cause)); };
  if (datagram.size() < kHeadBytes || datagram.size() > kMostKinetoBytes)
    return wrong(fmt::format("a message of {} bytes", datagram.size()));
  const auto size = value_at<std::uint64_t>(datagram, 0);
  const std::string_view padded = datagram.substr(sizeof size, kTypeBytes);
  const std::string_view type = padded.substr(0, padded.find('\0'));
  const std::string_view body = datagram.substr(kHeadBytes);
  if (size != body.size()) return wrong(fmt::format("its header says {} bytes, but it has {}", size, body.size()));
  if (body.size() < kBodyBytes) return wrong(fmt::format("{} bytes are too short for a message", body.size()));
  KinetoMessage message;
  message.cluster_job = value_at<std::int64_t>(body, 8);
  if (type == "ctxt") {
    message.kind = KinetoMessage::Kind::kRegister;
    message.gpu = value_at<std::int32_t>(body, 0);
    message.pids = {value_at<std::int32_t>(body, 4)};
  } else if (type == "req") {
    message.accepts = (value_at<std::int32_t>(body, 0) & kActivities) != 0;
    const auto count = value_at<std::int32_t>(body, 4);
    if (count < 1 || static_cast<std::size_t>(count) != (body.size() - kBodyBytes) / sizeof(std::int32_t) ||
        (body.size() - kBodyBytes) % sizeof(std::int32_t) != 0)
      return wrong(fmt::format("it says {} processes in {} bytes", count, body.size() - kBodyBytes));
    for (std::int32_t i = 0; i < count; ++i)
      message.pids.push_back(value_at<std::int32_t>(body, kBodyBytes + static_cast<std::size_t>(i) * 4));
  } else {
    return wrong("an unknown type of message");
  }
  if (message.pids.front() <= 0) return wrong(fmt::format("process {}", message.pids.front()));
  return message;
}

std::string kineto_answer(std::string_view request) {
  return kineto_datagram("req", request);
}

std::string kineto_registered(std::int32_t count) {
  return kineto_datagram("ctxt", {reinterpret_cast<const char*>(&count), sizeof count});
}

}  // namespace lacuna
