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

/// The source text that a Python process runs: files that have not changed since the process began (it may not have
/// loaded a later version), and the text given to `python -c`. Reads each file once. One thread at
/// a time.
class PythonSource {
 public:
  explicit PythonSource(int pid);

  /// Returns the text at a place of a file, named as in the process; the whole first line when no
  /// columns are known. Nothing when the file cannot be read.
  std::optional<std::string> text(std::string_view file, const SourcePlace& place);

 private:
  using Lines = std::vector<std::string>;
  const Lines& lines_of(std::string_view file);
  void read(const std::string& path, Lines& lines);
  void read_command(Lines& lines) const;

  static constexpr std::size_t kMostSource = std::size_t{8} << 20;

  int pid_;
  std::int64_t began_;  // start of the process, CLOCK_REALTIME ns; 0 = not known
  std::unordered_map<std::string, Lines> files_;
  std::size_t bytes_ = 0;
};

}  // namespace lacuna
