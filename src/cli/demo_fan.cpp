#include "cli/demo_fan.h"

#include <algorithm>

#include <fmt/format.h>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/json.hpp>

#include "base/await.h"

namespace maejin::cli {
namespace {

namespace asio = boost::asio;

using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;
constexpr Millis kAfterTrouble{300};
constexpr int kMostTries = 200;

// Counts a fan in for as long as it lives.
class Present {
 public:
  explicit Present(std::atomic<std::int64_t>& count) : count_(count) { ++count_; }
  ~Present() { --count_; }
  Present(const Present&) = delete;
  Present& operator=(const Present&) = delete;

 private:
  std::atomic<std::int64_t>& count_;
};

std::vector<std::int64_t> FreeSeats(const DemoAnswer& answer) {
  std::vector<std::int64_t> free;
  const auto* object = answer.body.if_object();
  const auto* list = object == nullptr ? nullptr : object->if_contains("seats");
  if (list == nullptr || !list->is_array()) return free;
  for (const auto& seat : list->get_array()) {
    const auto* fields = seat.if_object();
    if (fields != nullptr && fields->at("status") == "AVAILABLE")
      free.push_back(fields->at("number").to_number<std::int64_t>());
  }
  return free;
}

}  // namespace

Fan::Fan(Executor executor, const Stage& stage, int number, CrowdCounts& counts,
         const std::atomic<bool>& stopping)
    : executor_(executor),
      stage_(stage),
      counts_(counts),
      stopping_(stopping),
      client_(executor, stage.server),
      chance_(stage.seed * 1'000'003 + static_cast<std::uint64_t>(number)),
      number_(number) {}

Task<void> Fan::Run(Millis delay) {
  co_await Sleep(delay);
  while (!Done()) {
    ++visit_;
    user_ = visit_ == 1 ? fmt::format("fan-{}-{}", stage_.concert, number_)
                        : fmt::format("fan-{}-{}-{}", stage_.concert, number_, visit_);
    co_await Visit();
    if (!Done()) co_await Sleep(Millis(Between(500, 2000)));
  }
}

Task<void> Fan::Visit() {
  const auto body = fmt::format(R"({{"userId":"{}"}})", user_);
  token_.clear();
  const auto joined = co_await Ask("POST", Room("/entries"), body);
  if (joined.status != 200 && joined.status != 201) {
    co_await Sleep(kAfterTrouble);
    co_return;
  }
  token_ = joined.Text("token");
  bool entered = joined.Text("status") == "entered";
  if (!entered) entered = co_await WaitForTurn();
  if (entered) co_await Shop();
}

// Polls at the pace the server sets. False: the place is lost, or the concert is over.
Task<bool> Fan::WaitForTurn() {
  const Present waiting(counts_.waiting);
  while (!Done()) {
    const auto place = co_await Ask("GET", Room("/entries/me"), "");
    const auto status = place.Text("status");
    if (status == "entered") co_return true;
    if (status == "ready") {
      const bool entered = co_await Enter();
      if (entered) co_return true;
    }
    if (place.status == 404 || place.status == 401) co_return false;
    co_await Sleep(Millis(std::clamp<std::int64_t>(place.Number("pollAfterMs", 1000), 50, 10'000)));
  }
  co_await Leave();
  co_return false;
}

Task<bool> Fan::Enter() {
  const auto entered = co_await Ask("POST", Room("/enter"), "");
  co_return entered.status == 200;
}

// Inside: tries seats until one is held, the concert is over, or the patience ends.
Task<void> Fan::Shop() {
  const Present inside(counts_.inside);
  for (int tries = 0; tries < kMostTries && !Done(); ++tries) {
    const auto wish = co_await PickSeats();
    if (!wish) {
      co_await Sleep(kAfterTrouble);
      continue;
    }
    const auto hold = co_await Hold(*wish);
    if (hold.status == 201) {
      co_await Decide(hold, static_cast<std::int64_t>(wish->seats.size()));
      co_return;
    }
    if (hold.Text("code") == "pass-required") co_return;
    co_await Sleep(Millis(Between(50, 250)));
  }
  co_await Leave();
}

Task<std::optional<Fan::Wish>> Fan::PickSeats() {
  Wish wish;
  const auto which =
      static_cast<std::size_t>(Between(0, static_cast<std::int64_t>(stage_.schedules.size()) - 1));
  // A date without a free seat sends the fan to the next one.
  for (std::size_t i = 0; i < stage_.schedules.size(); ++i) {
    wish.schedule = stage_.schedules[(which + i) % stage_.schedules.size()];
    const auto map = co_await Ask("GET", fmt::format("/api/v1/schedules/{}/seats", wish.schedule), "");
    const auto free = FreeSeats(map);
    if (free.empty()) continue;
    const auto first = static_cast<std::size_t>(Between(0, static_cast<std::int64_t>(free.size()) - 1));
    wish.seats.push_back(free[first]);
    const bool for_two = visit_ == 1 && Between(1, 100) <= 30;
    if (for_two && first + 1 < free.size()) wish.seats.push_back(free[first + 1]);
    co_return wish;
  }
  co_return std::nullopt;
}

Task<DemoAnswer> Fan::Hold(Wish wish) {
  auto body = fmt::format(R"({{"scheduleId":{},"seats":[{}],"userId":"{}"}})", wish.schedule,
                          fmt::join(wish.seats, ","), user_);
  return Ask("POST", "/api/v1/reservations", std::move(body));
}

Task<void> Fan::Decide(DemoAnswer hold, std::int64_t seats) {
  const auto id = hold.Text("reservationId");
  const auto mood = NextMood();
  ++counts_.held;
  co_await Sleep(Millis(Between(500, 2500)));
  --counts_.held;
  if (mood == Mood::kBuys) {
    auto body = fmt::format(R"({{"amount":{}}})", hold.Number("amount", 0));
    const auto paid =
        co_await Ask("POST", fmt::format("/api/v1/reservations/{}/payment", id), std::move(body));
    if (paid.status == 200) counts_.paid += seats;
    if (paid.Flag("concertSoldOut")) counts_.sold_out = true;
    co_return;
  }
  ++counts_.gave_up;
  if (mood == Mood::kCancels) co_await Ask("DELETE", fmt::format("/api/v1/reservations/{}", id), "");
  // Whoever forgets just walks away: the hold runs out by itself.
  co_await Leave();
}

Task<void> Fan::Leave() { co_await Ask("DELETE", Room("/entries/me"), ""); }

Task<void> Fan::Sleep(Millis length) {
  // In short steps, so that Ctrl-C need not wait for the slowest fan.
  Timer timer(executor_);
  const auto until = std::chrono::steady_clock::now() + length;
  while (!stopping_ && std::chrono::steady_clock::now() < until) {
    timer.expires_at(std::min(until, std::chrono::steady_clock::now() + Millis(250)));
    co_await timer.async_wait(kAwait);
  }
}

Task<DemoAnswer> Fan::Ask(std::string_view method, std::string target, std::string body) {
  DemoRequest request;
  request.method = method;
  request.target = std::move(target);
  request.body = std::move(body);
  request.queue_token = token_;
  request.user = user_;
  return client_.Call(std::move(request));
}

std::string Fan::Room(std::string_view rest) const {
  return fmt::format("/api/v1/rooms/{}{}", stage_.concert, rest);
}

std::int64_t Fan::Between(std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(chance_);
}

Fan::Mood Fan::NextMood() {
  if (visit_ > 1) return Mood::kBuys;
  const auto roll = Between(1, 100);
  if (roll <= 8) return Mood::kCancels;
  return roll <= 15 ? Mood::kForgets : Mood::kBuys;
}

}  // namespace maejin::cli
