#include "model/cache/file_proof.h"

#include <algorithm>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/cache/stored_file.h"
#include "model/input/archive.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kSamples = 64;
constexpr std::uint64_t kSampleBytes = 4096;

}  // namespace

std::optional<FileProof> prove_file(const std::string& path) {
  const int descriptor = ::open(file_on_disk(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  std::optional<FileProof> proof;
  struct stat info {};
  if (::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode)) {
    const auto size = static_cast<std::uint64_t>(info.st_size);
    const std::uint64_t last = size > kSampleBytes ? size - kSampleBytes : 0;
    std::vector<std::byte> sample(kSamples * kSampleBytes);
    std::size_t filled = 0;
    for (std::uint64_t i = 0; i < kSamples; ++i) {
      const std::uint64_t at = last / (kSamples - 1) * i + (i == kSamples - 1 ? last % (kSamples - 1) : 0);
      const ssize_t got = ::pread(descriptor, sample.data() + filled, kSampleBytes, static_cast<off_t>(at));
      filled += got > 0 ? static_cast<std::size_t>(got) : 0;
      if (last == 0) break;
    }
    sample.resize(filled);
    proof = FileProof{.bytes = size,
                      .modified_ns = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec,
                      .device = info.st_dev,
                      .inode = info.st_ino,
                      .sample = stored_checksum(sample)};
  }
  ::close(descriptor);
  return proof;
}

}  // namespace lacuna
