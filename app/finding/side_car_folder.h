#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "model/base/os/descriptor.h"
#include "model/base/result.h"

namespace lacuna {

/// $XDG_STATE_HOME/lacuna/traces, or below ~/.local/state; empty when neither is known.
std::string side_car_folder();

/// Small files about traces, one for each, never beside the trace: a folder of NAME.json, of which the
/// `most` written last are kept. Mode 0600, whole or not at all. Blocking.
class SideCarFolder {
 public:
  static constexpr std::size_t kMostFiles = 300;
  static constexpr std::size_t kMostBytes = 4u << 20;

  /// An empty folder stores nothing.
  explicit SideCarFolder(std::string folder, std::size_t most = kMostFiles) : folder_(std::move(folder)), most_(most) {}
  bool is_on() const { return !folder_.empty(); }
  /// Empty when there is none, or one larger than kMostBytes.
  std::string load(const std::string& identity) const;
  /// Changes with each save() by any process; nothing where there is no file.
  struct Stamp {
    std::uint64_t file;
    std::int64_t written_ns;
    bool operator==(const Stamp&) const = default;
  };
  std::optional<Stamp> stamp(const std::string& identity) const;
  /// Keeps other processes from saving while the returned descriptor is open: who changes a file loads it again below
  /// it. Waits for them, but no longer than `most_ms`: who holds it longer has stopped, or hangs. Closed where the
  /// folder cannot be made: save() says why.
  [[nodiscard]] Descriptor lock(int most_ms) const;
  /// Writes it, then forgets the oldest beyond `most`.
  Result<void> save(const std::string& identity, const std::string& text) const;

 private:
  std::string path_of(const std::string& identity) const;
  void forget_oldest() const;

  std::string folder_;
  std::size_t most_;
};

}  // namespace lacuna
