#include "adapters/redis/client/stream.h"
#include "base/await.h"

#include <array>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>

namespace maejin::redis {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Socket = asio::basic_stream_socket<Tcp, Executor>;
using Resolver = asio::ip::basic_resolver<Tcp, Executor>;

class TcpStream : public Stream, public std::enable_shared_from_this<TcpStream> {
 public:
  explicit TcpStream(asio::io_context& context)
      : resolver_(context.get_executor()), socket_(context.get_executor()) {}

  Task<Result<Done, std::string>> Connect(Endpoint endpoint) override {
    const auto self = shared_from_this();
    auto [resolve_error, results] =
        co_await resolver_.async_resolve(endpoint.host, std::to_string(endpoint.port), kAwait);
    if (resolve_error) co_return endpoint.ToString() + ": " + resolve_error.message();
    if (closed_) co_return endpoint.ToString() + ": no connection in time";
    auto [connect_error, connected] = co_await asio::async_connect(socket_, results, kAwait);
    if (connect_error) co_return endpoint.ToString() + ": " + connect_error.message();
    boost::system::error_code ignored;
    socket_.set_option(Tcp::no_delay(true), ignored);
    socket_.set_option(asio::socket_base::keep_alive(true), ignored);
    co_return Done{};
  }

  Task<Result<std::string_view, std::string>> Read() override {
    const auto self = shared_from_this();
    auto [error, size] = co_await socket_.async_read_some(asio::buffer(buffer_), kAwait);
    if (error) co_return error.message();
    co_return std::string_view(buffer_.data(), size);
  }

  Task<Result<Done, std::string>> Write(std::string bytes) override {
    const auto self = shared_from_this();
    auto [error, size] = co_await asio::async_write(socket_, asio::buffer(bytes), kAwait);
    if (error) co_return error.message();
    co_return Done{};
  }

  void Close() override {
    closed_ = true;
    resolver_.cancel();
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

  Socket& socket() { return socket_; }

 private:
  Resolver resolver_;
  Socket socket_;
  bool closed_ = false;
  std::array<char, 16384> buffer_;
};

class TlsStream : public Stream, public std::enable_shared_from_this<TlsStream> {
 public:
  TlsStream(asio::io_context& context, std::shared_ptr<asio::ssl::context> tls, bool verify)
      : tcp_(std::make_shared<TcpStream>(context)),
        tls_(std::move(tls)),
        stream_(tcp_->socket(), *tls_),
        verify_(verify) {}

  Task<Result<Done, std::string>> Connect(Endpoint endpoint) override {
    const auto self = shared_from_this();
    auto connected = co_await tcp_->Connect(endpoint);
    if (!connected) co_return connected;
    // SSL_set_tlsext_host_name without its old-style casts.
    SSL_ctrl(stream_.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             endpoint.host.data());
    if (verify_) {
      stream_.set_verify_mode(asio::ssl::verify_peer);
      stream_.set_verify_callback(asio::ssl::host_name_verification(endpoint.host));
    }
    auto [error] = co_await stream_.async_handshake(asio::ssl::stream_base::client, kAwait);
    if (error) co_return endpoint.ToString() + ": TLS: " + error.message();
    co_return Done{};
  }

  Task<Result<std::string_view, std::string>> Read() override {
    const auto self = shared_from_this();
    auto [error, size] = co_await stream_.async_read_some(asio::buffer(buffer_), kAwait);
    if (error) co_return error.message();
    co_return std::string_view(buffer_.data(), size);
  }

  Task<Result<Done, std::string>> Write(std::string bytes) override {
    const auto self = shared_from_this();
    auto [error, size] = co_await asio::async_write(stream_, asio::buffer(bytes), kAwait);
    if (error) co_return error.message();
    co_return Done{};
  }

  void Close() override { tcp_->Close(); }

 private:
  std::shared_ptr<TcpStream> tcp_;
  std::shared_ptr<asio::ssl::context> tls_;
  asio::ssl::stream<Socket&> stream_;
  bool verify_;
  std::array<char, 16384> buffer_;
};

}  // namespace

Result<std::shared_ptr<Stream>, std::string> Stream::Make(asio::io_context& context, const Address& address) {
  if (!address.tls) return std::shared_ptr<Stream>(std::make_shared<TcpStream>(context));
  auto tls = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  boost::system::error_code error;
  if (address.tls_ca_file.empty()) {
    tls->set_default_verify_paths(error);
  } else {
    tls->load_verify_file(address.tls_ca_file, error);
  }
  if (error) return "cannot read " + address.tls_ca_file + ": " + error.message();
  return std::shared_ptr<Stream>(std::make_shared<TlsStream>(context, std::move(tls), address.tls_verify));
}

}  // namespace maejin::redis
