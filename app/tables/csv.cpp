#include "app/tables/csv.h"

namespace lacuna {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string csv_name(std::string_view json_key) {
  std::string name;
  for (const char c : json_key) {
    if (c >= 'A' && c <= 'Z') {
      (name += '_') += static_cast<char>(c + 32);
    } else {
      name += c;
    }
  }
  return name;
}

}  // namespace lacuna
