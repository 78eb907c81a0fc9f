#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// Version of the protocol between page and program. They differ only if a page stayed open across an update.
inline constexpr std::uint32_t kWebVersion = 1;
/// Limit of a page's message; a longer one ends its connection.
inline constexpr std::size_t kLongestPageMessage = std::size_t{1} << 23;
/// Limit of a pasted text; the page cuts off the rest.
inline constexpr std::size_t kLongestPaste = std::size_t{1} << 22;

/// One event of a page. Lengths are CSS pixels, which are the window's layout units.
struct PageEvent {
  enum class Kind : std::uint8_t {
    kHello = 1,  ///< first of a connection: `codepoint` is kWebVersion, `text` the id of the page's window, or empty
    kKey,
    kCharacter,
    kButton,
    kMove,
    kWheel,
    kEnter,
    kFocus,
    kResize,     ///< x, y: size; `scale`: device pixels per CSS pixel
    kAnswer,     ///< the page has drawn frame `codepoint`, `x` ms after it arrived
    kClipboard,  ///< `text`: clipboard contents for the paste that follows
    kPing,       ///< the page checks the connection
  };
  Kind kind = Kind::kMove;
  int key = 0;        ///< GLFW's number of a key by position on the keyboard; button; 1 for entered and focused
  int character = 0;  ///< for a key: the unshifted character of the user's layout; 0 = unknown
  int action = 0;     ///< 0 released, 1 pressed, 2 repeated
  int modifiers = 0;  ///< GLFW's
  std::uint32_t codepoint = 0;
  float x = 0, y = 0;
  float scale = 1;
  std::string text;  ///< UTF-8, possibly invalid: drawing code must cope with that
};

/// Returns the events of a message, in order. Nothing if it is malformed: unknown kinds, numbers out of bounds or not
/// finite, truncated, or too long. Reads each byte at most twice.
std::optional<std::vector<PageEvent>> read_page_message(std::string_view message);

}  // namespace lacuna
