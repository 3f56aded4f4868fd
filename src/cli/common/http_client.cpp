#include "cli/common/http_client.h"

#include <fmt/format.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
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

std::string_view WithoutScheme(std::string_view address) {
  constexpr std::string_view kScheme = "http://";
  if (address.starts_with(kScheme)) address.remove_prefix(kScheme.size());
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
  explicit Connection(std::string address) : host_(WithoutScheme(address)) {}

  Result<HttpAnswer, std::string> Call(const HttpCall& call) {
    const bool reused = stream_ != nullptr;
    auto answer = TryCall(call, {});
    // The server may have closed an idle keep-alive connection: retry once on a new one.
    if (!answer && reused && unanswered_) return TryCall(call, {});
    return answer;
  }

  Result<HttpAnswer, std::string> Upload(const HttpCall& call,
                                         const std::function<bool(std::string&)>& next) {
    stream_.reset();
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
    stream_.reset();
    return fmt::format("http://{}{}: {}", host_, call.target,
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
    const auto address = config::ParseAddress(host_);
    if (!address) return asio::error::make_error_code(asio::error::host_not_found);
    const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(address->host), address->port);
    stream_ = std::make_unique<beast::tcp_stream>(context_);
    buffer_.clear();
    const auto error = Step([&](auto done) { stream_->async_connect(endpoint, done); });
    if (error) {
      stream_.reset();
      return error;
    }
    beast::error_code ignored;
    stream_->socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    return {};
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
    return Step([&](auto done) { bhttp::async_write(*stream_, request, done); });
  }

  beast::error_code SendPieces(const HttpCall& call, const std::function<bool(std::string&)>& next) {
    bhttp::request<bhttp::empty_body> head;
    FillHead(call, head);
    head.chunked(true);
    bhttp::request_serializer<bhttp::empty_body> serializer(head);
    auto error = Step([&](auto done) { bhttp::async_write_header(*stream_, serializer, done); });
    std::string piece;
    while (!error && next(piece)) {
      if (piece.empty()) continue;
      const auto framed = fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
      error = Step([&](auto done) { asio::async_write(*stream_, asio::buffer(framed), done); });
      piece.clear();
    }
    if (error) return error;
    return Step([&](auto done) { asio::async_write(*stream_, asio::buffer("0\r\n\r\n", 5), done); });
  }

  beast::error_code Receive(const HttpCall& call, HttpAnswer& answer) {
    bhttp::response_parser<bhttp::string_body> parser;
    parser.body_limit(kLongestAnswer);
    parser.skip(call.method == "HEAD");
    const auto error = Step([&](auto done) { bhttp::async_read(*stream_, buffer_, parser, done); });
    unanswered_ = !parser.got_some();
    if (error) return error;
    answer.status = static_cast<int>(parser.get().result_int());
    for (const auto& field : parser.get()) {
      answer.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    answer.body = std::move(parser.get().body());
    if (!parser.keep_alive()) stream_.reset();
    return {};
  }

  std::string host_;
  asio::io_context context_{1};
  std::unique_ptr<beast::tcp_stream> stream_;
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
