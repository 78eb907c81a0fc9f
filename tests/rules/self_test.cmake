# Proves that the rules refuse what they should: writes trees with one violation each and expects a
# failure, and one clean tree and expects success. Usage: cmake -DSCRATCH=<dir> -P self_test.cmake
cmake_minimum_required(VERSION 3.25)

# expect(pass|fail RULE FILE TEXT): runs RULE on a tree that holds only FILE.
function(expect outcome rule file text)
  file(REMOVE_RECURSE ${SCRATCH})
  file(WRITE ${SCRATCH}/${file} "${text}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DROOT=${SCRATCH} -P ${CMAKE_CURRENT_LIST_DIR}/${rule}.cmake
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if((status EQUAL 0 AND outcome STREQUAL fail) OR (NOT status EQUAL 0 AND outcome STREQUAL pass))
    message(SEND_ERROR "${rule}: expected ${file} to ${outcome} with: ${text}")
  endif()
endfunction()

foreach(include
    "<vector>" "\"model/trace/trace.h\"" "<simdjson.h>")
  expect(pass include_rules model/import/a.cpp "#include ${include}\n")
endforeach()
expect(pass include_rules app/gui/a.cpp "#include <GLFW/glfw3.h>\n#include \"render/paint/b.h\"\n")
expect(pass include_rules render/paint/a.cpp "#include <imgui.h>\n#include \"render/camera.h\"\n")

expect(fail include_rules model/a.h "#include \"render/camera.h\"\n")
expect(fail include_rules model/a.h "#include \"app/main.h\"\n")
expect(fail include_rules model/import/a.cpp "  #  include \"capture/ring.h\"\n")
expect(fail include_rules model/a.cpp "#include <simdjson.h>\n")
expect(fail include_rules model/a.cpp "#include <nlohmann/json.hpp>\n")
expect(fail include_rules render/a.cpp "#include \"app/settings.h\"\n")
expect(fail include_rules render/a.cpp "#include <imgui.h>\n")
expect(fail include_rules render/a.cpp "#include \"render/paint/paint.h\"\n")
expect(fail include_rules render/paint/a.cpp "#include <GLFW/glfw3.h>\n")
expect(fail include_rules render/paint/a.cpp "#include <backends/imgui_impl_opengl3.h>\n")
expect(fail include_rules app/cli/a.cpp "#include <imgui/imgui.h>\n")
expect(fail include_rules app/cli/a.cpp "#include <EGL/egl.h>\n")
expect(fail include_rules app/cli/a.cpp "#include \"app/gui/window.h\"\n")
expect(fail include_rules app/cli/a.cpp "#include <simdjson.h>\n")
expect(fail include_rules app/gui/a.cpp "#include <cupti.h>\n")
expect(fail include_rules capture/a.cpp "#include \"render/camera.h\"\n")
expect(fail include_rules capture/collector/a.cpp "#include \"model/trace/trace.h\"\n")
expect(fail include_rules capture/wire/a.h "#include \"capture/session/session.h\"\n")
expect(pass include_rules capture/session/a.cpp "#include \"model/trace/trace.h\"\n#include \"capture/wire/a.h\"\n")
expect(fail include_rules model/base/a.h "#include \"model/trace/trace.h\"\n")
expect(fail include_rules model/gaps/a.h "#include \"model/statistics/statistics.h\"\n")
expect(pass include_rules model/gaps/a.h "#include \"model/gaps/gaps.h\"\n#include \"model/trace/trace.h\"\n")
expect(fail include_rules model/nowhere/a.h "int x\;\n")
expect(fail include_rules tests/model/a.cpp "#include <simdjson.h>\n")

string(REPEAT "int x\;\n" 800 text)
expect(pass file_sizes model/a.cpp "${text}")
expect(fail file_sizes model/a.cpp "${text}\n")
file(REMOVE_RECURSE ${SCRATCH})
