#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/sampling/python_lines.h"

namespace lacuna {

/// The source text of what a Python process runs: files that have not changed since the process began (what was
/// written later may not be what it has loaded), and the text behind `python -c`. Each file is read once. One thread at
/// a time.
class PythonSource {
 public:
  explicit PythonSource(int pid);

  /// What stands between two places of a file as the process names it; its whole first line where no
  /// columns are known. Nothing where the file cannot be read.
  std::optional<std::string> text(std::string_view file, const SourcePlace& place);

 private:
  using Lines = std::vector<std::string>;
  const Lines& lines_of(std::string_view file);
  void read(const std::string& path, Lines& lines);
  void read_command(Lines& lines) const;

  static constexpr std::size_t kMostSource = std::size_t{8} << 20;

  int pid_;
  std::int64_t began_;  // CLOCK_REALTIME ns; 0 = not known
  std::unordered_map<std::string, Lines> files_;
  std::size_t bytes_ = 0;
};

}  // namespace lacuna
