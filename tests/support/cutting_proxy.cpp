#include "tests/support/cutting_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <string_view>

namespace maejin::testing_support {
namespace {

constexpr int kPollMillis = 20;

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool SendAll(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

CuttingProxy::CuttingProxy(int server_port)
    : server_port_(server_port), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  auto address = Loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 64) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("proxy: no free port");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { AcceptLoop(); });
}

CuttingProxy::~CuttingProxy() {
  stopping_ = true;
  acceptor_.join();
  for (auto& connection : connections_) connection.join();
  close(listener_);
}

void CuttingProxy::CutNext(std::string text, bool before) {
  const std::lock_guard lock(mutex_);
  cut_ = std::move(text);
  cut_before_ = before;
}

bool CuttingProxy::TakeCut(std::string_view request, bool& before) {
  const std::lock_guard lock(mutex_);
  if (cut_.empty() || request.find(cut_) == std::string_view::npos) return false;
  cut_.clear();
  before = cut_before_;
  ++cuts_;
  return true;
}

void CuttingProxy::AcceptLoop() {
  while (!stopping_) {
    pollfd ready{listener_, POLLIN, 0};
    if (poll(&ready, 1, kPollMillis) <= 0) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) connections_.emplace_back([this, client] { Serve(client); });
  }
}

void CuttingProxy::Serve(int client) {
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = Loopback(server_port_);
  bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  char bytes[65536];
  while (open && !stopping_) {
    pollfd ready[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    if (poll(ready, 2, kPollMillis) <= 0) continue;
    for (const auto& [from, to] : {std::pair{client, server}, std::pair{server, client}}) {
      if (!(ready[from == client ? 0 : 1].revents)) continue;
      const auto size = recv(from, bytes, sizeof bytes, 0);
      const std::string_view part(bytes, size > 0 ? static_cast<std::size_t>(size) : 0);
      bool before = false;
      const bool cut = from == client && TakeCut(part, before);
      if (size <= 0 || (!before && !SendAll(to, part))) open = false;
      if (cut && !before) recv(server, bytes, sizeof bytes, 0);
      if (cut) open = false;
      if (!open) break;
    }
  }
  close(client);
  close(server);
}

}  // namespace maejin::testing_support
