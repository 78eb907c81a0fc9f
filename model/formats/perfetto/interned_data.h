#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/base/seeded_hash.h"
#include "model/formats/perfetto/packet_fields.h"

namespace lacuna {

/// What the sequences of a trace gave numbers to, so that packets need not repeat it: names, kernels, queues. A
/// sequence forgets all of it now and then (incremental state cleared) and counts anew; packets from before still mean
/// the old one. A text is kept once, however often it is sent.
class InternedData {
 public:
  using Generation = std::uint32_t;
  static constexpr Generation kNone = 0;

  InternedData() : generations_(1) {}

  /// Of a sequence that begins, or has cleared its state.
  Generation begin();
  /// Takes an InternedData message; what is there already stays.
  void add(Generation generation, std::string_view message);
  /// The entry of that kind: of names and texts the text, of all others the message. Empty where there is none.
  std::string_view find(Generation generation, InternedField kind, std::uint64_t id) const;
  /// Bytes of everything interned so far.
  std::size_t memory_bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kKinds = 14;
  static std::size_t index_of(std::uint32_t field);
  std::string_view keep(std::string_view text);

  using Entries = std::unordered_map<std::uint64_t, std::string_view, SeededHash>;
  using EntriesByKind = std::array<std::unique_ptr<Entries>, kKinds>;
  std::unordered_map<std::string_view, std::unique_ptr<std::string>, SeededHash> texts_;
  std::vector<EntriesByKind> generations_;
  std::size_t bytes_ = 0;
};

}  // namespace lacuna
