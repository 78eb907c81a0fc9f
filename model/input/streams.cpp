#include "model/input/streams.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include <isa-l/igzip_lib.h>
#include <zstd.h>

namespace lacuna {
namespace {

constexpr std::size_t kInputBytes = 256 * 1024;

/// The part of an inner stream that a decompressor has not used yet.
class Input {
 public:
  explicit Input(std::unique_ptr<Stream> inner) : inner_(std::move(inner)), buffer_(kInputBytes) {}

  /// Unused bytes; reads more when fewer than `wanted` are left. Empty at the end.
  std::span<char> get(std::size_t wanted = 1) {
    while (end_ - begin_ < wanted && !is_over_) {
      if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
      }
      const std::size_t got = inner_->read({buffer_.data() + end_, buffer_.size() - end_});
      is_over_ = got == 0;
      end_ += got;
    }
    return {buffer_.data() + begin_, end_ - begin_};
  }
  void use(std::size_t count) {
    begin_ += count;
    used_ += count;
  }
  std::uint64_t used() const { return used_; }
  /// Uses up the rest of the stream and returns how long it was.
  std::uint64_t drain() {
    std::uint64_t count = 0;
    for (auto rest = get(); !rest.empty(); rest = get()) {
      count += rest.size();
      use(rest.size());
    }
    return count;
  }
  const Stream& inner() const { return *inner_; }

 private:
  std::unique_ptr<Stream> inner_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t used_ = 0;
  bool is_over_ = false;
};

/// Base is Stream or a kind of it.
template <class Base>
class Decompressor : public Base {
 public:
  explicit Decompressor(std::unique_ptr<Stream> inner) : input_(std::move(inner)) {}

  std::size_t read(std::span<char> out) final {
    std::size_t done = 0;
    while (done < out.size() && !is_over_) done += step(out.subspan(done));
    return done;
  }
  bool is_truncated() const final { return is_damaged_ || input_.inner().is_truncated(); }
  std::uint64_t garbage_bytes() const final { return garbage_ + input_.inner().garbage_bytes(); }
  std::string error() const final { return input_.inner().error(); }

 protected:
  /// Decompresses a little into `out`; returns how much. Sets is_over_ at the end.
  virtual std::size_t step(std::span<char> out) = 0;

  void end_damaged() { is_over_ = is_damaged_ = true; }
  /// Between two members: what follows is garbage unless it is another member.
  void end_member(Compression kind) {
    const auto rest = input_.get(4);
    if (detect_compression(rest) == kind) return;
    is_over_ = true;
    garbage_ = input_.drain();
  }

  Input input_;
  bool is_over_ = false;

 private:
  bool is_damaged_ = false;
  std::uint64_t garbage_ = 0;
};

class GzipStream final : public Decompressor<GzipMember> {
 public:
  /// `header`: ISAL_GZIP, ISAL_ZLIB or ISAL_DEFLATE.
  GzipStream(std::unique_ptr<Stream> inner, bool only_one, std::uint32_t header)
      : Decompressor(std::move(inner)),
        only_one_(only_one),
        header_(header),
        state_(std::make_unique<inflate_state>()) {
    begin_member();
  }
  bool is_whole() const override { return is_whole_; }
  std::uint64_t used_bytes() const override { return input_.used(); }

 private:
  void begin_member() {
    isal_inflate_init(state_.get());
    state_->crc_flag = header_;
  }

  std::size_t step(std::span<char> out) override {
    const auto in = input_.get();
    const auto room = static_cast<std::uint32_t>(std::min<std::size_t>(out.size(), 1u << 30));
    state_->next_in = reinterpret_cast<std::uint8_t*>(in.data());
    state_->avail_in = static_cast<std::uint32_t>(in.size());
    state_->next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_->avail_out = room;
    const int status = isal_inflate(state_.get());
    input_.use(in.size() - state_->avail_in);
    const std::size_t made = room - state_->avail_out;
    if (status != ISAL_DECOMP_OK) {
      end_damaged();
    } else if (state_->block_state == ISAL_BLOCK_FINISH && only_one_) {
      is_over_ = is_whole_ = true;
    } else if (state_->block_state == ISAL_BLOCK_FINISH) {
      end_member(Compression::kGzip);
      begin_member();
    } else if (made == 0 && state_->avail_in == in.size()) {
      end_damaged();  // no progress: the input ended inside a member
    }
    return made;
  }

