#include "model/base/file_bytes.h"

#include "model/base/os/files.h"

namespace lacuna {

std::size_t FileBytes::read_at(std::uint64_t offset, std::span<char> out) const {
  return lacuna::read_at(file_.get(), offset, out);
}

std::uint64_t FileBytes::size() const {
  const auto facts = facts_of(file_.get());
  return facts ? facts->bytes : 0;
}

}  // namespace lacuna
