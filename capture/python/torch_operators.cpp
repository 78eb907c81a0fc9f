// Tells Lacuna's collector of every operator that PyTorch runs, on all threads. Built by lacuna_torch.py
// against the torch of the target: it depends on its C++ interface, not on its Python version.
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <unordered_set>

#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <dlfcn.h>
#if __has_include(<torch/csrc/profiler/orchestration/observer.h>)
#include <torch/csrc/profiler/orchestration/observer.h>
#define LACUNA_HEARS_ALLOCATIONS 1
#endif

namespace {

void (*operator_begin)(const char* name, long long sequence, const char* inputs, unsigned scope, unsigned forward,
                       unsigned torch_thread);
void (*operator_end)();
void (*profiler_step)(int begins);
at::CallbackHandle operators;
at::CallbackHandle ranges;

/// As wire::OperatorScope.
unsigned scope_of(const at::RecordFunction& function) {
  switch (function.scope()) {
    case at::RecordScope::BACKWARD_FUNCTION:
      return 1;
    case at::RecordScope::USER_SCOPE:
      return 2;
    default:
      return 0;
  }
}

// --- what allocators give and take back: they tell whoever stands in the profiler's place of a thread ------------

#ifdef LACUNA_HEARS_ALLOCATIONS
void (*allocation)(unsigned long long address, long long bytes, unsigned long long allocated,
                   unsigned long long reserved, int device_type, int device, int is_out_of_memory);

/// A profiler that is disabled, as far as PyTorch asks; it hears of memory nonetheless. PyTorch takes whatever stands
/// in that place for one.
class Allocations final : public torch::profiler::impl::ProfilerStateBase {
 public:
  Allocations()
      : ProfilerStateBase(torch::profiler::impl::ProfilerConfig(torch::profiler::impl::ProfilerState::Disabled)) {}
  void reportMemoryUsage(void* address, int64_t bytes, size_t allocated, size_t reserved, c10::Device device) override {
    allocation(reinterpret_cast<unsigned long long>(address), bytes, allocated, reserved,
               static_cast<int>(device.type()), device.index(), 0);
  }
  void reportOutOfMemory(int64_t bytes, size_t allocated, size_t reserved, c10::Device device) override {
    allocation(0, bytes, allocated, reserved, static_cast<int>(device.type()), device.index(), 1);
  }
  bool memoryProfilingEnabled() const override { return true; }
  torch::profiler::impl::ActiveProfilerType profilerType() override {
    return torch::profiler::impl::ActiveProfilerType::NONE;
  }
};
std::shared_ptr<Allocations>* allocations;  // never freed: threads have it to the end

/// With each operator: threads come and go, and a profiler of the program's own takes the place meanwhile.
inline void hear_allocations() {
  if (allocations != nullptr && c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE) == nullptr)
    c10::ThreadLocalDebugInfo::_push(c10::DebugInfoKind::PROFILER_STATE, *allocations);
}
#else
inline void hear_allocations() {}
#endif

void tell(const at::RecordFunction& function, const char* inputs) {
  hear_allocations();
  operator_begin(function.name(), function.seqNr(), inputs, scope_of(function),
                 static_cast<unsigned>(function.forwardThreadId()), static_cast<unsigned>(function.threadId()));
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  tell(function, nullptr);
  return nullptr;
}

// --- what torch.profiler writes of inputs (torch/csrc/profiler: InputOutputEncoder and its ...ToStr) ------------

constexpr std::size_t kMostScalars = 30;  // SCALAR_LIST_LENGTH_LIMIT

void append_text(std::string& json, const std::string& text) {
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      json += escape;
    } else {
      json += c;
    }
  }
  json += '"';
}

void append_sizes(std::string& json, const at::Tensor& tensor) {
  json += '[';
  if (tensor.defined() && !tensor.is_nested()) {
    bool is_first = true;
    for (const auto size : tensor.sizes()) {
      if (!is_first) json += ", ";
      json += std::to_string(size);
      is_first = false;
    }
  }
  json += ']';
}

bool is_scalar_list(const c10::IValue& value) {
  if (!value.isList() || value.isTensorList()) return false;
  const auto list = value.toListRef();
  return list.empty() || (list[0].isScalar() && list.size() <= kMostScalars);
}

void append_dims(std::string& json, const c10::IValue& value) {
  if (value.isTensor()) return append_sizes(json, value.toTensor());
  json += '[';
  if (value.isTensorList()) {
    bool is_first = true;
    for (const at::Tensor& tensor : value.toTensorVector()) {
      if (!is_first) json += ", ";
      append_sizes(json, tensor);
      is_first = false;
    }
  }
  json += ']';
}

std::string type_of(const c10::IValue& value) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    return tensor.defined() ? std::string(tensor.dtype().name()) : std::string();
  }
  if (value.isScalar()) return "Scalar";
  if (value.isTensorList()) return "TensorList";
  return is_scalar_list(value) ? "ScalarList" : "";
}

std::string concrete(const c10::IValue& value) {
  if (!value.isScalar() && !is_scalar_list(value)) return {};
  std::ostringstream text;
  text << value;
  return text.str();
}

template <class Append>
void append_each(std::string& json, const char* key, const at::RecordFunction& function, Append append) {
  json += json.empty() ? "\"" : ",\"";
  json += key;
  json += "\":[";
  bool is_first = true;
  for (const c10::IValue& input : function.inputs()) {
    if (!is_first) json += ", ";
    is_first = false;
    const std::size_t before = json.size();
    try {
      append(input);
    } catch (...) {  // symbolic sizes and the like: as if nothing were known
      json.resize(before);
      append(c10::IValue());
    }
  }
  json += ']';
}

