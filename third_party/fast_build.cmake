# What makes a whole build short: headers of libraries are parsed once for each set of targets
# (precompiled), and with LACUNA_UNITY several files are compiled as one.

# Headers that half of a library's files include. The sets hold nothing of Lacuna's own, so that editing a
# header of ours rebuilds only what includes it, and nothing that costs each unit time even when it is compiled
# already: nlohmann/json.hpp 0.8 s, CLI/CLI.hpp 4 s (inline functions that every unit compiles again).
set(LACUNA_HEADERS_model
  <algorithm> <array> <atomic> <cmath> <cstdint> <cstring> <deque> <functional> <limits> <map> <memory> <mutex>
  <optional> <span> <string> <string_view> <thread> <unordered_map> <unordered_set> <utility> <vector>
  <fmt/format.h> <tl/expected.hpp>)
set(LACUNA_HEADERS_cold ${LACUNA_HEADERS_model})  # compiled once more, with the options of what is cold
set(LACUNA_HEADERS_gui ${LACUNA_HEADERS_model} <chrono> <imgui.h>)
set(LACUNA_HEADERS_test ${LACUNA_HEADERS_model} <ostream> <sstream> <doctest/doctest.h>)

# lacuna_precompile(TARGET SET): the target's files see the set. Each set is compiled once, with the options
# that all of its targets have and with no definition that one of them lacks (g++ would refuse it there).
function(lacuna_precompile target set)
  set(owner lacuna_headers_${set})
  get_target_property(options ${target} COMPILE_OPTIONS)
  # Compilers refuse a set that was compiled with optimisation where there is none, clang also one with coverage.
  if("-O0" IN_LIST options)
    string(APPEND owner _plain)
  endif()
  if("-fsanitize=fuzzer-no-link" IN_LIST options)
    string(APPEND owner _fuzzed)
  endif()
  if(NOT TARGET ${owner})
    set(links_model lacuna::fmt lacuna::expected)
    set(links_cold ${links_model})
    set(links_gui ${links_model} lacuna::imgui)
    set(links_test ${links_model} lacuna_test_main)
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${owner}.cpp CONTENT "// Only here to compile the headers.\n")
    add_library(${owner} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${owner}.cpp)
    target_link_libraries(${owner} PRIVATE lacuna_options ${links_${set}})
    target_precompile_headers(${owner} PRIVATE ${LACUNA_HEADERS_${set}})
    if(options)
      target_compile_options(${owner} PRIVATE ${options})
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# lacuna_compile_together(TARGET [MOST]): with LACUNA_UNITY=N, files that follow each other become units of N to
# 3/2 N, which end with a folder where they can; the last has N/2 at least. N is no larger than MOST. Names without
# linkage need to differ within a unit; a new file changes few units but its own. What costs is what each unit repeats,
# templates above all: large units make a whole build short, small ones the build after an edit.
function(lacuna_compile_together target)
  set(files ${LACUNA_UNITY})
  if(ARGC GREATER 1 AND files GREATER ARGV1)
    set(files ${ARGV1})
  endif()
  if(NOT files)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ takes what a unit includes for headers, whose types should not have members without linkage.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  math(EXPR most "${files} * 3 / 2")
  math(EXPR least "${files} / 2")
  list(LENGTH sources left)
  set(unit 1)
  set(in_unit 0)
  set(previous "")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    if(left GREATER_EQUAL least AND
       (in_unit GREATER_EQUAL most OR
        (in_unit GREATER_EQUAL files AND (left LESS files OR NOT folder STREQUAL previous))))
      math(EXPR unit "${unit} + 1")
      set(in_unit 0)
    endif()
    set(previous ${folder})
    math(EXPR in_unit "${in_unit} + 1")
    math(EXPR left "${left} - 1")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP unit_${unit})
  endforeach()
endfunction()
