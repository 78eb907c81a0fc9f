#pragma once

#include "model/formats/format.h"

namespace lacuna {

/// OTLP/JSON with requests to an inference server (requests.h): async tracks "request row N", as many as there are
/// requests at a time, with a slice for each request, and in it its queue, prefill and decode. Times since 1970.
extern const Format kRequestsFormat;

}  // namespace lacuna
