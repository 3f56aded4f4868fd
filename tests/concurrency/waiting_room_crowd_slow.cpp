// 20,000 fans over HTTP against a room of 800: they join, poll when they are told to, vanish, return, enter
// and leave. What they saw is recorded, and checked afterwards: I3 (never more than 800 inside) and I4 (first
// come, first served).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <queue>
#include <thread>

#include "tests/program.h"
#include "tests/support/raw_client.h"
#include "tests/support/server_process.h"

namespace maejin::testing {
namespace {

using Clock = std::chrono::steady_clock;
using Moment = Clock::time_point;

constexpr int kFans = 20'000;
constexpr int kThreads = 16;
constexpr int kCapacity = 800;
constexpr auto kInside = std::chrono::milliseconds{300};
constexpr auto kAway = std::chrono::seconds{5};
constexpr Moment kNever = Moment::max();

std::string TextOf(const std::string& body, const std::string& name) {
  const auto at = body.find("\"" + name + "\":\"");
  if (at == std::string::npos) return {};
  const auto start = at + name.size() + 4;
  return body.substr(start, body.find('"', start) - start);
}
long NumberOf(const std::string& body, const std::string& name) {
  const auto at = body.find("\"" + name + "\":");
  return at == std::string::npos ? -1 : std::atol(body.c_str() + at + name.size() + 3);
}

struct Seen {
  Moment sent;
  bool waiting;
};

// One fan's history, written by its thread alone.
struct Fan {
  std::string token;
  long number = 0;
  Moment join_sent;
  Moment join_answered;
  Moment first_ready = kNever;  // the answer that said so
  Moment entered = kNever;      // answered
  Moment left = kNever;         // sent
  std::vector<Seen> polls;
  Moment heard{};  // of the last answer
  std::chrono::milliseconds told{0};
  bool was_absent = false;
  bool vanished = false;
  bool done = false;
};

class Crowd {
 public:
  explicit Crowd(std::string address) : address_(std::move(address)), fans_(kFans) {}

  void Run() {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([this, i] { Live(i); });
    for (auto& thread : threads) thread.join();
  }
  std::vector<Fan>& fans() { return fans_; }

 private:
  struct Due {
    Moment at;
    int fan;
    bool operator<(const Due& other) const { return at > other.at; }
  };

