#include "model/export/replace_file.h"

#include <algorithm>
#include <string>

#include "model/base/byte_source.h"

namespace lacuna {

Result<void> replace_file(const std::string& path, Existing existing,
                          const std::function<Result<void>(OutputFile&)>& write) {
  Result<ClaimedFile> claimed = ClaimedFile::claim(path, existing);
  if (!claimed) return tl::make_unexpected(claimed.error());
  const Result<void> written = write(claimed->file());
  Result<void> finished = claimed->file().finish();
  if (finished && !written) finished = written;
  if (finished) finished = claimed->publish();
  if (!finished) finished.error().file = path;
  return finished;
}

Result<void> copy_bytes(const ByteSource& from, std::uint64_t begin, std::uint64_t end, OutputFile& out) {
  std::string block(std::size_t{1} << 20, '\0');
  for (std::uint64_t at = begin; at < end && out.ok();) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), end - at));
    if (from.read_at(at, {block.data(), wanted}) != wanted)
      return fail(ErrorCode::kNotReadable, "the recording cannot be read back");
    out.write({block.data(), wanted});
    at += wanted;
  }
  return {};
}

}  // namespace lacuna
