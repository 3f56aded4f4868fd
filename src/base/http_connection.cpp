#include "base/http_connection.h"

#include <optional>

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/await.h"

namespace maejin {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

using Parser = beast::http::response_parser<beast::http::string_body>;

constexpr std::size_t kReadAtOnce = 16 << 10;

std::string TextOf(const HttpRequestHead& head, std::string_view body) {
  auto text = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n", head.method, head.target, head.host);
  for (const auto& [name, value] : head.headers) text += fmt::format("{}: {}\r\n", name, value);
  if (!body.empty()) text += "Content-Type: application/json\r\n";
  const bool has_length = !body.empty() || head.method == "POST" || head.method == "PUT";
  if (has_length) text += fmt::format("Content-Length: {}\r\n", body.size());
  text += "\r\n";
  text += body;
  return text;
}

}  // namespace

// The same bytes, with TLS or without.
class HttpConnection::Channel {
 public:
  Channel(Executor executor, asio::ssl::context* tls) : executor_(executor), stream_(executor) {
    if (tls) tls_.emplace(stream_, *tls);
  }

  void SetDeadline(Deadline deadline) { stream_.expires_at(deadline); }
  void Close() { stream_.close(); }

  Task<std::string> Connect(std::string host, std::uint16_t port) {
    beast::error_code is_name;
    const auto address = asio::ip::make_address(host, is_name);
    beast::error_code error;
    if (is_name) {
      error = co_await ConnectByName(host, port);
    } else {
      const auto [refused] = co_await stream_.async_connect(asio::ip::tcp::endpoint(address, port), kAwait);
      error = refused;
    }
    if (error) co_return error.message();
    beast::error_code ignored;
    stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    if (!tls_) co_return std::string();
    // SSL_set_tlsext_host_name without its old-style casts.
    SSL_ctrl(tls_->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data());
    tls_->set_verify_mode(asio::ssl::verify_peer);
    tls_->set_verify_callback(asio::ssl::host_name_verification(host));
    const auto [refused] = co_await tls_->async_handshake(asio::ssl::stream_base::client, kAwait);
    co_return refused ? "TLS: " + refused.message() : std::string();
  }

  Task<bool> Write(std::string text) {
    beast::error_code error;
    if (tls_) {
      const auto [failed, written] = co_await asio::async_write(*tls_, asio::buffer(text), kAwait);
      error = failed;
    } else {
      const auto [failed, written] = co_await asio::async_write(stream_, asio::buffer(text), kAwait);
      error = failed;
    }
    co_return !error;
  }

  // Returns whether the response is whole.
  Task<bool> Read(Parser& parser) {
    beast::error_code error;
    while (!parser.is_done()) {
      if (unread_.size() > 0) unread_.consume(parser.put(unread_.data(), error));
      if (parser.is_done() || (error && error != beast::http::error::need_more)) break;
      const auto room = unread_.prepare(kReadAtOnce);
      const auto read = co_await ReadSome(room);
      unread_.commit(read);
      if (read > 0) continue;
      // The server closed the connection, which ends a response without a length.
      error = {};
      if (parser.got_some()) parser.put_eof(error);
      break;
    }
    co_return parser.is_done() && !error;
  }

  // Whether more was received than the response.
  bool HasUnread() const { return unread_.size() > 0; }

 private:
  Task<beast::error_code> ConnectByName(std::string host, std::uint16_t port) {
    asio::ip::basic_resolver<asio::ip::tcp, Executor> resolver(executor_);
    const auto [unknown, found] = co_await resolver.async_resolve(host, std::to_string(port), kAwait);
    if (unknown) co_return unknown;
    const auto [error, reached] = co_await stream_.async_connect(found, kAwait);
    co_return error;
  }

  // Returns the number of bytes; 0 at the end or after an error.
  Task<std::size_t> ReadSome(asio::mutable_buffer room) {
    std::size_t read = 0;
    if (tls_) {
      const auto [failed, bytes] = co_await tls_->async_read_some(room, kAwait);
      read = failed ? 0 : bytes;
    } else {
      const auto [failed, bytes] = co_await stream_.async_read_some(room, kAwait);
      read = failed ? 0 : bytes;
    }
    co_return read;
  }

  using Stream = beast::basic_stream<asio::ip::tcp, Executor>;
  Executor executor_;
  Stream stream_;
  std::optional<asio::ssl::stream<Stream&>> tls_;  // absent: plain HTTP
  beast::flat_buffer unread_;
};

HttpConnection::HttpConnection(Executor executor, asio::ssl::context* tls)
    : channel_(std::make_unique<Channel>(executor, tls)) {}
HttpConnection::~HttpConnection() = default;

Task<std::string> HttpConnection::Connect(std::string host, std::uint16_t port, Deadline deadline) {
  channel_->SetDeadline(deadline);
  return channel_->Connect(std::move(host), port);
}

Task<HttpResponse> HttpConnection::Exchange(HttpRequestHead head, std::string_view body,
                                            std::uint64_t longest, Deadline deadline) {
  HttpResponse response;
  channel_->SetDeadline(deadline);
  const bool written = co_await channel_->Write(TextOf(head, body));
  if (!written) co_return response;
  Parser parser;
  parser.eager(true);
  parser.body_limit(longest);
  const bool whole = co_await channel_->Read(parser);
  response.began = parser.got_some();
  if (!whole) co_return response;
  response.status = static_cast<int>(parser.get().result_int());
  response.body = std::move(parser.get().body());
  // More bytes are an extra response, which the next request must not take for its own.
  response.keeps = parser.keep_alive() && !channel_->HasUnread();
  co_return response;
}

void HttpConnection::Close() { channel_->Close(); }

}  // namespace maejin
