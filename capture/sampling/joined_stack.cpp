#include "capture/sampling/joined_stack.h"

#include <algorithm>
#include <array>

#include "model/base/ascii.h"
#include "model/trace/sampled_tracks.h"

namespace lacuna {
namespace {

using Joined = std::vector<SampledFrame>;
using Natives = std::span<const NativeFrame>;

/// Functions of the interpreter through which every call goes: they say nothing of the program.
bool passes_calls_on(std::string_view name) {
  constexpr std::array<std::string_view, 22> kBeginnings{
      "Py",    "_Py",         "cfunction_",     "method_vectorcall", "vectorcall_",  "object_vacall", "call_",
      "slot_", "type_call",   "function_code_", "builtin_exec",      "builtin___",   "import_",       "gen_",
      "coro_", "method_call", "wrapper_call",   "wrapperdescr_",     "do_call_core", "eval_frame",    "trampoline",
      "wrap_",
  };
  return std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

bool is_worth_showing(const NativeFrame& native) {
  if (!native.is_interpreter) return true;
  return has_symbol(native.frame.name) && !passes_calls_on(native.frame.name);
}

/// Is `word` one of the words that `name` is made of? "compress" is one of "zlib_compress".
bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    const auto is_inside = [&](std::size_t i) {
      return i < name.size() && (is_ascii_letter(name[i]) || is_digit(name[i]));
    };
    if ((at == 0 || !is_inside(at - 1)) && !is_inside(at + word.size())) return true;
  }
  return false;
}

/// The source's own word for what is called: not where it is a variable's, of which the native frames know more.
bool says_more_than(const SampledFrame& called, Natives shown) {
  if (called.name.empty()) return false;
  if (called.name.find_first_of(". ") != std::string_view::npos) return true;
  bool is_named = false;
  for (const NativeFrame& native : shown) {
    if (has_word(native.frame.name, called.name)) return true;
    is_named |= !native.is_library && has_symbol(native.frame.name);
  }
  return !is_named;
}

/// What lies below Python's innermost frame.
void add_below(const PythonStack& python, Natives below, Joined& out) {
  std::vector<NativeFrame> shown;
  std::ranges::copy_if(below, std::back_inserter(shown), is_worth_showing);
  // Between two calls the interpreter works for itself: it adds, compares, frees.
  const bool leaves_it = std::ranges::any_of(
      shown, [](const NativeFrame& native) { return !native.is_interpreter && !native.is_library; });
  if (python.calls == PythonStack::Calls::kNothing && !leaves_it) shown.clear();
  for (const NativeFrame& native : shown) out.push_back(native.frame);
  if (says_more_than(python.called, shown)) out.push_back(python.called);
}

}  // namespace

bool PythonStack::is_same_place(const PythonStack& other) const {
  return std::ranges::equal(frames, other.frames, [](const SampledFrame& a, const SampledFrame& b) {
    return a.name.data() == b.name.data() && a.line == b.line;
  });
}

bool is_interpreter_loop(const NativeFrame& frame) {
  return frame.is_interpreter && frame.frame.name.starts_with("_PyEval_EvalFrameDefault");
}

bool join_stacks(const PythonStack& python, std::span<const NativeFrame> native, bool is_whole, Joined& out) {
  out.clear();
  const auto loops = static_cast<std::size_t>(std::ranges::count_if(native, is_interpreter_loop));
  const bool fits = !native.empty() && (is_whole ? loops == python.loops.size() : loops <= python.loops.size());
  if (!fits) native = {};
  auto next = python.frames.begin();
  std::size_t loop = 0;
  std::size_t begin = 0;  // of the native frames since the last loop
  for (std::size_t i = 0; i < native.size(); ++i) {
    if (!is_interpreter_loop(native[i])) continue;
    const Natives run = native.subspan(begin, i - begin);
    if (loop == 0) {
      add_below(python, run, out);
    } else {
      for (const NativeFrame& between : run)
        if (is_worth_showing(between)) out.push_back(between.frame);
    }
    for (std::uint32_t n = python.loops[loop++]; n > 0; --n) out.push_back(*next++);
    begin = i + 1;
  }
  if (loop == 0) add_below(python, is_whole ? Natives() : native, out);
  out.insert(out.end(), next, python.frames.end());
  std::ranges::reverse(out);
  return fits;
}

}  // namespace lacuna
