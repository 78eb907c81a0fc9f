#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <protozero/pbf_writer.hpp>

#include "model/formats/perfetto/packet_fields.h"

namespace lacuna::perfetto {

/// A protobuf message, written field by field.
class Message {
 public:
  Message& number(std::uint32_t field, std::int64_t value) {
    protozero::pbf_writer(bytes_).add_int64(field, value);
    return *this;
  }
  Message& fixed(std::uint32_t field, std::uint64_t value) {
    protozero::pbf_writer(bytes_).add_fixed64(field, value);
    return *this;
  }
  Message& real(std::uint32_t field, double value) {
    protozero::pbf_writer(bytes_).add_double(field, value);
    return *this;
  }
  Message& text(std::uint32_t field, std::string_view value) {
    protozero::pbf_writer(bytes_).add_bytes(field, value.data(), value.size());
    return *this;
  }
  Message& message(std::uint32_t field, const Message& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline Message interned_name(std::int64_t id, std::string_view name) {
  return Message().number(1, id).text(2, name);
}

/// Returns a TracePacket of sequence 1.
inline Message packet(std::int64_t time) {
  return Message().number(kPacketTimestamp, time).number(kSequenceId, 1);
}

/// A sequence of packets.
class TraceText {
 public:
  TraceText& add(const Message& packet) {
    text_ += Message().message(kTracePacket, packet).bytes();
    return *this;
  }
  TraceText& track(const Message& descriptor) { return add(packet(0).message(kTrackDescriptor, descriptor)); }
  TraceText& event(std::int64_t time, const Message& event) { return add(packet(time).message(kTrackEvent, event)); }
  TraceText& thread(std::uint64_t uuid, std::int64_t pid, std::int64_t tid, std::string_view name) {
    return track(Message()
                     .number(1, static_cast<std::int64_t>(uuid))
                     .message(4, Message().number(1, pid).number(2, tid).text(5, name)));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

inline Message begin(std::uint64_t track, std::string_view name, std::string_view category = {}) {
  Message event;
  event.number(kEventType, kSliceBegin).number(kEventTrack, static_cast<std::int64_t>(track)).text(kEventName, name);
  if (!category.empty()) event.text(kCategories, category);
  return event;
}
inline Message end(std::uint64_t track) {
  return Message().number(kEventType, kSliceEnd).number(kEventTrack, static_cast<std::int64_t>(track));
}
inline Message annotation(std::string_view name, std::int64_t value) {
  return Message().text(10, name).number(4, value);
}
inline Message annotation(std::string_view name, std::string_view value) {
  return Message().text(10, name).text(6, value);
}

/// Returns the output of a run under PyTorch 2.15's profiler, in order: names and queues interned, all begins before
/// all ends, times since 1970 with a snapshot that says so, kernels as render stages with args as texts. Two launches
/// of thread 7 of process 42, 3 us apart; each kernel runs 1 us after its launch, on stream 7 of GPU 0, for 1 us.
std::string pytorch_trace();
/// Returns rocprofv3's output: a thread and a GPU queue as tracks, a call and the kernel that it launched.
std::string rocprof_trace();

}  // namespace lacuna::perfetto
