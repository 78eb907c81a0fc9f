#include "capture/session/kept_parts.h"

#include <algorithm>

namespace lacuna {
namespace {

constexpr int kKeptPartsOfLimit = 8;

}  // namespace

void KeptParts::advance(Nanos now) {
  parts_.back().events = spool_.events() - events_before_part_;
  parts_.back().end = now;
  if (!keep_.is_set()) return;
  const std::uint64_t most_events =
      keep_.memory_bytes == 0 ? ~0ull : std::max<std::uint64_t>(keep_.memory_bytes / KeepLimit::kBytesPerEvent, 1);
  const Nanos longest = keep_.last_ns == 0 ? kMaxNanos : keep_.last_ns;
  if (parts_.back().events > 0 &&
      (parts_.back().events >= most_events / kKeptPartsOfLimit || now - part_began_ >= longest / kKeptPartsOfLimit)) {
    const std::size_t before = spool_.parts();
    spool_.start_part();
    if (spool_.parts() > before) {
      events_before_part_ = spool_.events();
      part_began_ = now;
      parts_.push_back({0, now, now});
    }
  }
  std::uint64_t kept = 0;
  for (const Part& part : parts_) kept += part.events;
  // A burst that is larger than the limit stays until something newer came.
  const auto is_too_much = [&] { return kept > most_events && kept > parts_.front().events; };
  while (parts_.size() > 1 && (is_too_much() || now - parts_.front().end > longest)) {
    forget_below_ = spool_.drop_oldest();
    forgotten_ += parts_.front().events;
    kept -= parts_.front().events;
    parts_.erase(parts_.begin());
  }
}

}  // namespace lacuna
