#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "model/base/file_bytes.h"
#include "model/export/output_file.h"

namespace lacuna {

/// The text of a .zst that an OutputFile is still writing, with random access: only the frame with
/// a requested offset is decompressed, and the last few frames are cached.
///
/// Memory: 16 bytes per frame, and kKept frames of at most OutputFile::kFrameBytes. Only the writing thread may
/// call grow(); any thread may call the others.
class FramedBytes : public ByteSource {
 public:
  explicit FramedBytes(Descriptor file) : file_(std::move(file)) {}

  bool is_open() const { return file_.is_open(); }
  /// Makes the frames written since the last call readable.
  void grow(const OutputFile& written);

  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override;
  std::uint64_t size() const override;
  std::size_t memory_bytes() const override;

 private:
  using Text = std::shared_ptr<const std::string>;
  struct Kept {
    std::size_t frame = 0;
    Text text;
  };
  static constexpr std::size_t kKept = 4;
  Text frame(std::size_t index, const OutputFile::Frame& begin, const OutputFile::Frame& end) const;

  const FileBytes file_;
  mutable std::mutex mutex_;
  // Guarded by mutex_:
  std::vector<OutputFile::Frame> frames_;
  OutputFile::Frame end_;
  mutable std::array<Kept, kKept> kept_;
  mutable std::size_t oldest_ = 0;
};

}  // namespace lacuna
