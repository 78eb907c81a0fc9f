#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/output.h"

namespace lacuna {

/// Small values keep the order in which their keys were given.
using Json = nlohmann::ordered_json;

/// Streams one JSON document of any size: containers that begin() opens get a line per entry, the
/// values inside are dumped on that line. Text that is not UTF-8 is written with U+FFFD, never
/// an exception; everything else is written as it is, never shortened.
///
///   JsonWriter json(out);          {
///   json.begin_list("rows");         "rows": [
///   json.element({{"a", 1}});          {"a":1}
///   json.end();                      ]
///   json.finish();                 }
class JsonWriter {
 public:
  /// Opens the outermost object.
  explicit JsonWriter(Output& out);

  // Inside an object: with a key.
  void member(std::string_view key, const Json& value);
  void begin_object(std::string_view key);
  void begin_list(std::string_view key);
  // Inside a list: without.
  void element(const Json& value);
  void begin_element_object();
  /// Closes the container opened last.
  void end();
  /// Closes the outermost object and ends the line.
  void finish();

 private:
  void start_entry();
  void open(char bracket);

  Output& out_;
  std::string brackets_;            // the closing brackets still to come, innermost last
  std::vector<std::size_t> sizes_;  // entries so far of each open container
};

/// `value` on one line, as JsonWriter writes it.
std::string to_text(const Json& value);

}  // namespace lacuna
