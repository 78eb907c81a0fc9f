#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

// Their values and what they mean: import_finding.h, which only those need who name one, so that a new
// kind does not rebuild everything that holds a trace.
enum class Finding : std::uint8_t;
enum class Severity : std::uint8_t;

/// Counts what an import repaired, could not link, did not match or did not understand, so that
/// nothing is dropped unseen. A plain value: each importer thread fills its own, merge() adds them.
class ImportReport {
 public:
  static constexpr std::uint64_t kNoOffset = ~0ull;

  struct Line {
    Finding finding{};
    std::uint64_t count = 0;
    std::uint64_t first_offset = kNoOffset;  ///< byte offset of the earliest one, if it has one
    std::string example;                     ///< of the earliest one, for instance the unknown phase
  };

  void add(Finding finding, std::uint64_t offset = kNoOffset, std::string_view example = {}, std::uint64_t count = 1);
  void merge(const ImportReport& other);

  std::uint64_t count(Finding finding) const { return line(finding).count; }
  const Line& line(Finding finding) const;
  /// Lines with a count, most severe first, then in the order of the enum.
  std::vector<Line> lines() const;
  /// Sum of the counts of one severity.
  std::uint64_t total(Severity severity) const;
  bool empty() const;

 private:
  std::vector<Line> lines_;  // by finding; empty while there is none
};

}  // namespace lacuna
