#include "app/web/server/http_server.h"

#include <atomic>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include "app/web/server/access.h"
#include "model/base/guarded.h"
#include "model/base/os/files.h"
#include "model/base/start_thread.h"

namespace lacuna {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;

constexpr auto kHeaderTime = std::chrono::seconds(10);
constexpr auto kUploadTime = std::chrono::hours(4);
/// A connection that is silent for so long is closed; half of it before, the page is asked whether it is there.
constexpr auto kSilence = std::chrono::seconds(120);
constexpr std::uint32_t kLongestHeader = 16384;
constexpr int kMostConnections = 128;
constexpr std::size_t kMostQueued = std::size_t{256} << 20;
constexpr int kPortsTried = 100;
constexpr std::string_view kProtocol = "lacuna";
constexpr std::string_view kTokenProtocol = "token.";

std::string_view view_of(beast::string_view text) {
  return {text.data(), text.size()};
}

/// What all connections go by.
struct Shared {
  Shared(const ServerPlan& the_plan, PageHost& the_host) : plan(the_plan), host(the_host) {}
  ServerPlan plan;
  PageHost& host;
  std::vector<std::string> hosts;  // of plan.origins, and of the address where it is not loopback
  bool is_on_network = false;      // others reach it, by its addresses and the machine's name
  std::atomic<int> connections{0};
  std::atomic<int> pages{0};
};

/// Counts itself as long as it lives.
class Counted {
 public:
  explicit Counted(std::atomic<int>& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<int>& count_;
};

/// A page's WebSocket. Lives as long as it reads or writes, or a window holds its link.
class PageSocket : public std::enable_shared_from_this<PageSocket> {
 public:
  PageSocket(beast::tcp_stream stream, std::shared_ptr<Shared> shared)
      : socket_(std::move(stream)), shared_(std::move(shared)), counted_(shared_->pages) {}

  void accept(const http::request<http::empty_body>& request) {
    beast::get_lowest_layer(socket_).expires_never();  // the WebSocket has times of its own
    socket_.set_option(websocket::stream_base::timeout{kHeaderTime, kSilence, true});
    socket_.set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
      response.set(http::field::sec_websocket_protocol, beast::string_view(kProtocol.data(), kProtocol.size()));
    }));
    socket_.read_message_max(kLongestPageMessage);
    socket_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
      if (!error) self->read();
    });
  }

 private:
  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error || !self->take()) return self->end(error ? "" : "This page sent invalid data.");
      self->read();
    });
  }

  /// False: the message is none.
  bool take() {
    const auto data = buffer_.cdata();
    std::optional<std::vector<PageEvent>> events;
    if (socket_.got_binary()) events = read_page_message({static_cast<const char*>(data.data()), data.size()});
    buffer_.consume(buffer_.size());
    if (!events) return false;
    for (std::size_t i = 0; i < events->size(); ++i)  // hello once, and before all else
      if (((*events)[i].kind == PageEvent::Kind::kHello) != (link_ == nullptr && i == 0)) return false;
    if (link_ == nullptr) {
      if (events->empty()) return false;
      const PageEvent hello = events->front();
      if (hello.codepoint != kWebVersion) return end("Lacuna was updated. Reload the page."), true;
      link_ = std::make_shared<PageLink>(
          [weak = weak_from_this(), executor = socket_.get_executor()](std::string bytes, bool is_text) {
            asio::post(executor, [weak, bytes = std::move(bytes), is_text]() mutable {
              if (const auto self = weak.lock()) self->write(std::move(bytes), is_text);
            });
          },
          [weak = weak_from_this(), executor = socket_.get_executor()](std::string reason) {
            asio::post(executor, [weak, reason = std::move(reason)] {
              if (const auto self = weak.lock()) self->end(reason);
            });
          });
      events->erase(events->begin());
      if (!link_->put(std::move(*events))) return false;
      shared_->host.connect(link_, hello.text);
      return true;
    }
    return link_->put(std::move(*events));
  }

  void write(std::string bytes, bool is_text) {
    if (is_ending_) return;
    queued_bytes_ += bytes.size();
    queue_.emplace_back(std::move(bytes), is_text);
    if (queued_bytes_ > kMostQueued) return end("This page does not take what is sent.");
    if (queue_.size() == 1) write_next();
  }

  void write_next() {
    socket_.text(queue_.front().second);
    socket_.async_write(asio::buffer(queue_.front().first),
                        [self = shared_from_this()](beast::error_code error, std::size_t) {
                          self->queued_bytes_ -= self->queue_.front().first.size();
                          self->queue_.pop_front();
                          if (error) return self->end("");
                          if (!self->queue_.empty())
                            self->write_next();
                          else if (self->is_ending_)
                            self->close();
                        });
  }

  /// `reason`: why the page should not come back; empty: it is gone already.
  void end(std::string reason) {
    if (std::exchange(is_ending_, true)) return;
    if (link_) link_->note_closed();
    reason_ = std::move(reason);
    if (reason_.empty()) {
      beast::get_lowest_layer(socket_).close();
    } else if (queue_.empty()) {
      close();
    }
  }

  void close() {
    socket_.async_close({websocket::close_code::policy_error, reason_},
                        [self = shared_from_this()](beast::error_code) {});
  }

  websocket::stream<beast::tcp_stream> socket_;
  std::shared_ptr<Shared> shared_;
  Counted counted_;
  beast::flat_buffer buffer_;
  std::shared_ptr<PageLink> link_;
  std::deque<std::pair<std::string, bool>> queue_;  // the first is on its way
  std::size_t queued_bytes_ = 0;
  bool is_ending_ = false;
  std::string reason_;
};

