#include "app/web/wire/frame_encoder.h"

#include <cstring>
#include <string_view>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "app/web/wire/deflate.h"
#include "render/paint/imgui_compat.h"

namespace lacuna {
namespace {

/// Text that is cut at an edge makes pieces of glyphs that are never seen again.
constexpr std::size_t kMostGlyphs = 30'000;

std::uint64_t hash_of(const ImDrawList& list) {
  std::uint64_t hash =
      XXH3_64bits_withSeed(list.VtxBuffer.Data, static_cast<std::size_t>(list.VtxBuffer.Size) * sizeof(ImDrawVert), 1);
  hash = XXH3_64bits_withSeed(list.IdxBuffer.Data, static_cast<std::size_t>(list.IdxBuffer.Size) * sizeof(ImDrawIdx),
                              hash);
  for (const ImDrawCmd& command : list.CmdBuffer) {
    const float clip[4] = {command.ClipRect.x, command.ClipRect.y, command.ClipRect.z, command.ClipRect.w};
    const std::uint32_t numbers[3] = {command.ElemCount, command.IdxOffset, command.VtxOffset};
    hash = XXH3_64bits_withSeed(clip, sizeof clip, hash);
    hash = XXH3_64bits_withSeed(numbers, sizeof numbers, hash);
  }
  return hash;
}

std::string message(PageMessage kind, const ByteWriter& head, std::string_view packed) {
  std::string bytes(1, static_cast<char>(kind));
  bytes += head.bytes();
  bytes += packed;
  return bytes;
}

}  // namespace

std::optional<std::string> FrameEncoder::encode(const ImDrawData& data, std::uint32_t background) {
  std::vector<std::uint64_t> hashes;
  for (int l = 0; l < data.CmdListsCount; ++l) hashes.push_back(hash_of(*data.CmdLists[l]));
  const float sizes[3] = {data.DisplaySize.x, data.DisplaySize.y, data.FramebufferScale.x};
  const std::uint64_t all = XXH3_64bits_withSeed(hashes.data(), hashes.size() * sizeof hashes[0],
                                                 XXH3_64bits_withSeed(sizes, sizeof sizes, background));
  if (all == last_) return std::nullopt;
  last_ = all;

  if (lists_.glyphs() > kMostGlyphs) clears_glyphs_ = true;
  if (clears_glyphs_) {
    lists_.forget_glyphs();
    places_.clear();
    fills_.clear();
  }
  ByteWriter lists;
  lists_.begin(data.FramebufferScale.x);
  lists.varint(hashes.size());
  std::unordered_map<std::uint64_t, std::size_t> places;
  std::vector<std::vector<WireFill>> fills(hashes.size());
  for (std::size_t l = 0; l < hashes.size(); ++l) {
    places.emplace(hashes[l], l);
    if (const auto known = places_.find(hashes[l]); known != places_.end()) {
      lists.varint(known->second + 1);
      continue;
    }
    lists.varint(0);
    // Lists keep their places from one frame to the next, mostly; where not, nothing alike is found.
    static const std::vector<WireFill> kNone;
    fills[l] = lists_.write(*data.CmdLists[static_cast<int>(l)], l < fills_.size() ? fills_[l] : kNone, lists);
  }
  for (std::size_t l = 0; l < hashes.size(); ++l)
    if (const auto known = places_.find(hashes[l]); known != places_.end()) fills[l] = fills_[known->second];
  places_ = std::move(places);
  fills_ = std::move(fills);

  ByteWriter body;
  for (const float size : sizes) body.real(size);
  body.number(background, 4);
  body.number(std::exchange(clears_glyphs_, false) ? 1 : 0, 1);
  const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
  body.real(white.x);
  body.real(white.y);
  lists_.write_new_glyphs(body);
  ByteWriter head;
  head.number(++frame_, 4);
  return message(PageMessage::kFrame, head, deflate(body.bytes() + lists.bytes()));
}

std::string FrameEncoder::encode_font_texture() {
  unsigned char* pixels = nullptr;
  int width = 0, height = 0, size = 0;
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
#if LACUNA_DYNAMIC_FONTS
  pixels = atlas.TexData->Pixels;
  width = atlas.TexData->Width;
  height = atlas.TexData->Height;
  size = atlas.TexData->BytesPerPixel;
#else
  if (atlas.TexPixelsUseColors)
    atlas.GetTexDataAsRGBA32(&pixels, &width, &height, &size);
  else
    atlas.GetTexDataAsAlpha8(&pixels, &width, &height, &size);
#endif
  clears_glyphs_ = true;
  last_ = 0;
  ByteWriter head;
  head.number(static_cast<std::uint64_t>(width), 2);
  head.number(static_cast<std::uint64_t>(height), 2);
  head.number(static_cast<std::uint64_t>(size), 1);
  const std::size_t bytes =
      static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * static_cast<std::size_t>(size);
  return message(PageMessage::kTexture, head, deflate({reinterpret_cast<const char*>(pixels), bytes}));
}

}  // namespace lacuna
