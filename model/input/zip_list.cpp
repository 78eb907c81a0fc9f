#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <minizip/unzip.h>

#include "model/input/archive_lists.h"
#include "model/input/byte_window.h"

namespace lacuna {
namespace {

constexpr std::size_t kReadAhead = 64 * 1024;  // minizip asks for single bytes
constexpr std::size_t kLongestName = 4096;
constexpr std::string_view kEmptyList = "PK\x05\x06";

/// Bytes as minizip reads them: a file with a place in it.
struct SeenBytes {
  const ImportBytes& bytes;
  ByteWindow window{bytes};
  std::uint64_t at = 0;
};

SeenBytes& seen(void* stream) {
  return *static_cast<SeenBytes*>(stream);
}

zlib_filefunc64_def functions_for(SeenBytes& bytes) {
  zlib_filefunc64_def functions{};
  functions.opaque = &bytes;
  functions.zopen64_file = [](void* opaque, const void*, int) { return opaque; };
  functions.zread_file = [](void*, void* stream, void* out, uLong size) -> uLong {
    SeenBytes& file = seen(stream);
    const std::string_view there =
        file.window.ahead(file.at, size, std::max<std::size_t>(size, kReadAhead)).substr(0, size);
    there.copy(static_cast<char*>(out), there.size());
    file.at += there.size();
    return there.size();
  };
  functions.zwrite_file = [](void*, void*, const void*, uLong) -> uLong { return 0; };
  functions.ztell64_file = [](void*, void* stream) -> ZPOS64_T { return seen(stream).at; };
  functions.zseek64_file = [](void*, void* stream, ZPOS64_T offset, int origin) -> long {
    SeenBytes& file = seen(stream);
    const std::uint64_t size = file.bytes.size();
    const std::uint64_t from = origin == SEEK_SET ? 0 : origin == SEEK_CUR ? file.at : size;
    std::uint64_t to = 0;
    if (__builtin_add_overflow(from, offset, &to) || to > size) return -1;
    file.at = to;
    return 0;
  };
  functions.zclose_file = [](void*, void*) { return 0; };
  functions.zerror_file = [](void*, void*) { return 0; };
  return functions;
}

struct CloseZip {
  void operator()(void* zip) const { ::unzClose(zip); }
};

bool is_link_or_folder(const unz_file_info64& info, std::string_view name) {
  constexpr uLong kUnix = 3, kKind = 0170000, kRegular = 0100000;  // of st_mode, by APPNOTE.TXT 4.5.7
  const uLong kind = info.external_fa >> 16 & kKind;
  const bool has_kind = info.version >> 8 == kUnix && kind != 0;
  return name.ends_with('/') || (has_kind && kind != kRegular);
}

std::string obstacle_of(const unz_file_info64& info) {
  constexpr uLong kEncrypted = 1;
  if ((info.flag & kEncrypted) != 0) return "it is encrypted; unpack the archive first";
  const uLong method = info.compression_method;
  if (method == 0 || method == 8 || method == 93) return {};
  return fmt::format("its compression method is not supported (zip method {}); unpack the archive first", method);
}

}  // namespace

bool is_zip_head(std::string_view head) {
  return head.starts_with("PK\x03\x04") || head.starts_with(kEmptyList);
}

Result<std::vector<ArchiveMember>> list_zip(const ImportBytes& bytes, const ImportProgress* progress) {
  // A list lies at the end: of what is still being decompressed, that has to be waited for.
  if (const auto error = bytes.ending().error) return tl::make_unexpected(*error);
  std::array<char, 4> head{};
  if (bytes.read_at(0, head) == head.size() && std::string_view(head.data(), head.size()) == kEmptyList)
    return std::vector<ArchiveMember>();  // which minizip takes for none
  SeenBytes file{bytes};
  zlib_filefunc64_def functions = functions_for(file);
  const std::unique_ptr<void, CloseZip> zip(::unzOpen2_64("", &functions));
  unz_global_info64 global{};
  if (!zip || ::unzGetGlobalInfo64(zip.get(), &global) != UNZ_OK)
    return fail(ErrorCode::kNotATrace, "a zip archive that is cut off or damaged: the list of its files is missing", {},
                0);
  if (global.number_entry > OpenedArchive::kMostMembers)
    return fail(ErrorCode::kLimit, fmt::format("a zip archive that lists {} files; the limit is {}",
                                               global.number_entry, OpenedArchive::kMostMembers));
  std::vector<ArchiveMember> members;
  std::array<char, kLongestName + 1> buffer;
  int status = global.number_entry == 0 ? UNZ_END_OF_LIST_OF_FILE : ::unzGoToFirstFile(zip.get());
  for (; status == UNZ_OK; status = ::unzGoToNextFile(zip.get())) {
    if (progress != nullptr && progress->cancel) return fail(ErrorCode::kCancelled, "cancelled");
    unz_file_info64 info{};
    buffer.fill('\0');
    if (::unzGetCurrentFileInfo64(zip.get(), &info, buffer.data(), kLongestName, nullptr, 0, nullptr, 0) != UNZ_OK)
      break;
    const std::string_view name(buffer.data());
    ArchiveMember member{.name = clean_member_name(name),
                         .stored = info.compressed_size,
                         .size = info.uncompressed_size,
                         .checksum = static_cast<std::uint32_t>(info.crc),
                         .obstacle = obstacle_of(info)};
    if (member.name.empty() || info.size_filename > kLongestName || is_link_or_folder(info, name)) continue;
    if (info.compression_method == 8) member.storage = ArchiveMember::Storage::kDeflate;
    if (info.compression_method == 93) member.storage = ArchiveMember::Storage::kZstd;
    int method = 0, level = 0;
    if (member.obstacle.empty()) {
      // Where the bytes begin stands in the head of the file itself, which minizip compares with the list.
      const bool is_open = ::unzOpenCurrentFile2(zip.get(), &method, &level, 1) == UNZ_OK;
      member.begin = is_open ? ::unzGetCurrentFileZStreamPos64(zip.get()) : 0;
      if (is_open) ::unzCloseCurrentFile(zip.get());
      if (!is_open || member.begin > bytes.size() || member.stored > bytes.size() - member.begin)
        member.obstacle = "the archive is damaged: the file is not where the list of files says";
      if (member.storage == ArchiveMember::Storage::kPlain && member.stored != member.size)
        member.obstacle = "the archive is damaged: its two sizes differ";
    }
    members.push_back(std::move(member));
  }
  if (status != UNZ_END_OF_LIST_OF_FILE)
    return fail(ErrorCode::kNotATrace, "a zip archive whose list of files is damaged", {}, 0);
  return members;
}

}  // namespace lacuna
