#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lacuna {

/// One field of a protobuf message, undecoded: its reader knows its meaning by the number. A field
/// whose type is not the expected one reads as 0 or as no bytes.
struct WireField {
  enum class Type : std::uint8_t { kVarint, kFixed64, kBytes, kFixed32 };

  std::uint32_t number = 0;
  Type type = Type::kVarint;
  std::uint64_t value = 0;  ///< bits of a number; 0 for bytes
  std::string_view bytes;   ///< of texts, messages and packed lists; borrowed from the message

  std::int64_t integer() const { return static_cast<std::int64_t>(value); }
  bool flag() const { return value != 0; }
  double real() const { return type == Type::kFixed64 ? std::bit_cast<double>(value) : 0; }
};

/// Iterates over the fields of a protobuf message, which may be any bytes. Valid as long as the bytes are.
class WireMessage {
 public:
  explicit WireMessage(std::string_view bytes) : rest_(bytes) {}

  /// Moves to the next field; returns false at the end, or if the bytes are not protobuf.
  bool next(WireField& field);
  /// Whether iteration ended because the bytes are not protobuf.
  bool is_broken() const { return is_broken_; }

 private:
  std::string_view rest_;
  bool is_broken_ = false;
};

/// Returns the bytes of the first field of a message that has the number; empty if there is none.
std::string_view bytes_of_field(std::string_view message, std::uint32_t number);

/// A varint: a number of up to ten bytes with seven bits each.
struct WireVarint {
  std::uint64_t value = 0;
  std::size_t size = 0;  ///< in bytes; 0: no number, or the bytes end inside it
};
WireVarint read_varint(std::string_view bytes);

/// Calls `take(bits)` for each number of a repeated field, packed or not.
template <class Take>
void for_each_number(const WireField& field, WireField::Type packed_type, Take take) {
  if (field.type != WireField::Type::kBytes) return take(field.value);
  std::string_view rest = field.bytes;
  while (!rest.empty()) {
    std::size_t used = 8;
    if (packed_type == WireField::Type::kVarint) {
      const WireVarint number = read_varint(rest);
      used = number.size;
      if (used != 0) take(number.value);
    } else if (rest.size() < used) {
      return;
    } else {
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < used; ++i)
        bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest[i])) << (8 * i);
      take(bits);
    }
    if (used == 0) return;
    rest.remove_prefix(used);
  }
}

}  // namespace lacuna
