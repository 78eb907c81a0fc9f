#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/time.h"

namespace lacuna {

/// A search for slices. Terms are separated by blanks, and all of them must match:
///
///   gemm              the name contains it, whatever the case; "two words" in quotes are one term
///   cat:kernel        the category contains it
///   stream:7  gpu:0   on this stream, on this device (the whole number or name)
///   track:autograd    the name of the track or of its process contains it
///   dur:>1.5ms        lasts at least this long; dur:<20us at most; ns, us, ms, s
///   arg:key=value     its args have the key, and there the value contains the text; arg:key any value
///
/// A value with blanks is quoted: track:"thread 42". All terms are stored in lower case, except keys of args,
/// which are case-sensitive.
struct SearchQuery {
  struct Argument {
    std::string key;
    std::string value;  ///< empty = any
    bool operator==(const Argument&) const = default;
  };
  std::vector<std::string> words;
  std::vector<std::string> categories;
  std::vector<std::string> streams;
  std::vector<std::string> devices;
  std::vector<std::string> tracks;
  std::vector<Argument> arguments;
  Nanos least = 0;
  Nanos most = kMaxNanos;
  /// Invalid terms, as sentences: such a query finds nothing.
  std::vector<std::string> problems;

  bool empty() const;
  /// Whether it depends on names and categories only.
  bool is_simple() const;
  bool operator==(const SearchQuery&) const = default;
};

/// O(length). Words with a colon that is not a known key ("aten::mm", "c10:x") are names.
SearchQuery parse_query(std::string_view text);

}  // namespace lacuna
