#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <imgui.h>

#include "app/web/wire/list_encoder.h"

namespace lacuna {

/// First byte of a binary message to the page.
enum class PageMessage : std::uint8_t { kFrame = 1, kTexture = 2, kFile = 3 };

/// Encodes ImGui's frames as messages for one connection to a page, each as the difference to the one before. Messages
/// must arrive in the order in which they are made. One thread, in whose ImGui context the frames were drawn.
class FrameEncoder {
 public:
  /// Returns the message of a frame; nothing if the frame is unchanged. `background`: 0xRRGGBBAA.
  std::optional<std::string> encode(const ImDrawData& data, std::uint32_t background);
  /// Returns a message with the font's texture, to be sent before frames that use it. Forgets the last frame.
  std::string encode_font_texture();
  /// Returns the number of the last frame that encode() returned; the first is 1.
  std::uint32_t frame() const { return frame_; }

 private:
  ListEncoder lists_;
  std::unordered_map<std::uint64_t, std::size_t> places_;  // index of each list of the last frame, by hash
  std::vector<std::vector<WireFill>> fills_;               // rectangles of those lists
  std::uint64_t last_ = 0;                                 // hash of the whole frame
  std::uint32_t frame_ = 0;
  bool clears_glyphs_ = true;
};

}  // namespace lacuna
