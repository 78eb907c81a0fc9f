#include "app/gui/core/json_text.h"

#include <nlohmann/json.hpp>

namespace lacuna {

nlohmann::json parse_json(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text) {
  return nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
}

bool is_json(std::string_view text) {
  return nlohmann::json::accept(text);
}

std::string json_fault(std::string_view text) {
  try {
    [[maybe_unused]] const nlohmann::json json = nlohmann::json::parse(text);
    return {};
  } catch (const nlohmann::json::parse_error& error) {
    return error.what();
  }
}

}  // namespace lacuna
