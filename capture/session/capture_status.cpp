#include "capture/session/capture_status.h"

#include <fmt/format.h>

namespace lacuna {

std::string losses_json(const CaptureStatus& s, std::uint64_t forgotten, std::uint64_t not_written) {
  return fmt::format(
      "{{\"version\": \"{}\", \"processes\": {}, \"records\": {}, \"dropped\": {}, \"incomplete_gpu\": {}, "
      "\"corrupt\": {}, \"lost_ends\": {}, \"names_lost\": {}, \"samples\": {}, \"samples_missed\": {}, "
      "\"switches_unseen\": {}, \"forgotten\": {}, \"not_written\": {}}}",
      LACUNA_VERSION, s.processes, s.records, s.dropped, s.incomplete_gpu, s.corrupt, s.lost_ends, s.names_lost,
      s.samples, s.samples_missed, s.switches_unseen, forgotten, not_written);
}

}  // namespace lacuna
