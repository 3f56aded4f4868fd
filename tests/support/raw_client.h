// A blocking HTTP client that sends exact bytes: for malformed input, pipelining and streams. Every read has
// a time limit, which a hanging server exceeds and a busy machine does not.
#pragma once

#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace maejin::testing {

struct RawResponse {
  int status = 0;
  std::string head;  // status line and headers
  std::string body;

  // The value of a header, or empty. Names are case-insensitive.
  std::string Header(std::string_view name) const {
    std::size_t at = head.find("\r\n");
    while (at != std::string::npos && at + 2 < head.size()) {
      const auto start = at + 2;
      at = head.find("\r\n", start);
      const auto line = std::string_view(head).substr(start, at - start);
      if (line.size() > name.size() && line[name.size()] == ':' &&
          strncasecmp(line.data(), name.data(), name.size()) == 0) {
        auto value = line.substr(name.size() + 1);
        while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
        return std::string(value);
      }
    }
    return {};
  }
};

class RawClient {
 public:
  // "127.0.0.1:1234".
  explicit RawClient(const std::string& address, int timeout_ms = 60'000) : timeout_ms_(timeout_ms) {
    const auto colon = address.rfind(':');
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
    inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  RawClient(RawClient&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)),
        timeout_ms_(other.timeout_ms_),
        connected_(other.connected_),
        unread_(std::move(other.unread_)) {}
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() {
    if (fd_ >= 0) close(fd_);
  }

  bool connected() const { return connected_; }
  int fd() const { return fd_; }

  // False once the server has closed.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // One byte a packet.
  bool SendSlowly(std::string_view bytes) {
    for (const char c : bytes) {
      if (!Send({&c, 1})) return false;
    }
    return true;
  }
  void FinishSending() { shutdown(fd_, SHUT_WR); }

  // The next complete response; absent if the server closes or exceeds the time limit. `head_only`: for HEAD.
  std::optional<RawResponse> Receive(bool head_only = false) {
    std::size_t end = 0;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
      if (!Fill()) return {};
    }
    RawResponse response;
    response.head = unread_.substr(0, end + 2);
    response.status = std::stoi(response.head.substr(9, 3));
    unread_.erase(0, end + 4);
    if (response.status == 100) return response;
    const auto length = response.Header("Content-Length");
    if (head_only || length.empty()) return response;
    const auto size = std::stoul(length);
    while (unread_.size() < size) {
      if (!Fill()) return {};
    }
    response.body = unread_.substr(0, size);
    unread_.erase(0, size);
    return response;
  }
  std::optional<RawResponse> Ask(std::string_view request) {
    Send(request);
    return Receive();
  }

  // Bytes up to and including `mark`, e.g. one event; absent after the time limit.
  std::optional<std::string> ReceiveUntil(std::string_view mark) {
    std::size_t at = 0;
    while ((at = unread_.find(mark)) == std::string::npos) {
      if (!Fill()) return {};
    }
    auto text = unread_.substr(0, at + mark.size());
    unread_.erase(0, at + mark.size());
    return text;
  }

  // Whether the server closed without further bytes.
  bool IsClosed() {
    while (Fill()) {
    }
    return closed_ && unread_.empty();
  }
  // Everything until the server closes.
  std::string ReceiveAll() {
    while (Fill()) {
    }
    return std::move(unread_);
  }

 private:
  bool Fill() {
    pollfd waiting{fd_, POLLIN, 0};
    if (poll(&waiting, 1, timeout_ms_) <= 0) return false;
    char bytes[16384];
    const auto got = recv(fd_, bytes, sizeof bytes, 0);
    if (got <= 0) {
      closed_ = true;
      return false;
    }
    unread_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  int fd_ = -1;
  int timeout_ms_;
  bool connected_ = false;
  bool closed_ = false;
  std::string unread_;
};

// "GET /path HTTP/1.1" with a Host and the given header lines ("Name: value\r\n").
inline std::string Get(std::string_view path, std::string_view headers = {}) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(headers) + "\r\n";
}
inline std::string Post(std::string_view path, std::string_view body, std::string_view headers = {}) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

}  // namespace maejin::testing
