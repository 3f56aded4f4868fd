#include "cli/rehearsal/ledger.h"

#include <algorithm>

#include <boost/json.hpp>

#include "cli/common/answer_json.h"

namespace maejin::cli {
namespace {

long RankOf(const FanAnswer& answer) { return static_cast<long>(answer.Number("rank", -1)); }

}  // namespace

std::string_view Name(FanStep step) {
  constexpr std::array<std::string_view, kFanSteps> kNames{"join", "poll", "enter",  "seats",
                                                           "hold", "pay",  "cancel", "leave"};
  return kNames[static_cast<std::size_t>(step)];
}

void Ledger::Hear(const Exchange& exchange) {
  const auto& answer = exchange.answer;
  ++answers[{exchange.step, answer.status}];
  if (answer.status >= 400) ++refusals[answer.Text("code")];
  if (answer.Unknown()) troubles.push_back(answer.answered);
  if (answer.status != 0) {
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(answer.answered - answer.sent);
    micros[static_cast<std::size_t>(exchange.step)].push_back(static_cast<std::uint32_t>(took.count()));
  }
  switch (exchange.step) {
    case FanStep::kJoin:
      return HearJoin(exchange);
    case FanStep::kPoll:
      return HearPoll(exchange);
    case FanStep::kEnter:
      return HearEnter(exchange);
    case FanStep::kHold:
      return HearHold(exchange);
    case FanStep::kPay:
    case FanStep::kCancel:
      return HearPayment(exchange);
    case FanStep::kLeave:
    case FanStep::kSeats:
      break;
  }
  // Whatever becomes of a leave: from when it was sent the slot may be somebody else's.
  if (exchange.step == FanStep::kLeave) {
    auto& left = visits[std::string(exchange.user)].history.left;
    left = std::min(left, answer.sent);
  }
}

void Ledger::HearJoin(const Exchange& exchange) {
  const auto& answer = exchange.answer;
  auto& visit = visits[std::string(exchange.user)];
  auto& history = visit.history;
  // A join that is repeated asked when it was first sent.
  if (history.join_sent == Moment{}) history.join_sent = answer.sent;
  if (answer.status != 200 && answer.status != 201) return;
  history.number = static_cast<long>(answer.Number("number", 0));
  history.join_answered = answer.answered;
  HearPlace(visit, answer);
}

// What a join and a poll tell alike.
void Ledger::HearPlace(Visit& visit, const FanAnswer& answer) {
  auto& history = visit.history;
  const auto status = answer.Text("status");
  // Before the draw nobody has a rank, and nobody waits longer than another.
  history.polls.push_back({answer.sent, status == "waiting" && RankOf(answer) >= 0, RankOf(answer)});
  if (status != "waiting") history.first_ready = std::min(history.first_ready, answer.answered);
  if (status == "entered") history.entered = std::min(history.entered, answer.answered);
  visit.polled = answer.sent;
  visit.told_to_poll = std::chrono::milliseconds(answer.Number("pollAfterMs", 0));
}

void Ledger::HearPoll(const Exchange& exchange) {
  const auto& answer = exchange.answer;
  if (answer.status != 200) return;
  auto& visit = visits[std::string(exchange.user)];
  // The server waits for three times as long as it told; two are on the safe side.
  if (visit.polled != kNever && answer.sent > visit.polled + 2 * visit.told_to_poll) {
    visit.history.absent_from = std::min(visit.history.absent_from, visit.polled + 2 * visit.told_to_poll);
    visit.history.returned.push_back(answer.sent);
  }
  HearPlace(visit, answer);
}

void Ledger::HearEnter(const Exchange& exchange) {
  if (exchange.answer.status != 200) return;
  auto& history = visits[std::string(exchange.user)].history;
  history.entered = std::min(history.entered, exchange.answer.answered);
  history.first_ready = std::min(history.first_ready, exchange.answer.answered);
}

void Ledger::HearHold(const Exchange& exchange) {
  const auto& answer = exchange.answer;
  if (answer.Unknown()) ++unknown_holds[std::string(exchange.user)];
  if (answer.Text("code") == "pass-required") {
    // The slot has ended by itself.
    auto& left = visits[std::string(exchange.user)].history.left;
    left = std::min(left, answer.sent);
  }
  if (answer.status != 201) return;
  Reserved reserved;
  reserved.user = exchange.user;
  reserved.schedule = answer.Number("scheduleId", 0);
  const auto* seats = answer.body.is_object() ? ListOf(answer.body.get_object(), "seats") : nullptr;
  if (seats != nullptr) {
    for (const auto& seat : *seats) {
      if (seat.is_int64()) reserved.seats.push_back(seat.get_int64());
    }
  }
  std::sort(reserved.seats.begin(), reserved.seats.end());
  const bool fresh = reservations.emplace(answer.Text("reservationId"), std::move(reserved)).second;
  if (!fresh) ++numbers_told_twice;
}

void Ledger::HearPayment(const Exchange& exchange) {
  const auto& answer = exchange.answer;
  auto& reserved = reservations[std::string(exchange.reservation)];
  auto& left = visits[std::string(exchange.user)].history.left;
  if (exchange.step == FanStep::kCancel) {
    if (!answer.Unknown() && answer.status < 300) reserved.promise = Promise::kGivenUp;
    return;
  }
  // Paying gives the slot back.
  left = std::min(left, answer.sent);
  if (answer.status == 200) {
    reserved.promise = Promise::kPaid;
    reserved.paid_at = ParseTime(answer.Text("paidAt"));
    reserved.told_sold_out = answer.Flag("concertSoldOut");
  } else if (answer.Unknown() || answer.status == 202) {
    reserved.promise = Promise::kUnknown;
  } else if (reserved.promise != Promise::kUnknown) {
    // After an answer that was lost a refusal settles nothing: the payment before it may have been the one.
    reserved.promise = Promise::kRefused;
  }
}

void Ledger::Add(Ledger&& other) {
  visits.merge(other.visits);
  reservations.merge(other.reservations);
  numbers_told_twice += other.numbers_told_twice + static_cast<std::int64_t>(other.reservations.size());
  unknown_holds.merge(other.unknown_holds);
  for (const auto& [key, count] : other.answers) answers[key] += count;
  for (const auto& [code, count] : other.refusals) refusals[code] += count;
  for (std::size_t i = 0; i < kFanSteps; ++i)
    micros[i].insert(micros[i].end(), other.micros[i].begin(), other.micros[i].end());
  troubles.insert(troubles.end(), other.troubles.begin(), other.troubles.end());
}

}  // namespace maejin::cli
