#include "model/export/replace_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "model/byte_source.h"

namespace lacuna {

Result<void> replace_file(const std::string& path, const std::function<Result<void>(OutputFile&)>& write) {
  const std::filesystem::path target(path);
  const std::string unfinished = (target.parent_path() / (".saving-" + target.filename().string())).string();
  Result<OutputFile> created = OutputFile::create(unfinished);
  if (!created) return fail(created.error().code, created.error().cause, path);
  OutputFile out = std::move(*created);
  const Result<void> written = write(out);
  Result<void> finished = out.finish();
  if (finished && !written) finished = written;
  if (finished && std::rename(unfinished.c_str(), path.c_str()) != 0)
    finished = fail(ErrorCode::kNotWritable, std::strerror(errno));
  if (!finished) {
    unlink(unfinished.c_str());
    finished.error().file = path;
  }
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
