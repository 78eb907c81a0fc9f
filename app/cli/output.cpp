#include "app/cli/output.h"

#include <cerrno>
#include <cstring>

namespace lacuna {

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
  return fail(ErrorCode::kNotWritable, std::string("cannot write: ") + std::strerror(error_), "standard output");
}

}  // namespace lacuna
