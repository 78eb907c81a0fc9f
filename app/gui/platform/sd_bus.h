#pragma once

#include <systemd/sd-bus.h>

namespace lacuna {

/// The functions of sd-bus (libsystemd, or elogind's) that we use. They are loaded at the first dialog:
/// linking the library and its dependencies would make each start of the program a tenth slower.
struct SdBus {
  decltype(&sd_bus_open_user) open_user = nullptr;
  decltype(&sd_bus_close_unref) close_unref = nullptr;
  decltype(&sd_bus_process) process = nullptr;
  decltype(&sd_bus_get_fd) get_fd = nullptr;
  decltype(&sd_bus_get_events) get_events = nullptr;
  decltype(&sd_bus_get_timeout) get_timeout = nullptr;
  decltype(&sd_bus_match_signal_async) match_signal_async = nullptr;
  decltype(&sd_bus_call_async) call_async = nullptr;
  decltype(&sd_bus_send) send = nullptr;
  decltype(&sd_bus_message_new_method_call) new_method_call = nullptr;
  decltype(&sd_bus_message_unref) unref = nullptr;
  decltype(&sd_bus_message_append) append = nullptr;
  decltype(&sd_bus_message_append_array) append_array = nullptr;
  decltype(&sd_bus_message_open_container) open_container = nullptr;
  decltype(&sd_bus_message_close_container) close_container = nullptr;
  decltype(&sd_bus_message_enter_container) enter_container = nullptr;
  decltype(&sd_bus_message_exit_container) exit_container = nullptr;
  decltype(&sd_bus_message_read) read = nullptr;
  decltype(&sd_bus_message_skip) skip = nullptr;
  decltype(&sd_bus_message_is_method_error) is_method_error = nullptr;
  decltype(&sd_bus_message_get_path) get_path = nullptr;
  decltype(&sd_bus_message_set_expect_reply) set_expect_reply = nullptr;
};

/// Returns null if the library is not installed or too old. Loads once. Any thread.
const SdBus* load_sd_bus();

}  // namespace lacuna
