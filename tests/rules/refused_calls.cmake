# Refuses what walks through folders by std::filesystem: there the program ends where memory runs out, or where a folder
# may not be read. model/base/os/folder_paths.h and folder_tree.h do the same. Usage: cmake -DROOT=<project> -P
# refused_calls.cmake
cmake_minimum_required(VERSION 3.25)

foreach(folder model render app capture)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cpp)
  foreach(file IN LISTS files)
    file(STRINGS ${ROOT}/${file} lines
      REGEX "^([^/]|/[^/])*(directory_iterator|(fs|filesystem)::(remove_all|is_empty|copy)\\()")
    foreach(line IN LISTS lines)
      message(SEND_ERROR "${file}: ${line}\n  use model/base/os/folder_paths.h or folder_tree.h")
    endforeach()
  endforeach()
endforeach()
