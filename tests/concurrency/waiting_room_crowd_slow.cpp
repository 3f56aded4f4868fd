// 20,000 fans over HTTP against a room of 800: they join, poll when they are told to, vanish, return, enter
// and leave. What they saw is recorded, and checked afterwards: I3 (never more than 800 inside) and I4 (first
// come, first served), I10 (no position ever rises). line_history.h is the checker.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <queue>
#include <thread>

#include "tests/concurrency/line_history.h"
#include "tests/program.h"
#include "tests/support/raw_client.h"
#include "tests/support/server_process.h"

namespace maejin::testing {
namespace {

using Clock = HistoryClock;

constexpr int kFans = 20'000;
constexpr int kThreads = 16;
constexpr int kCapacity = 800;
constexpr auto kInside = std::chrono::milliseconds{300};
constexpr auto kAway = std::chrono::seconds{5};

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

// One fan, written by its thread alone.
struct Fan {
  FanHistory history;
  std::string token;
  Moment heard{};  // of the last answer
  std::chrono::milliseconds told{0};
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
  const std::vector<Fan>& fans() const { return fans_; }
  std::vector<FanHistory> Histories() const {
    std::vector<FanHistory> histories;
    for (const auto& fan : fans_) histories.push_back(fan.history);
    return histories;
  }

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
    fan.history.join_sent = Clock::now();
    const auto body =
        Call(client, "POST", "entries", fan, R"({"userId":"fan)" + std::to_string(index) + "\"}");
    fan.history.join_answered = Clock::now();
    fan.token = TextOf(body, "token");
    fan.history.number = NumberOf(body, "number");
    Hear(fan, body);
  }

  static void Hear(Fan& fan, const std::string& body) {
    fan.heard = Clock::now();
    fan.told = std::chrono::milliseconds(std::max(NumberOf(body, "pollAfterMs"), 50L));
    auto& ready = fan.history.first_ready;
    if (TextOf(body, "status") == "ready" && ready == kNever) ready = fan.heard;
  }

  // The fan's next moment, or kNever.
  Moment Act(RawClient& client, int index) {
    auto& fan = fans_[static_cast<std::size_t>(index)];
    auto& history = fan.history;
    if (history.entered != kNever) {
      history.left = Clock::now();
      Call(client, "DELETE", "entries/me", fan);
      fan.done = true;
      return kNever;
    }
    const auto sent = Clock::now();
    // The server waits for three intervals; who is later than two may be taken for absent, or not.
    if (sent - fan.heard > fan.told * 2) {
      history.absent_from = std::min(history.absent_from, fan.heard + fan.told * 2);
      history.returned.push_back(sent);
    }
    const auto body = Call(client, "GET", "entries/me", fan);
    const auto status = TextOf(body, "status");
    if (status.empty()) return kNever;  // the place has ended
    history.polls.push_back({sent, status == "waiting", NumberOf(body, "rank")});
    Hear(fan, body);
    // One in ten of the later half goes away close to the front; half of those come back.
    if (index > kFans / 2 && index % 10 == 0 && !fan.vanished && NumberOf(body, "rank") < 500) {
      fan.vanished = true;
      return index % 20 == 0 ? Clock::now() + kAway : kNever;
    }
    if (status != "ready") return Clock::now() + fan.told;
    const auto entered = Call(client, "POST", "enter", fan);
    if (TextOf(entered, "status") != "entered") return Clock::now() + fan.told;
    history.entered = Clock::now();
    return history.entered + kInside;
  }