  const bool only_one_;
  const std::uint32_t header_;
  bool is_whole_ = false;
  std::unique_ptr<inflate_state> state_;
};

class ZstdStream final : public Decompressor<Stream> {
 public:
  explicit ZstdStream(std::unique_ptr<Stream> inner)
      : Decompressor(std::move(inner)), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    if (!context_) throw std::bad_alloc();
    // Files made with --long; the memory is needed only if they ask for it.
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, 31);
  }

 private:
  std::size_t step(std::span<char> out) override {
    // Block by block, as zstd asks for it: on an error it does not say how much the call had made.
    const auto in = input_.get(wanted_);
    ZSTD_inBuffer from{in.data(), std::min(in.size(), wanted_), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t status = ZSTD_decompressStream(context_.get(), &to, &from);
    input_.use(from.pos);
    wanted_ = status == 0 || ZSTD_isError(status) ? kFirstBytes : std::min(status, kInputBytes);
    if (ZSTD_isError(status)) {
      end_damaged();
    } else if (status == 0) {
      end_member(Compression::kZstd);
    } else if (to.pos == 0 && from.pos == 0) {
      end_damaged();
    }
    return to.pos;
  }

  static constexpr std::size_t kFirstBytes = 5;  // the smallest frame header
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  std::size_t wanted_ = kFirstBytes;
};

class SourceStream final : public Stream {
 public:
  SourceStream(const ByteSource& source, std::uint64_t offset) : source_(source), offset_(offset) {}
  std::size_t read(std::span<char> out) override {
    const std::size_t got = source_.read_at(offset_, out);
    offset_ += got;
    return got;
  }

 private:
  const ByteSource& source_;
  std::uint64_t offset_;
};

class JoinedStream final : public Stream {
 public:
  JoinedStream(std::string head, std::unique_ptr<Stream> inner) : head_(std::move(head)), inner_(std::move(inner)) {}

  std::size_t read(std::span<char> out) override {
    if (used_ == head_.size()) return inner_->read(out);
    const std::size_t count = std::min(out.size(), head_.size() - used_);
    std::memcpy(out.data(), head_.data() + used_, count);
    used_ += count;
    return count;
  }
  bool is_truncated() const override { return inner_->is_truncated(); }
  std::uint64_t garbage_bytes() const override { return inner_->garbage_bytes(); }
  std::string error() const override { return inner_->error(); }

 private:
  std::string head_;
  std::size_t used_ = 0;
  std::unique_ptr<Stream> inner_;
};

}  // namespace

Compression detect_compression(std::span<const char> head) {
  const auto byte = [&](std::size_t i) { return i < head.size() ? static_cast<unsigned char>(head[i]) : 0u; };
  if (byte(0) == 0x1f && byte(1) == 0x8b) return Compression::kGzip;
  if (byte(0) == 0x28 && byte(1) == 0xb5 && byte(2) == 0x2f && byte(3) == 0xfd) return Compression::kZstd;
  // A skippable frame.
  if ((byte(0) & 0xf0) == 0x50 && byte(1) == 0x2a && byte(2) == 0x4d && byte(3) == 0x18) return Compression::kZstd;
  return Compression::kNone;
}

std::unique_ptr<Stream> make_gzip_stream(std::unique_ptr<Stream> inner) {
  return std::make_unique<GzipStream>(std::move(inner), false, ISAL_GZIP);
}

std::unique_ptr<GzipMember> make_gzip_member(std::unique_ptr<Stream> inner) {
  return std::make_unique<GzipStream>(std::move(inner), true, ISAL_GZIP);
}

std::unique_ptr<Stream> make_zlib_stream(std::unique_ptr<Stream> inner) {
  return std::make_unique<GzipStream>(std::move(inner), true, ISAL_ZLIB);
}

std::unique_ptr<Stream> make_deflate_stream(std::unique_ptr<Stream> inner) {
  return std::make_unique<GzipStream>(std::move(inner), true, ISAL_DEFLATE);
}

std::unique_ptr<Stream> make_zstd_stream(std::unique_ptr<Stream> inner) {
  return std::make_unique<ZstdStream>(std::move(inner));
}

std::unique_ptr<Stream> make_source_stream(const ByteSource& source, std::uint64_t offset) {
  return std::make_unique<SourceStream>(source, offset);
}

std::unique_ptr<Stream> make_joined_stream(std::string head, std::unique_ptr<Stream> inner) {
  return std::make_unique<JoinedStream>(std::move(head), std::move(inner));
}

}  // namespace lacuna
