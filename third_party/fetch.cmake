# LACUNA_FETCH_DEPS=ON: Dear ImGui and simdjson from pinned upstream releases instead of the
# distribution's packages. FETCHCONTENT_SOURCE_DIR_IMGUI and FETCHCONTENT_SOURCE_DIR_SIMDJSON point
# to unpacked sources where nothing can be downloaded, or to try other versions.
#
# How the hashes were checked: imgui's archive was made again, bit for bit, with git from the tag's
# commit (f1cc2ae15); simdjson's is the one that two distributions' recipes record independently.
include(FetchContent)

set(LACUNA_IMGUI_VERSION 1.92.9b)
set(LACUNA_IMGUI_SHA256 21d8a0a565e85dce943e375db00812c2f3f0ab21f3f0f7964e364a63422d7f99)
set(LACUNA_SIMDJSON_VERSION 4.6.7)
set(LACUNA_SIMDJSON_SHA256 3bae37c1b215fc28a32db09a8c25513914cbbc1494d768e593d1b9135c8c0fd4)

# SOURCE_SUBDIR names a folder without CMakeLists.txt: we compile the few files we need ourselves.
function(lacuna_fetch_simdjson)
  FetchContent_Declare(simdjson
    URL https://github.com/simdjson/simdjson/archive/refs/tags/v${LACUNA_SIMDJSON_VERSION}.tar.gz
    URL_HASH SHA256=${LACUNA_SIMDJSON_SHA256}
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    SOURCE_SUBDIR no-build)
  FetchContent_MakeAvailable(simdjson)
  add_library(simdjson_fetched STATIC ${simdjson_SOURCE_DIR}/src/simdjson.cpp)
  target_compile_features(simdjson_fetched PUBLIC cxx_std_17)
  target_include_directories(simdjson_fetched PRIVATE ${simdjson_SOURCE_DIR}/src)
  target_include_directories(simdjson_fetched SYSTEM PUBLIC ${simdjson_SOURCE_DIR}/include)
  target_compile_options(simdjson_fetched PRIVATE -O3 -w)
  lacuna_header_version(version ${simdjson_SOURCE_DIR}/include/simdjson/simdjson_version.h
    SIMDJSON_VERSION)
  lacuna_check_version(simdjson "${version}")
  lacuna_dependency(simdjson simdjson_fetched)
endfunction()

function(lacuna_fetch_imgui)
  FetchContent_Declare(imgui
    URL https://github.com/ocornut/imgui/archive/refs/tags/v${LACUNA_IMGUI_VERSION}.tar.gz
    URL_HASH SHA256=${LACUNA_IMGUI_SHA256}
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    SOURCE_SUBDIR no-build)
  FetchContent_MakeAvailable(imgui)
  add_library(imgui_fetched STATIC
    ${imgui_SOURCE_DIR}/imgui.cpp
    ${imgui_SOURCE_DIR}/imgui_demo.cpp
    ${imgui_SOURCE_DIR}/imgui_draw.cpp
    ${imgui_SOURCE_DIR}/imgui_tables.cpp
    ${imgui_SOURCE_DIR}/imgui_widgets.cpp
    ${imgui_SOURCE_DIR}/backends/imgui_impl_glfw.cpp
    ${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp
    ${imgui_SOURCE_DIR}/misc/cpp/imgui_stdlib.cpp
    ${imgui_SOURCE_DIR}/misc/freetype/imgui_freetype.cpp)
  target_compile_features(imgui_fetched PUBLIC cxx_std_17)
  # The same folders as the package offers: <imgui.h>, <imgui_impl_glfw.h>, <imgui_freetype.h>.
  target_include_directories(imgui_fetched SYSTEM PUBLIC
    ${imgui_SOURCE_DIR} ${imgui_SOURCE_DIR}/backends ${imgui_SOURCE_DIR}/misc/cpp
    ${imgui_SOURCE_DIR}/misc/freetype)
  target_compile_definitions(imgui_fetched PUBLIC IMGUI_ENABLE_FREETYPE LACUNA_IMGUI_FREETYPE=1)
  target_compile_options(imgui_fetched PRIVATE -O2 -w)
  target_link_libraries(imgui_fetched PUBLIC
    lacuna::freetype lacuna::glfw ${CMAKE_DL_LIBS})
  lacuna_header_version(version ${imgui_SOURCE_DIR}/imgui.h IMGUI_VERSION)
  lacuna_check_version(imgui "${version}")
  lacuna_dependency(imgui imgui_fetched)
endfunction()
