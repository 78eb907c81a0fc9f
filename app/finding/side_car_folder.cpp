// Where side-cars lie.

#include "app/finding/side_car_folder.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/finding/write_file.h"
#include "model/base/os/files.h"
#include "model/base/os/folder_paths.h"
#include "model/base/os/user_folders.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string side_car_folder() {
  const std::string state = user_state_folder();
  return state.empty() ? state : state + "/lacuna/traces";
}

std::string SideCarFolder::path_of(const std::string& identity) const {
  return folder_ + "/" + identity + ".json";
}

std::string SideCarFolder::load(const std::string& identity) const {
  if (!is_on() || identity.empty()) return {};
  std::ifstream file(path_of(identity), std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  if (size <= 0 || size > static_cast<std::streamoff>(kMostBytes)) return {};
  std::string text(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  file.read(text.data(), size);
  return file ? text : std::string();
}

std::optional<SideCarFolder::Stamp> SideCarFolder::stamp(const std::string& identity) const {
  const auto facts = is_on() && !identity.empty() ? facts_at(path_of(identity)) : std::nullopt;
  return facts ? std::optional(Stamp{facts->number, facts->modified_ns}) : std::nullopt;
}

Descriptor SideCarFolder::lock(int most_ms) const {
  if (!is_on()) return Descriptor();
  std::error_code error;
  fs::create_directories(folder_, error);
  Descriptor folder = open_for_reading(folder_);
  constexpr int kWaitMs = 5;
  for (int waited = 0; folder.is_open() && !lock_file(folder.get()) && waited < most_ms; waited += kWaitMs)
    std::this_thread::sleep_for(std::chrono::milliseconds(kWaitMs));
  return folder;
}

Result<void> SideCarFolder::save(const std::string& identity, const std::string& text) const {
  if (!is_on() || identity.empty()) return {};
  if (text.size() > kMostBytes)
    return fail(ErrorCode::kLimit, "the notes and settings of this trace are too large to keep", folder_);
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return fail(ErrorCode::kNotWritable, error.message(), folder_);
  if (Result<void> written = write_file_atomically(path_of(identity), text); !written) return written;
  forget_oldest();
  return {};
}

void SideCarFolder::forget_oldest() const {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const fs::path path : folder_paths(folder_, error)) {
    if (path.extension() != ".json") continue;
    std::error_code unreadable;
    const auto time = fs::last_write_time(path, unreadable);
    if (!unreadable) files.emplace_back(time, path);
  }
  if (files.size() <= most_) return;
  std::ranges::sort(files);
  for (std::size_t i = 0; i + most_ < files.size(); ++i) fs::remove(files[i].second, error);
}

}  // namespace lacuna
