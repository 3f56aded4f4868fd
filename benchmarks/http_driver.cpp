#include "benchmarks/http_driver.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <memory>
#include <numeric>
#include <stdexcept>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace maejin::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

[[noreturn]] void Fail(const char* what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

// The offset of the value of Content-Length, in any letter case.
std::size_t BodyLength(std::string_view head) {
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    constexpr std::string_view kName = "content-length:";
    const auto line = head.substr(at + 2);
    if (line.size() > kName.size() && strncasecmp(line.data(), kName.data(), kName.size()) == 0) {
      return std::strtoul(line.data() + kName.size(), nullptr, 10);
    }
  }
  return 0;
}

class Client {
 public:
  explicit Client(const std::string& address) : fd_(Connect(address)) {}
  ~Client() { close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  int fd() const { return fd_; }

  void Send(const std::string& requests, std::size_t count, SteadyClock::time_point now) {
    std::size_t sent = 0;
    while (sent < requests.size()) {
      const auto n = send(fd_, requests.data() + sent, requests.size() - sent, MSG_NOSIGNAL);
      if (n < 0 && errno == EAGAIN) continue;
      if (n <= 0) Fail("send");
      sent += static_cast<std::size_t>(n);
    }
    sent_at_.insert(sent_at_.end(), count, now);
  }

  // Calls `each(status, sent_at, body)` for every answer that is complete.
  template <class Each>
  void Receive(Each&& each) {
    char bytes[65536];
    const auto got = recv(fd_, bytes, sizeof bytes, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) throw std::runtime_error("the server closed a connection");
    unread_.append(bytes, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    std::size_t answered = 0;
    while (true) {
      const std::string_view rest(unread_.data() + begin, unread_.size() - begin);
      const auto head_end = rest.find("\r\n\r\n");
      if (head_end == std::string_view::npos) break;
      const auto size = head_end + 4 + BodyLength(rest.substr(0, head_end + 2));
      if (rest.size() < size) break;
      each((rest[9] - '0') * 100 + (rest[10] - '0') * 10 + (rest[11] - '0'), sent_at_[answered++],
           rest.substr(head_end + 4, size - head_end - 4));
      begin += size;
    }
    unread_.erase(0, begin);
    sent_at_.erase(sent_at_.begin(), sent_at_.begin() + static_cast<std::ptrdiff_t>(answered));
  }

 private:
  int fd_;
  std::string unread_;
  std::vector<SteadyClock::time_point> sent_at_;
};

class Driver {
 public:
  explicit Driver(const LoadOptions& options) : options_(options), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    for (int i = 0; i < options.connections; ++i) {
      clients_.push_back(std::make_unique<Client>(options.address));
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.ptr = clients_.back().get();
      if (epoll_ctl(epoll_, EPOLL_CTL_ADD, clients_.back()->fd(), &event) != 0) Fail("epoll_ctl");
    }
  }
  ~Driver() { close(epoll_); }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  LoadReport Run() {
    const auto begin = SteadyClock::now();
    for (const auto& client : clients_) Ask(*client, static_cast<std::size_t>(options_.pipeline), begin);
    auto now = Until(begin + options_.warm_up, 0);
    latencies_us_.clear();
    refused_ = 0;
    const auto cpu_before = ServerCpu();
    const auto start = now;
    now = Until(start + options_.duration, options_.most_requests);
    return Report(std::chrono::duration<double>(now - start).count(), ServerCpu() - cpu_before);
  }

 private:
  void Ask(Client& client, std::size_t count, SteadyClock::time_point now) {
    text_.clear();
    for (std::size_t i = 0; i < count; ++i) text_ += options_.request(number_++);
    client.Send(text_, count, now);
  }

  // Waits for one answer at least: without one there is no figure per request.
  SteadyClock::time_point Until(SteadyClock::time_point end, std::uint64_t most) {
    epoll_event events[256];
    auto now = SteadyClock::now();
    while (latencies_us_.empty() || (now < end && (most == 0 || latencies_us_.size() < most))) {
      const int ready = epoll_wait(epoll_, events, 256, 100);
      now = SteadyClock::now();
      for (int i = 0; i < ready; ++i) {
        auto& client = *static_cast<Client*>(events[i].data.ptr);
        std::size_t answered = 0;
        client.Receive([&](int status, SteadyClock::time_point sent_at, std::string_view body) {
          if (options_.answered) options_.answered(status, body);
          ++answered;
          refused_ += status >= 400;
          latencies_us_.push_back(std::chrono::duration<float, std::micro>(now - sent_at).count());
        });
        if (answered > 0) Ask(client, answered, now);
      }
    }
    return now;
  }

  double ServerCpu() const {
    return std::accumulate(options_.server_pids.begin(), options_.server_pids.end(), 0.0,
                           [](double sum, pid_t pid) { return sum + CpuMicros(pid); });
  }

  LoadReport Report(double seconds, double cpu_us) {
    LoadReport report;
    report.answers = latencies_us_.size();
    report.refused = refused_;
    report.seconds = seconds;
    if (latencies_us_.empty()) return report;
    const auto count = static_cast<double>(report.answers);
    report.per_second = count / seconds;
    report.server_cpu_us = cpu_us / count;
    const auto quantile = [&](double q) {
      const auto nth = latencies_us_.begin() + static_cast<std::ptrdiff_t>(q * (count - 1));
      std::nth_element(latencies_us_.begin(), nth, latencies_us_.end());
      return static_cast<double>(*nth);
    };
    report.p50_us = quantile(0.50);
    report.p99_us = quantile(0.99);
    return report;
  }

  const LoadOptions& options_;
  int epoll_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::uint64_t number_ = 0;
  std::uint64_t refused_ = 0;
  std::string text_;
  std::vector<float> latencies_us_;
};

}  // namespace

int ConnectAndWait(const std::string& address) {
  const auto colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) Fail("connect");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

int Connect(const std::string& address) {
  const int fd = ConnectAndWait(address);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

LoadReport Drive(const LoadOptions& options) { return Driver(options).Run(); }

double CpuMicros(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
    throw std::runtime_error(fmt::format("no process {}", pid));
  return static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) / 1e3;
}

std::string Describe(const LoadReport& report) {
  return fmt::format("{:>9.0f} req/s   p50 {:>6.0f} us   p99 {:>6.0f} us   {:>5.2f} us CPU/request{}",
                     report.per_second, report.p50_us, report.p99_us, report.server_cpu_us,
                     report.refused > 0 ? fmt::format("   {} refused", report.refused) : "");
}

}  // namespace maejin::bench
