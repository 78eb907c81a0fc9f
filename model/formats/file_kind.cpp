#include "model/formats/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "model/base/ascii.h"
#include "model/formats/chrome/json_text.h"

namespace lacuna {
namespace {

using namespace std::string_view_literals;

struct Kind {
  std::size_t at;
  std::string_view magic;
  std::string_view description;
};

constexpr std::array<Kind, 12> kKinds{{
    {0, "PK\x03\x04"sv, "a zip archive; unpack it first"},
    {257, "ustar"sv, "a tar archive; unpack it first"},
    {0, "BZh"sv, "bzip2 data; decompress it first"},
    {0, "\xFD\x37zXZ"sv, "xz data; decompress it first"},
    {0, "7z\xBC\xAF"sv, "a 7z archive; unpack it first"},
    {0, "\x04\x22\x4D\x18"sv, "lz4 data; decompress it first"},
    {0,
     "\x7F"
     "ELF"sv,
     "a program or library"},
    {0, "\x89PNG"sv, "an image"},
    {0, "%PDF"sv, "a PDF document"},
    {0, "\xFF\xFE"sv, "UTF-16 text; convert it to UTF-8 first"},
    {0, "\xFE\xFF"sv, "UTF-16 text; convert it to UTF-8 first"},
    {0, "version https://git-lfs"sv, "a Git LFS pointer in place of the file; fetch that with: git lfs pull"},
}};

}  // namespace

std::string describe_file(const ByteSource& bytes) {
  std::array<char, 512> buffer;
  const std::string_view head(buffer.data(), bytes.read_at(0, buffer));
  for (const Kind& kind : kKinds)
    if (head.size() > kind.at && head.substr(kind.at).starts_with(kind.magic)) return std::string(kind.description);
  std::string_view text = head;
  while (!text.empty() && is_json_space(text.front())) text.remove_prefix(1);
  if (text.empty()) return head.size() < buffer.size() ? "nothing but blanks" : "blanks";
  if (text.front() == '<') {
    const std::string lower = to_lower(text.substr(0, 64));
    const bool is_page =
        lower.starts_with("<!doctype html") || lower.starts_with("<html") || lower.starts_with("<head");
    return is_page ? "an HTML page, as is saved in place of a file behind a login; download the file itself" : "XML";
  }
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    const bool is_cut = length == 0 && text.size() - i < 4 && head.size() == buffer.size();
    if (is_cut) break;
    const bool is_control = length == 1 && std::iscntrl(static_cast<unsigned char>(text[i])) != 0;
    if (length == 0 || (is_control && !is_json_space(text[i])))
      return text.front() == '\n' || head.front() == '\n' ? "binary data (a Perfetto protobuf trace?)" : "binary data";
    i += length;
  }
  const std::string_view line = text.substr(0, std::min(text.find_first_of("\r\n"), text.size()));
  return "text that begins with '" + std::string(line.substr(0, utf8_cut(line, 40))) + "'";
}

}  // namespace lacuna
