#pragma once
// Errors are values. Exceptions do not leave a folder.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace lacuna {

enum class ErrorCode {
  kNotFound,         ///< no such file
  kNotReadable,      ///< permissions, a directory, an I/O error
  kEmpty,            ///< zero bytes
  kNotATrace,        ///< readable, but no Chrome-trace JSON in it
  kBadCompression,   ///< gzip/zstd damaged before any event could be read
  kLimit,            ///< a resource limit (size, depth, memory) was reached
  kCancelled,        ///< the user cancelled
  kNotWritable,      ///< an output could not be written
  kInvalidArgument,  ///< the caller asked for something nonexistent
  kUnsupported,      ///< not built in, or the machine lacks it
};

/// An error, with a text for users: message() is what every surface prints.
struct Error {
  ErrorCode code = ErrorCode::kNotFound;
  std::string cause;                    ///< one sentence without a final full stop
  std::string file;                     ///< path as the user gave it, or empty
  std::optional<std::uint64_t> offset;  ///< byte offset in the (decompressed) JSON, if known

  /// Returns "FILE: byte OFFSET: cause", without the parts that are unknown.
  std::string message() const;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string cause, std::string file = {},
                                  std::optional<std::uint64_t> offset = {}) {
  return tl::make_unexpected(Error{code, std::move(cause), std::move(file), offset});
}

}  // namespace lacuna
