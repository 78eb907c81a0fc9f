// Of matrix products: whether the bias is fused, and what limits an operator, computing or memory.

#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "model/base/ascii.h"
#include "model/calls/launched_work.h"
#include "model/causes/gap_evidence.h"
#include "model/columns/flops.h"
#include "model/columns/input_shapes.h"
#include "model/kernels/kernel_class.h"
#include "model/notes/note_parts.h"
#include "model/roofline/gpu_peaks.h"
#include "model/trace/find_device.h"

namespace lacuna {
namespace {

/// Bytes of an element by torch's name of its type; 0: no tensor.
double bytes_of_type(std::string_view type) {
  struct Type {
    std::string_view name;
    double bytes;
  };
  constexpr std::array kTypes = {Type{"c10::BFloat16", 2}, Type{"c10::Half", 2},     Type{"float", 4},
                                 Type{"double", 8},        Type{"int", 4},           Type{"long int", 8},
                                 Type{"long", 8},          Type{"short", 2},         Type{"bool", 1},
                                 Type{"signed char", 1},   Type{"unsigned char", 1}, Type{"c10::complex<float>", 8}};
  if (type.starts_with("c10::Float8")) return 1;
  const auto found = std::ranges::find(kTypes, type, &Type::name);
  return found == kTypes.end() ? 0 : found->bytes;
}

double elements(const Shape& shape) {
  double product = 1;
  for (const double n : shape) product *= n;
  return product;
}

/// The least that a call reads and writes, with each tensor touched once; 0: the args do not say enough.
double least_bytes(std::string_view name, std::string_view dims, std::string_view types) {
  const std::vector<Shape> shapes = parse_shapes(dims);
  const std::vector<std::string_view> type_names = parse_strings(types);
  if (shapes.size() != type_names.size() || shapes.empty()) return 0;
  double bytes = 0, largest = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const double size = shapes[i].empty() ? 0 : elements(shapes[i]) * bytes_of_type(type_names[i]);
    bytes += size;
    largest = std::max(largest, size);
  }
  if (largest == 0) return 0;
  const double each = bytes_of_type(type_names[0]);
  const auto has = [&](std::size_t count, std::size_t rank_a, std::size_t rank_b, std::size_t first) {
    return shapes.size() >= count && shapes[first].size() == rank_a && shapes[first + 1].size() == rank_b;
  };
  if (name == "aten::mm") return has(2, 2, 2, 0) ? bytes + shapes[0][0] * shapes[1][1] * each : 0;
  if (name == "aten::addmm") return has(3, 2, 2, 1) ? bytes + shapes[1][0] * shapes[2][1] * each : 0;
  if (name == "aten::bmm") return has(2, 3, 3, 0) ? bytes + shapes[0][0] * shapes[0][1] * shapes[1][2] * each : 0;
  if (name == "aten::baddbmm") return has(3, 3, 3, 1) ? bytes + shapes[1][0] * shapes[1][1] * shapes[2][2] * each : 0;
  if (name == "aten::linear")
    return shapes.size() >= 2 && !shapes[0].empty() && shapes[1].size() == 2
               ? bytes + elements(shapes[0]) / shapes[0].back() * shapes[1][0] * each
               : 0;
  if (name.find("attention") != name.npos) return bytes + elements(shapes[0]) * each;
  return bytes + largest;  // one result for each element of the largest input
}

/// "412 TFLOP/s", "3.1 TB/s", "18.8 GFLOP".
std::string amount(double value, std::string_view unit) {
  constexpr std::array kPrefixes = {"", "k", "M", "G", "T", "P"};
  std::size_t p = 0;
  for (; value >= 1000 && p + 1 < kPrefixes.size(); ++p) value /= 1000;
  return fmt::format("{:.{}f} {}{}", value, value < 10 ? 1 : 0, kPrefixes[p], unit);
}

/// Below this part of both peaks neither computing nor memory is what a kernel waits for.
constexpr double kLeastBusy = 0.05;
constexpr std::string_view kTooSmall = "That is too little work for this GPU: starting it takes longer.";

/// An operator with its GPU work.
struct Roof {
  std::string_view name;
  std::string_view dims;
  std::string_view types;
  std::string_view inputs;
  LaunchedWork work;
};

bool is_tf32(const Trace& trace, const LaunchedWork& work) {
  return std::ranges::any_of(work.kernels, [&](const WorkRow& row) {
    return to_lower(trace.text(row.name)).find("tf32") != std::string::npos;
  });
}

/// One kernel that does about one operation for each element: what it moves is what it takes.
bool is_by_element(const Trace& trace, const LaunchedWork& work) {
  if (work.count != 1) return false;
  const KernelClass of = kernel_class(trace.category_class(work.first), trace.name(work.first));
  return of == KernelClass::kElementwise || of == KernelClass::kNormalisation || of == KernelClass::kReduction ||
         (of == KernelClass::kCopy && trace.category_class(work.first) == CategoryClass::kKernel);
}

std::optional<std::string> roof_sentence(const NoteFacts& facts, const Roof& op) {
  const Trace& trace = facts.trace;
  if (op.work.count == 0 || op.work.time <= 0) return std::nullopt;
  const double flops = operator_flops(op.name, op.dims, op.inputs);
  const double bytes = least_bytes(op.name, op.dims, op.types);
  if (!std::isfinite(flops) || !std::isfinite(bytes)) return std::nullopt;  // shapes of a file that is no trace
  const double seconds = static_cast<double>(op.work.time) / 1e9;
  const DeviceProperties* device = find_device(trace, trace.track_of(op.work.first));
  const GpuPeak* best = device == nullptr ? nullptr : gpu_peak(device->name);
  const double bandwidth = best == nullptr ? 0 : best->gigabytes * 1e9;
  const std::string of_work = facts.format.duration(op.work.time) + " of GPU time";
  if (flops <= 0) {
    if (bytes <= 0 || !is_by_element(trace, op.work)) return std::nullopt;
    const bool is_small = bandwidth > 0 && bytes / seconds < kLeastBusy * bandwidth;
    std::string text = fmt::format(
        "It computes little for each element that it reads or writes{}: at least {} in {} are {}",
        is_small ? "" : ", so memory limits it", amount(bytes, "B"), of_work, amount(bytes / seconds, "B/s"));
    if (bandwidth > 0)
      text += fmt::format(", {} of the {} of {}", facts.format.percent(bytes / seconds / bandwidth),
                          amount(bandwidth, "B/s"), device->name);
    return text + (is_small ? std::string(". ") + std::string(kTooSmall) : ".");
  }
  FlopType type = flop_type(op.types);
  if (type == FlopType::kFp32 && is_tf32(trace, op.work)) type = FlopType::kTf32;
  const double peak = best == nullptr ? 0 : best->tflops(type) * 1e12;
  std::string text = fmt::format("It computes {}", amount(flops, "FLOP"));
  if (bytes > 0) text += fmt::format(" and moves at least {}: {:.0f} FLOP a byte", amount(bytes, "B"), flops / bytes);
  const bool is_judged = bytes > 0 && peak > 0 && bandwidth > 0;
  const double balance = is_judged ? peak / bandwidth : 0;
  const bool is_memory_bound = is_judged && flops / bytes < balance;
  const bool is_small = is_judged && flops / seconds < kLeastBusy * peak && bytes / seconds < kLeastBusy * bandwidth;
  if (is_judged)
    text += fmt::format(", {} the {:.0f} of {}", is_memory_bound ? "below" : "above", balance, device->name);
  if (is_judged && !is_small) text += fmt::format(", so {} limits it", is_memory_bound ? "memory" : "computing");
  text += fmt::format(". In {} that is {}", of_work, amount(flops / seconds, "FLOP/s"));
  if (peak > 0) text += fmt::format(", {} of the peak", facts.format.percent(flops / seconds / peak));
  if (is_memory_bound)
    text += fmt::format(", and {}, {} of the bandwidth", amount(bytes / seconds, "B/s"),
                        facts.format.percent(bytes / seconds / bandwidth));
  return text + (is_small ? std::string(". ") + std::string(kTooSmall) : ".");
}

}  // namespace

