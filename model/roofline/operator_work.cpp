#include "model/roofline/operator_work.h"

#include "model/roofline/work_models.h"

namespace lacuna {
namespace {

/// 2^63: more is no count of anything that ran.
constexpr double kMostWork = 9.2e18;

const WorkModel* model_of(std::string_view name) {
  for (const auto find :
       {matrix_model, convolution_model, attention_model, normalisation_model, elementwise_model, reduction_model})
    if (const WorkModel* found = find(name)) return found;
  return nullptr;
}

}  // namespace

std::string_view unnumbered_operator(std::string_view name) {
  if (!name.starts_with("sglang_profiler::")) return name;
  const std::size_t last = name.find_last_not_of("0123456789");
  return last + 1 < name.size() && name[last] == '_' ? name.substr(0, last) : name;
}

bool is_countable(const Work& work) {
  return work.flop >= 0 && work.bytes >= 0 && work.flop < kMostWork && work.bytes < kMostWork;
}

bool has_work_model(std::string_view name) {
  return model_of(name) != nullptr;
}

std::optional<OperatorWork> operator_work(std::string_view name, const TensorInputs& inputs) {
  const WorkModel* model = model_of(name);
  if (model == nullptr || inputs.size() == 0 || !inputs.is_plausible()) return {};
  const ModelResult result = model->work(inputs);
  if (!result || !is_countable(result->work)) return {};
  if (result->physical && !is_countable(*result->physical)) return {};
  return OperatorWork{model->operator_class, flop_type(inputs.types()), model->on_matrix_units,
                      result->work,          result->physical,          std::string(result->why)};
}

}  // namespace lacuna
