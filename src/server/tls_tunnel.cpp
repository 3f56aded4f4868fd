#include "server/tls_tunnel.h"

#include <array>

#include <sys/socket.h>
#include <unistd.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "base/await.h"
#include "server/connection.h"
#include "server/worker.h"

namespace maejin::http {
namespace {

namespace asio = boost::asio;

using Local = asio::local::stream_protocol;
using LocalSocket = asio::basic_stream_socket<Local, Executor>;
using TimePoint = std::chrono::steady_clock::time_point;

// The maximum size of one TLS record.
constexpr std::size_t kRecord = 16 * 1024;
constexpr std::chrono::milliseconds kMostBetweenChecks{1000};

class Tunnel : public std::enable_shared_from_this<Tunnel> {
 public:
  Tunnel(Worker& worker, Socket socket, std::shared_ptr<asio::ssl::context> context)
      : worker_(worker),
        tls_(std::move(socket), *context),
        inner_(worker.executor()),
        timer_(worker.executor()) {}

  static Task<void> Run(std::shared_ptr<Tunnel> self, ConnectionSlot slot, Transport::Peer peer) {
    auto& worker = self->worker_;
    worker.CountTunnels(1);
    self->ends_at_ = Now() + worker.options().header_deadline;
    self->Check();
    const auto [refused] = co_await self->tls_.async_handshake(asio::ssl::stream_base::server, kAwait);
    self->ends_at_ = TimePoint::max();
    const bool open = !refused && self->Connect(std::move(slot), std::move(peer));
    (open ? worker.shared().metrics.handshakes : worker.shared().metrics.failed_handshakes).Add();
    if (open && SSL_session_reused(self->tls_.native_handle()) == 1) worker.shared().metrics.resumed.Add();
    if (open) {
      asio::co_spawn(worker.executor(), Decrypt(self), asio::detached);
      co_await self->Encrypt();
    }
    self->Close();
    worker.CountTunnels(-1);
  }

 private:
  static TimePoint Now() { return std::chrono::steady_clock::now(); }

  // Makes the connection behind the tunnel.
  bool Connect(ConnectionSlot slot, Transport::Peer peer) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) return false;
    boost::system::error_code error;
    inner_.assign(Local(), ends[0], error);
    if (error) {
      close(ends[0]);
      close(ends[1]);
      return false;
    }
    Socket plain(worker_.executor());
    // A connection only reads, writes and closes: it needs no TCP socket.
    plain.assign(Tcp::v4(), ends[1], error);
    if (error) {
      close(ends[1]);
      return false;
    }
    plain.non_blocking(true, error);
    const Connection::Pointer connection(
        new Connection(worker_, std::move(plain), std::move(slot), std::move(peer)));
    connection->Start();
    return true;
  }

  // Decrypts bytes of the client and passes them to the connection.
  static Task<void> Decrypt(std::shared_ptr<Tunnel> self) {
    std::array<char, kRecord> bytes;
    while (true) {
      const auto [ended, count] = co_await self->tls_.async_read_some(asio::buffer(bytes), kAwait);
      if (ended) break;
      const auto [closed, written] =
          co_await asio::async_write(self->inner_, asio::buffer(bytes.data(), count), kAwait);
      if (closed) break;
    }
    boost::system::error_code ignored;
    self->inner_.shutdown(LocalSocket::shutdown_send, ignored);
  }

  // Encrypts bytes of the connection for the client, until the connection ends.
  Task<void> Encrypt() {
    std::array<char, kRecord> bytes;
    while (true) {
      const auto [ended, count] = co_await inner_.async_read_some(asio::buffer(bytes), kAwait);
      if (ended) break;
      ends_at_ = Now() + worker_.options().write_deadline;
      const auto [closed, written] =
          co_await asio::async_write(tls_, asio::buffer(bytes.data(), count), kAwait);
      ends_at_ = TimePoint::max();
      if (closed) co_return;
    }
    ends_at_ = Now() + worker_.options().linger;
    [[maybe_unused]] const auto [error] = co_await tls_.async_shutdown(kAwait);
  }

  // Closes a client that does not finish its handshake, its reading or its close-notify in time.
  void Check() {
    if (closed_) return;
    if (Now() >= ends_at_) return Close();
    const auto pause = std::min({kMostBetweenChecks, worker_.options().header_deadline / 4 + kLeastPause});
    timer_.expires_after(pause);
    timer_.async_wait([self = shared_from_this()](boost::system::error_code error) {
      if (!error) self->Check();
    });
  }

  void Close() {
    if (closed_) return;
    closed_ = true;
    boost::system::error_code ignored;
    tls_.lowest_layer().close(ignored);
    inner_.close(ignored);
    timer_.cancel();
  }

  static constexpr std::chrono::milliseconds kLeastPause{10};

  Worker& worker_;
  asio::ssl::stream<Socket> tls_;
  LocalSocket inner_;
  Timer timer_;
  TimePoint ends_at_ = TimePoint::max();
  bool closed_ = false;
};

}  // namespace

void StartTlsTunnel(Worker& worker, Socket socket, ConnectionSlot slot, Transport::Peer peer) {
  auto context = worker.shared().certificate.context();
  if (!context) return;
  auto tunnel = std::make_shared<Tunnel>(worker, std::move(socket), std::move(context));
  asio::co_spawn(worker.executor(), Tunnel::Run(std::move(tunnel), std::move(slot), std::move(peer)),
                 asio::detached);
}

}  // namespace maejin::http