/// One request over HTTP, after which the connection ends or becomes a WebSocket.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(tcp::socket socket, std::shared_ptr<Shared> shared)
      : stream_(std::move(socket)), shared_(std::move(shared)), counted_(shared_->connections) {}

  void start() {
    stream_.expires_after(kHeaderTime);
    header_.emplace();
    header_->header_limit(kLongestHeader);
    header_->body_limit(shared_->plan.most_upload);
    http::async_read_header(stream_, buffer_, *header_,
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                              if (!error) self->route();
                            });
  }

 private:
  void route() {
    const auto& request = header_->get();
    const std::string target(view_of(request.target()));
    const std::string_view path = std::string_view(target).substr(0, target.find('?'));
    const std::string_view host = view_of(request[http::field::host]);
    const std::string_view origin = view_of(request[http::field::origin]);
    const bool is_reached_by_address = shared_->is_on_network && is_address(host);
    if (!is_own_host(host, shared_->hosts) && !is_reached_by_address)
      return answer(http::status::forbidden, "Lacuna answers only under 127.0.0.1 or localhost.");
    if (!is_own_origin(origin, host, shared_->plan.origins))
      return answer(http::status::forbidden, "Another page may not use Lacuna (lacuna web --allow-origin).");
    const bool is_get = request.method() == http::verb::get;
    if (websocket::is_upgrade(request)) {
      if (path != "/socket" || !has_token_protocol())
        return answer(http::status::forbidden, "The token is missing or wrong.");
      std::make_shared<PageSocket>(std::move(stream_), shared_)->accept(socket_request());
      return;
    }
    if (is_get && path == "/") {
      const std::string given = query_value(target, "token");
      if (!given.empty() && !are_same_token(given, shared_->plan.token))
        return answer(http::status::forbidden, "The token is wrong: use the address that lacuna web printed last.");
      return send_page();
    }
    if (is_get && path == "/favicon.ico") return answer(http::status::no_content, "");
    const std::string bearer = "Bearer " + shared_->plan.token;
    if (!are_same_token(view_of(request[http::field::authorization]), bearer))
      return answer(http::status::forbidden, "The token is missing or wrong.");
    if (request.method() == http::verb::post && path == "/upload")
      return receive(query_value(target, "name"), query_value(target, "window"));
    if (is_get && path == "/download") return send_file(query_value(target, "id"));
    answer(http::status::not_found, "No such page.");
  }

  /// The token comes as one of the protocols that the page offers: the only header of a WebSocket that pages may set.
  bool has_token_protocol() const {
    const std::string_view offered = view_of(header_->get()[http::field::sec_websocket_protocol]);
    bool has_protocol = false, has_token = false;
    for (std::size_t at = 0; at < offered.size();) {
      const std::size_t end = std::min(offered.find(',', at), offered.size());
      std::string_view word = offered.substr(at, end - at);
      while (word.starts_with(' ')) word.remove_prefix(1);
      while (word.ends_with(' ')) word.remove_suffix(1);
      has_protocol = has_protocol || word == kProtocol;
      if (word.starts_with(kTokenProtocol))
        has_token = has_token || are_same_token(word.substr(kTokenProtocol.size()), shared_->plan.token);
      at = end + 1;
    }
    return has_protocol && has_token;
  }

  http::request<http::empty_body> socket_request() { return header_->release(); }

  template <class Body>
  void send(std::shared_ptr<http::response<Body>> response) {
    response->keep_alive(false);
    response->set(http::field::cache_control, "no-store");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Referrer-Policy", "no-referrer");
    response->prepare_payload();
    stream_.expires_after(kUploadTime);
    http::async_write(stream_, *response, [self = shared_from_this(), response](beast::error_code, std::size_t) {
      beast::error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  void answer(http::status status, std::string_view words) {
    auto response = std::make_shared<http::response<http::string_body>>(status, 11);
    response->set(http::field::content_type, "text/plain; charset=utf-8");
    response->body() = words;
    send(std::move(response));
  }

  void send_page() {
    auto response = std::make_shared<http::response<http::string_body>>(http::status::ok, 11);
    response->set(http::field::content_type, "text/html; charset=utf-8");
    // The page's own script and style alone: whatever text came into it, none of it would run.
    const std::string nonce = make_token();
    const std::string host(view_of(header_->get()[http::field::host]));
    response->set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" +
                                                 nonce + "'; img-src blob: data:; connect-src 'self' ws://" + host +
                                                 " wss://" + host + "; base-uri 'none'; form-action 'none'");
    std::string page(shared_->plan.page);
    constexpr std::string_view kNonce = "@nonce@";
    for (std::size_t at = 0; (at = page.find(kNonce, at)) != std::string::npos;) page.replace(at, kNonce.size(), nonce);
    response->body() = std::move(page);
    send(std::move(response));
  }

  void receive(const std::string& name, const std::string& window) {
    const std::optional<std::string> path = shared_->host.place_for(safe_file_name(name));
    if (!path) return answer(http::status::insufficient_storage, "There is no folder to put files into.");
    stream_.expires_after(kUploadTime);
    upload_.emplace(std::move(*header_));
    upload_->body_limit(shared_->plan.most_upload);
    beast::error_code error;
    upload_->get().body().open(path->c_str(), beast::file_mode::write_new, error);
    if (error) return answer(http::status::insufficient_storage, "The file cannot be written.");
    http::async_read(stream_, buffer_, *upload_,
                     [self = shared_from_this(), path = *path, window](beast::error_code failed, std::size_t) {
                       self->upload_->get().body().close();
                       if (failed) {
                         (void)remove_file(path);
                         return self->answer(http::status::payload_too_large, "The file transfer failed.");
                       }
                       if (!self->shared_->host.uploaded(window, path))
                         return self->answer(http::status::gone, "The window is closed.");
                       self->answer(http::status::ok, "");
                     });
  }

  void send_file(const std::string& id) {
    const std::optional<std::string> path = shared_->host.take_download(id);
    if (!path) return answer(http::status::not_found, "There is no such download.");
    auto response = std::make_shared<http::response<http::file_body>>(http::status::ok, 11);
    beast::error_code error;
    response->body().open(path->c_str(), beast::file_mode::scan, error);
    if (error) return answer(http::status::not_found, "The file cannot be read.");
    response->set(http::field::content_type, "application/octet-stream");
    send(std::move(response));
  }

  beast::tcp_stream stream_;
  std::shared_ptr<Shared> shared_;
  Counted counted_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> header_;
  std::optional<http::request_parser<http::file_body>> upload_;
};

}  // namespace

