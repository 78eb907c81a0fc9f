#pragma once

#include <string>

#include "model/base/byte_source.h"
#include "model/base/result.h"
#include "model/memory/flight_recorder.h"

namespace lacuna {

struct Format;

/// Does not open as a trace: `lacuna hang` reads these pickles itself.
extern const Format kFlightRecorderFormat;

/// Reads a file written by TORCH_FR_DUMP_TEMP_FILE. Errors: those of read_pickle(); kNotATrace for another pickle.
/// The rank is taken from the file, else from the last number in its name.
Result<FlightDump> read_flight_dump(const ByteSource& source, const std::string& path);

}  // namespace lacuna
