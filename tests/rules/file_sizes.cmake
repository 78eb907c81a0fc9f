# Refuses source files of more than 800 lines and lists those over 400, which deserve a question.
# Usage: cmake -DROOT=<project> -P file_sizes.cmake
cmake_minimum_required(VERSION 3.25)

foreach(folder model render app capture tests third_party cmake)
  file(GLOB_RECURSE files RELATIVE ${ROOT}
    ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.hpp ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.inl
    ${ROOT}/${folder}/*.py ${ROOT}/${folder}/*.sh ${ROOT}/${folder}/*.cmake
    ${ROOT}/${folder}/CMakeLists.txt)
  list(FILTER files EXCLUDE REGEX "^third_party/(nvtx3/nvtx3|nanoarrow/(include|src))/")  # not ours
  foreach(file IN LISTS files)
    file(READ ${ROOT}/${file} text)
    string(REGEX REPLACE "[^\n]" "" newlines "${text}")
    string(LENGTH "${newlines}" lines)
    if(lines GREATER 800)
      message(SEND_ERROR "file size: ${file} has ${lines} lines (refused over 800)")
    elseif(lines GREATER 400)
      message(STATUS "file size: ${file} has ${lines} lines (questioned over 400)")
    endif()
  endforeach()
endforeach()
