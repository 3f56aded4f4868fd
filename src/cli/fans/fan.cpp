#include "cli/fans/fan.h"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "base/await.h"
#include "base/timer.h"

namespace maejin::cli {
namespace {

constexpr Millis kRetryDelay{300};
constexpr int kMaxHoldAttempts = 200;
constexpr int kMaxRepeats = 100;

// Increments a counter for its lifetime.
class CountGuard {
 public:
  explicit CountGuard(std::atomic<std::int64_t>& count) : count_(count) { ++count_; }
  ~CountGuard() { --count_; }
  CountGuard(const CountGuard&) = delete;
  CountGuard& operator=(const CountGuard&) = delete;

 private:
  std::atomic<std::int64_t>& count_;
};

// Free seats of the compact seat map: one letter per seat, in number order within a section.
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

Fan::Fan(Executor executor, Shared shared, int number)
    : executor_(executor),
      shared_(shared),
      random_(shared.sale.seed * 1'000'003 + static_cast<std::uint64_t>(number)),
      number_(number) {}

Task<void> Fan::Run(Millis delay) {
  co_await Sleep(delay);
  while (!Done()) {
    ++visit_;
    user_ = visit_ == 1 ? fmt::format("fan-{}-{}", shared_.sale.concert, number_)
                        : fmt::format("fan-{}-{}-{}", shared_.sale.concert, number_, visit_);
    if (shared_.sale.users) authorization_ = shared_.sale.users->Of(user_);
    co_await Visit();
    if (!Done()) co_await Sleep(Millis(Between(500, 2000)));
  }
}

Task<void> Fan::Visit() {
  Question join{FanStep::kJoin, "POST", Room("/entries"), fmt::format(R"({{"userId":"{}"}})", user_)};
  token_.clear();
  const auto joined = co_await AskUntilSettled(std::move(join));
  if (joined.status != 200 && joined.status != 201) {
    co_await Sleep(kRetryDelay);
    co_return;
  }
  token_ = joined.Text("token");
  bool entered = joined.Text("status") == "entered";
  if (!entered) entered = co_await WaitForTurn();
  if (entered) co_await Shop();
}

// Polls at the server's pace. False: the place is lost, or the concert is over.
Task<bool> Fan::WaitForTurn() {
  const CountGuard waiting(shared_.counts.waiting);
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

// After the admission: tries seats until a hold succeeds, the concert is over, or kMaxHoldAttempts is
// reached.
Task<void> Fan::Shop() {
  const CountGuard inside(shared_.counts.inside);
  for (int tries = 0; tries < kMaxHoldAttempts && !Done(); ++tries) {
    const auto pick = co_await PickSeats();
    if (!pick) {
      co_await Sleep(kRetryDelay);
      continue;
    }
    const auto hold = co_await Hold(*pick);
    if (hold.status == 201) {
      co_await Decide(hold, static_cast<std::int64_t>(pick->seats.size()));
      co_return;
    }
    if (hold.Text("code") == "pass-required") co_return;
    co_await Sleep(Millis(Between(50, 250)));
  }
  co_await Leave();
}

Task<std::optional<Fan::SeatPick>> Fan::PickSeats() {
  SeatPick pick;
  const auto which =
      static_cast<std::size_t>(Between(0, static_cast<std::int64_t>(shared_.sale.schedules.size()) - 1));
  // If a schedule has no free seat, try the next one.
  for (std::size_t i = 0; i < shared_.sale.schedules.size(); ++i) {
    pick.schedule = shared_.sale.schedules[(which + i) % shared_.sale.schedules.size()];
    Question look{FanStep::kSeats, "GET",
                  fmt::format("/api/v1/schedules/{}/seats?form=compact", pick.schedule)};
    const auto map = co_await Ask(std::move(look));
    const auto free = FreeSeats(map);
    if (free.empty()) continue;
    const auto first = static_cast<std::size_t>(Between(0, static_cast<std::int64_t>(free.size()) - 1));
    pick.seats.push_back(free[first]);
    const bool for_two = visit_ == 1 && Between(1, 100) <= 30;
    if (for_two && first + 1 < free.size()) pick.seats.push_back(free[first + 1]);
    co_return pick;
  }
  co_return std::nullopt;
}

Task<FanAnswer> Fan::Hold(SeatPick pick) {
  auto body = fmt::format(R"({{"scheduleId":{},"seats":[{}],"userId":"{}"}})", pick.schedule,
                          fmt::join(pick.seats, ","), user_);
  return Ask({FanStep::kHold, "POST", "/api/v1/reservations", std::move(body)});
}

Task<void> Fan::Decide(FanAnswer hold, std::int64_t seats) {
  const auto id = hold.Text("reservationId");
  const auto decision = NextDecision();
  ++shared_.counts.held;
  const auto think_time = shared_.sale.think_time.count();
  co_await Sleep(Millis(Between(think_time / 3, think_time * 5 / 3)));
  --shared_.counts.held;
  if (decision == Decision::kBuys) {
    const auto paid = co_await Pay(id, hold.Number("amount", 0));
    if (paid.Flag("concertSoldOut")) shared_.counts.sold_out = true;
    if (paid.status == 200) {
      shared_.counts.paid += seats;
      co_return;  // the payment released the slot
    }
    co_await Leave();
    co_return;
  }
  ++shared_.counts.gave_up;
  if (decision == Decision::kCancels) {
    Question cancel{FanStep::kCancel, "DELETE", fmt::format("/api/v1/reservations/{}", id), {}, id};
    co_await Ask(std::move(cancel));
  }
  // An abandoned hold expires by itself.
  co_await Leave();
}

Task<FanAnswer> Fan::Pay(std::string reservation, std::int64_t amount) {
  return AskUntilSettled({FanStep::kPay, "POST", fmt::format("/api/v1/reservations/{}/payment", reservation),
                          fmt::format(R"({{"amount":{}}})", amount), reservation});
}

Task<void> Fan::Leave() {
  Question leave{FanStep::kLeave, "DELETE", Room("/entries/me")};
  co_await AskUntilSettled(std::move(leave));
}

// Join, payment and leave are idempotent: repeats the request until the answer is known, and a payment until
// it is no longer pending (202).
Task<FanAnswer> Fan::AskUntilSettled(Question question) {
  FanAnswer answer;
  for (int tries = 0; tries < kMaxRepeats; ++tries) {
    answer = co_await Ask(question);
    const bool settled = !answer.Unknown() && answer.status != 202;
    if (settled || shared_.stopping) break;
    co_await Sleep(kRetryDelay);
  }
  co_return answer;
}

Task<void> Fan::Sleep(Millis length) {
  // In short steps, so that Ctrl-C does not wait for the slowest fan.
  SteadyTimer timer(executor_);
  const auto until = std::chrono::steady_clock::now() + length;
  while (!shared_.stopping && std::chrono::steady_clock::now() < until) {
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
  auto answer = co_await shared_.client.Call(std::move(request));
  if (shared_.observer) shared_.observer->OnExchange({question.step, user_, question.subject, answer});
  co_return answer;
}

std::string Fan::Room(std::string_view rest) const {
  return fmt::format("/api/v1/rooms/{}{}", shared_.sale.concert, rest);
}

std::int64_t Fan::Between(std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
}

Fan::Decision Fan::NextDecision() {
  if (visit_ > 1) return Decision::kBuys;
  const auto roll = Between(1, 100);
  if (roll <= 8) return Decision::kCancels;
  return roll <= 15 ? Decision::kForgets : Decision::kBuys;
}

}  // namespace maejin::cli
