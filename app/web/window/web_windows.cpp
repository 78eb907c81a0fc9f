#include "app/web/window/web_windows.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/web/server/access.h"
#include "model/base/os/folder_tree.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostDownloads = 64;

/// A new folder that others cannot enter; empty: there is no place for it.
std::string make_private_folder() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "lacuna-web-XXXXXX").string();
  return !error && ::mkdtemp(name.data()) != nullptr ? name : std::string();
}

}  // namespace

WebWindows::WebWindows(WindowOptions options, MakeFrameObserver observe)
    : options_(std::move(options)), observe_(std::move(observe)) {
  first_ = make_window(options_);
  options_.live.reset();
  options_.attach.reset();
  windows_.push_back(first_);
}

WebWindows::~WebWindows() {
  stop(0);
  windows_.clear();
  first_.reset();
  if (!uploads_.empty()) (void)remove_tree(uploads_);
}

std::shared_ptr<WebWindow> WebWindows::make_window(WindowOptions options) {
  return std::make_shared<WebWindow>(std::move(options), make_token(), observe_(made_++),
                                     [this](const std::string& path) { return offer_download(path); });
}

/// Of windows without a page the one used longest ago goes where there are too many.
bool WebWindows::make_room(std::vector<std::shared_ptr<WebWindow>>& gone) {
  const auto give_up = [&](auto at) {
    gone.push_back(std::move(*at));
    return windows_.erase(at);
  };
  for (auto at = windows_.begin(); at != windows_.end();) at = (*at)->is_running() ? at + 1 : give_up(at);
  if (windows_.size() < kMostWindows) return true;
  const auto lonely = std::ranges::find_if(windows_, [](const auto& window) { return !window->has_page(); });
  if (lonely == windows_.end()) return false;
  give_up(lonely);
  return true;
}

void WebWindows::connect(std::shared_ptr<PageLink> link, const std::string& window) {
  std::shared_ptr<WebWindow> shown;
  std::vector<std::shared_ptr<WebWindow>> gone;
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find_if(
        windows_, [&](const auto& one) { return one->is_running() && are_same_token(window, one->id()); });
    if (known != windows_.end()) {
      std::rotate(known, known + 1, windows_.end());
      shown = windows_.back();
    } else if (!std::exchange(is_first_taken_, true) && first_->is_running()) {
      shown = first_;
    } else if (make_room(gone)) {
      windows_.push_back(shown = make_window(options_));
    }
    is_first_taken_ = true;
    last_page_ = std::chrono::steady_clock::now();
  }
  if (shown)
    shown->attach(std::move(link));
  else
    link->close("There are too many pages of this server: close one.");
}

std::optional<std::string> WebWindows::place_for(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (uploads_.empty()) uploads_ = make_private_folder();
  if (uploads_.empty()) return std::nullopt;
  // A folder for each, so that the name stays and no two files are one.
  std::string folder = uploads_ + "/XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return std::nullopt;
  return folder + "/" + name;
}

bool WebWindows::uploaded(const std::string& window, const std::string& path) {
  const std::lock_guard lock(mutex_);
  for (const auto& one : windows_) {
    if (!one->is_running() || !are_same_token(window, one->id())) continue;
    one->open(path);
    return true;
  }
  return false;
}

std::string WebWindows::offer_download(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (downloads_.size() >= kMostDownloads) downloads_.erase(downloads_.begin());
  std::string id = make_token();
  downloads_[id] = path;
  return id;
}

std::optional<std::string> WebWindows::take_download(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = downloads_.find(id);
  if (found == downloads_.end()) return std::nullopt;
  std::string path = std::move(found->second);
  downloads_.erase(found);
  return path;
}

std::chrono::seconds WebWindows::lonely_for() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (std::ranges::any_of(windows_, [](const auto& window) { return window->has_page(); })) last_page_ = now;
  return std::chrono::duration_cast<std::chrono::seconds>(now - last_page_);
}

void WebWindows::stop(int signal) {
  std::vector<std::shared_ptr<WebWindow>> windows;
  {
    const std::lock_guard lock(mutex_);
    windows = windows_;
  }
  for (const auto& window : windows) window->stop(signal);
}

}  // namespace lacuna
