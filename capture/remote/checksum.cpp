#define XXH_INLINE_ALL
#include "capture/remote/checksum.h"

#include <xxhash.h>

namespace lacuna {

struct Checksum::State {
  XXH3_state_t state;
};

Checksum::Checksum() : state_(std::make_unique<State>()) {
  reset();
}
Checksum::~Checksum() = default;

void Checksum::add(std::string_view bytes) {
  XXH3_64bits_update(&state_->state, bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const {
  return XXH3_64bits_digest(&state_->state);
}

void Checksum::reset() {
  XXH3_64bits_reset(&state_->state);
}

std::uint64_t Checksum::of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace lacuna
