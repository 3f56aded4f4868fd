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

void Ledger::OnExchange(const Exchange& exchange) {
  const auto& answer = exchange.answer;
  ++answers[{exchange.step, answer.status}];
  if (answer.status >= 400) ++refusals[answer.Text("code")];
  if (answer.Unknown()) unknown_answers.push_back(answer.answered);
  if (answer.status != 0) {
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(answer.answered - answer.sent);
    micros[static_cast<std::size_t>(exchange.step)].push_back(static_cast<std::uint32_t>(took.count()));
  }
  switch (exchange.step) {
    case FanStep::kJoin:
      return RecordJoin(exchange);
    case FanStep::kPoll:
      return RecordPoll(exchange);
    case FanStep::kEnter:
      return RecordEnter(exchange);
    case FanStep::kHold:
      return RecordHold(exchange);
    case FanStep::kPay:
    case FanStep::kCancel:
      return RecordPayment(exchange);
    case FanStep::kLeave:
    case FanStep::kSeats:
      break;
  }
  // From the moment a leave is sent, the slot may belong to another fan, whatever the answer.
  if (exchange.step == FanStep::kLeave) {
    auto& left = visits[std::string(exchange.user)].history.left;
    left = std::min(left, answer.sent);
  }
}

void Ledger::RecordJoin(const Exchange& exchange) {
  const auto& answer = exchange.answer;
  auto& visit = visits[std::string(exchange.user)];
  auto& history = visit.history;
  // A repeated join counts from its first attempt.
  if (history.join_sent == Moment{}) history.join_sent = answer.sent;
  if (answer.status != 200 && answer.status != 201) return;
  history.number = static_cast<long>(answer.Number("number", 0));
  history.join_answered = answer.answered;
  RecordPlace(visit, answer);
}

// Records the fields that the answers of join and poll share.
void Ledger::RecordPlace(Visit& visit, const FanAnswer& answer) {
  auto& history = visit.history;
  const auto status = answer.Text("status");
  // Before the draw there are no ranks, so such a poll does not count as waiting.
  const bool waits = status == "waiting" && RankOf(answer) >= 0;
  history.polls.push_back({answer.sent, waits, RankOf(answer), answer.answered});
  if (status != "waiting") RecordReady(history, answer.answered);
  if (status == "entered") history.entered = std::min(history.entered, answer.answered);
  visit.polled = answer.sent;
  visit.poll_interval = std::chrono::milliseconds(answer.Number("pollAfterMs", 0));
}

// Once inside, a fan keeps its slot without a new turn.
void Ledger::RecordReady(FanHistory& history, Moment answered) {
  if (history.entered != kNever) return;
  if (history.first_ready != kNever) history.readies.push_back(answered);
  history.first_ready = std::min(history.first_ready, answered);
}

void Ledger::RecordPoll(const Exchange& exchange) {
  const auto& answer = exchange.answer;
  if (answer.status != 200) return;
  auto& visit = visits[std::string(exchange.user)];
  // The server drops presence after three poll intervals; two are a safe bound.
  if (visit.polled != kNever && answer.sent > visit.polled + 2 * visit.poll_interval) {
    visit.history.absent_from = std::min(visit.history.absent_from, visit.polled + 2 * visit.poll_interval);
    visit.history.returned.push_back(answer.sent);
  }
  RecordPlace(visit, answer);
}

void Ledger::RecordEnter(const Exchange& exchange) {
  if (exchange.answer.status != 200) return;
  auto& history = visits[std::string(exchange.user)].history;
  RecordReady(history, exchange.answer.answered);
  history.entered = std::min(history.entered, exchange.answer.answered);
}

void Ledger::RecordHold(const Exchange& exchange) {
  const auto& answer = exchange.answer;
  if (answer.Unknown()) {
    ++unknown_holds[std::string(exchange.user)];
    lost_holds.push_back({answer.sent, answer.answered});
  }
  if (answer.Text("code") == "pass-required") {
    // The slot has expired.
    auto& left = visits[std::string(exchange.user)].history.left;
    left = std::min(left, answer.sent);
  }
  if (answer.status != 201) return;
  LedgerReservation reserved;
  reserved.user = exchange.user;
  reserved.sent = answer.sent;
  reserved.answered = answer.answered;
  reserved.schedule = answer.Number("scheduleId", 0);
  const auto* seats = answer.body.is_object() ? ListOf(answer.body.get_object(), "seats") : nullptr;
  if (seats != nullptr) {
    for (const auto& seat : *seats) {
      if (seat.is_int64()) reserved.seats.push_back(seat.get_int64());
    }
  }
  std::sort(reserved.seats.begin(), reserved.seats.end());
  const bool fresh = reservations.emplace(answer.Text("reservationId"), std::move(reserved)).second;
  if (!fresh) ++duplicate_reservation_ids;
}

void Ledger::RecordPayment(const Exchange& exchange) {
  const auto& answer = exchange.answer;
  auto& reserved = reservations[std::string(exchange.reservation)];
  auto& left = visits[std::string(exchange.user)].history.left;
  if (exchange.step == FanStep::kCancel) {
    if (answer.Unknown() || answer.status >= 300) return;
    reserved.outcome = FanOutcome::kGivenUp;
    reserved.given_back = answer.answered;
    return;
  }
  // Payment releases the slot.
  left = std::min(left, answer.sent);
  if (answer.status == 200) {
    reserved.outcome = FanOutcome::kPaid;
    reserved.paid_at = ParseTime(answer.Text("paidAt"));
    reserved.reported_sold_out = answer.Flag("concertSoldOut");
  } else if (answer.Unknown() || answer.status == 202) {
    reserved.outcome = FanOutcome::kUnknown;
  } else if (reserved.outcome != FanOutcome::kUnknown) {
    // After a lost answer a refusal is not conclusive: the earlier attempt may have paid.
    reserved.outcome = FanOutcome::kRefused;
  }
}

void Ledger::Add(Ledger&& other) {
  visits.merge(other.visits);
  reservations.merge(other.reservations);
  duplicate_reservation_ids +=
      other.duplicate_reservation_ids + static_cast<std::int64_t>(other.reservations.size());
  unknown_holds.merge(other.unknown_holds);
  for (const auto& [key, count] : other.answers) answers[key] += count;
  for (const auto& [code, count] : other.refusals) refusals[code] += count;
  for (std::size_t i = 0; i < kFanSteps; ++i)
    micros[i].insert(micros[i].end(), other.micros[i].begin(), other.micros[i].end());
  unknown_answers.insert(unknown_answers.end(), other.unknown_answers.begin(), other.unknown_answers.end());
  lost_holds.insert(lost_holds.end(), other.lost_holds.begin(), other.lost_holds.end());
}

}  // namespace maejin::cli
