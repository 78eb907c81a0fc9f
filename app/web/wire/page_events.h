#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// The protocol of page and program; both are of one build but for a page that stayed open across an update.
inline constexpr std::uint32_t kWebVersion = 1;
/// A longer message of a page ends its connection.
inline constexpr std::size_t kLongestPageMessage = std::size_t{1} << 23;
/// Of a clipboard's text; more is cut off by the page.
inline constexpr std::size_t kLongestPaste = std::size_t{1} << 22;

/// One thing that happened in a page. Lengths are CSS pixels, which are the window's layout units.
struct PageEvent {
  enum class Kind : std::uint8_t {
    kHello = 1,  ///< first of a connection: `codepoint` is kWebVersion, `text` the window it had, or empty
    kKey,
    kCharacter,
    kButton,
    kMove,
    kWheel,
    kEnter,
    kFocus,
    kResize,     ///< x, y: size; `scale`: device pixels per CSS pixel
    kAnswer,     ///< the frame of number `codepoint` is drawn, `x` ms after it came
    kClipboard,  ///< `text`: what a paste that follows will paste
    kPing,       ///< the page asks whether the line is alive
  };
  Kind kind = Kind::kMove;
  int key = 0;        ///< GLFW's number of a key by its place on the keyboard; button; 1 for entered and focused
  int character = 0;  ///< of a key: what the user's layout has there, unshifted; 0 = unknown
  int action = 0;     ///< 0 released, 1 pressed, 2 repeated
  int modifiers = 0;  ///< GLFW's
  std::uint32_t codepoint = 0;
  float x = 0, y = 0;
  float scale = 1;
  std::string text;  ///< UTF-8, well formed or not: what draws it must bear that
};

/// The events of a message, in order. Nothing where it is malformed: unknown kinds, numbers out of bounds or not
/// finite, cut off, or too long. Looks at each byte at most twice.
std::optional<std::vector<PageEvent>> read_page_message(std::string_view message);

}  // namespace lacuna
