# Refuses includes that go against the arrows app -> render -> model <- capture, and headers of
# libraries outside the folder that wraps them. Usage: cmake -DROOT=<project> -P include_rules.cmake
cmake_minimum_required(VERSION 3.25)

# Every include of the tree as "file > header".
set(includes "")
foreach(folder model render app capture tests)
  file(GLOB_RECURSE files RELATIVE ${ROOT}
    ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.hpp ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.inl)
  foreach(file IN LISTS files)
    file(STRINGS ${ROOT}/${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^[^<\"]*[<\"]([^>\"]*)[>\"].*$" "\\1" header "${line}")
      list(APPEND includes "${file} > ${header}")
    endforeach()
  endforeach()
endforeach()

set(violations 0)
# refuse(REASON FILES EXEMPT HEADERS): regular expressions, matched from the start of the path.
function(refuse reason files exempt headers)
  foreach(include IN LISTS includes)
    if(include MATCHES "^(${files})[^ ]* > (${headers})" AND NOT include MATCHES "^(${exempt})")
      message(SEND_ERROR "include rule: ${include}\n  ${reason}")
      math(EXPR violations "${violations} + 1")
    endif()
  endforeach()
  set(violations ${violations} PARENT_SCOPE)
endfunction()
set(none "no such path")
set(any "model/|render/|app/|capture/|tests/")

# Arrows between folders.
refuse("model depends on no other folder" "model/" ${none} "render/|app/|capture/")
refuse("render depends on model only" "render/" ${none} "app/|capture/")
refuse("capture depends on model only" "capture/" ${none} "render/|app/")
refuse("layout does not know paint" "render/" "render/paint/" "render/paint/")
refuse("the command line works without a window" "app/cli/" ${none} "app/gui/")
refuse("the window does not use the command line" "app/gui/" ${none} "app/cli/")
refuse("tables and cuts are made for both" "app/(tables|cut|finding)/" ${none} "app/cli/|app/gui/")
refuse("the window does not know that a page may show it" "app/gui/|app/cli/" ${none} "app/web/")
refuse("a window does not know who looks on" "app/(gui|web|cli)/" ${none} "app/observed/")
refuse("a page shows the window, not the command line" "app/web/" ${none} "app/cli/")
refuse("the collector shares only the wire format" "capture/collector/|capture/wire/" ${none}
  "model/|capture/session/")
refuse("the operating system is behind model/base/os and app/gui/platform" "model/|render/|app/"
  "model/base/os/|app/gui/platform/|app/cli/(dormant|install_on|on_host|record)"
  "(aclapi|bcrypt|dirent|dlfcn|fcntl|fts|glob|grp|io|poll|pthread|pwd|sched|signal|spawn|termios|unistd|win[a-z]*)\\.h|sys/|linux/|netinet/|arpa/")
refuse("the program does not include test code" "model/|render/|app/|capture/" ${none}
  "tests/|doctest")

# floors(FOLDER "A B" "C"...): the folders in FOLDER stand on floors, the lowest first. Each includes only
# what lies below it: nothing beside it, nothing above. All of them stand somewhere.
function(floors folder)
  set(below "")
  set(standing "")
  foreach(floor IN LISTS ARGN)
    separate_arguments(rooms UNIX_COMMAND "${floor}")
    foreach(room IN LISTS rooms)
      list(APPEND standing ${room})
      foreach(include IN LISTS includes)
        if(include MATCHES "^${folder}/${room}/[^ ]* > ${folder}/([^/]+)/" AND NOT CMAKE_MATCH_1 STREQUAL room
           AND NOT CMAKE_MATCH_1 IN_LIST below)
          message(SEND_ERROR "include rule: ${include}\n  ${folder}/${CMAKE_MATCH_1} does not lie below ${folder}/${room}")
          math(EXPR violations "${violations} + 1")
        endif()
      endforeach()
    endforeach()
    list(APPEND below ${rooms})
  endforeach()
  file(GLOB all LIST_DIRECTORIES true RELATIVE ${ROOT}/${folder} ${ROOT}/${folder}/*)
  foreach(room IN LISTS all)
    if(IS_DIRECTORY ${ROOT}/${folder}/${room} AND NOT room IN_LIST standing)
      message(SEND_ERROR "floors of ${folder}: ${room} stands on none")
      math(EXPR violations "${violations} + 1")
    endif()
  endforeach()
  set(violations ${violations} PARENT_SCOPE)
endfunction()

# Arrows inside a folder.
floors(model
  "base"
  "trace"
  "kernels"
  "build gaps memory statistics"
  "input"
  "formats"
  "import index"
  "arrow cache causes columns export search torch"
  "calls shown steps threads"
  "path roofline"
  "job"
  "report"
  "diff groups help holders"
  "check notes"
  "query")
floors(app/web
  "page wire"
  "server"
  "window")
floors(app/gui
  "core"
  "models platform"
  "workspace"
  "application"
  "panels"
  "shell")
floors(app/gui/models
  "details files gaps job memory minimap path query report roofline search statistics tracks units"
  "calls headline navigation"
  "timeline"
  "area live")
floors(app/gui/panels
  "widgets"
  "files keys minimap query report search statistics tour tracks"
  "calls compare export gaps headline job live memory path roofline"
  "details"
  "timeline"
  "area markers")
refuse("what a window shows is known without Dear ImGui" "app/gui/(core|models|workspace|application)/" ${none}
  "(imgui/|backends/)*imgui|render/paint/imgui")

# Libraries, each behind one folder.
set(gui "render/paint/|app/gui/|app/web/|tests/gui/|tests/web/|tests/bench/web_frame|tests/support/offscreen_imgui")
refuse("Dear ImGui only in render/paint and app/gui" ${any} ${gui} "(imgui/|backends/)*imgui")
refuse("fonts only in render/paint and app/gui" ${any} ${gui} "fontconfig/|ft2build|freetype")
refuse("window and OpenGL only in app/gui; keys have GLFW's numbers in app/web" ${any} "app/gui/|tests/gui/|app/web/window/web_input"
  "(imgui/|backends/)*imgui_impl_|GLFW/|GL/|GLES[0-9]*/|EGL/|KHR/")
refuse("Boost only in the server of app/web" ${any} "app/web/server/http_server" "boost/")
refuse("D-Bus only in app/gui/platform" ${any} "app/gui/platform/" "systemd/|dbus/|gio/|libportal/")
refuse("simdjson only in model/formats/chrome and its floor" ${any} "model/formats/chrome/|tests/bench/parse_floor_bench" "simdjson")
refuse("compression only where bytes come in and go out" ${any} "model/input/|model/export/|capture/remote/|app/web/wire/|tests/"
  "isa-l|minizip|zstd|zlib")
refuse("Arrow only in model/arrow and model/job" ${any} "model/arrow/|model/job/|tests/" "nanoarrow")
refuse("SQLite only in model/query and model/formats" ${any} "model/query/|model/formats/|tests/" "sqlite3")
refuse("protobuf only in model/formats" ${any} "model/formats/|tests/" "protozero")
refuse("RE2 only in model/search" ${any} "model/search/" "re2/")
refuse("JSON writing only in app and model/export" ${any} "app/|model/export/|tests/" "nlohmann/")
refuse("CLI11 only in app" ${any} "app/|tests/" "CLI/")
refuse("stb only in app" ${any} "app/|tests/gui/" "(stb/)?stb_")
refuse("CUPTI, CUDA and NVTX only in capture" ${any} "capture/|tests/gpu/|tests/capture/|tests/bench/"
  "cupti|cuda|nvtx|nvToolsExt|generated_cuda|generated_nvtx")

list(LENGTH includes count)
message(STATUS "include rules: ${count} includes read, ${violations} refused")
