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
  std::uint16_t port = 0;  ///< 0: the first free one from kFirstPort on
  std::string token;
  std::vector<std::string> origins;  ///< of other pages that may show the window, as "https://hub.example.org"
  std::string_view page;             ///< HTML; must outlive the server
  std::uint64_t most_upload = std::uint64_t{16} << 30;  ///< bytes
};

/// Serves one page, its WebSocket, its uploads and downloads, to who has the token. Boost.Beast: headers alone, so
/// nothing is linked or brought along, of every distribution, with limits on sizes and times throughout; it costs 8 s
/// of compilation in this one file. libwebsockets brings OpenSSL and libuv; civetweb allocates what a message claims to
/// have.
///
/// All work is done on one thread of its own.
class HttpServer {
 public:
  static constexpr std::uint16_t kFirstPort = 8730;

  /// Errors: kUnsupported where the address or the port cannot be had. `host` must outlive the server.
  static Result<std::unique_ptr<HttpServer>> start(const ServerPlan& plan, PageHost& host);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  /// Ends all connections. What windows still send goes nowhere. Only once.
  void stop();
  /// WebSockets that are open. Any thread.
  int pages() const;

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lacuna
