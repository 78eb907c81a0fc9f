#include "app/gui/platform/portal_dialog.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "app/gui/core/file_uri.h"
#include "model/formats/file_names.h"
#if LACUNA_SD_BUS
#include "app/gui/platform/sd_bus.h"
#endif
#include "model/base/os/user_folders.h"

namespace lacuna {
#if LACUNA_SD_BUS
namespace {

using PortalClock = std::chrono::steady_clock;

constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPortalPath = "/org/freedesktop/portal/desktop";
constexpr const char* kChooser = "org.freedesktop.portal.FileChooser";
constexpr const char* kRequest = "org.freedesktop.portal.Request";
/// A portal that is not running yet is started by the call, which may take a second or two.
constexpr auto kLongestStart = std::chrono::seconds(5);
constexpr std::uint32_t kChosenCode = 0;  // of Request.Response; 1: cancelled, 2: closed otherwise

/// One dialog of the portal: a method call, whose answer names a request, whose Response signal has the paths.
class PortalRequest {
 public:
  explicit PortalRequest(const SdBus& sd) : sd_(sd) {}
  ~PortalRequest() { sd_.close_unref(bus_); }
  PortalRequest(const PortalRequest&) = delete;
  PortalRequest& operator=(const PortalRequest&) = delete;

  DialogAnswer ask(const DialogWish& wish, int stop_fd);

 private:
  bool send(const DialogWish& wish);
  bool append(sd_bus_message* call, const DialogWish& wish);
  bool append_bytes(sd_bus_message* call, const char* key, const std::string& bytes);
  bool append_filters(sd_bus_message* call);
  /// Sleeps until the bus has something, `until` or a stop; false: stop.
  bool wait(int stop_fd, std::optional<PortalClock::time_point> until);
  void close_dialog();
  DialogAnswer read_response(sd_bus_message* response);
  bool read_uris(sd_bus_message* response, DialogAnswer& answer);

  static PortalRequest& self(void* user) { return *static_cast<PortalRequest*>(user); }
  static int on_opened(sd_bus_message* reply, void* user, sd_bus_error*);
  static int on_response(sd_bus_message* signal, void* user, sd_bus_error*);
  static int on_owner(sd_bus_message* signal, void* user, sd_bus_error*);

