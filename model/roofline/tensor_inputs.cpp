#include "model/roofline/tensor_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

namespace lacuna {
namespace {

/// More elements than any memory has; beyond, sums of products are no longer exact.
constexpr double kMostElements = 9e15;
constexpr double kArgumentBytes = 4;

constexpr std::pair<std::string_view, double> kElementBytes[] = {
    {"float", 4},
    {"c10::BFloat16", 2},
    {"c10::Half", 2},
    {"double", 8},
    {"long int", 8},
    {"long", 8},
    {"int", 4},
    {"bool", 1},
    {"unsigned char", 1},
    {"signed char", 1},
    {"short int", 2},
    {"short", 2},
    {"unsigned int", 4},
    {"unsigned short", 2},
    {"c10::complex<float>", 8},
    {"c10::complex<double>", 16},
};

const Shape kNoShape;

}  // namespace

std::optional<double> element_bytes(std::string_view type) {
  for (const auto& [name, bytes] : kElementBytes)
    if (name == type) return bytes;
  // float8_e4m3fn and its kind; two elements of float4_e2m1fn_x2 share a byte, and count as one in shapes.
  if (type.starts_with("c10::Float8") || type.starts_with("c10::Float4")) return 1;
  return {};
}

TensorInputs::TensorInputs(std::string_view dims, std::string_view types, std::string_view concrete,
                           std::string_view strides)
    : shapes_(parse_shapes(dims)),
      strides_(parse_shapes(strides)),
      types_text_(types),
      types_(parse_strings(types)),
      concrete_(parse_strings(concrete)) {
  for (const Shape& shape : shapes_)
    is_plausible_ = is_plausible_ && std::ranges::all_of(shape, [](double size) { return size >= 0; }) &&
                    product(shape) < kMostElements;
}

bool TensorInputs::is_tensor(std::size_t i) const {
  const std::string_view type = this->type(i);
  return !type.empty() && !type.starts_with("Scalar") && !type.ends_with("List");
}

const Shape& TensorInputs::shape(std::size_t i) const {
  return i < shapes_.size() ? shapes_[i] : kNoShape;
}

double TensorInputs::elements(std::size_t i) const {
  return product(shape(i));
}

std::optional<double> TensorInputs::element_bytes(std::size_t i) const {
  return lacuna::element_bytes(type(i));
}

std::optional<double> TensorInputs::bytes(std::size_t i) const {
  if (type(i).empty()) return 0;
  if (type(i) == "Scalar") return kArgumentBytes;
  const std::optional<double> each = element_bytes(i);
  return each ? std::optional(*each * elements(i)) : std::nullopt;
}

std::optional<double> TensorInputs::stored_bytes(std::size_t i) const {
  std::optional<double> stored = bytes(i);
  if (!stored || i >= strides_.size() || strides_[i].size() != shape(i).size()) return stored;
  for (std::size_t d = 0; d < shape(i).size(); ++d)
    if (strides_[i][d] == 0 && shape(i)[d] > 0) *stored /= shape(i)[d];
  return stored;
}

std::optional<bool> TensorInputs::flag(std::size_t i) const {
  if (concrete(i) == "True") return true;
  if (concrete(i) == "False") return false;
  return {};
}

bool TensorInputs::is_asked(std::size_t i, std::size_t which) const {
  std::string_view flags = concrete(i);
  for (; which > 0; --which) {
    const std::size_t comma = flags.find(',');
    if (comma == flags.npos) return true;
    flags.remove_prefix(comma + 1);
  }
  return flags.substr(0, flags.find(',')).find("False") == flags.npos;
}

std::optional<double> TensorInputs::number(std::size_t i) const {
  const std::string text(concrete(i));
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || end != text.c_str() + text.size() || !std::isfinite(value) ? std::nullopt
                                                                                    : std::optional(value);
}

Shape TensorInputs::list(std::size_t i) const {
  if (const std::optional<double> one = number(i)) return {*one};
  const std::string_view text = concrete(i);
  return text.starts_with('[') && text.size() > 2 ? parse_shapes("[" + std::string(text) + "]").at(0) : Shape{};
}

}  // namespace lacuna
