#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/web/wire/page_host.h"
#include "model/base/result.h"

namespace lacuna {

struct ServerPlan {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0: the first free port from kFirstPort on
  std::string token;
  std::vector<std::string> origins;  ///< of other pages that may show the window, as "https://hub.example.org"
  std::string_view page;             ///< HTML; must outlive the server
  std::uint64_t most_upload = std::uint64_t{16} << 30;  ///< bytes
};

/// Serves one page, its WebSocket, its uploads and downloads, to clients with the token. Uses Boost.Beast: header-only,
/// so nothing to link or ship, packaged by every distribution, with limits on all sizes and times; it costs 8 s
/// of compilation in this one file. libwebsockets needs OpenSSL and libuv; civetweb allocates whatever size a message
/// claims.
///
/// All work is done on one thread of its own.
class HttpServer {
 public:
  static constexpr std::uint16_t kFirstPort = 8730;

  /// Errors: kUnsupported if the address or the port is unavailable. `host` must outlive the server.
  static Result<std::unique_ptr<HttpServer>> start(const ServerPlan& plan, PageHost& host);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  /// Closes all connections. Data that windows still send is dropped. Call only once.
  void stop();

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
