#pragma once

#include <string>

#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/memory/flight_recorder.h"

namespace lacuna {

struct Format;

/// Does not open as a trace: `lacuna hang` reads these pickles itself.
extern const Format kFlightRecorderFormat;

/// Reads what TORCH_FR_DUMP_TEMP_FILE makes. Errors: those of read_pickle(); kNotATrace for another pickle.
/// The rank is that of the file, else the last number in its name.
Result<FlightDump> read_flight_dump(const ByteSource& source, const std::string& path);

}  // namespace lacuna
