#include "cli/fans/fan.h"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "base/await.h"
#include "cli/fans/fan_timer.h"

namespace maejin::cli {
namespace {

constexpr Millis kAfterTrouble{300};
constexpr int kMostTries = 200;
constexpr int kMostRepeats = 100;

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

// Of the compact map: one letter a seat, in the order of the numbers, which run on within a section.
std::vector<std::int64_t> FreeSeats(const FanAnswer& answer) {
  std::vector<std::int64_t> free;
  const auto states = answer.Text("states");
  if (states.empty()) return free;
  std::size_t next = 0;
  for (const auto& section : answer.body.at("sections").as_array()) {
    auto number = section.at("firstNumber").to_number<std::int64_t>();
    std::size_t seats = 0;
    for (const auto& row : section.at("rows").as_array()) seats += row.to_number<std::size_t>();
    for (; seats > 0 && next < states.size(); --seats, ++next, ++number) {
      if (states[next] == 'A') free.push_back(number);
    }
  }
  return free;
}

}  // namespace

Fan::Fan(Executor executor, World world, int number)
    : executor_(executor),
      world_(world),
      chance_(world.stage.seed * 1'000'003 + static_cast<std::uint64_t>(number)),
      number_(number) {}

Task<void> Fan::Run(Millis delay) {
  co_await Sleep(delay);
  while (!Done()) {
    ++visit_;
    user_ = visit_ == 1 ? fmt::format("fan-{}-{}", world_.stage.concert, number_)
                        : fmt::format("fan-{}-{}-{}", world_.stage.concert, number_, visit_);
    if (world_.stage.users) authorization_ = world_.stage.users->Of(user_);
    co_await Visit();
    if (!Done()) co_await Sleep(Millis(Between(500, 2000)));
  }
}

Task<void> Fan::Visit() {
  Question join{FanStep::kJoin, "POST", Room("/entries"), fmt::format(R"({{"userId":"{}"}})", user_)};
  token_.clear();
  const auto joined = co_await Insist(std::move(join));
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
  const Present waiting(world_.counts.waiting);
  while (!Done()) {
    Question poll{FanStep::kPoll, "GET", Room("/entries/me")};
    const auto place = co_await Ask(std::move(poll));
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
  Question enter{FanStep::kEnter, "POST", Room("/enter")};
  const auto entered = co_await Ask(std::move(enter));
  co_return entered.status == 200;
}

// Inside: tries seats until one is held, the concert is over, or the patience ends.
Task<void> Fan::Shop() {
  const Present inside(world_.counts.inside);
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
      static_cast<std::size_t>(Between(0, static_cast<std::int64_t>(world_.stage.schedules.size()) - 1));
  // A date without a free seat sends the fan to the next one.
  for (std::size_t i = 0; i < world_.stage.schedules.size(); ++i) {
    wish.schedule = world_.stage.schedules[(which + i) % world_.stage.schedules.size()];
    Question look{FanStep::kSeats, "GET",
                  fmt::format("/api/v1/schedules/{}/seats?form=compact", wish.schedule)};
    const auto map = co_await Ask(std::move(look));
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

Task<FanAnswer> Fan::Hold(Wish wish) {
  auto body = fmt::format(R"({{"scheduleId":{},"seats":[{}],"userId":"{}"}})", wish.schedule,
                          fmt::join(wish.seats, ","), user_);
  return Ask({FanStep::kHold, "POST", "/api/v1/reservations", std::move(body)});
}

Task<void> Fan::Decide(FanAnswer hold, std::int64_t seats) {
  const auto id = hold.Text("reservationId");
  const auto mood = NextMood();
  ++world_.counts.held;
  const auto thinks = world_.stage.thinks.count();
  co_await Sleep(Millis(Between(thinks / 3, thinks * 5 / 3)));
  --world_.counts.held;
  if (mood == Mood::kBuys) {
    const auto paid = co_await Pay(id, hold.Number("amount", 0));
    if (paid.Flag("concertSoldOut")) world_.counts.sold_out = true;
    if (paid.status == 200) {
      world_.counts.paid += seats;
      co_return;  // paying gave the slot back
    }
    co_await Leave();
    co_return;
  }
  ++world_.counts.gave_up;
  if (mood == Mood::kCancels) {
    Question cancel{FanStep::kCancel, "DELETE", fmt::format("/api/v1/reservations/{}", id), {}, id};
    co_await Ask(std::move(cancel));
  }
  // Whoever forgets just walks away: the hold runs out by itself.
  co_await Leave();
}

Task<FanAnswer> Fan::Pay(std::string reservation, std::int64_t amount) {
  return Insist({FanStep::kPay, "POST", fmt::format("/api/v1/reservations/{}/payment", reservation),
                 fmt::format(R"({{"amount":{}}})", amount), reservation});
}

Task<void> Fan::Leave() {
  Question leave{FanStep::kLeave, "DELETE", Room("/entries/me")};
  co_await Insist(std::move(leave));
}

// A place, a payment and a leave are the same ones when they are asked for again: an answer that was lost is asked for
// until somebody knows, and so is a payment that takes its time.
Task<FanAnswer> Fan::Insist(Question question) {
  FanAnswer answer;
  for (int tries = 0; tries < kMostRepeats; ++tries) {
    answer = co_await Ask(question);
    const bool settled = !answer.Unknown() && answer.status != 202;
    if (settled || world_.stopping) break;
    co_await Sleep(kAfterTrouble);
  }
  co_return answer;
}

Task<void> Fan::Sleep(Millis length) {
  // In short steps, so that Ctrl-C need not wait for the slowest fan.
  FanTimer timer(executor_);
  const auto until = std::chrono::steady_clock::now() + length;
  while (!world_.stopping && std::chrono::steady_clock::now() < until) {
    timer.expires_at(std::min(until, std::chrono::steady_clock::now() + Millis(250)));
    co_await timer.async_wait(kAwait);
  }
}

Task<FanAnswer> Fan::Ask(Question question) {
  FanRequest request;
  request.method = question.method;
  request.target = std::move(question.target);
  request.body = std::move(question.body);
  request.queue_token = token_;
  request.user = user_;
  request.authorization = authorization_;
  auto answer = co_await world_.client.Call(std::move(request));
  if (world_.witness) world_.witness->Hear({question.step, user_, question.subject, answer});
  co_return answer;
}

std::string Fan::Room(std::string_view rest) const {
  return fmt::format("/api/v1/rooms/{}{}", world_.stage.concert, rest);
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
