#include "app/gui/platform/dialog_program.h"

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include <poll.h>

#include "model/base/os/files.h"
#include "model/base/os/process.h"
#include "model/formats/file_names.h"

namespace lacuna {
namespace {

/// Empty: neither is installed.
std::vector<std::string> dialog_command(const DialogWish& wish) {
  std::string globs;
  for (const std::string_view ending : file_endings()) (globs += globs.empty() ? "*" : " *") += ending;
  const std::string start = wish.folder + "/" + wish.name;
  if (std::string zenity = find_in_path("zenity"); !zenity.empty()) {
    std::vector<std::string> words = {zenity, "--file-selection", "--title=" + wish.title, "--filename=" + start};
    if (wish.saves) {
      words.insert(words.end(), {"--save", "--confirm-overwrite"});
    } else {
      words.insert(words.end(), {"--multiple", "--separator=\n", "--file-filter=Traces | " + globs});
      words.emplace_back("--file-filter=All files | *");
    }
    return words;
  }
  if (std::string kdialog = find_in_path("kdialog"); !kdialog.empty()) {
    if (wish.saves) return {kdialog, "--title", wish.title, "--getsavefilename", start};
    return {
        kdialog,      "--title",          wish.title, "--getopenfilename", wish.folder, globs + "|Traces\n*|All files",
        "--multiple", "--separate-output"};
  }
  return {};
}

/// All that can be read until the end. False: `stop_fd` could be read before that.
bool read_all(int fd, int stop_fd, std::string& text) {
  while (true) {
    pollfd watched[2] = {{fd, POLLIN, 0}, {stop_fd, POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (watched[1].revents != 0) return false;
    std::array<char, 4096> block;
    const auto count = read_next(fd, block);
    if (count.value_or(0) == 0) return true;
    text.append(block.data(), *count);
  }
}

std::vector<std::string> output_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (const std::string_view line = text.substr(0, end); !line.empty()) lines.emplace_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace

bool has_dialog_program() {
  return !find_in_path("zenity").empty() || !find_in_path("kdialog").empty();
}

DialogAnswer ask_dialog_program(const DialogWish& wish, int stop_fd) {
  std::vector<std::string> words = dialog_command(wish);
  if (words.empty()) return {DialogAnswer::End::kUnavailable};
  const std::string path = words.front();
  const StartedProgram program = start_program(path, std::move(words), ReadOutput::kOutput);
  if (program.process < 0) return {DialogAnswer::End::kUnavailable};
  std::string printed;
  if (!read_all(program.output.get(), stop_fd, printed)) kill_program(program.process);  // a dialog has nothing to lose
  if (wait_for_program(program.process) != 0) return {DialogAnswer::End::kCancelled};
  std::vector<std::string> paths = output_lines(printed);
  if (paths.empty()) return {DialogAnswer::End::kCancelled};
  return {DialogAnswer::End::kChosen, std::move(paths)};
}

}  // namespace lacuna