std::unique_ptr<at::ObserverContext> begin_with_inputs(const at::RecordFunction& function) {
  if (function.inputs().empty()) {  // torch.profiler writes nothing then
    tell(function, nullptr);
    return nullptr;
  }
  thread_local std::string json;
  json.clear();
  append_each(json, "Concrete Inputs", function, [](const c10::IValue& v) { append_text(json, concrete(v)); });
  append_each(json, "Input type", function, [](const c10::IValue& v) { append_text(json, type_of(v)); });
  append_each(json, "Input Dims", function, [](const c10::IValue& v) { append_dims(json, v); });
  tell(function, json.c_str());
  return nullptr;
}

void end(const at::RecordFunction&, at::ObserverContext*) {
  operator_end();
}

// --- ranges of the program (record_function): always told of, as they may be the steps ---------------------------

constexpr char kProfilerStep[] = "ProfilerStep#";

bool is_profiler_step(const at::RecordFunction& function) {
  return std::strncmp(function.name(), kProfilerStep, sizeof kProfilerStep - 1) == 0;
}

template <std::unique_ptr<at::ObserverContext> (*Begin)(const at::RecordFunction&)>
std::unique_ptr<at::ObserverContext> begin_range(const at::RecordFunction& function) {
  if (is_profiler_step(function)) profiler_step(1);
  return Begin(function);
}

void end_range(const at::RecordFunction& function, at::ObserverContext* context) {
  end(function, context);
  if (is_profiler_step(function)) profiler_step(0);
}

void set_operators(int on) {
  on ? at::reenableCallback(operators) : at::disableCallback(operators);
}

}  // namespace

/// Nobody looks (1), or somebody does again (0): all operators and ranges of the program.
extern "C" __attribute__((visibility("default"))) void lacuna_torch_sleep(int asleep) {
  for (const at::CallbackHandle handle : {operators, ranges})
    asleep ? at::disableCallback(handle) : at::reenableCallback(handle);
}

/// Leaves the profiler's place of this thread to a profiler that is about to begin.
extern "C" __attribute__((visibility("default"))) void lacuna_torch_leave() {
#ifdef LACUNA_HEARS_ALLOCATIONS
  if (allocations == nullptr ||
      c10::ThreadLocalDebugInfo::get(c10::DebugInfoKind::PROFILER_STATE) != allocations->get())
    return;
  try {
    c10::ThreadLocalDebugInfo::_pop(c10::DebugInfoKind::PROFILER_STATE);
  } catch (...) {  // something else stands above it: the profiler says so itself
  }
#endif
}

/// Non-zero when allocations are heard of from the next operator on.
extern "C" __attribute__((visibility("default"))) int lacuna_torch_allocations(const char* collector_path) {
#ifdef LACUNA_HEARS_ALLOCATIONS
  void* collector = dlopen(collector_path, RTLD_NOW | RTLD_NOLOAD);
  if (collector == nullptr) return 0;
  allocation = reinterpret_cast<decltype(allocation)>(dlsym(collector, "lacuna_allocation"));
  if (allocation == nullptr) return 0;
  allocations = new std::shared_ptr<Allocations>(std::make_shared<Allocations>());
  hear_allocations();
  return 1;
#else
  (void)collector_path;
  return 0;
#endif
}

/// Non-zero when the collector was found; from then on operators are captured, with their inputs when `inputs`.
extern "C" __attribute__((visibility("default"))) int lacuna_torch_start(const char* collector_path, int inputs) {
  void* collector = dlopen(collector_path, RTLD_NOW | RTLD_NOLOAD);
  if (collector == nullptr) return 0;
  operator_begin = reinterpret_cast<decltype(operator_begin)>(dlsym(collector, "lacuna_operator_begin"));
  operator_end = reinterpret_cast<decltype(operator_end)>(dlsym(collector, "lacuna_operator_end"));
  const auto use_switch = reinterpret_cast<void (*)(void (*)(int))>(dlsym(collector, "lacuna_operator_switch"));
  profiler_step = reinterpret_cast<decltype(profiler_step)>(dlsym(collector, "lacuna_profiler_step"));
  if (operator_begin == nullptr || operator_end == nullptr || profiler_step == nullptr || use_switch == nullptr)
    return 0;
  // All scopes, as torch.profiler; ranges of the program apart, so that operators alone can be switched off.
  std::unordered_set<at::RecordScope> others;
  for (std::size_t scope = 0; scope < static_cast<std::size_t>(at::RecordScope::NUM_SCOPES); ++scope)
    if (scope != static_cast<std::size_t>(at::RecordScope::USER_SCOPE))
      others.insert(static_cast<at::RecordScope>(scope));
  const auto add = [&](at::RecordFunctionCallback::StartCallback start, at::RecordFunctionCallback::EndCallback stop,
                       const std::unordered_set<at::RecordScope>& scopes) {
    return at::addGlobalCallback(
        at::RecordFunctionCallback(start, stop).scopes(scopes).needsInputs(inputs != 0).needsIds(false));
  };
  operators = add(inputs ? begin_with_inputs : begin, end, others);
  ranges = add(inputs ? begin_range<begin_with_inputs> : begin_range<begin>, end_range, {at::RecordScope::USER_SCOPE});
  use_switch(&set_operators);
  return 1;
}
