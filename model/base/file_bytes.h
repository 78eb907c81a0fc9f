#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "model/base/byte_source.h"
#include "model/base/os/descriptor.h"

namespace lacuna {

/// A file that is read in place, with its present size, even after it was unlinked. Any thread.
class FileBytes : public ByteSource {
 public:
  explicit FileBytes(Descriptor file) : file_(std::move(file)) {}

  bool is_open() const { return file_.is_open(); }
  std::size_t read_at(std::uint64_t offset, std::span<char> out) const override;
  std::uint64_t size() const override;

 private:
  const Descriptor file_;
};

}  // namespace lacuna
