#include "model/input/bytes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "model/base/guarded.h"
#include "model/base/os/files.h"
#include "model/input/archive.h"
#include "model/input/growing_bytes.h"
#include "model/input/gzip_members.h"
#include "model/input/memory_room.h"
#include "model/input/open_stream.h"
#include "model/input/streams.h"

namespace lacuna {
namespace {

constexpr std::size_t kPublishBytes = 256 * 1024;
constexpr std::uint64_t kCheckBytes = std::uint64_t{32} << 20;  // of memory made between two looks at what is left
constexpr int kDeepestNesting = 4;                              // gzip in gzip
constexpr int kPollMilliseconds = 20;

bool has_been_cancelled(const ImportProgress* progress) {
  return progress != nullptr && progress->cancel.load(std::memory_order_relaxed);
}

std::string system_message(int error) {
  return std::generic_category().message(error);
}

class PlainFile final : public ImportBytes {
 public:
  PlainFile(Descriptor file, const FileFacts& at_open) : file_(std::move(file)), at_open_(at_open) {}

  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    if (is_abandoned_.load(std::memory_order_relaxed)) return 0;
    int error = 0;
    const std::size_t got = lacuna::read_at(file_.get(), offset, out, &error);
    if (error != 0) error_ = error;
    return got;
  }
  Ending ending() const override {
    Ending ending;
    if (const int error = error_; error != 0)
      ending.error = Error{ErrorCode::kNotReadable, "cannot read the file: " + system_message(error), {}, {}};
    return ending;
  }
  std::uint64_t size() const override { return at_open_.bytes; }
  std::optional<std::uint64_t> known_size() const override { return size(); }
  bool has_changed() const override {
    const auto now = facts_of(file_.get());
    return !now || now->bytes != at_open_.bytes || now->modified_ns != at_open_.modified_ns;
  }
  void abandon() override { is_abandoned_ = true; }

 private:
  const Descriptor file_;
  const FileFacts at_open_;
  mutable std::atomic<int> error_{0};  // errno of a read that failed
  std::atomic<bool> is_abandoned_{false};
};

class MemoryBytes final : public ImportBytes {
 public:
  explicit MemoryBytes(std::string text) : text_(std::move(text)) {}

  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    if (offset >= text_.size() || is_abandoned_.load(std::memory_order_relaxed)) return 0;
    const std::size_t count = std::min<std::uint64_t>(out.size(), text_.size() - offset);
    std::memcpy(out.data(), text_.data() + offset, count);
    return count;
  }
  std::uint64_t size() const override { return text_.size(); }
  std::optional<std::uint64_t> known_size() const override { return text_.size(); }
  std::size_t memory_bytes() const override { return text_.capacity(); }
  void abandon() override { is_abandoned_ = true; }

 private:
  std::string text_;
  std::atomic<bool> is_abandoned_{false};
};

/// A file descriptor from its current position on.
class FileStream final : public Stream {
 public:
  FileStream(Descriptor file, ImportProgress* progress) : file_(std::move(file)), progress_(progress) {}

  std::size_t read(std::span<char> out) override {
    // A pipe may stay silent for ever; cancelling must still end the wait. Files never do.
    while (!wait_readable(file_.get(), kPollMilliseconds))
      if (has_been_cancelled(progress_)) return 0;
    const auto got = read_next(file_.get(), out);
    if (!got) error_ = system_message(errno);
    if (got && progress_ != nullptr) progress_->bytes_done += *got;
    return got.value_or(0);
  }
  std::string error() const override { return error_; }

 private:
  const Descriptor file_;
  ImportProgress* progress_;
  std::string error_;
};

class MemoryStream final : public Stream {
 public:
  explicit MemoryStream(std::string data) : data_(std::move(data)) {}
  std::size_t read(std::span<char> out) override {
    const std::size_t count = std::min(out.size(), data_.size() - used_);
    if (count > 0) std::memcpy(out.data(), data_.data() + used_, count);
    used_ += count;
    return count;
  }

 private:
  std::string data_;
  std::size_t used_ = 0;
};

