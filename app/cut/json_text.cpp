#include "app/cut/json_text.h"

#include <nlohmann/json.hpp>

namespace lacuna {
namespace {

/// The library copies and writes values by recursion.
constexpr int kDeepestValue = 500;

template <class Value>
Value parse_text(std::string_view text) {
  const auto keeps = [](int depth, typename Value::parse_event_t, Value&) { return depth <= kDeepestValue; };
  return Value::parse(text, keeps, /*allow_exceptions=*/false);
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  return parse_text<nlohmann::json>(text);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text) {
  return parse_text<nlohmann::ordered_json>(text);
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
