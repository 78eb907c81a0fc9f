#include "model/base/os/terminal.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

namespace lacuna {
namespace {

int descriptor_of(StandardStream stream) {
  return stream == StandardStream::kInput    ? STDIN_FILENO
         : stream == StandardStream::kOutput ? STDOUT_FILENO
                                             : STDERR_FILENO;
}

}  // namespace

void pass_bytes_unchanged() {}

bool is_terminal(StandardStream stream) {
  return ::isatty(descriptor_of(stream)) == 1;
}

std::size_t terminal_columns(StandardStream stream) {
  winsize size{};
  return is_terminal(stream) && ::ioctl(descriptor_of(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

unsigned terminal_mode(StandardStream stream) {
  termios now{};
  return ::tcgetattr(descriptor_of(stream), &now) == 0 ? now.c_lflag & (ICANON | ECHO) : 0;
}

bool has_waiting_input() {
  struct stat input {};
  if (::fstat(STDIN_FILENO, &input) != 0) return false;
  if (S_ISREG(input.st_mode)) return ::lseek(STDIN_FILENO, 0, SEEK_CUR) < input.st_size;
  int bytes = 0;
  return (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode)) && ::ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 &&
         bytes > 0;
}

}  // namespace lacuna