  std::string address_;
  std::vector<Fan> fans_;
};

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
  auto history = crowd.Histories();

  const auto verdict = CheckLine(history);
  EXPECT_LE(verdict.most_inside, kCapacity);
  EXPECT_EQ(verdict.overtaken_at_the_door, 0);
  EXPECT_EQ(verdict.overtaken_in_line, 0);
  EXPECT_EQ(verdict.rises, 0);
  EXPECT_EQ(verdict.numbers_given_twice, 0);
  // Nothing was tested where the room was never full, or hardly anybody could have been overtaken.
  EXPECT_GT(verdict.most_inside, kCapacity / 2);
  EXPECT_GE(verdict.fans_followed, kFans / 2);
  EXPECT_GE(verdict.polls_compared, kFans / 10);
  EXPECT_GE(verdict.positions_compared, kFans);
  RecordProperty("fans_followed", verdict.fans_followed);
  RecordProperty("polls_compared", verdict.polls_compared);

  for (const auto& fan : crowd.fans())
    EXPECT_TRUE(fan.done || fan.vanished) << "fan " << fan.history.number << " waits for ever";

  // The controls: the same history, spoilt, is seen through.
  std::sort(history.begin(), history.end(), [](auto& a, auto& b) { return a.number < b.number; });
  auto swapped = history;
  SwapAdmissions(swapped[kFans / 4], swapped[kFans - kFans / 4]);
  EXPECT_GT(CheckLine(swapped).overtaken_in_line, 0) << "two admissions swapped";
  auto lifo = history;
  for (std::size_t i = 0; i < lifo.size() / 2; ++i) SwapAdmissions(lifo[i], lifo[lifo.size() - 1 - i]);
  EXPECT_GT(CheckLine(lifo).overtaken_in_line, kFans / 20) << "last come, first served";
  auto crowded = history;
  for (auto& fan : crowded) fan.left = fan.left == kNever ? kNever : fan.left + std::chrono::seconds{5};
  EXPECT_GT(CheckLine(crowded).most_inside, kCapacity) << "slots that come back too early";
}

// Small histories, wrong in one thing each.
class LineHistory : public ::testing::Test {
 protected:
  LineHistory() {
    for (int i = 0; i < 4; ++i) {
      FanHistory fan;
      fan.number = i + 1;
      fan.join_sent = At(10 * i);
      fan.join_answered = At(10 * i + 5);
      fan.polls = {{At(50 + i), true, i}, {At(150 + 10 * i), false, 0}};
      fan.first_ready = At(151 + 10 * i);
      fan.entered = At(152 + 10 * i);
      fan.left = At(155 + 10 * i);
      fans_.push_back(fan);
    }
  }
  static Moment At(int ms) { return Moment{} + std::chrono::milliseconds{ms}; }

  std::vector<FanHistory> fans_;
};

TEST_F(LineHistory, AGoodOneIsFoundGood) {
  const auto verdict = CheckLine(fans_);
  EXPECT_EQ(verdict.overtaken_at_the_door + verdict.overtaken_in_line + verdict.rises, 0);
  EXPECT_EQ(verdict.most_inside, 1);
  EXPECT_EQ(verdict.fans_followed, 4);
  EXPECT_EQ(verdict.positions_compared, 8);
}

TEST_F(LineHistory, TwoNumbersSwappedAreSeen) {
  std::swap(fans_[0].number, fans_[2].number);
  EXPECT_GT(CheckLine(fans_).overtaken_at_the_door, 0);
}

TEST_F(LineHistory, SomebodyLetInBeforeItsTurnIsSeen) {
  fans_[3].first_ready = At(45);
  EXPECT_EQ(CheckLine(fans_).overtaken_in_line, 3);
}

TEST_F(LineHistory, WhoWasAwayMayBeOvertaken) {
  fans_[3].first_ready = At(45);
  for (auto& fan : fans_) fan.absent_from = At(40);
  EXPECT_EQ(CheckLine(fans_).overtaken_in_line, 0);
  EXPECT_EQ(CheckLine(fans_).fans_followed, 0) << "and says nothing";
}

TEST_F(LineHistory, WhoComesBackExcusesThoseBehindAndNobodyElse) {
  fans_[3].first_ready = At(45);
  fans_[1].returned = {At(48)};
  EXPECT_EQ(CheckLine(fans_).overtaken_in_line, 2) << "the first and the one that returned itself";
}

TEST_F(LineHistory, APositionThatRisesIsSeen) {
  fans_[2].polls[1].rank = 3;
  EXPECT_EQ(CheckLine(fans_).rises, 1);
}

TEST_F(LineHistory, OneNumberForTwoIsSeen) {
  fans_[2].number = fans_[1].number;
  EXPECT_EQ(CheckLine(fans_).numbers_given_twice, 1);
}

}  // namespace
}  // namespace maejin::testing
