// Any bytes as a zip or tar archive: they are listed, and what they hold is read, or they end with an error.
#include <array>
#include <string>

#include "model/input/archive.h"
#include "model/input/archive_lists.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace lacuna;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  const auto bytes = make_memory_bytes(std::string(reinterpret_cast<const char*>(data), size));
  for (auto* list : {&list_zip, &list_tar}) {
    auto members = list(*bytes, nullptr);
    if (!members) continue;
    const OpenedArchive archive(bytes, "zip", std::move(*members));
    for (std::size_t i = 0; i < archive.members().size() && i < 8; ++i) {
      const auto opened = archive.open_member(archive.members()[i], kMost, nullptr);
      std::array<char, 4096> buffer;
      if (!opened) continue;
      for (std::uint64_t at = 0; at < kMost; at += buffer.size())
        if (opened->bytes->read_at(at, buffer) < buffer.size()) break;
      (void)opened->bytes->ending();
    }
  }
  return 0;
}
