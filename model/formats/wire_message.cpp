#include "model/formats/wire_message.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

namespace lacuna {
namespace {

/// False for a field of a type that is no more.
bool take_field(protozero::pbf_reader& reader, WireField& field) {
  field.number = reader.tag();
  field.bytes = {};
  field.value = 0;
  switch (reader.wire_type()) {
    case protozero::pbf_wire_type::varint:
      field.type = WireField::Type::kVarint;
      field.value = reader.get_uint64();
      return true;
    case protozero::pbf_wire_type::fixed64:
      field.type = WireField::Type::kFixed64;
      field.value = reader.get_fixed64();
      return true;
    case protozero::pbf_wire_type::fixed32:
      field.type = WireField::Type::kFixed32;
      field.value = reader.get_fixed32();
      return true;
    case protozero::pbf_wire_type::length_delimited: {
      field.type = WireField::Type::kBytes;
      const protozero::data_view view = reader.get_view();
      field.bytes = {view.data(), view.size()};
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

std::string_view bytes_of_field(std::string_view message, std::uint32_t number) {
  WireMessage fields(message);
  for (WireField field; fields.next(field);)
    if (field.number == number) return field.bytes;
  return {};
}

WireVarint read_varint(std::string_view bytes) {
  WireVarint varint;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    varint.value |= static_cast<std::uint64_t>(byte & 0x7fu) << (7 * i);
    if (byte < 0x80) {
      varint.size = i + 1;
      return varint;
    }
  }
  return varint;
}

bool WireMessage::next(WireField& field) {
  if (is_broken_ || rest_.empty()) return false;
  try {
    protozero::pbf_reader reader(rest_.data(), rest_.size());
    is_broken_ = !reader.next() || !take_field(reader, field);
    const protozero::data_view rest = reader.data();
    rest_ = {rest.data(), rest.size()};
  } catch (const protozero::exception&) {
    is_broken_ = true;
  }
  return !is_broken_;
}

}  // namespace lacuna
