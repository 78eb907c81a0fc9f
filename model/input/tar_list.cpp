#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "model/input/archive_lists.h"

namespace lacuna {
namespace {

constexpr std::size_t kLongestExtra = 64 * 1024;  // of a name or of records beside a head
constexpr std::uint64_t kNoSize = UINT64_MAX;

/// A field of a head: text up to its first zero byte.
std::string_view text_of(std::string_view block, std::size_t at, std::size_t size) {
  const std::string_view field = block.substr(at, size);
  return field.substr(0, std::min(field.find('\0'), field.size()));
}

/// Octal digits between blanks; GNU writes large ones as binary, after a byte of 0x80.
std::optional<std::uint64_t> number_of(std::string_view block, std::size_t at, std::size_t size) {
  std::string_view field = block.substr(at, size);
  std::uint64_t value = 0;
  if (static_cast<unsigned char>(field.front()) == 0x80) {
    for (const char c : field.substr(1)) {
      if (value >> 56 != 0) return {};
      value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
  }
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  const auto read = std::from_chars(field.data(), field.data() + field.size(), value, 8);
  if (read.ec == std::errc::result_out_of_range) return {};
  const auto rest = static_cast<std::size_t>(read.ptr - field.data());
  if (rest < field.size() && field[rest] != ' ' && field[rest] != '\0') return {};
  return value;
}

/// What the records of a pax head say of the file that follows: "30 path=a/b.json\n".
void read_pax(std::string_view records, std::string& name, std::uint64_t& size) {
  while (!records.empty()) {
    std::size_t length = 0;
    const auto read = std::from_chars(records.data(), records.data() + records.size(), length);
    const auto used = static_cast<std::size_t>(read.ptr - records.data());
    if (read.ec != std::errc{} || length <= used + 1 || length > records.size() || records[used] != ' ') return;
    const std::string_view record = records.substr(used + 1, length - used - 2);
    const std::size_t equals = record.find('=');
    if (equals == record.npos) return;
    const std::string_view key = record.substr(0, equals), value = record.substr(equals + 1);
    if (key == "path") name = value;
    std::uint64_t number = 0;
    if (key == "size" && std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc{})
      size = number;
    records.remove_prefix(length);
  }
}

}  // namespace

bool is_tar_head(std::string_view head) {
  if (head.size() < kTarBlock || head.front() == '\0') return false;
  constexpr std::size_t kSumAt = 148, kSumSize = 8;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kTarBlock; ++i)
    sum += i >= kSumAt && i < kSumAt + kSumSize ? ' ' : static_cast<unsigned char>(head[i]);
  return number_of(head, kSumAt, kSumSize) == sum;
}

Result<std::vector<ArchiveMember>> list_tar(const ImportBytes& bytes, const ImportProgress* progress) {
  std::vector<ArchiveMember> members;
  std::string long_name;
  std::uint64_t long_size = kNoSize;
  std::array<char, kTarBlock> buffer;
  for (std::uint64_t at = 0;;) {
    if (progress != nullptr && progress->cancel) return fail(ErrorCode::kCancelled, "cancelled");
    const std::string_view block(buffer.data(), bytes.read_at(at, buffer));
    if (!is_tar_head(block)) break;  // two blocks of zeros, or cut off there
    at += kTarBlock;
    const char type = block[156];
    const std::uint64_t size = number_of(block, 124, 12).value_or(kNoSize);
    const bool is_extra = type == 'L' || type == 'x' || type == 'g' || type == 'K';
    const std::uint64_t claimed = is_extra || long_size == kNoSize ? size : long_size;
    if (claimed > UINT64_MAX / 4) break;  // no number, or none of a file
    if (type == 'L' || type == 'x') {
      std::string extra(static_cast<std::size_t>(std::min<std::uint64_t>(size, kLongestExtra)), '\0');
      extra.resize(bytes.read_at(at, extra));
      if (type == 'L') long_name = extra.substr(0, extra.find('\0'));
      if (type == 'x') read_pax(extra, long_name, long_size);
    } else if (!is_extra) {
      std::string name = std::exchange(long_name, {});
      long_size = kNoSize;
      if (name.empty()) {
        const std::string_view prefix =
            block.substr(257, 6) == std::string_view("ustar\0", 6) ? text_of(block, 345, 155) : std::string_view();
        name = fmt::format("{}{}{}", prefix, prefix.empty() ? "" : "/", text_of(block, 0, 100));
      }
      const bool is_file = (type == '0' || type == '\0' || type == '7') && !name.ends_with('/');
      if (is_file)
        members.push_back({.name = clean_member_name(name), .begin = at, .stored = claimed, .size = claimed});
      if (is_file && members.back().name.empty()) members.pop_back();
      if (members.size() > OpenedArchive::kMostMembers)
        return fail(ErrorCode::kLimit, fmt::format("a tar archive of more than {} files, which is the limit",
                                                   OpenedArchive::kMostMembers));
    }
    at += (claimed + kTarBlock - 1) / kTarBlock * kTarBlock;
  }
  if (const auto error = bytes.ending().error) return tl::make_unexpected(*error);
  return members;
}

}  // namespace lacuna
