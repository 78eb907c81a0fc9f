#include "capture/collector/nvtx_names.h"

#include <cstdlib>

#include <sys/mman.h>

namespace lacuna::collector {
namespace {

/// Bytes of one code point; 3 (U+FFFD) for what is none.
std::size_t encode(char32_t c, char* out) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
  const auto put = [&](std::size_t i, unsigned lead, unsigned shift, unsigned mask) {
    out[i] = static_cast<char>(lead | ((c >> shift) & mask));
  };
  if (c < 0x80) {
    put(0, 0, 0, 0x7f);
    return 1;
  }
  if (c < 0x800) {
    put(0, 0xc0, 6, 0x1f);
    put(1, 0x80, 0, 0x3f);
    return 2;
  }
  if (c < 0x10000) {
    put(0, 0xe0, 12, 0x0f);
    put(1, 0x80, 6, 0x3f);
    put(2, 0x80, 0, 0x3f);
    return 3;
  }
  put(0, 0xf0, 18, 0x07);
  put(1, 0x80, 12, 0x3f);
  put(2, 0x80, 6, 0x3f);
  put(3, 0x80, 0, 0x3f);
  return 4;
}

}  // namespace

std::atomic<bool> strips_torch_names{false};

Utf8::Utf8(const wchar_t* wide) {
  if (wide == nullptr) return;
  std::size_t count = std::wcslen(wide);
  if (count > wire::kMostNameBytes) count = wire::kMostNameBytes;
  text_ = near_;
  if (4 * count + 1 > sizeof near_) {
    mapped_ = 4 * count + 1;
    void* memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      mapped_ = 0;
      count = (sizeof near_ - 1) / 4;
    } else {
      text_ = static_cast<char*>(memory);
    }
  }
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) used += encode(static_cast<char32_t>(wide[i]), text_ + used);
  text_[used] = '\0';
}

Utf8::~Utf8() {
  if (mapped_ > 0) munmap(text_, mapped_);
}

std::uint32_t name_of_unknown(ThreadState& thread, const char* message) {
  return intern(*thread.process, &thread.names, message, message, std::strlen(message));
}

std::uint32_t name_of(ThreadState& thread, const wchar_t* message) {
  if (message == nullptr) return wire::kNoName;
  const Utf8 utf8(message);
  return intern(*thread.process, &thread.names, nullptr, utf8.text(), std::strlen(utf8.text()));
}

int push_torch_name(ThreadState& thread, const char* message) {
  const std::int32_t level = thread.depth(wire::kDefaultDomain)++;
  wire::RangeRecord record;
  record.head.type = wire::RecordType::kPushAttributes;
  record.head.depth = static_cast<std::uint8_t>(level);
  if (message != nullptr) {
    const char* sequence = std::strstr(message, ", seq = ");
    const char* end = sequence != nullptr ? sequence : std::strstr(message, ", op_id = ");
    if (end != nullptr) {
      record.payload_type = wire::PayloadType::kOperator;
      record.payload = sequence != nullptr ? std::strtoull(sequence + 8, nullptr, 10) : ~std::uint64_t{0};
    }
    const std::size_t length = end != nullptr ? static_cast<std::size_t>(end - message) : std::strlen(message);
    record.head.name = intern(*thread.process, &thread.names, nullptr, message, length);
  }
  record.head.time = thread.time();
  put(thread, record);
  return level;
}

}  // namespace lacuna::collector
