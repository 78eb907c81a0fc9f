#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/base/byte_source.h"
#include "model/cache/file_proof.h"

namespace lacuna {

/// The bytes of a file whose trace came from the cache: opened, and decompressed if need be, on the first request
/// for args. `json_bytes` is their number, known from the first import. Reads nothing, and has_changed() is true, once
/// the file no longer matches `proof`.
std::shared_ptr<const ByteSource> reopen_bytes(std::string path, std::uint64_t json_bytes, std::uint64_t max_json_bytes,
                                               const FileProof& proof);

}  // namespace lacuna
