#include "model/export/zip_file.h"

#include <algorithm>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <minizip/zip.h>

namespace lacuna {
namespace {

constexpr std::size_t kZipBlock = 1u << 20;
constexpr int kZipLevel = 6;

struct CloseZipFile {
  void operator()(void* zip) const { ::zipClose(zip, nullptr); }
};

bool put_text(void* zip, std::string_view text) {
  return text.empty() || ::zipWriteInFileInZip(zip, text.data(), static_cast<unsigned>(text.size())) == ZIP_OK;
}

Result<void> add_entry(void* zip, const ZipEntry& entry, const std::string& path) {
  const auto full = [&] { return fail(ErrorCode::kNotWritable, "the archive could not be written", path); };
  zip_fileinfo info{};
  info.dosDate = 0x21 << 16;  // 1980-01-01, the first day that zip knows
  const bool is_stored = !entry.path.empty();
  if (::zipOpenNewFileInZip64(zip, entry.name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
                              is_stored ? 0 : Z_DEFLATED, is_stored ? 0 : kZipLevel, 1) != ZIP_OK)
    return full();
  if (is_stored) {
    std::ifstream file(entry.path, std::ios::binary);
    std::string block(kZipBlock, '\0');
    while (file) {
      file.read(block.data(), static_cast<std::streamsize>(block.size()));
      if (!put_text(zip, std::string_view(block).substr(0, static_cast<std::size_t>(file.gcount())))) return full();
    }
    if (!file.eof()) return fail(ErrorCode::kNotReadable, "cannot be read", entry.path);
  }
  for (std::string_view rest = is_stored ? std::string_view() : entry.text; !rest.empty();
       rest.remove_prefix(std::min(rest.size(), kZipBlock)))
    if (!put_text(zip, rest.substr(0, kZipBlock))) return full();
  if (::zipCloseFileInZip(zip) != ZIP_OK) return full();
  return {};
}

}  // namespace

Result<void> write_zip(const std::string& path, Existing existing, const std::vector<ZipEntry>& entries) {
  Result<ClaimedFile> claimed = ClaimedFile::claim(path, existing);
  if (!claimed) return tl::make_unexpected(claimed.error());
  // The library writes the hidden file itself, because it goes back to the head of each member.
  if (Result<void> closed = claimed->file().finish(); !closed) return closed;
  std::unique_ptr<void, CloseZipFile> zip(::zipOpen64(claimed->written_path().c_str(), APPEND_STATUS_CREATE));
  if (zip == nullptr) return fail(ErrorCode::kNotWritable, "the archive could not be made", path);
  for (const ZipEntry& entry : entries)
    if (Result<void> added = add_entry(zip.get(), entry, path); !added) return added;
  if (::zipClose(zip.release(), nullptr) != ZIP_OK)
    return fail(ErrorCode::kNotWritable, "the archive could not be written", path);
  return claimed->publish();
}

}  // namespace lacuna
