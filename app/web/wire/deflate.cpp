#include "app/web/wire/deflate.h"

#include <cstdint>
#include <vector>

#include <isa-l/igzip_lib.h>

namespace lacuna {

std::string deflate(std::string_view bytes) {
  static thread_local std::vector<std::uint8_t> work(ISAL_DEF_LVL2_DEFAULT);
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.level = 2;
  stream.level_buf = work.data();
  stream.level_buf_size = static_cast<std::uint32_t>(work.size());
  stream.end_of_stream = 1;
  stream.flush = NO_FLUSH;
  // isal wants the input to be mutable, and leaves it as it is.
  stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<std::uint32_t>(bytes.size());
  // What does not get smaller is stored, in blocks of 64 KiB with five bytes each.
  std::string packed(bytes.size() + bytes.size() / 1000 + 400, '\0');
  stream.next_out = reinterpret_cast<std::uint8_t*>(packed.data());
  stream.avail_out = static_cast<std::uint32_t>(packed.size());
  if (isal_deflate_stateless(&stream) != COMP_OK) return {};
  packed.resize(stream.total_out);
  return packed;
}

}  // namespace lacuna