/// What a stream delivers, kept in blocks that never move; a thread of its own reads the stream
/// while readers already use what is there.
class StreamBytes final : public ImportBytes {
 public:
  /// `progress` (may be null) must live until the data have ended or were abandoned.
  StreamBytes(std::unique_ptr<Stream> stream, std::uint64_t most_bytes, const ImportProgress* progress)
      : stream_(std::move(stream)), most_bytes_(most_bytes), progress_(progress), thread_([this] { run(); }) {}
  ~StreamBytes() override { stop(); }

  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override {
    std::size_t done = 0;
    while (done < out.size()) {
      const std::uint64_t at = offset + done;
      const char* block = nullptr;
      std::size_t count = 0;
      {
        std::unique_lock lock(mutex_);
        wait(lock, [&] { return is_over_ || available_ >= offset + out.size(); });
        if (is_abandoned_ || at >= available_) break;
        const std::size_t into = at % kByteBlock;
        block = blocks_[at / kByteBlock].get() + into;
        count =
            static_cast<std::size_t>(std::min<std::uint64_t>({out.size() - done, kByteBlock - into, available_ - at}));
      }
      std::memcpy(out.data() + done, block, count);
      done += count;
    }
    return done;
  }
  std::uint64_t size() const override {
    const std::scoped_lock lock(mutex_);
    return available_;
  }
  std::size_t memory_bytes() const override {
    const std::scoped_lock lock(mutex_);
    return blocks_.size() * kByteBlock;
  }
  std::optional<std::uint64_t> known_size() const override {
    const std::scoped_lock lock(mutex_);
    return is_over_ ? std::optional(available_) : std::nullopt;
  }
  Ending ending() const override {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return is_over_; });
    return ending_;
  }
  void abandon() override {
    const std::scoped_lock lock(mutex_);
    is_abandoned_ = is_over_ = true;
    arrived_.notify_all();
  }

 private:
  template <class Condition>
  void wait(std::unique_lock<std::mutex>& lock, Condition is_met) const {
    while (!is_met()) {
      if (has_been_cancelled(progress_)) return;
      arrived_.wait_for(lock, std::chrono::milliseconds(kPollMilliseconds));
    }
  }

  void run() {
    Ending ending;
    if (!run_guarded([&] { pump(ending); }, [](std::string_view) {})) ending.error = std::move(no_memory_);
    const std::scoped_lock lock(mutex_);
    ending.is_truncated = stream_->is_truncated();
    ending.truncated_at = available_;
    ending.garbage_bytes = stream_->garbage_bytes();
    ending_ = std::move(ending);
    stream_.reset();
    is_over_ = true;
    arrived_.notify_all();
  }

  void pump(Ending& ending) {
    char* block = nullptr;
    std::uint64_t made = 0;
    while (true) {
      const std::size_t into = made % kByteBlock;
      if (into == 0) {
        Result<void> room;
        if (made % kCheckBytes == 0) room = check_memory_of_stream(made);
        if (!room) {
          ending.error = room.error();
          return;
        }
        ByteBlock fresh = make_byte_block();
        block = fresh.get();
        const std::scoped_lock lock(mutex_);
        blocks_.push_back(std::move(fresh));
      }
      const std::size_t got = stream_->read({block + into, std::min(kPublishBytes, kByteBlock - into)});
      made += got;
      const std::scoped_lock lock(mutex_);
      if (is_abandoned_ || has_been_cancelled(progress_)) return;
      if (made > most_bytes_) {
        ending.error = Error{ErrorCode::kLimit,
                             "more than " + describe_bytes(most_bytes_) +
                                 " after decompression, which is the limit; --max-bytes raises it",
                             {},
                             {}};
        return;
      }
      if (got == 0) {
        if (const std::string why = stream_->error(); !why.empty())
          ending.error = Error{ErrorCode::kNotReadable, "cannot read the file: " + why, {}, {}};
        if (into == 0) blocks_.pop_back();
        return;
      }
      available_ = made;
      arrived_.notify_all();
    }
  }

  void stop() {
    abandon();
    if (thread_.joinable()) thread_.join();
  }

  std::unique_ptr<Stream> stream_;
  const std::uint64_t most_bytes_;
  const ImportProgress* const progress_;
  Error no_memory_{
      ErrorCode::kLimit, "not enough memory for the decompressed data", {}, {}};  // made while there is some
  mutable std::mutex mutex_;
  mutable std::condition_variable arrived_;
  std::vector<ByteBlock> blocks_;
  std::uint64_t available_ = 0;
  bool is_over_ = false;
  bool is_abandoned_ = false;
  Ending ending_;
  std::thread thread_;
};

