#pragma once
// Makes zip and tar archives for tests.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

namespace lacuna::test {

inline std::string deflate(std::string_view text, std::uint16_t form) {
  std::string out(text.size() + text.size() / 8 + 1024, '\0');
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<std::uint32_t>(text.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = static_cast<std::uint32_t>(out.size());
  stream.end_of_stream = 1;
  stream.gzip_flag = form;
  if (isal_deflate(&stream) != COMP_OK) return {};
  out.resize(stream.total_out);
  return out;
}

struct ZipMember {
  std::string name;
  std::string text;
  bool is_deflated = true;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;        ///< replaces the method that was used
  std::uint32_t mode = 0;          ///< Unix mode
  std::uint32_t claimed_size = 0;  ///< replaces the real size
  std::uint32_t checksum_change = 0;
};

inline std::string make_zip(const std::vector<ZipMember>& members) {
  const auto number = [](std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  };
  std::string zip, list;
  for (const ZipMember& m : members) {
    const std::string stored = m.is_deflated ? deflate(m.text, IGZIP_DEFLATE) : m.text;
    const std::uint32_t sum =
        crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(m.text.data()), m.text.size()) ^ m.checksum_change;
    std::string shared;
    number(shared, 20, 2);
    number(shared, m.flags, 2);
    number(shared, m.method != 0 ? m.method : m.is_deflated ? 8 : 0, 2);
    number(shared, 0, 4);
    number(shared, sum, 4);
    number(shared, stored.size(), 4);
    number(shared, m.claimed_size != 0 ? m.claimed_size : m.text.size(), 4);
    number(shared, m.name.size(), 2);
    number(shared, 0, 2);
    const std::size_t at = zip.size();
    zip += "PK\x03\x04" + shared + m.name + stored;
    list += "PK\x01\x02";
    number(list, 3 << 8 | 20, 2);
    list += shared;
    number(list, 0, 6);
    number(list, 0, 0);
    number(list, std::uint64_t{m.mode} << 16, 4);
    number(list, at, 4);
    list += m.name;
  }
  const std::size_t at = zip.size();
  zip += list + "PK\x05\x06";
  number(zip, 0, 4);
  number(zip, members.size(), 2);
  number(zip, members.size(), 2);
  number(zip, list.size(), 4);
  number(zip, at, 4);
  number(zip, 0, 2);
  return zip;
}

/// Returns a file of a tar archive, padded; `type`: '0', 'x', 'L', '2' …
inline std::string tar_entry(const std::string& name, std::string_view text, char type = '0') {
  std::string head(512, '\0');
  const auto put = [&](std::size_t at, const std::string& field) { head.replace(at, field.size(), field); };
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(124, fmt::format("{:011o}", text.size()));
  put(156, std::string(1, type));
  put(257, "ustar");
  put(263, "00");
  put(148, "        ");
  unsigned sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum) + '\0');
  std::string entry = head + std::string(text);
  entry.resize((entry.size() + 511) / 512 * 512);
  return entry;
}

inline std::string make_tar(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string tar;
  for (const auto& [name, text] : files) tar += tar_entry(name, text);
  return tar + std::string(1024, '\0');
}

}  // namespace lacuna::test
