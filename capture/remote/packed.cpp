#include "capture/remote/packed.h"

#include <zstd.h>

namespace lacuna {
namespace {

constexpr int kPackLevel = 3;
constexpr int kMostWindowLog = 23;

}  // namespace

struct PackedWriter::Stream {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ~Stream() { ZSTD_freeCCtx(context); }
};

struct PackedReader::Stream {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  bool is_broken = false;
  ~Stream() { ZSTD_freeDCtx(context); }
};

PackedWriter::PackedWriter(int window_log) : stream_(std::make_unique<Stream>()) {
  ZSTD_CCtx_setParameter(stream_->context, ZSTD_c_compressionLevel, kPackLevel);
  ZSTD_CCtx_setParameter(stream_->context, ZSTD_c_windowLog, window_log);
}
PackedWriter::~PackedWriter() = default;

std::string PackedWriter::pack(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()) + 64, '\0');
  ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
  ZSTD_outBuffer into{out.data(), out.size(), 0};
  std::size_t left = 1;
  while (left != 0) {
    left = ZSTD_compressStream2(stream_->context, &into, &from, ZSTD_e_flush);
    if (ZSTD_isError(left) != 0) return {};
    if (left == 0) break;
    out.resize(out.size() * 2);
    into.dst = out.data();
    into.size = out.size();
  }
  out.resize(into.pos);
  return out;
}

PackedReader::PackedReader() : stream_(std::make_unique<Stream>()) {
  ZSTD_DCtx_setParameter(stream_->context, ZSTD_d_windowLogMax, kMostWindowLog);
}
PackedReader::~PackedReader() = default;

bool PackedReader::unpack(std::string_view piece, std::string& out) {
  out.clear();
  if (stream_->is_broken) return false;
  out.resize(kMostUnpacked);
  ZSTD_inBuffer from{piece.data(), piece.size(), 0};
  ZSTD_outBuffer into{out.data(), out.size(), 0};
  while (from.pos < from.size) {
    const std::size_t before = from.pos + into.pos;
    const std::size_t said = ZSTD_decompressStream(stream_->context, &into, &from);
    // A frame that ends, or bytes for which there is no room: not what a PackedWriter makes.
    if (ZSTD_isError(said) != 0 || said == 0 || from.pos + into.pos == before) {
      stream_->is_broken = true;
      out.clear();
      return false;
    }
  }
  // What is still inside of the decompressor would be more than a piece may hold.
  if (into.pos == into.size) {
    char one = 0;
    ZSTD_outBuffer more{&one, 1, 0};
    ZSTD_inBuffer none{nullptr, 0, 0};
    const std::size_t said = ZSTD_decompressStream(stream_->context, &more, &none);
    if (ZSTD_isError(said) != 0 || more.pos != 0) {
      stream_->is_broken = true;
      out.clear();
      return false;
    }
  }
  out.resize(into.pos);
  return true;
}

}  // namespace lacuna
