#pragma once

#include <functional>
#include <string>

#include "app/graphics_options.h"
#include "model/base/result.h"

namespace lacuna {

/// What the program can do beyond text; main() fills it in where the window is built in.
/// An empty function means "not built in" (-DLACUNA_GUI=OFF).
struct Graphics {
  std::function<Result<void>(const WindowOptions&)> run_window;
  std::function<Result<void>(const ScreenshotOptions&)> take_screenshot;
  std::function<Result<void>(const WebOptions&)> run_web;
  std::function<std::string()> list_keys;  ///< commands of the window with their keys, a line each
};

enum ExitCode : int {
  kExitSuccess = 0,
  kExitError = 1,  ///< with "lacuna: FILE: byte OFFSET: cause" on standard error
  kExitUsage = 2,  ///< the command line is invalid
};

/// The whole program: parses the arguments, runs one command, returns the exit code.
/// Answers go to standard output, all else to standard error. Ignores SIGPIPE for good.
int run_command_line(int argc, const char* const* argv, const Graphics& graphics);

}  // namespace lacuna
