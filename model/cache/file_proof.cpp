#include "model/cache/file_proof.h"

#include <span>
#include <string>

#include "model/base/os/files.h"
#include "model/cache/stored_file.h"
#include "model/input/archive.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kSamples = 64;
constexpr std::uint64_t kSampleBytes = 4096;

}  // namespace

std::optional<FileProof> prove_file(const std::string& path) {
  const Descriptor file = open_for_reading(file_on_disk(path));
  const auto facts = facts_of(file.get());
  if (!facts || !facts->is_regular()) return std::nullopt;
  const std::uint64_t last = facts->bytes > kSampleBytes ? facts->bytes - kSampleBytes : 0;
  std::string sample(kSamples * kSampleBytes, '\0');
  std::size_t filled = 0;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const std::uint64_t at = last / (kSamples - 1) * i + (i == kSamples - 1 ? last % (kSamples - 1) : 0);
    filled += read_at(file.get(), at, std::span(sample).subspan(filled, kSampleBytes));
    if (last == 0) break;
  }
  sample.resize(filled);
  return FileProof{.bytes = facts->bytes,
                   .modified_ns = facts->modified_ns,
                   .device = facts->device,
                   .inode = facts->number,
                   .sample = stored_checksum(std::as_bytes(std::span(sample)))};
}

}  // namespace lacuna
