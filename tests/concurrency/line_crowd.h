// Simulated fans over HTTP in the room "main". They join, poll, disappear, return, enter and leave; each
// request goes to a random node. Every fan records its history, which line_history.h checks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <queue>
#include <random>
#include <thread>

#include "cli/rehearsal/line_history.h"
#include "tests/support/raw_client.h"

namespace maejin::testing {

using cli::CheckLine;
using cli::FanHistory;
using cli::HistoryClock;
using cli::kNever;
using cli::Moment;

// Control: the history of a room that confuses two fans.
inline void SwapAdmissions(FanHistory& a, FanHistory& b) {
  std::swap(a.polls, b.polls);
  std::swap(a.first_ready, b.first_ready);
  std::swap(a.entered, b.entered);
  std::swap(a.left, b.left);
}

struct CrowdOptions {
  int fans = 20'000;
  int threads = 16;
  int capacity = 800;
  std::chrono::milliseconds inside{300};
  // Fans leave only while this many wait or all have joined, so that overtaking is possible on a slow
  // machine.
  int least_waiting = 300;
  std::chrono::milliseconds away{5000};
  // The run ends after this time. A correct room admits every fan earlier.
  std::chrono::seconds time_limit{600};
};

// One fan. Only its own thread writes it.
struct Fan {
  FanHistory history;
  std::string token;
  Moment answered{};  // time of the last answer
  std::chrono::milliseconds poll_after{0};
  bool vanished = false;
  bool done = false;
};

// One thread's connections to all nodes. Retries on 503.
class AnyNode {
 public:
  AnyNode(const std::vector<std::string>& addresses, int seed) : chance_(static_cast<unsigned>(seed)) {
    for (const auto& address : addresses) clients_.emplace_back(address, 60'000);
  }

  // The body of the answer.
  std::string Call(const std::string& method, const std::string& path, const std::string& token,
                   const std::string& body = {}) {
    std::string text = method + " /api/v1/rooms/main/" + path + " HTTP/1.1\r\nHost: x\r\n";
    if (!token.empty()) text += "X-Queue-Token: " + token + "\r\n";
    if (!body.empty()) text += "Content-Type: application/json\r\n";
    if (method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    text += "\r\n" + body;
    while (true) {
      auto answer = clients_[chance_() % clients_.size()].Ask(text);
      if (!answer) throw std::runtime_error("no answer");
      if (answer->status != 503) return std::move(answer->body);
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
  }

 private:
  std::vector<RawClient> clients_;
  std::minstd_rand chance_;
};

class Crowd {
 public:
  // "127.0.0.1:1234" each.
  Crowd(std::vector<std::string> addresses, CrowdOptions options)
      : addresses_(std::move(addresses)), options_(options), fans_(static_cast<std::size_t>(options.fans)) {}

  // Returns when every fan has entered and left or disappeared, or after the time limit.
  void Run() {
    give_up_at_ = HistoryClock::now() + options_.time_limit;
    std::vector<std::thread> threads;
    for (int i = 0; i < options_.threads; ++i) threads.emplace_back([this, i] { RunFans(i); });
    for (auto& thread : threads) thread.join();
  }
  const CrowdOptions& options() const { return options_; }
  const std::vector<Fan>& fans() const { return fans_; }
  // Thread-safe.
  int joined() const { return joined_; }
  // By number.
  std::vector<FanHistory> Histories() const {
    std::vector<FanHistory> histories;
    for (const auto& fan : fans_) histories.push_back(fan.history);
    std::sort(histories.begin(), histories.end(), [](auto& a, auto& b) { return a.number < b.number; });
    return histories;
  }

 private:
  struct Due {
    Moment at;
    int fan;
    bool operator<(const Due& other) const { return at > other.at; }
  };

  static std::string TextOf(const std::string& body, const std::string& name) {
    const auto at = body.find("\"" + name + "\":\"");
    if (at == std::string::npos) return {};
    const auto start = at + name.size() + 4;
    return body.substr(start, body.find('"', start) - start);
  }
  static long NumberOf(const std::string& body, const std::string& name) {
    const auto at = body.find("\"" + name + "\":");
    const auto* text = at == std::string::npos ? "" : body.c_str() + at + name.size() + 3;
    return std::isdigit(static_cast<unsigned char>(*text)) != 0 ? std::atol(text) : -1;  // null, too
  }

  // Due polls come before new joins: on a slow machine the line is shorter, and polls are not late.
  void RunFans(int thread) {
    AnyNode node(addresses_, thread + 1);
    std::priority_queue<Due> due;
    int next = thread;
    while ((next < options_.fans || !due.empty()) && HistoryClock::now() < give_up_at_) {
      const auto now = HistoryClock::now();
      if (next < options_.fans && (due.empty() || due.top().at > now)) {
        Join(node, next);
        due.push({fans_[static_cast<std::size_t>(next)].answered +
                      fans_[static_cast<std::size_t>(next)].poll_after,
                  next});
        next += options_.threads;
        continue;
      }
      const auto fan = due.top().fan;
      std::this_thread::sleep_until(due.top().at);
      due.pop();
      const auto again = Act(node, fan);
      if (again != kNever) due.push({again, fan});
    }
  }

  void Join(AnyNode& node, int index) {
    auto& fan = fans_[static_cast<std::size_t>(index)];
    fan.history.join_sent = HistoryClock::now();
    const auto body = node.Call("POST", "entries", {}, R"({"userId":"fan)" + std::to_string(index) + "\"}");
    fan.history.join_answered = HistoryClock::now();
    fan.token = TextOf(body, "token");
    fan.history.number = NumberOf(body, "number");
    RecordAnswer(fan, body);
    ++joined_;
  }

  static void RecordAnswer(Fan& fan, const std::string& body) {
    fan.answered = HistoryClock::now();
    fan.poll_after = std::chrono::milliseconds(std::max(NumberOf(body, "pollAfterMs"), 50L));
    auto& ready = fan.history.first_ready;
    if (TextOf(body, "status") == "ready" && ready == kNever) ready = fan.answered;
  }

  // Returns the time of the fan's next action, or kNever.
  Moment Act(AnyNode& node, int index) {
    auto& fan = fans_[static_cast<std::size_t>(index)];
    auto& history = fan.history;
    if (history.entered != kNever) {
      if (joined_ < options_.fans && joined_ - entered_ < options_.least_waiting)
        return HistoryClock::now() + std::chrono::milliseconds{50};
      history.left = HistoryClock::now();
      node.Call("DELETE", "entries/me", fan.token);
      fan.done = true;
      return kNever;
    }
    const auto sent = HistoryClock::now();
    // The server counts three intervals as absence. After two, the history allows both outcomes.
    if (sent - fan.answered > fan.poll_after * 2) {
      history.absent_from = std::min(history.absent_from, fan.answered + fan.poll_after * 2);
      history.returned.push_back(sent);
    }
    const auto body = node.Call("GET", "entries/me", fan.token);
    const auto status = TextOf(body, "status");
    if (status.empty()) return kNever;  // the place has ended
    history.polls.push_back({sent, status == "waiting", NumberOf(body, "rank")});
    RecordAnswer(fan, body);
    // One in ten of the later half disappears near the front; half of these return.
    if (index > options_.fans / 2 && index % 10 == 0 && !fan.vanished && NumberOf(body, "rank") < 500) {
      fan.vanished = true;
      return index % 20 == 0 ? HistoryClock::now() + options_.away : kNever;
    }
    if (status != "ready") return HistoryClock::now() + fan.poll_after;
    const auto entered = node.Call("POST", "enter", fan.token);
    if (TextOf(entered, "status") != "entered") return HistoryClock::now() + fan.poll_after;
    history.entered = HistoryClock::now();
    ++entered_;
    return history.entered + options_.inside;
  }

  const std::vector<std::string> addresses_;
  const CrowdOptions options_;
  Moment give_up_at_{};
  std::vector<Fan> fans_;
  std::atomic<int> joined_{0};
  std::atomic<int> entered_{0};
};

inline std::string KeyIn(const std::string& file) {
  std::ifstream stream(file);
  std::string key;
  std::getline(stream, key);
  return key;
}

// Opens the room "main" with the capacity of the options.
inline void OpenRoom(const std::string& address, const std::string& admin_key, const CrowdOptions& options) {
  RawClient admin(address);
  const auto settings = R"({"capacity":)" + std::to_string(options.capacity) + R"(,"admission":"claim"})";
  const auto answer =
      admin.Ask("PUT /api/v1/rooms/main HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + admin_key +
                "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(settings.size()) +
                "\r\n\r\n" + settings);
  ASSERT_TRUE(answer && answer->status == 200);
}

inline void ExpectNoViolations(const Crowd& crowd) {
  const auto [fans, capacity] = std::pair(crowd.options().fans, crowd.options().capacity);
  const auto verdict = CheckLine(crowd.Histories());
  EXPECT_LE(verdict.most_inside, capacity);
  EXPECT_EQ(verdict.join_order_violations, 0);
  EXPECT_EQ(verdict.admission_order_violations, 0);
  EXPECT_EQ(verdict.rank_increases, 0);
  EXPECT_EQ(verdict.duplicate_numbers, 0);
  // Without a full room and waiting fans, the run tests nothing.
  EXPECT_GT(verdict.most_inside, capacity / 2);
  EXPECT_GE(verdict.fans_followed, fans / 2);
  EXPECT_GE(verdict.polls_compared, fans / 10);
  EXPECT_GE(verdict.positions_compared, fans);
  EXPECT_TRUE(std::all_of(crowd.fans().begin(), crowd.fans().end(), [](const Fan& fan) {
    return fan.done || fan.vanished;
  })) << "a fan was never admitted";
  ::testing::Test::RecordProperty("fans_followed", verdict.fans_followed);
  ::testing::Test::RecordProperty("polls_compared", verdict.polls_compared);
  ::testing::Test::RecordProperty("positions_compared", verdict.positions_compared);
}

// Controls: the checker detects violations in altered histories.
inline void ExpectAlteredHistoriesFail(const Crowd& crowd) {
  const auto history = crowd.Histories();
  const auto fans = history.size();
  auto swapped = history;
  // Several swaps, because some fans were admitted at once or absent.
  for (std::size_t i = 0; i < fans / 100; ++i)
    SwapAdmissions(swapped[fans / 4 + i], swapped[fans - fans / 4 + i]);
  EXPECT_GT(CheckLine(swapped).admission_order_violations, 0) << "one admission in a hundred swapped";
  auto lifo = history;
  for (std::size_t i = 0; i < fans / 2; ++i) SwapAdmissions(lifo[i], lifo[fans - 1 - i]);
  EXPECT_GT(CheckLine(lifo).admission_order_violations, fans / 20) << "reversed order";
  auto crowded = history;
  for (auto& fan : crowded) fan.left = fan.left == kNever ? kNever : fan.left + std::chrono::seconds{5};
  EXPECT_GT(CheckLine(crowded).most_inside, crowd.options().capacity) << "slots freed too early";
}

}  // namespace maejin::testing