void note_roof(const NoteFacts& facts) {
  const Trace& trace = facts.trace;
  const CategoryClass category = facts.category();
  if (category == CategoryClass::kCpuOperator) {
    if (facts.argument("Input Dims").empty()) return;
    const Roof op{facts.name(), facts.argument("Input Dims"), facts.argument("Input type"),
                  facts.argument("Concrete Inputs"), work_launched_by(trace, std::span(&facts.slice, 1))};
    if (const auto text = roof_sentence(facts, op)) facts.add("roof", *text, op.work.kernels.front().first);
    return;
  }
  if (category != CategoryClass::kKernel) return;
  // Of a kernel that is all that its operator launched.
  for (const SliceId above : stack_above(trace, facts.slice)) {
    if (trace.category_class(above) != CategoryClass::kCpuOperator) continue;
    const auto arguments = read_arguments(trace, above);
    if (!arguments) return;
    const NoteFacts of_op{trace, above, *arguments, facts.format, facts.notes};
    const Roof op{of_op.name(), of_op.argument("Input Dims"), of_op.argument("Input type"),
                  of_op.argument("Concrete Inputs"), work_launched_by(trace, std::span(&above, 1))};
    if (op.work.count != 1 || op.dims.empty()) return;
    if (const auto text = roof_sentence(facts, op))
      facts.add("roof", fmt::format("Of {}, which launched it: {}", op.name, *text), above);
    return;
  }
}

