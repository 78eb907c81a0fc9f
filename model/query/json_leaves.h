#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lacuna {

/// A JSON value without members, or a whole container.
struct JsonScalar {
  enum class Kind : std::uint8_t { kNull, kBool, kInteger, kReal, kText, kContainer };
  Kind kind = Kind::kNull;
  std::int64_t number = 0;  ///< kInteger; kBool: 0 or 1
  double real = 0;
  std::string text;  ///< kText: without escapes; kContainer: as written
};
/// Parses a scalar. An integer that does not fit into 64 bits becomes a real number. kNull for invalid JSON.
JsonScalar read_json_scalar(std::string_view json);

/// Calls visit(key, value as written) for each member of an object, keys unescaped. Stops at invalid JSON.
void for_each_json_member(std::string_view object,
                          const std::function<void(std::string_view key, std::string_view value)>& visit);

/// One value inside an object, with its path: "args.Input Dims[0][1]", "args.Input Dims". Valid during the call.
struct JsonLeaf {
  std::string_view key;
  std::string_view flat_key;
  std::string_view json;  ///< as written: read_json_scalar()
};
/// Visits the values inside a JSON value, outermost name first, in their order; null counts as absent (and takes no
/// index in a list). Empty containers have none. The depth is limited.
void for_each_json_leaf(std::string_view json, std::string_view name,
                        const std::function<void(const JsonLeaf&)>& visit);

}  // namespace lacuna
