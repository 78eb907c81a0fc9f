#include "model/export/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <isa-l/igzip_lib.h>

namespace lacuna {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

}  // namespace

struct OutputFile::State {
  std::string path;
  int descriptor = -1;
  int error = 0;  // errno of the first failure
  std::uint64_t size = 0;
  std::string buffer;  // text not yet written or compressed
  bool is_gzip = false;
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
    }
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

  void empty_buffer(std::uint16_t flush, bool is_last) {
    if (error == 0) {
      if (is_gzip) {
        compress(flush, is_last);
      } else {
        write_all(buffer.data(), buffer.size());
      }
    }
    buffer.clear();
  }
};

Result<OutputFile> OutputFile::create(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (state->descriptor < 0) return fail(ErrorCode::kNotWritable, std::strerror(errno), path);
  state->buffer.reserve(kBufferBytes + 4096);
  state->is_gzip = path.ends_with(".gz");
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
  state_->buffer.append(text);
  if (state_->buffer.size() >= kBufferBytes) state_->empty_buffer(NO_FLUSH, false);
}

bool OutputFile::ok() const { return state_->error == 0; }
std::uint64_t OutputFile::size() const { return state_->size; }
void OutputFile::flush() { state_->empty_buffer(SYNC_FLUSH, false); }

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
