#include "app/finding/trace_identity.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "model/import/request_lanes.h"
#include "model/input/archive.h"

namespace lacuna {
namespace {

constexpr std::streamoff kSample = 64 << 10;

/// FNV-1a. Told apart are the few traces of one user, by accident alike, not by malice.
struct Hash {
  std::uint64_t value;
  void add(const char* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      value ^= static_cast<unsigned char>(data[i]);
      value *= 0x100000001b3ull;
    }
  }
};

bool add_file(const std::string& path, Hash& a, Hash& b) {
  std::ifstream file(file_on_disk(path), std::ios::binary | std::ios::ate);
  if (!file) return false;
  const std::streamoff size = file.tellg();
  if (size < 0) return false;
  std::vector<char> sample(static_cast<std::size_t>(std::min(size, kSample)));
  const auto add = [&](std::streamoff from) {
    file.seekg(from);
    file.read(sample.data(), static_cast<std::streamsize>(sample.size()));
    if (!file) return false;
    a.add(sample.data(), sample.size());
    b.add(sample.data(), sample.size());
    return true;
  };
  const std::string length = fmt::format("{};{}", size, std::string_view(path).substr(file_on_disk(path).size()));
  a.add(length.data(), length.size());
  b.add(length.data(), length.size());
  return add(0) && add(size - static_cast<std::streamoff>(sample.size()));
}

}  // namespace

std::string trace_identity(std::span<const TraceSource> sources) {
  Hash a{0xcbf29ce484222325ull};
  Hash b{0x9e3779b97f4a7c15ull};
  const bool is_of_requests = std::ranges::all_of(sources, has_requests);
  for (const TraceSource& source : sources)
    if ((is_of_requests || !has_requests(source)) && !add_file(source.path, a, b)) return {};
  return sources.empty() ? std::string() : fmt::format("{:016x}{:016x}", a.value, b.value);
}

}  // namespace lacuna
