#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

// The values and their meaning are in import_finding.h, needed only by code that names one, so that a new
// kind does not rebuild everything that includes a trace.
enum class Finding : std::uint8_t;
enum class Severity : std::uint8_t;

/// Counts what an import repaired, could not link, did not match or did not understand, so that
/// nothing is dropped silently. A plain value: each importer thread fills its own, merge() adds them.
class ImportReport {
 public:
  static constexpr std::uint64_t kNoOffset = ~0ull;

  struct Line {
    Finding finding{};
    std::uint64_t count = 0;
    std::uint64_t first_offset = kNoOffset;  ///< byte offset of the earliest one, if known
    std::string example;                     ///< of the earliest one, such as the unknown phase
  };

  void add(Finding finding, std::uint64_t offset = kNoOffset, std::string_view example = {}, std::uint64_t count = 1);
  void merge(const ImportReport& other);

  std::uint64_t count(Finding finding) const { return line(finding).count; }
  const Line& line(Finding finding) const;
  /// Returns the lines with a count, most severe first, then in enum order.
  std::vector<Line> lines() const;
  /// Returns the sum of the counts of one severity.
  std::uint64_t total(Severity severity) const;
  bool empty() const;

 private:
  std::vector<Line> lines_;  // by finding; empty if there are none
};

}  // namespace lacuna
