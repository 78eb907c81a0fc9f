#include "capture/sampling/proc_files.h"

#include <cstdlib>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "model/base/ascii.h"
#include "model/base/os/files.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostProcText = std::size_t{8} << 20;

}  // namespace

std::optional<std::string> readable_proc_text(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  std::string text;
  char block[4096];
  for (ssize_t got = 0; text.size() < kMostProcText && (got = read(file.get(), block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(got));
  return text;
}

std::string proc_text(const std::string& path) {
  return readable_proc_text(path).value_or(std::string());
}

std::vector<int> numbers_in(const std::string& folder) {
  std::vector<int> numbers;
  const auto close_listing = [](DIR* opened) { closedir(opened); };
  const std::unique_ptr<DIR, decltype(close_listing)> opened(opendir(folder.c_str()), close_listing);
  while (const dirent* entry = opened ? readdir(opened.get()) : nullptr)
    if (is_digit(entry->d_name[0])) numbers.push_back(std::atoi(entry->d_name));
  return numbers;
}

}  // namespace lacuna