struct HttpServer::State {
  State(const ServerPlan& plan, PageHost& host) : shared(std::make_shared<Shared>(plan, host)) {}

  /// False: not there.
  bool listen(const tcp::endpoint& at) {
    beast::error_code error;
    acceptor.open(at.protocol(), error);
    // After a restart the port is free again at once; two servers on one are not possible by this.
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(at, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      beast::error_code ignored;
      acceptor.close(ignored);
    }
    return !error;
  }

  void accept() {
    acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error && shared->connections < kMostConnections) {
        beast::error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        std::make_shared<HttpConnection>(std::move(socket), shared)->start();
      }
      accept();
    });
  }

  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  std::shared_ptr<Shared> shared;
  std::uint16_t port = 0;
  std::jthread thread;
};

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

HttpServer::~HttpServer() {
  stop();
}

void HttpServer::stop() {
  state_->io.stop();
  if (state_->thread.joinable()) state_->thread.join();
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(const ServerPlan& plan, PageHost& host) {
  auto state = std::make_unique<State>(plan, host);
  beast::error_code error;
  const auto address = asio::ip::make_address(plan.address, error);
  if (error) return fail(ErrorCode::kInvalidArgument, "not an address to listen on", plan.address);
  if (!address.is_loopback()) {
    state->shared->is_on_network = true;
    state->shared->hosts.push_back(asio::ip::host_name(error));
  }
  for (const std::string& origin : plan.origins)
    if (origin == "*")
      state->shared->hosts.push_back(origin);
    else if (const std::size_t slashes = origin.find("://"); slashes != std::string::npos)
      state->shared->hosts.push_back(origin.substr(slashes + 3));
  const int first = plan.port != 0 ? plan.port : kFirstPort;
  for (int port = first; port < first + (plan.port != 0 ? 1 : kPortsTried) && state->port == 0; ++port)
    if (state->listen({address, static_cast<std::uint16_t>(port)})) state->port = static_cast<std::uint16_t>(port);
  if (state->port == 0)
    return fail(ErrorCode::kUnsupported,
                plan.port != 0 ? "port " + std::to_string(plan.port) + " cannot be had: another program may have it"
                               : "no port from " + std::to_string(kFirstPort) + " on is free");
  state->accept();
  state->thread = start_thread([&io = state->io] {
    // What one connection throws costs that connection.
    while (!run_guarded([&] { io.run(); }, [](std::string_view) {})) {
    }
  });
  if (!state->thread.joinable()) return fail(ErrorCode::kUnsupported, std::string(kNoMoreThreads));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

std::uint16_t HttpServer::port() const {
  return state_->port;
}

}  // namespace lacuna
