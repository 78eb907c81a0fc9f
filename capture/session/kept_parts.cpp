#include "capture/session/kept_parts.h"

namespace lacuna {

void KeptParts::advance(Nanos now) {
  window_.count(spool_.events() - events_before_part_, now);
  if (window_.is_part_full(now)) {
    const std::size_t before = spool_.parts();
    spool_.start_part();
    if (spool_.parts() > before) {
      events_before_part_ = spool_.events();
      window_.start_part(0, now);
    }
  }
  for (; window_.is_too_much(now); window_.drop_oldest()) forget_below_ = spool_.drop_oldest();
}

}  // namespace lacuna
