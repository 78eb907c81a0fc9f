#include "model/formats/pickle/pickle_input.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace lacuna {

void PickleInput::refill() {
  if (at_ == nullptr) at_ = end_ = window_.data();
  const auto rest = static_cast<std::size_t>(std::max<std::ptrdiff_t>(end_ - at_, 0));
  base_ = offset();
  std::memmove(window_.data(), at_, rest);
  const std::size_t got = source_.read_at(base_ + rest, std::span(window_.data() + rest, room_ - rest));
  is_last_ = got < room_ - rest;
  at_ = window_.data();
  end_ = at_ + rest + got;
  std::fill_n(window_.data() + rest + got, kHead, '\0');
}

std::string_view PickleInput::text(std::size_t size) {
  if (static_cast<std::size_t>(end_ - at_) < size && !is_last_) {
    if (size <= room_) {
      refill();
    } else {
      long_text_.resize(size);
      long_text_.resize(source_.read_at(offset(), long_text_));
      const std::string_view text(long_text_.data(), long_text_.size());
      skip(text.size());
      return text;
    }
  }
  const std::string_view text(at_, std::min(size, static_cast<std::size_t>(std::max<std::ptrdiff_t>(end_ - at_, 0))));
  at_ += text.size();
  return text;
}

void PickleInput::skip(std::uint64_t size) {
  if (at_ <= end_ && size <= static_cast<std::uint64_t>(end_ - at_)) {
    at_ += size;
    return;
  }
  base_ = offset() + size;
  at_ = end_ = window_.data();
  is_last_ = false;
  refill();
}

}  // namespace lacuna
