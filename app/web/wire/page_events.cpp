#include "app/web/wire/page_events.h"

#include <bit>
#include <cmath>

namespace lacuna {
namespace {

constexpr int kLastKey = 348;  // GLFW_KEY_LAST
constexpr int kAllModifiers = 0x3f;
constexpr float kLargestSizePx = 16384;
constexpr float kFarthestPx = 1e6f;
constexpr std::size_t kLongestWindowId = 64;

/// Numbers of a message, the lowest byte first. What is beyond its end reads as 0 and fails.
class PageReader {
 public:
  explicit PageReader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return at_ == bytes_.size(); }
  bool failed() const { return failed_; }
  std::uint32_t number(std::size_t size) {
    if (bytes_.size() - at_ < size) {
      failed_ = true;
      at_ = bytes_.size();
      return 0;
    }
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value |= std::uint32_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i);
    at_ += size;
    return value;
  }
  /// Between -most and most.
  float real(float most) {
    const float value = std::bit_cast<float>(number(4));
    if (std::abs(value) <= most) return value;  // what is no number is not
    failed_ = true;
    return 0;
  }
  int whole(std::size_t size, int most) {
    const std::uint32_t value = number(size);
    if (value <= static_cast<std::uint32_t>(most)) return static_cast<int>(value);
    failed_ = true;
    return 0;
  }
  std::string text(std::size_t most) {
    const std::size_t length = number(4);
    if (length > most || length > bytes_.size() - at_) {
      failed_ = true;
      return {};
    }
    at_ += length;
    return std::string(bytes_.substr(at_ - length, length));
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// False: no such kind.
bool read_event(PageReader& in, PageEvent& event) {
  using Kind = PageEvent::Kind;
  const auto kind = static_cast<Kind>(in.number(1));
  event.kind = kind;
  switch (kind) {
    case Kind::kHello:
      event.codepoint = in.number(4);
      event.text = in.text(kLongestWindowId);
      return true;
    case Kind::kKey:
      event.key = in.whole(2, kLastKey);
      event.character = in.whole(1, 126);
      event.action = in.whole(1, 2);
      event.modifiers = in.whole(1, kAllModifiers);
      return true;
    case Kind::kCharacter:
      event.codepoint = in.number(4);
      return event.codepoint <= 0x10FFFF;
    case Kind::kButton:
      event.key = in.whole(1, 7);
      event.action = in.whole(1, 1);
      event.modifiers = in.whole(1, kAllModifiers);
      return true;
    case Kind::kMove:
      event.x = in.real(kFarthestPx);
      event.y = in.real(kFarthestPx);
      return true;
    case Kind::kWheel:
      event.x = in.real(1000);
      event.y = in.real(1000);
      event.modifiers = in.whole(1, kAllModifiers);
      return true;
    case Kind::kEnter:
    case Kind::kFocus:
      event.key = in.whole(1, 1);
      return true;
    case Kind::kResize:
      event.x = in.real(kLargestSizePx);
      event.y = in.real(kLargestSizePx);
      event.scale = in.real(8);
      return event.x >= 1 && event.y >= 1 && event.scale >= 0.25f;
    case Kind::kAnswer:
      event.codepoint = in.number(4);
      event.x = static_cast<float>(in.number(2));
      return true;
    case Kind::kPing:
      return true;
    case Kind::kClipboard:
      event.text = in.text(kLongestPaste);
      return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<PageEvent>> read_page_message(std::string_view message) {
  if (message.size() > kLongestPageMessage) return std::nullopt;
  PageReader in(message);
  std::vector<PageEvent> events;
  while (!in.at_end()) {
    if (!read_event(in, events.emplace_back()) || in.failed()) return std::nullopt;
  }
  return events;
}

}  // namespace lacuna
