#include "app/cli/output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "model/export/replace_file.h"
#include "model/import/trace_files.h"
#include "model/input/archive.h"

namespace lacuna {

Result<void> check_is_no_input(const std::string& output, std::span<const std::string> paths) {
  const auto files = find_trace_files(paths);
  if (!files) return {};
  std::error_code missing;
  for (const TraceFile& file : *files)
    if (std::filesystem::equivalent(file_on_disk(file.path), output, missing))
      return fail(ErrorCode::kInvalidArgument, "is the file that was read, so it was not replaced", output);
  return {};
}

void Output::write(std::string_view text) {
  if (text_ != nullptr) {
    text_->append(text);
    return;
  }
  if (!ok()) return;
  buffer_.append(text);
  constexpr std::size_t kFlushBytes = std::size_t{1} << 16;
  if (buffer_.size() >= kFlushBytes) flush();
}

void Output::flush() {
  if (!ok()) return;
  errno = 0;
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size() || std::fflush(file_) != 0)
    error_ = errno != 0 ? errno : EIO;
  buffer_.clear();
}

Result<void> Output::finish() {
  if (file_ != nullptr) flush();
  if (error_ == 0 || error_ == EPIPE) return {};
  return fail(ErrorCode::kNotWritable, std::string("cannot write: ") + std::strerror(error_), name_);
}

Result<void> write_answer(const std::string& path, std::span<const std::string> inputs,
                          const std::function<void(Output&)>& write) {
  if (Result<void> safe = check_is_no_input(path, inputs); !safe) return safe;
  std::string text;
  Output to(text);
  write(to);
  return replace_file(path, Existing::kReplace, [&](OutputFile& file) {
    file.write(text);
    return Result<void>{};
  });
}

}  // namespace lacuna
