#include "app/web/web.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "app/gui/platform/end_signals.h"
#include "app/web/page.h"
#include "app/web/server/access.h"
#include "app/web/server/http_server.h"
#include "app/web/window/web_windows.h"
#include "model/base/os/machine.h"
#include "model/base/os/process.h"
#include "model/base/standard_error.h"

namespace lacuna {
namespace {

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace

Result<void> run_web(const WebOptions& options, const MakeFrameObserver& observe) {
  // Dialogs are of this machine's files, and drawn in the page.
  ::setenv("LACUNA_FILE_DIALOG", "builtin", /*overwrite=*/1);
  std::mutex mutex;
  std::condition_variable news;
  const EndSignals signals([&] {
    const std::lock_guard lock(mutex);
    news.notify_all();
  });
  ServerPlan plan{.address = options.address,
                  .port = static_cast<std::uint16_t>(options.port),
                  .token = make_token(),
                  .origins = options.origins,
                  .page = kWebPage};
  if (plan.token.empty()) return fail(ErrorCode::kUnsupported, "the system gives no random numbers for a token");
  std::unique_ptr<HttpServer> server;  // goes last: windows send through it
  WebWindows windows(options.window, observe);
  Result<std::unique_ptr<HttpServer>> started = HttpServer::start(plan, windows);
  if (!started) return tl::make_unexpected(started.error());
  server = std::move(*started);
  if (!is_loopback(options.address))
    to_standard_error(
        fmt::format("lacuna: listening on {}: who reaches it and has the token does here what you can do, and the line "
                    "is not encrypted. ssh -L {}:127.0.0.1:{} is safer\n",
                    options.address, server->port(), server->port()));
  const std::string own_name = host_name().empty() ? "127.0.0.1" : host_name();
  const std::string host = is_loopback(options.address)                              ? "127.0.0.1"
                           : options.address == "0.0.0.0" || options.address == "::" ? own_name
                                                                                     : options.address;
  const std::string url = fmt::format("http://{}:{}/?token={}", host, server->port(), plan.token);
  fmt::print("{}\n", url);
  std::fflush(stdout);
  // Whoever has no browser sees the address in the terminal.
  if (options.opens) (void)start_program("xdg-open", {"xdg-open", url}, ReadOutput::kNone);

  std::string problem;
  std::unique_lock lock(mutex);
  while (EndSignals::received() == 0 && problem.empty()) {
    news.wait_for(lock, std::chrono::seconds(1));
    problem = windows.problem();
    if (options.idle_exit > 0 && windows.lonely_for() >= std::chrono::nanoseconds(options.idle_exit)) break;
  }
  lock.unlock();
  server->stop();
  windows.stop(EndSignals::received());
  if (!problem.empty()) return fail(ErrorCode::kUnsupported, problem);
  return {};
}

}  // namespace lacuna
