#pragma once
// The models of operator_work(), one file per family. M, N, K are the sizes of a matrix product [M, K] x [K, N]; n are
// elements; a multiply and an add count two. Formulas follow TraceLens (AMD-AGI/TraceLens, MIT, TraceLens/PerfModel)
// if it has one, so that numbers can be compared: deviations from what the hardware does are marked.

#include <optional>
#include <string_view>

#include "model/roofline/operator_work.h"

namespace lacuna {

/// The result of a model for the inputs of a call.
struct Modelled {
  Work work;
  std::optional<Work> physical{};
  std::string_view why{};
};
using ModelResult = std::optional<Modelled>;

struct WorkModel {
  std::string_view name;
  KernelClass operator_class;
  ModelResult (*work)(const TensorInputs&);
  bool on_matrix_units = false;
};

/// Matrix products: 2 M N K (+ M N with a bias), times the batch; each matrix once.
const WorkModel* matrix_model(std::string_view name);
/// Convolutions: 2 · output · filter / output channels, forward; backward twice that, for input and weight.
const WorkModel* convolution_model(std::string_view name);
/// Attention: two products of queries and keys, causal half; backward four, and one more if the scores are
/// recomputed. Reads Q, K, V, writes the output.
const WorkModel* attention_model(std::string_view name);
/// Layer, batch, group, instance and RMS normalisation.
const WorkModel* normalisation_model(std::string_view name);
/// One operation per element; operands once.
const WorkModel* elementwise_model(std::string_view name);
/// Reductions: one operation per element read; softmax; embeddings and gathers.
const WorkModel* reduction_model(std::string_view name);

}  // namespace lacuna
