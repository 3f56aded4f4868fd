#include "cli/common/http_client.h"

#include <fmt/format.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "config/address.h"

namespace maejin::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;

constexpr std::uint64_t kLongestAnswer = 1ULL << 30;

constexpr std::string_view kTlsScheme = "https://";

std::string_view WithoutScheme(std::string_view address) {
  for (const std::string_view scheme : {std::string_view("http://"), kTlsScheme})
    if (address.starts_with(scheme)) address.remove_prefix(scheme.size());
  if (address.ends_with('/')) address.remove_suffix(1);
  return address;
}

}  // namespace

std::string_view HttpAnswer::Header(std::string_view name) const {
  for (const auto& [header, value] : headers) {
    if (beast::iequals(header, name)) return value;
  }
  return {};
}

class HttpClient::Connection {
 public:
  explicit Connection(std::string address)
      : url_(address.starts_with(kTlsScheme) ? config::ParseHttpOrHttpsUrl(address) : std::nullopt),
        host_(WithoutScheme(address)) {}

  Result<HttpAnswer, std::string> Call(const HttpCall& call) {
    const bool reused = stream_ != nullptr;
    auto answer = TryCall(call, {});
    // The server may have closed an idle keep-alive connection: retry once on a new one.
    if (!answer && reused && unanswered_) return TryCall(call, {});
    return answer;
  }

  Result<HttpAnswer, std::string> Upload(const HttpCall& call,
                                         const std::function<bool(std::string&)>& next) {
    Close();
    return TryCall(call, next);
  }

  Seconds timeout{30};
  std::vector<std::pair<std::string, std::string>> headers;

 private:
  Result<HttpAnswer, std::string> TryCall(const HttpCall& call,
                                          const std::function<bool(std::string&)>& next) {
    unanswered_ = true;
    beast::error_code error;
    if (stream_ == nullptr) error = Connect();
    if (!error) error = Send(call, next);
    HttpAnswer answer;
    if (!error || next) error = Receive(call, answer);
    if (!error) return answer;
    Close();
    return fmt::format("{}{}{}: {}", url_ ? kTlsScheme : "http://", host_, call.target,
                       error == beast::error::timeout ? std::string("no answer in time") : error.message());
  }

  // Runs one asynchronous step to its end: Beast's time limits work on asynchronous operations only.
  template <class Start>
  beast::error_code Step(Start&& start) {
    beast::error_code result = beast::error::timeout;
    stream_->expires_after(timeout);
    start([&result](beast::error_code error, auto&&...) { result = error; });
    context_.restart();
    context_.run();
    return result;
  }

  beast::error_code Connect() {
    const auto address = url_ ? std::optional(url_->address) : config::ParseAddress(host_);
    if (!address) return asio::error::make_error_code(asio::error::host_not_found);
    beast::error_code error;
    const auto endpoints =
        asio::ip::tcp::resolver(context_).resolve(address->host, std::to_string(address->port), error);
    if (error) return error;
    tls_.reset();
    stream_ = std::make_unique<beast::tcp_stream>(context_);
    buffer_.clear();
    error = Step([&](auto done) { stream_->async_connect(endpoints, done); });
    beast::error_code ignored;
    if (!error) stream_->socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    if (!error && url_) error = StartTls(address->host);
    if (error) Close();
    return error;
  }

  // Trusts the certificates of the machine; SSL_CERT_FILE and SSL_CERT_DIR name others.
  beast::error_code StartTls(const std::string& host) {
    beast::error_code error;
    tls_context_.set_default_verify_paths(error);
    if (error) return error;
    tls_.emplace(*stream_, tls_context_);
    tls_->set_verify_mode(asio::ssl::verify_peer);
    tls_->set_verify_callback(asio::ssl::host_name_verification(host));
    // SSL_set_tlsext_host_name without its old-style casts.
    SSL_ctrl(tls_->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(host.c_str()));
    return Step([&](auto done) { tls_->async_handshake(asio::ssl::stream_base::client, done); });
  }

