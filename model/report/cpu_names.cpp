// What the CPU report knows by name: families of operators, and calls that wait.

#include <algorithm>
#include <array>

#include "model/report/cpu_report.h"

namespace lacuna {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& list) {
  return std::ranges::find(list, name) != list.end();
}

/// "aten::addmm_" -> "aten", "addmm": without the mark of operators that work in place.
struct OperatorName {
  std::string_view space, base;
  explicit OperatorName(std::string_view name) {
    const std::size_t colons = name.find("::");
    if (colons == name.npos) return;
    space = name.substr(0, colons);
    base = name.substr(colons + 2);
    while (base.size() > 1 && base.ends_with('_')) base.remove_suffix(1);
  }
  bool says(std::string_view part) const { return base.find(part) != base.npos; }
};

}  // namespace

bool is_matrix_operator(std::string_view name) {
  const OperatorName op(name);
  // Kernels of other libraries behind PyTorch: quantized::linear, mkldnn::_convolution_pointwise …
  constexpr std::array<std::string_view, 6> kLibraries = {"mkldnn",    "mkl",    "onednn",
                                                          "quantized", "fbgemm", "mkldnn_prepacked"};
  if (is_one_of(op.space, kLibraries)) return op.says("linear") || op.says("conv") || op.says("rnn") || op.says("lstm");
  if (op.space != "aten") return false;
  constexpr std::array<std::string_view, 11> kProducts = {"mv",         "addmv",           "dot",          "vdot",
                                                          "matmul",     "linear",          "einsum",       "bilinear",
                                                          "_trilinear", "linear_backward", "mkldnn_linear"};
  constexpr std::array<std::string_view, 6> kRecurrent = {
      "lstm", "gru", "rnn_tanh", "rnn_relu", "mkldnn_rnn_layer", "mkldnn_rnn_layer_backward"};
  // mm, addmm, bmm, baddbmm, _scaled_mm, _addmm_activation …
  if (op.base.ends_with("mm") || op.says("mm_activation") || op.says("pack_mm")) return true;
  if (is_one_of(op.base, kProducts) || is_one_of(op.base, kRecurrent)) return true;
  if (op.says("conv") && !op.says("convert")) return true;
  return op.says("scaled_dot_product") || op.says("_attention");
}

bool is_copy_operator(std::string_view name) {
  const OperatorName op(name);
  constexpr std::array<std::string_view, 11> kCopies = {"copy",  "clone",  "contiguous", "to",         "cat",    "_cat",
                                                        "stack", "repeat", "tile",       "_copy_from", "reshape"};
  return op.space == "aten" && (is_one_of(op.base, kCopies) || op.base.ends_with("_copy"));
}

std::string_view waiting_call(std::string_view frame) {
  constexpr std::string_view kFunction = "<built-in function ", kMethod = "<built-in method ";
  const bool is_function = frame.starts_with(kFunction);
  if (!is_function && !frame.starts_with(kMethod)) return {};
  frame.remove_prefix(is_function ? kFunction.size() : kMethod.size());
  const std::string_view call = frame.substr(0, frame.find_first_of(" >"));
  const std::size_t of = frame.find(" of ");
  const std::string_view owner = is_function || of == frame.npos ? std::string_view{} : frame.substr(of + 4);
  const auto owned = [&](std::string_view part) { return owner.find(part) != owner.npos; };
  const bool is_free = is_function || owner.starts_with("module ");

  // Modules time, select, os, posix, socket, fcntl.
  constexpr std::array<std::string_view, 24> kFunctions = {
      "sleep", "select", "poll",        "wait",     "waitpid", "wait3",     "wait4",  "waitid",
      "read",  "write",  "readv",       "writev",   "fsync",   "fdatasync", "open",   "flock",
      "lockf", "pread",  "getaddrinfo", "sendfile", "unlink",  "remove",    "rename", "replace"};
  if (is_free) return is_one_of(call, kFunctions) ? call : std::string_view{};
  constexpr std::array<std::string_view, 12> kSocket = {"recv",    "recv_into", "recvfrom", "recvfrom_into",
                                                        "recvmsg", "send",      "sendall",  "sendto",
                                                        "sendmsg", "accept",    "_accept",  "connect"};
  const bool waits = (call == "acquire" && (owned("lock") || owned("Lock"))) ||
                     (call == "__enter__" && owned("_thread.")) || (call == "join" && owned("_thread.")) ||
                     (call == "get" && owned("SimpleQueue")) || (call == "poll" && owned("select.")) ||
                     (owned("socket") && is_one_of(call, kSocket)) ||
                     (owned("_io.") &&
                      (call.starts_with("read") || call.starts_with("write") || call == "flush" || call == "close")) ||
                     (call == "wait" && (owned("c10d") || owned("Future") || owned("Work")));
  return waits ? call : std::string_view{};
}

}  // namespace lacuna
