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

/// The interned entries of a trace's sequences, which packets refer to by number: names, kernels, queues. A
/// sequence drops all its entries now and then (incremental state cleared) and restarts its numbers; earlier packets
/// still refer to the old generation. Each distinct text is stored once.
class InternedData {
 public:
  using Generation = std::uint32_t;
  static constexpr Generation kNone = 0;

  InternedData() : generations_(1) {}

  /// Starts a generation: call it when a sequence begins or clears its state.
  Generation begin();
  /// Adds an InternedData message; existing entries stay.
  void add(Generation generation, std::string_view message);
  /// Returns the entry of that kind: for names and texts the text, else the message. Empty if there is none.
  std::string_view find(Generation generation, InternedField kind, std::uint64_t id) const;
  /// Returns the bytes of everything interned so far.
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
