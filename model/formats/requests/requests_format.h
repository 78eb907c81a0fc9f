#pragma once

#include "model/formats/format.h"

namespace lacuna {

/// OTLP/JSON with requests to an inference server (requests.h): one async track with a slice for each request, and in
/// it its queue, prefill and decode. Times since 1970.
extern const Format kRequestsFormat;

}  // namespace lacuna
