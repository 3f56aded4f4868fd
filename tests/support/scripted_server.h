// An HTTP server for tests of clients. The test decides every byte of its answers.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

namespace maejin::testing {

inline std::string Answer(const std::string& body, const std::string& status = "200 OK") {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Answers each request with the bytes that `react` returns. An empty text closes the connection; nullopt: the
// request is not whole yet.
class ScriptedServer {
 public:
  using Reaction = std::function<std::optional<std::string>(const std::string& received)>;

  explicit ScriptedServer(Reaction react)
      : react_(std::move(react)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    listen(listener_, 64);
    acceptor_ = std::thread([this] { Accept(); });
  }
  ~ScriptedServer() {
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    close(listener_);
    const std::lock_guard lock(mutex_);
    for (const int connection : connections_) shutdown(connection, SHUT_RDWR);
    for (auto& each : threads_) each.join();
    for (const int connection : connections_) close(connection);
  }
  std::uint16_t port() const { return port_; }
  int accepted() const { return accepted_; }

 private:
  void Accept() {
    for (;;) {
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      ++accepted_;
      const std::lock_guard lock(mutex_);
      connections_.push_back(connection);
      threads_.emplace_back([this, connection] { Serve(connection); });
    }
  }
  // One recv() returns a whole short request.
  void Serve(int connection) {
    char buffer[4096];
    for (;;) {
      const auto count = recv(connection, buffer, sizeof buffer, 0);
      if (count <= 0) return;
      const auto answer = react_({buffer, static_cast<std::size_t>(count)});
      if (!answer) continue;
      if (answer->empty()) {
        shutdown(connection, SHUT_RDWR);
        return;
      }
      send(connection, answer->data(), answer->size(), MSG_NOSIGNAL);
    }
  }

  Reaction react_;
  int listener_;
  std::uint16_t port_ = 0;
  std::atomic<int> accepted_{0};
  std::mutex mutex_;
  std::vector<int> connections_;      // guarded by mutex_
  std::vector<std::thread> threads_;  // guarded by mutex_
  std::thread acceptor_;
};

}  // namespace maejin::testing
