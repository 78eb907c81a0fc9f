#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/base/byte_source.h"

namespace lacuna {

/// A file by its descriptor, which becomes ours: read where it lies, at its size of the moment, also when it
/// was unlinked meanwhile. Any thread.
class FileBytes : public ByteSource {
 public:
  explicit FileBytes(int descriptor) : descriptor_(descriptor) {}
  ~FileBytes() override;
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override;
  std::uint64_t size() const override;

 private:
  const int descriptor_;
};

}  // namespace lacuna