  void Live(int thread) {
    RawClient client(address_, 60'000);
    std::priority_queue<Due> due;
    for (int i = thread; i < kFans; i += kThreads) {
      Join(client, i);
      due.push({Clock::now() + fans_[static_cast<std::size_t>(i)].told, i});
    }
    while (!due.empty()) {
      const auto next = due.top();
      due.pop();
      std::this_thread::sleep_until(next.at);
      const auto again = Act(client, next.fan);
      if (again != kNever) due.push({again, next.fan});
    }
  }

  std::string Call(RawClient& client, const std::string& method, const std::string& path, const Fan& fan,
                   const std::string& body = {}) {
    std::string text = method + " /api/v1/rooms/main/" + path + " HTTP/1.1\r\nHost: x\r\n";
    if (!fan.token.empty()) text += "X-Queue-Token: " + fan.token + "\r\n";
    if (!body.empty()) text += "Content-Type: application/json\r\n";
    if (method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    client.Send(text + "\r\n" + body);
    const auto answer = client.Receive();
    if (!answer) throw std::runtime_error("no answer");
    return answer->body;
  }

  void Join(RawClient& client, int index) {
    auto& fan = fans_[static_cast<std::size_t>(index)];
    fan.join_sent = Clock::now();
    const auto body =
        Call(client, "POST", "entries", fan, R"({"userId":"fan)" + std::to_string(index) + "\"}");
    fan.join_answered = Clock::now();
    fan.token = TextOf(body, "token");
    fan.number = NumberOf(body, "number");
    Hear(fan, body);
  }

  static void Hear(Fan& fan, const std::string& body) {
    fan.heard = Clock::now();
    fan.told = std::chrono::milliseconds(std::max(NumberOf(body, "pollAfterMs"), 50L));
    if (TextOf(body, "status") == "ready" && fan.first_ready == kNever) fan.first_ready = fan.heard;
  }

  // The fan's next moment, or kNever.
  Moment Act(RawClient& client, int index) {
    auto& fan = fans_[static_cast<std::size_t>(index)];
    if (fan.entered != kNever) {
      fan.left = Clock::now();
      Call(client, "DELETE", "entries/me", fan);
      fan.done = true;
      return kNever;
    }
    const auto sent = Clock::now();
    if (sent - fan.heard > fan.told * 2) fan.was_absent = true;
    const auto body = Call(client, "GET", "entries/me", fan);
    const auto status = TextOf(body, "status");
    if (status.empty()) return kNever;  // the place has ended
    fan.polls.push_back({sent, status == "waiting"});
    Hear(fan, body);
    // One in ten of the later half goes away close to the front; half of those come back.
    if (index > kFans / 2 && index % 10 == 0 && !fan.vanished && NumberOf(body, "rank") < 500) {
      fan.vanished = fan.was_absent = true;
      return index % 20 == 0 ? Clock::now() + kAway : kNever;
    }
    if (status != "ready") return Clock::now() + fan.told;
    const auto entered = Call(client, "POST", "enter", fan);
    if (TextOf(entered, "status") != "entered") return Clock::now() + fan.told;
    fan.entered = Clock::now();
    return fan.entered + kInside;
  }

  std::string address_;
  std::vector<Fan> fans_;
};

// How many were inside at once, as far as the fans know: from the answer to the entering until the leaving
// was sent.
int MostInside(const std::vector<Fan>& fans) {
  std::vector<std::pair<Moment, int>> changes;
  for (const auto& fan : fans) {
    if (fan.entered == kNever) continue;
    changes.emplace_back(fan.entered, 1);
    if (fan.left != kNever) changes.emplace_back(fan.left, -1);
  }
  std::sort(changes.begin(), changes.end());
  int inside = 0;
  int most = 0;
  for (const auto& [at, by] : changes) most = std::max(most, inside += by);
  return most;
}

// Who was answered before another had asked has the lower number.
int OvertakenAtTheDoor(std::vector<Fan> fans) {
  std::sort(fans.begin(), fans.end(), [](auto& a, auto& b) { return a.number < b.number; });
  int overtaken = 0;
  auto latest_sent = Moment::min();
  for (const auto& fan : fans) {
    // Somebody with a lower number asked after this one had its answer.
    if (latest_sent > fan.join_answered) ++overtaken;
    latest_sent = std::max(latest_sent, fan.join_sent);
  }
  return overtaken;
}

struct Order {
  int checked = 0;
  int overtaken = 0;
};
// Once somebody behind was ready, whoever was there all the time is ready too. A fan who came back from an
// absence may step in before others, so only those in front of the first absent one are asked.
Order OvertakenInLine(std::vector<Fan> fans) {
  std::sort(fans.begin(), fans.end(), [](auto& a, auto& b) { return a.number < b.number; });
  const auto first_absent = std::find_if(fans.begin(), fans.end(), [](auto& fan) { return fan.was_absent; });
  Order order;
  auto ready_behind = kNever;
  for (auto fan = fans.rbegin(); fan != fans.rend(); ++fan) {
    if (fan->number < (first_absent == fans.end() ? LONG_MAX : first_absent->number)) {
      ++order.checked;
      for (const auto& poll : fan->polls) order.overtaken += poll.waiting && poll.sent > ready_behind ? 1 : 0;
    }
    ready_behind = std::min(ready_behind, fan->first_ready);
  }
  return order;
}

TEST(WaitingRoomCrowd, TwentyThousandFansAreServedInOrderAndNeverTooManyAtOnce) {
  const ScratchFolder folder("crowd");
  const ServerProcess server(MAEJIN_BINARY, folder.path());
  std::ifstream key_file(folder.path() / "admin.key");
  std::string key;
  std::getline(key_file, key);
  RawClient admin(server.address(), 10'000);
  const std::string settings = R"({"capacity":800,"admission":"claim"})";
  admin.Send("PUT /api/v1/rooms/main HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key +
             "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(settings.size()) +
             "\r\n\r\n" + settings);
  ASSERT_EQ(admin.Receive()->status, 200);

  Crowd crowd(server.address());
  crowd.Run();
  auto& fans = crowd.fans();

  EXPECT_LE(MostInside(fans), kCapacity);
  EXPECT_GT(MostInside(fans), kCapacity / 2) << "the room was never full: nothing was tested";
  EXPECT_EQ(OvertakenAtTheDoor(fans), 0);
  const auto order = OvertakenInLine(fans);
  EXPECT_EQ(order.overtaken, 0);
  RecordProperty("checked", order.checked);
  std::vector<long> numbers;
  int served = 0;
  int stayed = 0;
  for (const auto& fan : fans) {
    numbers.push_back(fan.number);
    served += fan.done ? 1 : 0;
    stayed += fan.vanished ? 0 : 1;
    EXPECT_TRUE(fan.done || fan.vanished) << "fan " << fan.number << " waits for ever";
  }
  EXPECT_GE(served, stayed);
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(std::unique(numbers.begin(), numbers.end()), numbers.end()) << "a number was given twice";
}

// The control: the checks see a history that is wrong.
TEST(WaitingRoomCrowd, ABadHistoryWouldBeSeen) {
  const auto at = [](int ms) { return Moment{} + std::chrono::milliseconds{ms}; };
  std::vector<Fan> fans(3);
  for (int i = 0; i < 3; ++i) {
    auto& fan = fans[static_cast<std::size_t>(i)];
    fan.number = i + 1;
    fan.join_sent = at(10 * i);
    fan.join_answered = at(10 * i + 5);
    fan.entered = at(100 + i);
    fan.left = at(200);
  }
  EXPECT_EQ(MostInside(fans), 3);
  EXPECT_EQ(OvertakenAtTheDoor(fans), 0);
  std::swap(fans[0].number, fans[2].number);
  EXPECT_GT(OvertakenAtTheDoor(fans), 0);
  std::swap(fans[0].number, fans[2].number);
  fans[2].first_ready = at(50);
  fans[0].polls = {{at(60), true}};
  EXPECT_EQ(OvertakenInLine(fans).overtaken, 1);
}

}  // namespace
}  // namespace maejin::testing