/// Reads up to `size` bytes: what a stream begins with.
std::string read_head(Stream& stream, std::size_t size) {
  std::string head(size, '\0');
  std::size_t done = 0;
  for (std::size_t got = 1; got > 0 && done < size; done += got) got = stream.read({head.data() + done, size - done});
  head.resize(done);
  return head;
}

/// Opens a file to read. Of a pipe it waits until something is written into it: opening it as a file would wait as
/// well, and could not be cancelled. ECANCELED: it was.
Descriptor open_to_read(const std::string& path, ImportProgress* progress) {
  Descriptor file = open_for_reading(path);
  if (!file.is_open()) return {};  // errno is that of opening it
  const auto facts = facts_of(file.get());
  if (!facts) return {};
  while (facts->kind == FileFacts::Kind::kPipe && !wait_readable(file.get(), kPollMilliseconds)) {
    if (progress == nullptr) continue;
    progress->waits_for_writer = true;
    if (!has_been_cancelled(progress)) continue;
    errno = ECANCELED;
    return {};
  }
  if (progress != nullptr) progress->waits_for_writer = false;
  wait_as_usual(file.get());
  return file;
}

}  // namespace

OpenedFile open_stream(std::unique_ptr<Stream> stream, std::uint64_t most_bytes, const ImportProgress* progress,
                       int depth) {
  OpenedFile opened;
  opened.containers = depth == 0 ? "" : ", gzip";
  for (; depth < kDeepestNesting; ++depth) {
    std::string head = read_head(*stream, 4);
    const Compression compression = detect_compression(head);
    stream = make_joined_stream(std::move(head), std::move(stream));
    if (compression == Compression::kNone) break;
    const bool is_gzip = compression == Compression::kGzip;
    stream = is_gzip ? make_gzip_stream(std::move(stream)) : make_zstd_stream(std::move(stream));
    opened.containers += is_gzip ? ", gzip" : ", zstd";
  }
  opened.bytes = std::make_shared<StreamBytes>(std::move(stream), most_bytes, progress);
  return opened;
}

Result<OpenedFile> open_file(const std::string& path, std::uint64_t max_json_bytes, ImportProgress* progress) {
  Descriptor file = open_to_read(path, progress);
  const auto facts = file.is_open() ? facts_of(file.get()) : std::nullopt;
  if (!facts) {
    const int error = errno;
    if (error == ECANCELED) return fail(ErrorCode::kCancelled, "cancelled", path);
    if (error == ENOTDIR) return open_in_archive(path, max_json_bytes, progress);
    if (error == ENOENT) return fail(ErrorCode::kNotFound, "no such file", path);
    return fail(ErrorCode::kNotReadable, "cannot open the file: " + system_message(error), path);
  }
  if (facts->is_folder()) return fail(ErrorCode::kNotReadable, "is a directory", path);
  const bool is_regular = facts->is_regular();
  if (is_regular && facts->bytes == 0) return fail(ErrorCode::kEmpty, "the file is empty", path);
  OpenedFile opened;
  Compression compression = Compression::kNone;
  if (is_regular) {
    std::array<char, 4> head{};
    const std::size_t got = read_at(file.get(), 0, head);
    if (got == 0) return fail(ErrorCode::kNotReadable, "cannot read the file: " + system_message(errno), path);
    compression = detect_compression({head.data(), got});
    if (compression == Compression::kNone) {
      expect_sequential_reads(file.get());
      return OpenedFile{
          .bytes = std::make_shared<PlainFile>(std::move(file), *facts), .file_bytes = facts->bytes, .is_plain = true};
    }
  }
  if (compression == Compression::kGzip) {
    auto plain = std::make_shared<PlainFile>(std::move(file), *facts);
    opened = open_stream(make_gzip_members(std::move(plain), progress), max_json_bytes, progress, 1);
  } else {
    opened = open_stream(std::make_unique<FileStream>(std::move(file), progress), max_json_bytes, progress);
  }
  opened.file_bytes = is_regular ? facts->bytes : 0;
  return opened;
}

std::shared_ptr<ImportBytes> make_memory_bytes(std::string text) {
  return std::make_shared<MemoryBytes>(std::move(text));
}

Result<OpenedFile> open_memory(std::string data, std::uint64_t max_json_bytes) {
  const std::uint64_t size = data.size();
  OpenedFile opened = open_stream(std::make_unique<MemoryStream>(std::move(data)), max_json_bytes, nullptr);
  opened.file_bytes = size;
  return opened;
}

}  // namespace lacuna