void note_bias(const NoteFacts& facts) {
  const Trace& trace = facts.trace;
  const std::string_view name = facts.name();
  if (facts.category() != CategoryClass::kCpuOperator || (name != "aten::linear" && name != "aten::addmm")) return;
  if (name == "aten::linear") {
    const std::vector<Shape> shapes = parse_shapes(facts.argument("Input Dims"));
    if (shapes.size() < 2) return;
    if (shapes.size() < 3 || shapes[2].empty()) return facts.add("bias", "It has no bias.");
  }
  // What runs in addmm, or in an add beside the product, is about the bias; a copy elsewhere makes the input
  // contiguous.
  std::size_t products = 0;
  SliceId other;
  for_each_launched(trace, facts.slice, [&](SliceId activity, SliceId call) {
    const CategoryClass category = trace.category_class(activity);
    if (category != CategoryClass::kKernel && category != CategoryClass::kMemcpy) return;
    if (kernel_class(category, trace.name(activity)) == KernelClass::kGemm) {
      ++products;
      return;
    }
    bool is_of_bias = name == "aten::addmm";
    for (SliceId up = trace.parent(call); up.valid() && up != facts.slice && !is_of_bias; up = trace.parent(up))
      is_of_bias = trace.name(up) == "aten::addmm" || trace.name(up) == "aten::add" || trace.name(up) == "aten::add_";
    if (is_of_bias) other = activity;
  });
  if (products == 0) return;
  if (!other.valid())
    return facts.add("bias", products == 1 ? "The bias is fused: one kernel multiplies and adds it."
                                           : fmt::format("The bias is fused: the {} kernels of the product add it.",
                                                         facts.format.count(products)));
  const std::string took = facts.format.duration(trace.span(other).duration());
  const std::string kernel = short_kernel_name(trace.name(other));
  facts.add(
      "bias",
      kernel_class(trace.category_class(other), trace.name(other)) == KernelClass::kCopy
          ? fmt::format("The bias is not fused: {} copies it into the result first ({}), and the product is added "
                        "to that.",
                        kernel, took)
          : fmt::format("The bias is not fused: {} adds it in a kernel of its own ({}).", kernel, took),
      other);
}

}  // namespace lacuna
