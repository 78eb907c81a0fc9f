#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "model/columns/input_shapes.h"
#include "model/trace/engine_steps.h"

namespace lacuna {

/// The inputs of one call of an operator, from its args: "Input Dims", "Input type" and "Concrete Inputs" as written
/// in the file, one entry per parameter. The texts must outlive this. A parameter missing in the args is not a
/// tensor.
class TensorInputs {
 public:
  /// `strides`: "Input Strides", as the others; empty: not recorded.
  TensorInputs(std::string_view dims, std::string_view types, std::string_view concrete, std::string_view strides = {});

  std::size_t size() const { return shapes_.size(); }
  std::string_view types() const { return types_text_; }  ///< as written
  /// Whether it is a tensor, i.e. has a type. A zero-dimensional one has one element; numbers, lists and None are none.
  bool is_tensor(std::size_t i) const;
  /// Empty for a number, a list, None, and a zero-dimensional tensor.
  const Shape& shape(std::size_t i) const;
  /// The number of elements of a tensor; 1 for a number.
  double elements(std::size_t i) const;
  std::string_view type(std::size_t i) const { return i < types_.size() ? types_[i] : std::string_view{}; }
  /// Bytes per element; none: the type is not known.
  std::optional<double> element_bytes(std::size_t i) const;
  /// Bytes of a tensor; 4 for a number, which a kernel gets as an argument; 0 for None.
  std::optional<double> bytes(std::size_t i) const;
  /// bytes(), of a tensor that is expanded (a stride is 0) only those that are stored.
  std::optional<double> stored_bytes(std::size_t i) const;

  // For a parameter that is not a tensor, its value in "Concrete Inputs"; none: not recorded.
  std::optional<bool> flag(std::size_t i) const;
  std::optional<double> number(std::size_t i) const;
  /// Parses "[1, 2]"; also "3", as a list of one.
  Shape list(std::size_t i) const;
  /// Returns entry `which` of a list of flags, "[True, True, False]": the gradients that a backward pass computes. True
  /// if not recorded.
  bool is_asked(std::size_t i, std::size_t which) const;
  std::string_view concrete(std::size_t i) const { return i < concrete_.size() ? concrete_[i] : std::string_view{}; }

  /// Whether all sizes are possible: not negative, not larger than any tensor.
  bool is_plausible() const { return is_plausible_; }

  /// The inference server step that contains the call, if it describes its requests' attention; null: not known.
  const EngineStep::Attention* requests = nullptr;

 private:
  std::vector<Shape> shapes_, strides_;
  std::string_view types_text_;
  std::vector<std::string_view> types_, concrete_;
  bool is_plausible_ = true;
};

/// Returns the bytes per element of a type as torch's profiler writes it ("c10::BFloat16"); none: not known, no tensor.
std::optional<double> element_bytes(std::string_view type);

}  // namespace lacuna
