# How this project makes its targets: lacuna_options (language, warnings, sanitizers, definitions)
# and lacuna_library (one static library per folder, whose links are the arrows between folders).

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Debug keeps assertions but optimises a little: the golden tests read traces of 10^6 events.
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g -D_GLIBCXX_ASSERTIONS")

add_library(lacuna_options INTERFACE)
target_compile_features(lacuna_options INTERFACE cxx_std_20)
target_include_directories(lacuna_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(lacuna_options INTERFACE
  LACUNA_VERSION="${PROJECT_VERSION}"
  LACUNA_GUI=$<BOOL:${LACUNA_GUI}>)
target_compile_options(lacuna_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow -Wnon-virtual-dtor
  -Woverloaded-virtual -Wold-style-cast -Wextra-semi -Wimplicit-fallthrough
  $<$<BOOL:${LACUNA_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 at -O3 takes a std::string that grows for one that overlaps itself (GCC bug 105329).
  target_compile_options(lacuna_options INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()
if(LACUNA_SANITIZE)
  target_compile_options(lacuna_options INTERFACE
    -fsanitize=${LACUNA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(lacuna_options INTERFACE -fsanitize=${LACUNA_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Sanitizer instrumentation makes g++ see paths that do not exist; the dev preset does check them.
    target_compile_options(lacuna_options INTERFACE -Wno-maybe-uninitialized -Wno-null-dereference)
  endif()
endif()

if(LACUNA_FUZZ)
  target_compile_options(lacuna_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# lacuna_library(NAME GLOBS pattern... LINKS target... PRIVATE target...)
# A static library of the files that match GLOBS (relative to the calling folder). LINKS are visible
# to users, PRIVATE are not. A folder without sources becomes an INTERFACE library with the same links.
function(lacuna_library name)
  cmake_parse_arguments(arg "" "" "GLOBS;LINKS;PRIVATE" ${ARGN})
  list(TRANSFORM arg_GLOBS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  file(GLOB sources CONFIGURE_DEPENDS ${arg_GLOBS})
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC lacuna_options ${arg_LINKS} PRIVATE ${arg_PRIVATE})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE lacuna_options ${arg_LINKS})
  endif()
endfunction()
