#include "model/formats/wire_message.h"

#include <protozero/exception.hpp>

namespace lacuna {

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
  try {
    if (is_broken_ || !reader_.next()) return false;
    field.number = reader_.tag();
    field.bytes = {};
    field.value = 0;
    switch (reader_.wire_type()) {
      case protozero::pbf_wire_type::varint:
        field.type = WireField::Type::kVarint;
        field.value = reader_.get_uint64();
        return true;
      case protozero::pbf_wire_type::fixed64:
        field.type = WireField::Type::kFixed64;
        field.value = reader_.get_fixed64();
        return true;
      case protozero::pbf_wire_type::fixed32:
        field.type = WireField::Type::kFixed32;
        field.value = reader_.get_fixed32();
        return true;
      case protozero::pbf_wire_type::length_delimited: {
        field.type = WireField::Type::kBytes;
        const protozero::data_view view = reader_.get_view();
        field.bytes = {view.data(), view.size()};
        return true;
      }
      default:
        break;
    }
  } catch (const protozero::exception&) {
  }
  is_broken_ = true;
  return false;
}

}  // namespace lacuna
