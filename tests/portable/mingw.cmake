# CMake toolchain: Windows on x86-64 by the distribution's mingw-w64. LACUNA_PORTABLE_PREFIX is where
# tests/portable/libraries put what Lacuna links; nothing of this machine's own is looked at.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LACUNA_PORTABLE_PREFIX)
set(CMAKE_FIND_ROOT_PATH ${LACUNA_PORTABLE_PREFIX} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Each unit of several files has more sections than object files usually may.
set(CMAKE_CXX_FLAGS_INIT "-Wa,-mbig-obj -D_WIN32_WINNT=0x0A00")
# A program is one file, which runs where no other file of the compiler's lies. Its threads have the stack of Linux.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -Wl,--stack,8388608")
