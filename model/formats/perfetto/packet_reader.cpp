#include "model/formats/perfetto/packet_reader.h"

#include <algorithm>
#include <memory>
#include <string>

#include "model/formats/perfetto/packet_fields.h"
#include "model/formats/wire_message.h"
#include "model/input/bytes.h"
#include "model/input/streams.h"

namespace lacuna {
namespace {

constexpr std::size_t kReadAtOnce = 64 * 1024;
constexpr std::size_t kFieldHeaderBytes = 20;  // a tag and a number of ten bytes each, at most

/// What stands before a field of a Trace: its number, and where its content lies.
struct FieldHeader {
  std::uint64_t number = 0;
  std::size_t header = 0;     // bytes before the content; 0: cut off, or no field
  std::uint64_t content = 0;  // bytes of it
  bool is_message = false;
  bool is_no_field = false;
};

FieldHeader read_field_header(std::string_view bytes) {
  FieldHeader field;
  const WireVarint tag = read_varint(bytes);
  field.is_no_field = tag.size == 0 ? bytes.size() >= 10 : tag.value >> 3 == 0 || tag.value >> 3 > 0x1fffffff;
  if (tag.size == 0 || field.is_no_field) return field;
  field.number = tag.value >> 3;
  const WireVarint length = read_varint(bytes.substr(tag.size));
  switch (tag.value & 7) {
    case 0:
      field.header = tag.size;
      field.content = length.size;
      if (length.size == 0) field.header = 0;
      break;
    case 1:
      field.header = tag.size;
      field.content = 8;
      break;
    case 5:
      field.header = tag.size;
      field.content = 4;
      break;
    case 2:
      field.is_message = true;
      field.content = length.value;
      if (length.size != 0) field.header = tag.size + length.size;
      break;
    default:
      field.is_no_field = true;
  }
  return field;
}

}  // namespace

std::string_view PacketReader::Window::at(std::uint64_t offset, std::size_t size) {
  if (offset < begin || offset - begin > view.size() || view.size() - (offset - begin) < size) {
    view = bytes.at(offset, std::max(size, kReadAtOnce));
    begin = offset;
  }
  return view.substr(static_cast<std::size_t>(offset - begin), size);
}

std::string_view PacketReader::block(std::uint64_t number, bool is_inflated) {
  if (blocks_.empty()) blocks_.resize(kBlocks);
  Block& block = blocks_[number % kBlocks];
  if (block.number != number || block.is_inflated != is_inflated) {
    block.number = number;
    block.is_inflated = is_inflated;
    block.bytes.resize(kBlockBytes);
    const ByteSource& source = is_inflated ? static_cast<const ByteSource&>(inflated_) : file_;
    block.bytes.resize(source.read_at(number * kBlockBytes, block.bytes));
  }
  return {block.bytes.data(), block.bytes.size()};
}

std::string_view PacketReader::again(const PacketPlace& place, unsigned slot) {
  std::string& packet = again_[slot];
  packet.clear();
  while (packet.size() < place.size) {
    const std::uint64_t offset = place.offset + packet.size();
    const std::string_view bytes = block(offset / kBlockBytes, place.is_inflated);
    const std::size_t begin = std::min(static_cast<std::size_t>(offset % kBlockBytes), bytes.size());
    const std::string_view part = bytes.substr(begin, place.size - packet.size());
    if (part.empty()) break;  // the file shrank
    packet += part;
  }
  return packet;
}

std::optional<PacketReader::Packet> PacketReader::next() {
  while (state_) {
    if (open_.begin < open_.end) {
      if (auto packet = next_inflated()) return packet;
      continue;
    }
    open_ = {};
    const std::string_view head = ahead_.at(offset_, kFieldHeaderBytes);
    if (head.empty()) return std::nullopt;
    const FieldHeader field = read_field_header(head);
    if (field.is_no_field || (field.is_message && field.content > kLargestPacket)) {
      end_ = End::kNotATrace;
      return std::nullopt;
    }
    const std::uint64_t content = offset_ + field.header;
    std::array<char, 1> last;
    if (field.header == 0 || (field.content > 0 && file_.read_at(content + field.content - 1, last) == 0)) {
      end_ = End::kCutOff;
      return std::nullopt;
    }
    offset_ = content + field.content;
    if (!field.is_message || field.number != kTracePacket) continue;
    const PacketPlace place{content, static_cast<std::uint32_t>(field.content), false};
    const std::string_view bytes = ahead_.at(place.offset, place.size);
    if (bytes.size() < place.size) {  // the file shrank
      end_ = End::kCutOff;
      return std::nullopt;
    }
    return Packet{place, bytes};
  }
  return std::nullopt;
}

std::optional<PacketReader::Packet> PacketReader::next_inflated() {
  const std::string_view head = inflated_ahead_.at(open_.begin, kFieldHeaderBytes);
  const FieldHeader field = read_field_header(head);
  if (field.is_no_field || field.header == 0 || field.content > open_.end - open_.begin - field.header ||
      field.header > open_.end - open_.begin) {
    ++damaged_;
    open_ = {};
    return std::nullopt;
  }
  const PacketPlace place{open_.begin + field.header, static_cast<std::uint32_t>(field.content), true};
  open_.begin = place.offset + field.content;
  if (!field.is_message || field.number != kTracePacket || field.content > kLargestPacket) return std::nullopt;
  return Packet{place, inflated_ahead_.at(place.offset, place.size)};
}

void PacketReader::enter(std::string_view compressed, bool is_zstd) {
  if (open_.end != 0) {  // no recorder packs packets twice
    ++damaged_;
    return;
  }
  const auto source = make_memory_bytes(std::string(compressed));
  auto stream = make_source_stream(*source, 0);
  stream = is_zstd ? make_zstd_stream(std::move(stream)) : make_zlib_stream(std::move(stream));
  open_.begin = inflated_.size();
  std::string piece(kReadAtOnce, '\0');
  for (std::size_t size = 1; state_ && size > 0;) {
    size = stream->read(piece);
    if (size > 0) state_ = inflated_.append(std::string_view(piece).substr(0, size), most_bytes_);
  }
  open_.end = inflated_.size();
  if (stream->is_truncated()) ++damaged_;
  // They end where more was appended.
  inflated_ahead_.view = {};
}

}  // namespace lacuna
