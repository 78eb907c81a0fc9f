#if LACUNA_SD_BUS
#include "app/gui/platform/sd_bus.h"

#include <optional>

#include <dlfcn.h>

namespace lacuna {
namespace {

std::optional<SdBus> look_up_sd_bus() {
  void* library = nullptr;
  for (const char* name : {"libsystemd.so.0", "libelogind.so.0"})
    if (library == nullptr) library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  bool is_complete = true;
  const auto look_up = [&]<class Call>(Call& call, const char* name) {
    call = reinterpret_cast<Call>(::dlsym(library, name));
    is_complete &= call != nullptr;
  };
  SdBus bus;
  look_up(bus.open_user, "sd_bus_open_user");
  look_up(bus.close_unref, "sd_bus_close_unref");
  look_up(bus.process, "sd_bus_process");
  look_up(bus.get_fd, "sd_bus_get_fd");
  look_up(bus.get_events, "sd_bus_get_events");
  look_up(bus.get_timeout, "sd_bus_get_timeout");
  look_up(bus.match_signal_async, "sd_bus_match_signal_async");
  look_up(bus.call_async, "sd_bus_call_async");
  look_up(bus.send, "sd_bus_send");
  look_up(bus.new_method_call, "sd_bus_message_new_method_call");
  look_up(bus.unref, "sd_bus_message_unref");
  look_up(bus.append, "sd_bus_message_append");
  look_up(bus.append_array, "sd_bus_message_append_array");
  look_up(bus.open_container, "sd_bus_message_open_container");
  look_up(bus.close_container, "sd_bus_message_close_container");
  look_up(bus.enter_container, "sd_bus_message_enter_container");
  look_up(bus.exit_container, "sd_bus_message_exit_container");
  look_up(bus.read, "sd_bus_message_read");
  look_up(bus.skip, "sd_bus_message_skip");
  look_up(bus.is_method_error, "sd_bus_message_is_method_error");
  look_up(bus.get_path, "sd_bus_message_get_path");
  look_up(bus.set_expect_reply, "sd_bus_message_set_expect_reply");
  if (!is_complete) return std::nullopt;
  return bus;
}

}  // namespace

const SdBus* load_sd_bus() {
  static const std::optional<SdBus> bus = look_up_sd_bus();
  return bus ? &*bus : nullptr;
}

}  // namespace lacuna
#endif
