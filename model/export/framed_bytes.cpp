#include "model/export/framed_bytes.h"

#include <algorithm>

#include <zstd.h>

namespace lacuna {

void FramedBytes::grow(const OutputFile& written) {
  const std::vector<OutputFile::Frame>& frames = written.frames();
  const std::scoped_lock lock(mutex_);
  frames_.insert(frames_.end(), frames.begin() + static_cast<std::ptrdiff_t>(frames_.size()), frames.end());
  end_ = written.written();
}

std::uint64_t FramedBytes::size() const {
  const std::scoped_lock lock(mutex_);
  return end_.text;
}

std::size_t FramedBytes::memory_bytes() const {
  const std::scoped_lock lock(mutex_);
  return frames_.capacity() * sizeof(OutputFile::Frame) + kKept * OutputFile::kFrameBytes;
}

FramedBytes::Text FramedBytes::frame(std::size_t index, const OutputFile::Frame& begin,
                                     const OutputFile::Frame& end) const {
  {
    const std::scoped_lock lock(mutex_);
    for (const Kept& kept : kept_)
      if (kept.text != nullptr && kept.frame == index) return kept.text;
  }
  std::string packed(end.file - begin.file, '\0');
  if (file_.read_at(begin.file, packed) != packed.size()) return nullptr;
  auto text = std::make_shared<std::string>(end.text - begin.text, '\0');
  if (ZSTD_decompress(text->data(), text->size(), packed.data(), packed.size()) != text->size()) return nullptr;
  const std::scoped_lock lock(mutex_);
  kept_[oldest_] = {index, text};
  oldest_ = (oldest_ + 1) % kKept;
  return text;
}

std::size_t FramedBytes::read_at(std::uint64_t offset, std::span<char> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const std::uint64_t at = offset + done;
    std::size_t index = 0;
    OutputFile::Frame begin, end;
    {
      const std::scoped_lock lock(mutex_);
      if (at >= end_.text) break;
      const auto after = std::ranges::upper_bound(frames_, at, {}, &OutputFile::Frame::text);
      index = static_cast<std::size_t>(after - frames_.begin()) - 1;
      begin = frames_[index];
      end = after == frames_.end() ? end_ : *after;
    }
    const Text text = frame(index, begin, end);
    if (text == nullptr) break;
    const std::string_view part = std::string_view(*text).substr(at - begin.text, out.size() - done);
    std::ranges::copy(part, out.data() + done);
    done += part.size();
  }
  return done;
}

}  // namespace lacuna
