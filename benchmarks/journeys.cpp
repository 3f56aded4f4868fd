#include "benchmarks/journeys.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "benchmarks/http_driver.h"

namespace maejin::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

// One connection and its position in its journey.
struct Walker {
  explicit Walker(const std::string& address) : fd(Connect(address)) {}
  ~Walker() { close(fd); }
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;

  int fd;
  std::uint64_t journey = 0;
  int step = 0;
  SteadyClock::time_point sent;
  std::string unread;
};

class Crowd {
 public:
  explicit Crowd(const JourneyOptions& options)
      : options_(options),
        latencies_(static_cast<std::size_t>(options.steps)),
        epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    for (auto& step : latencies_) step.reserve(options.journeys);
  }
  ~Crowd() { close(epoll_); }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  JourneyReport Run() {
    const auto count =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(options_.connections), options_.journeys);
    for (std::uint64_t i = 0; i < count; ++i) {
      walkers_.push_back(std::make_unique<Walker>(options_.address));
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.ptr = walkers_.back().get();
      epoll_ctl(epoll_, EPOLL_CTL_ADD, walkers_.back()->fd, &event);
    }
    const auto start = SteadyClock::now();
    for (auto& walker : walkers_) Begin(*walker);
    epoll_event events[256];
    while (ended_ < options_.journeys) {
      const int ready = epoll_wait(epoll_, events, 256, 30'000);
      if (ready == 0) throw std::runtime_error("the server says nothing");
      for (int i = 0; i < ready; ++i) Read(*static_cast<Walker*>(events[i].data.ptr));
    }
    return Report(std::chrono::duration<double>(SteadyClock::now() - start).count());
  }

 private:
  void Begin(Walker& walker) {
    if (begun_ == options_.journeys) return;
    walker.journey = begun_++;
    walker.step = 0;
    Send(walker);
  }

  void Send(Walker& walker) {
    const auto text = options_.request(walker.journey, walker.step);
    walker.sent = SteadyClock::now();
    if (send(walker.fd, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) {
      throw std::runtime_error("the server closed a connection");
    }
  }

  void Read(Walker& walker) {
    char bytes[65536];
    const auto got = recv(walker.fd, bytes, sizeof bytes, 0);
    if (got <= 0) throw std::runtime_error("the server closed a connection");
    walker.unread.append(bytes, static_cast<std::size_t>(got));
    const auto head = walker.unread.find("\r\n\r\n");
    if (head == std::string::npos) return;
    const auto name = walker.unread.find("Content-Length: ");
    const auto length = name < head ? std::strtoul(walker.unread.c_str() + name + 16, nullptr, 10) : 0;
    if (walker.unread.size() < head + 4 + length) return;
    JourneyAnswer answer;
    answer.status = std::atoi(walker.unread.c_str() + 9);
    answer.body = std::string_view(walker.unread).substr(head + 4, length);
    Answered(walker, answer);
  }

  void Answered(Walker& walker, const JourneyAnswer& answer) {
    const auto took = std::chrono::duration<float, std::micro>(SteadyClock::now() - walker.sent).count();
    latencies_[static_cast<std::size_t>(walker.step)].push_back(took);
    const bool good = options_.answered(walker.journey, walker.step, answer);
    walker.unread.clear();
    if (good && ++walker.step < options_.steps) {
      Send(walker);
      return;
    }
    broken_ += !good;
    ++ended_;
    Begin(walker);
  }

  JourneyReport Report(double seconds) {
    JourneyReport report;
    report.seconds = seconds;
    report.broken = broken_;
    for (auto& step : latencies_) {
      std::sort(step.begin(), step.end());
      const auto at = [&](double part) {
        return step.empty() ? 0 : step[static_cast<std::size_t>(part * static_cast<double>(step.size() - 1))];
      };
      report.steps.push_back({at(0.5), at(0.99), at(1)});
    }
    return report;
  }

  const JourneyOptions& options_;
  std::vector<std::vector<float>> latencies_;
  int epoll_;
  std::vector<std::unique_ptr<Walker>> walkers_;
  std::uint64_t begun_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t broken_ = 0;
};

}  // namespace

JourneyReport Walk(const JourneyOptions& options) { return Crowd(options).Run(); }

std::string Ask(const std::string& address, const std::string& text) {
  std::string body;
  JourneyOptions one;
  one.address = address;
  one.connections = 1;
  one.request = [&](std::uint64_t, int) { return text; };
  one.answered = [&](std::uint64_t, int, const JourneyAnswer& answer) {
    body = answer.body;
    return answer.status < 400;
  };
  if (Walk(one).broken > 0) throw std::runtime_error("refused: " + body);
  return body;
}

std::string PostText(std::string_view path, std::string_view headers, std::string_view body) {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{}Content-Length: "
      "{}\r\n\r\n{}",
      path, headers, body.size(), body);
}

std::string_view FieldOf(std::string_view body, std::string_view name) {
  const auto at = body.find(fmt::format("\"{}\":", name));
  if (at == std::string_view::npos) return {};
  auto value = body.substr(at + name.size() + 3);
  const bool quoted = value.starts_with('"');
  if (quoted) value.remove_prefix(1);
  return value.substr(0, value.find_first_of(quoted ? "\"" : ",}]"));
}

}  // namespace maejin::bench
