// Tells Lacuna's collector of every operator that PyTorch runs, on all threads. Built by lacuna_torch.py
// against the torch of the target: it depends on its C++ interface, not on its Python version.
#include <ATen/record_function.h>
#include <dlfcn.h>

#include <cstdio>
#include <string>

namespace {

void (*operator_begin)(const char* name, long long sequence, const char* shapes, int is_user);
void (*operator_end)();

int is_user(const at::RecordFunction& function) { return function.scope() == at::RecordScope::USER_SCOPE ? 1 : 0; }

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  operator_begin(function.name(), function.seqNr(), nullptr, is_user(function));
  return nullptr;
}

// "[[64, 128], [], 3 lists]"-like text of the inputs' sizes, as torch.profiler's Input Dims.
void append_sizes(std::string& text, const c10::IValue& value) {
  text += '[';
  if (value.isTensor() && value.toTensor().defined() && !value.toTensor().is_nested()) {
    bool first = true;
    for (const auto size : value.toTensor().sizes()) {
      text += first ? "" : ", ";
      text += std::to_string(size);
      first = false;
    }
  }
  text += ']';
}

std::unique_ptr<at::ObserverContext> begin_with_shapes(const at::RecordFunction& function) {
  std::string text = "[";
  for (const c10::IValue& input : function.inputs()) {
    if (text.size() > 1) text += ", ";
    try {
      append_sizes(text, input);
    } catch (...) {  // symbolic sizes and the like
      text += ']';
    }
  }
  text += ']';
  operator_begin(function.name(), function.seqNr(), text.c_str(), is_user(function));
  return nullptr;
}

void end(const at::RecordFunction&, at::ObserverContext*) { operator_end(); }

}  // namespace

/// Non-zero when the collector was found; from then on operators are captured.
extern "C" __attribute__((visibility("default"))) int lacuna_torch_start(const char* collector, int shapes) {
  void* handle = dlopen(collector, RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return 0;
  operator_begin = reinterpret_cast<decltype(operator_begin)>(dlsym(handle, "lacuna_operator_begin"));
  operator_end = reinterpret_cast<decltype(operator_end)>(dlsym(handle, "lacuna_operator_end"));
  if (operator_begin == nullptr || operator_end == nullptr) return 0;
  at::addGlobalCallback(at::RecordFunctionCallback(shapes ? begin_with_shapes : begin, end)
                            .needsInputs(shapes != 0)
                            .needsIds(false)
                            .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                                     at::RecordScope::USER_SCOPE, at::RecordScope::TORCHSCRIPT_FUNCTION}));
  return 1;
}