  void Close() {
    tls_.reset();
    stream_.reset();
  }

  // One step on the connection, with TLS or without: start(stream, done).
  template <class Start>
  beast::error_code Transfer(Start&& start) {
    if (tls_) return Step([&](auto done) { start(*tls_, done); });
    return Step([&](auto done) { start(*stream_, done); });
  }

  template <class Fields>
  void FillHead(const HttpCall& call, Fields& request) const {
    request.method_string(call.method);
    request.target(call.target);
    request.version(11);
    request.set(bhttp::field::host, host_);
    for (const auto& [name, value] : headers) request.set(name, value);
    for (const auto& [name, value] : call.headers) request.set(name, value);
  }

  beast::error_code Send(const HttpCall& call, const std::function<bool(std::string&)>& next) {
    if (next) return SendPieces(call, next);
    bhttp::request<bhttp::string_body> request;
    if (!call.body.empty()) request.set(bhttp::field::content_type, "application/json");
    FillHead(call, request);
    request.body() = call.body;
    request.prepare_payload();
    return Transfer([&](auto& stream, auto done) { bhttp::async_write(stream, request, done); });
  }

  beast::error_code SendPieces(const HttpCall& call, const std::function<bool(std::string&)>& next) {
    bhttp::request<bhttp::empty_body> head;
    FillHead(call, head);
    head.chunked(true);
    bhttp::request_serializer<bhttp::empty_body> serializer(head);
    auto error =
        Transfer([&](auto& stream, auto done) { bhttp::async_write_header(stream, serializer, done); });
    std::string piece;
    while (!error && next(piece)) {
      if (piece.empty()) continue;
      const auto framed = fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
      error =
          Transfer([&](auto& stream, auto done) { asio::async_write(stream, asio::buffer(framed), done); });
      piece.clear();
    }
    if (error) return error;
    return Transfer(
        [&](auto& stream, auto done) { asio::async_write(stream, asio::buffer("0\r\n\r\n", 5), done); });
  }

  beast::error_code Receive(const HttpCall& call, HttpAnswer& answer) {
    bhttp::response_parser<bhttp::string_body> parser;
    parser.body_limit(kLongestAnswer);
    parser.skip(call.method == "HEAD");
    const auto error =
        Transfer([&](auto& stream, auto done) { bhttp::async_read(stream, buffer_, parser, done); });
    unanswered_ = !parser.got_some();
    if (error) return error;
    answer.status = static_cast<int>(parser.get().result_int());
    for (const auto& field : parser.get()) {
      answer.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    answer.body = std::move(parser.get().body());
    if (!parser.keep_alive()) Close();
    return {};
  }

  const std::optional<config::HttpUrl> url_;  // with TLS only
  std::string host_;
  asio::io_context context_{1};
  asio::ssl::context tls_context_{asio::ssl::context::tls_client};
  std::unique_ptr<beast::tcp_stream> stream_;
  std::optional<asio::ssl::stream<beast::tcp_stream&>> tls_;  // over stream_
  beast::flat_buffer buffer_;
  bool unanswered_ = true;  // no byte of the answer was received
};

HttpClient::HttpClient(std::string address) : connection_(std::make_unique<Connection>(std::move(address))) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

void HttpClient::SetTimeout(Seconds timeout) { connection_->timeout = timeout; }

void HttpClient::AddHeader(std::string name, std::string value) {
  connection_->headers.emplace_back(std::move(name), std::move(value));
}

Result<HttpAnswer, std::string> HttpClient::Call(const HttpCall& call) { return connection_->Call(call); }

Result<HttpAnswer, std::string> HttpClient::Upload(const HttpCall& call,
                                                   const std::function<bool(std::string&)>& next) {
  return connection_->Upload(call, next);
}

}  // namespace maejin::cli