  const SdBus& sd_;
  sd_bus* bus_ = nullptr;
  std::string token_;   ///< names the request, so that its response is known from others'
  std::string handle_;  ///< the request's path; empty until the portal has opened the dialog
  std::optional<DialogAnswer> answer_;
};

DialogAnswer PortalRequest::ask(const DialogWish& wish, int stop_fd) {
  if (sd_.open_user(&bus_) < 0 || !send(wish)) return {};
  const PortalClock::time_point latest_start = PortalClock::now() + kLongestStart;
  while (!answer_) {
    const int handled = sd_.process(bus_, nullptr);
    if (handled < 0) return {};  // the bus is gone
    if (handled > 0) continue;
    const bool is_open = !handle_.empty();
    if (!is_open && PortalClock::now() >= latest_start) return {};
    if (!wait(stop_fd, is_open ? std::nullopt : std::optional(latest_start))) {
      close_dialog();
      return {DialogAnswer::End::kCancelled};
    }
  }
  return std::move(*answer_);
}

bool PortalRequest::send(const DialogWish& wish) {
  std::random_device random;
  token_ = fmt::format("lacuna_{:08x}{:08x}", random(), random());
  // The signal is subscribed to before the call, so it cannot come too early.
  if (sd_.match_signal_async(bus_, nullptr, kPortal, nullptr, kRequest, "Response", on_response, nullptr, this) < 0 ||
      sd_.match_signal_async(bus_, nullptr, "org.freedesktop.DBus", nullptr, "org.freedesktop.DBus", "NameOwnerChanged",
                             on_owner, nullptr, this) < 0)
    return false;
  sd_bus_message* call = nullptr;
  if (sd_.new_method_call(bus_, &call, kPortal, kPortalPath, kChooser, wish.saves ? "SaveFile" : "OpenFile") < 0)
    return false;
  const bool is_sent = append(call, wish) && sd_.call_async(bus_, nullptr, call, on_opened, this, 0) >= 0;
  sd_.unref(call);
  return is_sent;
}

bool PortalRequest::append(sd_bus_message* call, const DialogWish& wish) {
  const std::string parent = wish.x11_window == 0 ? std::string() : fmt::format("x11:{:x}", wish.x11_window);
  return sd_.append(call, "ss", parent.c_str(), wish.title.c_str()) >= 0 &&
         sd_.open_container(call, 'a', "{sv}") >= 0 &&
         sd_.append(call, "{sv}", "handle_token", "s", token_.c_str()) >= 0 &&
         append_bytes(call, "current_folder", wish.folder) &&
         (wish.saves ? sd_.append(call, "{sv}", "current_name", "s", wish.name.c_str()) >= 0
                     : sd_.append(call, "{sv}", "multiple", "b", 1) >= 0 && append_filters(call)) &&
         sd_.close_container(call) >= 0;
}

/// The portal wants file names as bytes that end with a zero.
bool PortalRequest::append_bytes(sd_bus_message* call, const char* key, const std::string& bytes) {
  return sd_.open_container(call, 'e', "sv") >= 0 && sd_.append(call, "s", key) >= 0 &&
         sd_.open_container(call, 'v', "ay") >= 0 &&
         sd_.append_array(call, 'y', bytes.c_str(), bytes.size() + 1) >= 0 && sd_.close_container(call) >= 0 &&
         sd_.close_container(call) >= 0;
}

/// Traces, and all files.
bool PortalRequest::append_filters(sd_bus_message* call) {
  constexpr std::uint32_t kGlob = 0;
  bool good = sd_.open_container(call, 'e', "sv") >= 0 && sd_.append(call, "s", "filters") >= 0 &&
              sd_.open_container(call, 'v', "a(sa(us))") >= 0 && sd_.open_container(call, 'a', "(sa(us))") >= 0 &&
              sd_.open_container(call, 'r', "sa(us)") >= 0 && sd_.append(call, "s", "Traces") >= 0 &&
              sd_.open_container(call, 'a', "(us)") >= 0;
  for (const std::string_view ending : file_endings())
    good = good && sd_.append(call, "(us)", kGlob, ("*" + std::string(ending)).c_str()) >= 0;
  return good && sd_.close_container(call) >= 0 && sd_.close_container(call) >= 0 &&
         sd_.append(call, "(sa(us))", "All files", 1, kGlob, "*") >= 0 && sd_.close_container(call) >= 0 &&
         sd_.close_container(call) >= 0 && sd_.close_container(call) >= 0;
}

bool PortalRequest::wait(int stop_fd, std::optional<PortalClock::time_point> until) {
  const int events = sd_.get_events(bus_);
  pollfd watched[2] = {{stop_fd, POLLIN, 0}, {sd_.get_fd(bus_), static_cast<short>(std::max(events, 0)), 0}};
  std::uint64_t bus_us = 0;  // by the steady clock too
  const bool has_timeout = sd_.get_timeout(bus_, &bus_us) >= 0 && bus_us != std::numeric_limits<std::uint64_t>::max();
  if (has_timeout) {
    const PortalClock::time_point due{std::chrono::microseconds(bus_us)};
    until = until ? std::min(*until, due) : due;
  }
  int timeout_ms = -1;
  if (until) {
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(*until - PortalClock::now());
    timeout_ms = static_cast<int>(std::clamp<std::int64_t>(rest.count(), 0, 60'000));
  }
  ::poll(watched, 2, timeout_ms);  // interrupted: the caller looks again
  return watched[0].revents == 0;
}

void PortalRequest::close_dialog() {
  if (handle_.empty()) return;  // the portal closes what it opens for us once we have left the bus
  sd_bus_message* call = nullptr;
  if (sd_.new_method_call(bus_, &call, kPortal, handle_.c_str(), kRequest, "Close") < 0) return;
  sd_.set_expect_reply(call, 0);
  sd_.send(bus_, call, nullptr);
  sd_.unref(call);
}

int PortalRequest::on_opened(sd_bus_message* reply, void* user, sd_bus_error*) {
  PortalRequest& request = self(user);
  const char* handle = nullptr;
  if (request.sd_.is_method_error(reply, nullptr) > 0 || request.sd_.read(reply, "o", &handle) < 0) {
    if (!request.answer_) request.answer_.emplace();  // no portal, or none for files
    return 0;
  }
  request.handle_ = handle;
  return 0;
}

int PortalRequest::on_response(sd_bus_message* signal, void* user, sd_bus_error*) {
  PortalRequest& request = self(user);
  const char* path = request.sd_.get_path(signal);
  if (path == nullptr) return 0;
  // Before version 0.9 the portal chose the path by itself.
  const bool is_ours = request.handle_ == path || std::string_view(path).ends_with("/" + request.token_);
  if (is_ours && !request.answer_) request.answer_ = request.read_response(signal);
  return 0;
}

/// A portal that ended gives no response.
int PortalRequest::on_owner(sd_bus_message* signal, void* user, sd_bus_error*) {
  PortalRequest& request = self(user);
  const char *name = nullptr, *before = nullptr, *now = nullptr;
  if (request.sd_.read(signal, "sss", &name, &before, &now) < 0) return 0;
  if (std::string_view(name) == kPortal && *now == '\0' && !request.answer_) request.answer_.emplace();
  return 0;
}

DialogAnswer PortalRequest::read_response(sd_bus_message* response) {
  std::uint32_t code = 0;
  if (sd_.read(response, "u", &code) < 0) return {};
  DialogAnswer answer;
  answer.end = code == kChosenCode ? DialogAnswer::End::kChosen : DialogAnswer::End::kCancelled;
  if (code == kChosenCode && !read_uris(response, answer)) return {};
  return answer;
}

/// From the results, an a{sv}, what it has under "uris". False: it is nothing that a portal should send.
bool PortalRequest::read_uris(sd_bus_message* response, DialogAnswer& answer) {
  if (sd_.enter_container(response, 'a', "{sv}") < 0) return false;
  while (true) {
    const int entered = sd_.enter_container(response, 'e', "sv");
    if (entered < 0) return false;
    if (entered == 0) break;
    const char* key = nullptr;
    if (sd_.read(response, "s", &key) < 0) return false;
    if (std::string_view(key) != "uris") {
      if (sd_.skip(response, "v") < 0 || sd_.exit_container(response) < 0) return false;
      continue;
    }
    if (sd_.enter_container(response, 'v', "as") < 0 || sd_.enter_container(response, 'a', "s") < 0) return false;
    const char* uri = nullptr;
    int count = 0;
    while ((count = sd_.read(response, "s", &uri)) > 0) {
      if (std::optional<std::string> path = path_of_file_uri(uri))
        answer.paths.push_back(std::move(*path));
      else
        answer.elsewhere.emplace_back(uri);
    }
    if (count < 0 || sd_.exit_container(response) < 0 || sd_.exit_container(response) < 0 ||
        sd_.exit_container(response) < 0)
      return false;
  }
  return !answer.paths.empty() || !answer.elsewhere.empty();
}

bool has_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

bool may_have_portal() {
  if (has_variable("SSH_CONNECTION")) return false;  // the bus is of the far machine, and so are its dialogs
  if (has_variable("DBUS_SESSION_BUS_ADDRESS")) return true;
  const std::string runtime = user_runtime_folder();
  return !runtime.empty() && ::access((runtime + "/bus").c_str(), F_OK) == 0;
}

DialogAnswer ask_portal(const DialogWish& wish, int stop_fd) {
  const SdBus* sd = load_sd_bus();
  return sd != nullptr ? PortalRequest(*sd).ask(wish, stop_fd) : DialogAnswer{};
}

#else

bool may_have_portal() {
  return false;
}

DialogAnswer ask_portal(const DialogWish&, int) {
  return {};
}

#endif
}  // namespace lacuna
