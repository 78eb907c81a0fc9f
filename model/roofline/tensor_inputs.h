#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "model/columns/input_shapes.h"
#include "model/trace/engine_steps.h"

namespace lacuna {

/// What one call of an operator was given, as its args say: "Input Dims", "Input type" and "Concrete Inputs" as written
/// in the file, an entry for each parameter. The texts must outlive this. A parameter that the args do not have is no
/// tensor.
class TensorInputs {
 public:
  TensorInputs(std::string_view dims, std::string_view types, std::string_view concrete);

  std::size_t size() const { return shapes_.size(); }
  std::string_view types() const { return types_text_; }  ///< as written
  /// A tensor: its type is written down. One of no dimensions has one element; numbers, lists and None are no tensors.
  bool is_tensor(std::size_t i) const;
  /// Empty for a number, a list, None, and a tensor of no dimensions.
  const Shape& shape(std::size_t i) const;
  /// The number of elements of a tensor; 1 for a number.
  double elements(std::size_t i) const;
  std::string_view type(std::size_t i) const { return i < types_.size() ? types_[i] : std::string_view{}; }
  /// Bytes of one element; none: the type is not known.
  std::optional<double> element_bytes(std::size_t i) const;
  /// What a tensor takes; 4 for a number, which a kernel gets as an argument; 0 for None.
  std::optional<double> bytes(std::size_t i) const;

  // Of a parameter that is no tensor, as "Concrete Inputs" says it; none: it does not.
  std::optional<bool> flag(std::size_t i) const;
  std::optional<double> number(std::size_t i) const;
  /// "[1, 2]"; also "3", which is a list of one.
  Shape list(std::size_t i) const;
  /// Entry `which` of a list of flags, "[True, True, False]": which gradients of a backward pass are asked for. True
  /// where it is not said.
  bool is_asked(std::size_t i, std::size_t which) const;
  std::string_view concrete(std::size_t i) const { return i < concrete_.size() ? concrete_[i] : std::string_view{}; }

  /// All sizes are counts: no negative ones, none that no tensor can have.
  bool is_plausible() const { return is_plausible_; }

  /// The step of an inference server that the call is in, where it says what its requests attend to; null: not known.
  const EngineStep::Attention* requests = nullptr;

 private:
  std::vector<Shape> shapes_;
  std::string_view types_text_;
  std::vector<std::string_view> types_, concrete_;
  bool is_plausible_ = true;
};

/// Bytes of one element of a type as torch's profiler writes it ("c10::BFloat16"); none: not known, or no tensor's.
std::optional<double> element_bytes(std::string_view type);
double product(const Shape& shape, std::size_t from = 0);

}  // namespace lacuna
