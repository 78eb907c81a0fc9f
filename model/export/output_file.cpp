#include "model/export/output_file.h"

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include "model/base/os/files.h"

namespace lacuna {
namespace {

constexpr std::size_t kBufferBytes = OutputFile::kFrameBytes;
/// Fast (over 1 GB/s) rather than small: a recording must not wait for its file. A tenth of the text all the same.
constexpr int kZstdLevel = -4;

}  // namespace

struct OutputFile::State {
  std::string path;
  Descriptor descriptor;
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
  Descriptor copy_descriptor;
  bool copy_failed = false;
  std::string copy;

  void write_copy() {
    copy_failed = copy_failed || !lacuna::write_all(copy_descriptor.get(), copy);
    copy.clear();
  }

  void write_out(const void* data, std::size_t bytes) {
    std::string_view rest(static_cast<const char*>(data), bytes);
    while (!rest.empty() && error == 0) {
      const auto done = write_some(descriptor.get(), rest);
      if (!done) {
        error = errno;
        return;
      }
      rest.remove_prefix(*done);
      written.file += *done;
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
    write_out(compressed.data(), made);
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
      write_out(compressed.data(), compressed.size() - stream.avail_out);
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
        write_out(buffer.data(), buffer.size());
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
  Descriptor file = create_file(path);
  if (!file.is_open())
    return fail(errno == EEXIST ? ErrorCode::kInvalidArgument : ErrorCode::kNotWritable, std::strerror(errno), path);
  return adopt(std::move(file), path);
}

OutputFile OutputFile::adopt(Descriptor descriptor, const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->descriptor = std::move(descriptor);
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

void OutputFile::keep_plain_copy(Descriptor descriptor) {
  state_->copy_descriptor = std::move(descriptor);
  state_->copy.reserve(kBufferBytes + 4096);
}

bool OutputFile::flush_plain() {
  if (!state_->copy_descriptor.is_open()) {
    state_->empty_buffer(NO_FLUSH, false);
    return ok();
  }
  state_->write_copy();
  return !state_->copy_failed;
}

void OutputFile::write(std::string_view text) {
  state_->size += text.size();
  if (state_->error != 0) return;
  if (state_->copy_descriptor.is_open() && !state_->copy_failed) {
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
  if (state_->descriptor.is_open()) {
    state_->empty_buffer(NO_FLUSH, true);
    if (!state_->descriptor.close() && state_->error == 0) state_->error = errno;
    if (state_->copy_descriptor.is_open()) {
      state_->write_copy();
      (void)state_->copy_descriptor.close();
    }
  }
  if (state_->error == 0) return {};
  return fail(ErrorCode::kNotWritable, std::strerror(state_->error), state_->path);
}

}  // namespace lacuna
