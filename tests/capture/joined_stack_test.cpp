#include "capture/sampling/joined_stack.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "capture/sampling/python_lines.h"
#include "model/trace/sampled_tracks.h"

using namespace lacuna;

namespace {

NativeFrame interpreter_frame(std::string_view name) {
  return {{name, kNativeSampleCategory, "/usr/bin/python3", 0}, true, false};
}
NativeFrame extension_frame(std::string_view name) {
  return {{name, kNativeSampleCategory, "/x/zlib.so", 0}, false, false};
}
NativeFrame library_frame(std::string_view name) {
  return {{name, kNativeSampleCategory, "/lib/libc.so.6", 0}, false, true};
}

/// One frame a loop, the innermost first.
PythonStack python_stack(const std::vector<std::string_view>& functions) {
  PythonStack stack;
  for (const std::string_view name : functions) {
    stack.frames.push_back({name, kPythonSampleCategory, "/x/a.py", 1});
    stack.loops.push_back(1);
  }
  return stack;
}

std::string joined(const PythonStack& python, const std::vector<NativeFrame>& native, bool is_whole = true) {
  std::vector<SampledFrame> out;
  const bool fits = join_stacks(python, native, is_whole, out);
  std::string text = fits ? "" : "apart: ";
  for (const SampledFrame& frame : out) text.append(text.empty() || text.ends_with(' ') ? "" : ";").append(frame.name);
  return text;
}

const NativeFrame kLoop = interpreter_frame("_PyEval_EvalFrameDefault");
const NativeFrame kLoopPart = interpreter_frame("_PyEval_EvalFrameDefault.cold");
const NativeFrame kCall = interpreter_frame("PyObject_Vectorcall"), kStart = library_frame("_start");

}  // namespace

TEST_CASE("functions in C stand below the Python function that calls them") {
  const PythonStack python = python_stack({"pack", "work"});
  CHECK(joined(python, {extension_frame("deflate"), extension_frame("zlib_compress"), kCall, kLoop, kCall, kLoopPart,
                        interpreter_frame("Py_BytesMain"), kStart}) == "work;pack;zlib_compress;deflate");
  CHECK(joined(python, {}) == "apart: work;pack");
  CHECK(joined(python, {kLoop, kLoop, kStart}) == "work;pack");
}

TEST_CASE("a callback from C stands below the function that calls it back") {
  CHECK(joined(python_stack({"<lambda>", "order"}), {kLoop, kCall, interpreter_frame("list_sort_impl"),
                                                     interpreter_frame("builtin_sorted"), kCall, kLoop, kStart}) ==
        "order;builtin_sorted;list_sort_impl;<lambda>");
}

TEST_CASE("a run of the interpreter's loop has the Python frames that it has") {
  PythonStack python = python_stack({"inner", "middle", "outer"});
  python.loops = {2, 1};
  CHECK(joined(python, {extension_frame("dot"), kLoop, extension_frame("apply"), kLoop, kStart}) ==
        "outer;apply;middle;inner;dot");
  python.loops = {0, 3};  // the innermost one runs only what is not shown
  CHECK(joined(python, {extension_frame("dot"), kLoop, kLoop, kStart}) == "outer;middle;inner;dot");
}

TEST_CASE("stacks of two moments are not joined") {
  const PythonStack python = python_stack({"pack", "work"});
  CHECK(joined(python, {extension_frame("deflate"), kLoop, kStart}) == "apart: work;pack");
  CHECK(joined(python, {extension_frame("deflate"), kLoop, kLoop, kLoop, kStart}) == "apart: work;pack");
  // One that could not be unwound to its end has fewer loops; none that is too many.
  CHECK(joined(python, {extension_frame("dgemm_kernel")}, false) == "work;pack;dgemm_kernel");
  CHECK(joined(python, {extension_frame("deflate"), kLoop}, false) == "work;pack;deflate");
  CHECK(joined(python, {kLoop, kLoop, kLoop}, false) == "apart: work;pack");
}

TEST_CASE("the source's word for what is called, where it says more than the native frames") {
  PythonStack python = python_stack({"pack"});
  python.calls = PythonStack::Calls::kSomething;
  const auto with = [&](std::string_view called, const std::vector<NativeFrame>& native) {
    python.called = {called, kPythonSampleCategory, "/x/a.py", 1};
    return joined(python, native);
  };
  const std::vector<NativeFrame> compress{extension_frame("zlib_compress"), kLoop, kStart};
  CHECK(with("zlib.compress", compress) == "pack;zlib.compress;zlib_compress");
  CHECK(with("compress", compress) == "pack;compress;zlib_compress");
  CHECK(with("f", compress) == "pack;zlib_compress");      // a variable's name
  CHECK(with("press", compress) == "pack;zlib_compress");  // no word of it
  CHECK(with("f", {library_frame("write"), kLoop, kStart}) == "pack;f;write");
  CHECK(with("f", {extension_frame("zlib.so (no symbol)"), kLoop, kStart}) == "pack;f;zlib.so (no symbol)");
  CHECK(with("f", {}) == "apart: pack;f");
  CHECK(with("", compress) == "pack;zlib_compress");
}

TEST_CASE("what the interpreter does for itself is not shown") {
  PythonStack python = python_stack({"count"});
  const std::vector<NativeFrame> adds{library_frame("malloc"), interpreter_frame("long_add"), kLoop, kStart};
  python.calls = PythonStack::Calls::kNothing;
  CHECK(joined(python, adds) == "count");
  CHECK(joined(python, {extension_frame("array_multiply"), interpreter_frame("binary_op1"), kLoop, kStart}) ==
        "count;binary_op1;array_multiply");
  python.calls = PythonStack::Calls::kSomething;
  CHECK(joined(python, adds) == "count;long_add;malloc");
  CHECK(joined(python, {interpreter_frame("python3 (no symbol)"), kCall, kLoop, kStart}) == "count");
}

TEST_CASE("what a line calls, where no columns are known") {
  CHECK(only_call("    return zlib.compress(data, 6)\n") == "zlib.compress");
  CHECK(only_call("def pack(d): return zlib.compress(d, 6)") == "zlib.compress");
  CHECK(only_call("time.sleep(1)  # (a while)") == "time.sleep");
  CHECK(only_call("x = f(g(1))") == "");
  CHECK(only_call("for i in range(3):") == "");
  CHECK(only_call("x = (1 + 2)") == "");
  CHECK(only_call("if f(): return 1") == "");
  CHECK(only_call("") == "");
  CHECK(is_call("f(1)\n"));
  CHECK(is_call("with lock: pass"));
  CHECK_FALSE(is_call("a + b"));
  CHECK_FALSE(is_call(""));
}
