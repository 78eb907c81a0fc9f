#include "model/export/output_file.h"

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <unistd.h>
#include <zstd.h>

namespace lacuna {
namespace {

constexpr std::size_t kBufferBytes = OutputFile::kFrameBytes;
/// Fast (over 1 GB/s) rather than small: a recording must not wait for its file. A tenth of the text all the same.
constexpr int kZstdLevel = -4;

}  // namespace

struct OutputFile::State {
  std::string path;
  int descriptor = -1;
  int error = 0;  // errno of the first failure
  std::uint64_t size = 0;
  std::string buffer;  // text not yet written or compressed, less than kBufferBytes
  bool is_gzip = false;
  bool is_zstd = false;
  std::vector<Frame> frames;
  Frame written;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> zstd{nullptr, ZSTD_freeCCtx};
  isal_zstream stream{};
  std::vector<std::uint8_t> level_buffer;
  std::vector<std::uint8_t> compressed;
  int copy_descriptor = -1;
  bool copy_failed = false;
  std::string copy;

  void write_copy() {
    const char* at = copy.data();
    for (std::size_t bytes = copy.size(); bytes > 0 && !copy_failed;) {
      const ssize_t done = ::write(copy_descriptor, at, bytes);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) {
        copy_failed = true;
        break;
      }
      at += done;
      bytes -= static_cast<std::size_t>(done);
    }
    copy.clear();
  }

  void write_all(const void* data, std::size_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0 && error == 0) {
      const ssize_t done = ::write(descriptor, at, bytes);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) {
        error = done < 0 ? errno : ENOSPC;
        return;
      }
      at += done;
      bytes -= static_cast<std::size_t>(done);
      written.file += static_cast<std::uint64_t>(done);
    }
  }

  void write_frame() {
    if (buffer.empty()) return;
    const std::size_t made =
        ZSTD_compressCCtx(zstd.get(), compressed.data(), compressed.size(), buffer.data(), buffer.size(), kZstdLevel);
    if (ZSTD_isError(made)) {
      error = EIO;
      return;
    }
    const Frame begin = written;
    write_all(compressed.data(), made);
    if (error == 0) frames.push_back(begin);
  }

  void compress(std::uint16_t flush, bool is_last) {
    stream.next_in = reinterpret_cast<std::uint8_t*>(buffer.data());
    stream.avail_in = static_cast<std::uint32_t>(buffer.size());
    stream.flush = flush;
    stream.end_of_stream = is_last ? 1 : 0;
    do {
      stream.next_out = compressed.data();
      stream.avail_out = static_cast<std::uint32_t>(compressed.size());
      if (isal_deflate(&stream) != COMP_OK) {
        error = EIO;
        return;
      }
      write_all(compressed.data(), compressed.size() - stream.avail_out);
    } while (stream.avail_out == 0 && error == 0);
  }

  void append(std::string_view text);

  void empty_buffer(std::uint16_t flush, bool is_last) {
    if (error == 0) {
      if (is_zstd) {
        write_frame();
      } else if (is_gzip) {
        compress(flush, is_last);
      } else {
        write_all(buffer.data(), buffer.size());
      }
      if (error == 0) written.text += buffer.size();
    }
    buffer.clear();
  }
};

void OutputFile::State::append(std::string_view text) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, kBufferBytes - buffer.size());
    buffer.append(part);
    if (buffer.size() >= kBufferBytes) empty_buffer(NO_FLUSH, false);
    text.remove_prefix(part.size());
  }
}

Result<OutputFile> OutputFile::create(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return fail(errno == EEXIST ? ErrorCode::kInvalidArgument : ErrorCode::kNotWritable, std::strerror(errno), path);
  return adopt(descriptor, path);
}

OutputFile OutputFile::adopt(int descriptor, const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->descriptor = descriptor;
  state->buffer.reserve(kBufferBytes + 4096);
  state->is_gzip = path.ends_with(".gz");
  state->is_zstd = path.ends_with(".zst");
  if (state->is_zstd) {
    state->zstd.reset(ZSTD_createCCtx());
    if (!state->zstd) throw std::bad_alloc();
    state->compressed.resize(ZSTD_compressBound(kBufferBytes));
  }
  if (state->is_gzip) {
    isal_deflate_init(&state->stream);
    state->level_buffer.resize(ISAL_DEF_LVL1_DEFAULT);
    state->compressed.resize(kBufferBytes);
    state->stream.gzip_flag = IGZIP_GZIP;
    state->stream.level = 1;
    state->stream.level_buf = state->level_buffer.data();
    state->stream.level_buf_size = ISAL_DEF_LVL1_DEFAULT;
  }
  return OutputFile(std::move(state));
}

OutputFile::OutputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputFile::OutputFile(OutputFile&& other) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&& other) noexcept = default;

OutputFile::~OutputFile() {
  if (state_ != nullptr) (void)finish();
}

void OutputFile::keep_plain_copy(int descriptor) {
  state_->copy_descriptor = descriptor;
  state_->copy.reserve(kBufferBytes + 4096);
}

bool OutputFile::flush_plain() {
  if (state_->copy_descriptor < 0) {
    state_->empty_buffer(NO_FLUSH, false);
    return ok();
  }
  state_->write_copy();
  return !state_->copy_failed;
}

void OutputFile::write(std::string_view text) {
  state_->size += text.size();
  if (state_->error != 0) return;
  if (state_->copy_descriptor >= 0 && !state_->copy_failed) {
    state_->copy.append(text);
    if (state_->copy.size() >= kBufferBytes) state_->write_copy();
  }
  state_->append(text);
}

bool OutputFile::is_compressed() const {
  return state_->is_gzip || state_->is_zstd;
}
const std::vector<OutputFile::Frame>& OutputFile::frames() const {
  return state_->frames;
}
OutputFile::Frame OutputFile::written() const {
  return state_->written;
}
bool OutputFile::ok() const {
  return state_->error == 0;
}
std::uint64_t OutputFile::size() const {
  return state_->size;
}
void OutputFile::flush() {
  state_->empty_buffer(SYNC_FLUSH, false);
}

Result<void> OutputFile::finish() {
  if (state_->descriptor >= 0) {
    state_->empty_buffer(NO_FLUSH, true);
    if (close(state_->descriptor) != 0 && state_->error == 0) state_->error = errno;
    state_->descriptor = -1;
    if (state_->copy_descriptor >= 0) {
      state_->write_copy();
      close(std::exchange(state_->copy_descriptor, -1));
    }
  }
  if (state_->error == 0) return {};
  return fail(ErrorCode::kNotWritable, std::strerror(state_->error), state_->path);
}

}  // namespace lacuna
