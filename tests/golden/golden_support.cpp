#include "tests/golden/golden_support.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>

#include "model/import/importer.h"
#include "tests/support/paths.h"

namespace lacuna {

namespace fs = std::filesystem;

fs::path shared_traces() {
  const char* chosen = std::getenv("LACUNA_SHARED_TRACES");
  const fs::path folder =
      chosen != nullptr && *chosen != '\0' ? fs::path(chosen) : fs::path(source_folder()) / ".." / "shared" / "traces";
  std::error_code error;
  return fs::is_directory(folder, error) ? folder : fs::path{};
}

fs::path fixtures() {
  return fs::path(source_folder()) / "tests" / "fixtures";
}
fs::path demo_trace() {
  return fs::path(source_folder()) / "assets" / "demo.trace.json.gz";
}

std::vector<fs::path> files_ending_in(const fs::path& folder, std::string_view suffix) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().string().ends_with(suffix)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

fs::path without_suffix(const fs::path& path, std::string_view suffix) {
  const std::string text = path.string();
  return text.substr(0, text.size() - suffix.size());
}

nlohmann::json read_json(const fs::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file, nullptr, false);
}

Trace load_golden(const fs::path& path) {
  const std::array<std::string, 1> paths{path.string()};
  Result<Trace> trace = import_files(paths);
  if (!trace) FAIL_CHECK(trace.error().message());
  return trace ? std::move(*trace) : Trace();
}

std::string json_of(const Trace& trace) {
  REQUIRE(trace.sources().size() == 1);
  const TraceSource& source = trace.sources().front();
  REQUIRE(source.bytes);
  std::string text(source.json_bytes, '\0');
  CHECK(source.bytes->read_at(0, text) == text.size());
  return text;
}

std::vector<std::uint64_t> event_offsets(std::string_view json) {
  std::vector<std::uint64_t> offsets;
  int depth = 0;
  int list_depth = -1;  // depth inside the list of events, once it is open
  std::string_view last_string;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') {
      const std::size_t start = ++i;
      while (json[i] != '"') i += json[i] == '\\' ? 2 : 1;
      last_string = json.substr(start, i - start);
    } else if (c == '[' || c == '{') {
      if (depth == list_depth) offsets.push_back(i);
      const bool is_list = c == '[' && (depth == 0 || (depth == 1 && last_string == "traceEvents"));
      ++depth;
      if (is_list && list_depth < 0) list_depth = depth;
    } else if (c == ']' || c == '}') {
      if (depth-- == list_depth) break;
    }
  }
  return offsets;
}

std::string sha256(std::string_view data) {
  // FIPS 180-4.
  static constexpr std::array<std::uint32_t, 64> kRounds{
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  std::array<std::uint32_t, 8> state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string padded(data);
  padded += '\x80';
  padded.append((120 - padded.size() % 64) % 64, '\0');
  for (int shift = 56; shift >= 0; shift -= 8)
    padded += static_cast<char>(static_cast<std::uint64_t>(data.size()) * 8 >> shift);

  for (std::size_t block = 0; block < padded.size(); block += 64) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | static_cast<std::uint8_t>(padded[block + i]);
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
      const std::uint32_t b = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    auto s = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t e = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
      const std::uint32_t t1 = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + kRounds[i] + w[i];
      const std::uint32_t a = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
      const std::uint32_t t2 = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
      s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) state[i] += s[i];
  }
  std::string hex;
  for (const std::uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 15];
  return hex;
}

}  // namespace lacuna
