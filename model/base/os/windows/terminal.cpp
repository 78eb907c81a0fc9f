#include "model/base/os/terminal.h"

#include <cstdio>

#include <fcntl.h>
#include <io.h>

#include "model/base/os/windows/windows_calls.h"

namespace lacuna {
namespace {

HANDLE standard_handle(StandardStream stream) {
  return ::GetStdHandle(stream == StandardStream::kInput    ? STD_INPUT_HANDLE
                        : stream == StandardStream::kOutput ? STD_OUTPUT_HANDLE
                                                            : STD_ERROR_HANDLE);
}

}  // namespace

void pass_bytes_unchanged() {
  for (std::FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
  ::SetConsoleOutputCP(CP_UTF8);
}

bool is_terminal(StandardStream stream) {
  DWORD mode = 0;
  return ::GetConsoleMode(standard_handle(stream), &mode);
}

std::size_t terminal_columns(StandardStream stream) {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (!::GetConsoleScreenBufferInfo(standard_handle(stream), &info)) return 0;
  return static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

unsigned terminal_mode(StandardStream stream) {
  DWORD mode = 0;
  if (!::GetConsoleMode(standard_handle(stream), &mode)) return 0;
  return static_cast<unsigned>(mode & (ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT));
}

bool has_waiting_input() {
  const HANDLE input = standard_handle(StandardStream::kInput);
  DWORD bytes = 0;
  if (::GetFileType(input) == FILE_TYPE_PIPE)
    return ::PeekNamedPipe(input, nullptr, 0, nullptr, &bytes, nullptr) && bytes > 0;
  LARGE_INTEGER size{}, at{};
  return ::GetFileType(input) == FILE_TYPE_DISK && ::GetFileSizeEx(input, &size) &&
         ::SetFilePointerEx(input, {}, &at, FILE_CURRENT) && at.QuadPart < size.QuadPart;
}

}  // namespace lacuna
