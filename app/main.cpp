// The program: ties the command line to the window, where that is built in.

#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "model/base/os/mapped_files.h"
#include "model/base/os/process.h"
#include "model/base/os/terminal.h"

#if LACUNA_GUI
#include "app/gui/gui.h"
#include "app/observed/state_writer.h"
#include "app/web/web.h"
#endif

int main(int argc, char** argv) {
  lacuna::explain_bus_errors();
  lacuna::pass_bytes_unchanged();
  const std::vector<std::string> words = lacuna::own_words(argc, argv);
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  lacuna::Graphics graphics;
#if LACUNA_GUI
  graphics.run_window = [](const lacuna::WindowOptions& options) {
    return lacuna::run_window(options, lacuna::make_state_writer);
  };
  graphics.take_screenshot = lacuna::take_screenshot;
  graphics.run_web = [](const lacuna::WebOptions& options) {
    return lacuna::run_web(options, lacuna::make_state_writer);
  };
  graphics.list_keys = lacuna::list_window_keys;
#endif
  return lacuna::run_command_line(static_cast<int>(arguments.size()), arguments.data(), graphics);
}
