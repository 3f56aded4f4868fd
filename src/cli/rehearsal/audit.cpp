#include "cli/rehearsal/audit.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

namespace maejin::cli {
namespace {

constexpr std::size_t kExamples = 5;

using SeatKey = std::pair<ScheduleId, std::int64_t>;

std::string SeatName(const SeatKey& seat) {
  return fmt::format("seat {} of schedule {}", seat.second, seat.first);
}

// The inputs of the audit, with indexes that several checks use.
class Auditor {
 public:
  Auditor(const Ledger& ledger, const ServerState& state, const AuditRules& rules)
      : ledger_(ledger), state_(state), rules_(rules) {
    for (const auto& booked : state.reservations) {
      booked_[booked.id] = &booked;
      if (booked.status != "CONFIRMED") continue;
      for (const auto seat : booked.seats) confirmed_.insert({booked.schedule, seat});
    }
    assigned_ = std::count_if(state.seats.begin(), state.seats.end(),
                              [](const auto& seat) { return seat.second == "ASSIGNED"; });
  }

  AuditReport Run() {
    report_.sold_out = state_.status == "SOLD_OUT";
    CountUnknown();
    line_ = MakeLineVerdict();
    report_.checks = {CheckDoubleSales(),    CheckLostReservations(),
                      CheckPhantomSales(),   CheckUnaskedReservations(),
                      CheckSeatCounts(),     CheckCapacity(),
                      CheckSlots(),          CheckJoinOrder(),
                      CheckAdmissionOrder(), CheckRanks(),
                      CheckDraws(),          CheckSoldOut(),
                      CheckPublicBoards(),   CheckRankings()};
    return std::move(report_);
  }

 private:
  void CountUnknown();
  Check CheckDoubleSales() const;
  Check CheckLostReservations() const;
  Check CheckPhantomSales() const;
  Check CheckUnaskedReservations() const;
  Check CheckSeatCounts() const;
  Check CheckCapacity() const;
  Check CheckSlots() const;
  Check CheckJoinOrder() const;
  Check CheckAdmissionOrder() const;
  Check CheckRanks() const;
  Check CheckDraws() const;
  Check CheckSoldOut() const;
  Check CheckPublicBoards() const;
  Check CheckRankings() const;

  void ComparePaid(const std::string& id, const LedgerReservation& recorded, const ServerReservation& booked,
                   Check& check) const;
  LineVerdict MakeLineVerdict() const;

  const Ledger& ledger_;
  const ServerState& state_;
  const AuditRules& rules_;
  std::map<std::string_view, const ServerReservation*> booked_;
  std::multiset<SeatKey> confirmed_;
  std::int64_t assigned_ = 0;
  LineVerdict line_;
  AuditReport report_;
};

void Auditor::CountUnknown() {
  for (const auto& [id, recorded] : ledger_.reservations) {
    if (recorded.outcome != FanOutcome::kUnknown) continue;
    const auto found = booked_.find(id);
    const bool sold = found != booked_.end() && found->second->status == "CONFIRMED";
    ++(sold ? report_.unknown_sold : report_.unknown_not_sold);
  }
  for (const auto& booked : state_.reservations) {
    const bool known = ledger_.reservations.contains(booked.id);
    if (!known && ledger_.unknown_holds.contains(booked.user)) ++report_.unknown_holds;
  }
}

Check Auditor::CheckDoubleSales() const {
  Check check{"I1", "double-sale", "No seat is paid by two fans"};
  std::map<SeatKey, std::string> owners;
  for (const auto& [id, recorded] : ledger_.reservations) {
    if (recorded.outcome != FanOutcome::kPaid) continue;
    for (const auto number : recorded.seats) {
      ++check.compared;
      const SeatKey seat{recorded.schedule, number};
      const auto [first, fresh] = owners.emplace(seat, recorded.user);
      if (!fresh)
        check.Fail(fmt::format("{} was confirmed as paid to {} and to {}", SeatName(seat), first->second,
                               recorded.user));
    }
  }
  for (auto seat = confirmed_.begin(); seat != confirmed_.end(); seat = confirmed_.upper_bound(*seat)) {
    const auto times = confirmed_.count(*seat);
    if (times > 1) check.Fail(fmt::format("{} is in {} confirmed reservations", SeatName(*seat), times));
  }
  return check;
}

void Auditor::ComparePaid(const std::string& id, const LedgerReservation& recorded,
                          const ServerReservation& booked, Check& check) const {
  if (booked.status != "CONFIRMED")
    return check.Fail(fmt::format("{} was confirmed as paid to {}, but is {} on the server", id,
                                  recorded.user, booked.status));
  if (booked.paid_at != recorded.paid_at)
    return check.Fail(
        fmt::format("{} has another time of payment on the server than in the fan's answer", id));
  for (const auto number : recorded.seats) {
    const SeatKey seat{recorded.schedule, number};
    const auto found = state_.seats.find(seat);
    if (found == state_.seats.end() || found->second != "ASSIGNED")
      return check.Fail(fmt::format("{} was confirmed as paid to {}, but {} is not assigned", id,
                                    recorded.user, SeatName(seat)));
  }
}

Check Auditor::CheckLostReservations() const {
  Check check{"I5", "lost-reservation", "Every acknowledged hold and payment is on the server"};
  for (const auto& [id, recorded] : ledger_.reservations) {
    ++check.compared;
    const auto found = booked_.find(id);
    if (found == booked_.end()) {
      check.Fail(
          fmt::format("{} was acknowledged to {}, but the server does not know it", id, recorded.user));
      continue;
    }
    const auto& booked = *found->second;
    if (booked.user != recorded.user || booked.schedule != recorded.schedule ||
        booked.seats != recorded.seats) {
      check.Fail(
          fmt::format("{} of {} has other seats on the server than were acknowledged", id, recorded.user));
    } else if (recorded.outcome == FanOutcome::kPaid) {
      ComparePaid(id, recorded, booked, check);
    }
  }
  return check;
}

Check Auditor::CheckPhantomSales() const {
  Check check{"I6", "phantom-sale", "Every sold seat was acknowledged to a fan"};
  for (const auto& booked : state_.reservations) {
    if (booked.status != "CONFIRMED") continue;
    ++check.compared;
    const auto recorded = ledger_.reservations.find(booked.id);
    const bool paid =
        recorded != ledger_.reservations.end() &&
        (recorded->second.outcome == FanOutcome::kPaid || recorded->second.outcome == FanOutcome::kUnknown);
    if (!paid)
      check.Fail(
          fmt::format("{} of {} is confirmed, but was not acknowledged as paid", booked.id, booked.user));
  }
  for (const auto& [seat, status] : state_.seats) {
    if (status == "ASSIGNED" && !confirmed_.contains(seat))
      check.Fail(fmt::format("{} is assigned, but in no confirmed reservation", SeatName(seat)));
  }
  return check;
}

Check Auditor::CheckUnaskedReservations() const {
  Check check{"I6", "unasked-reservation", "Every reservation was requested by a fan"};
  std::map<std::string_view, int> unheard;  // by user: reservations that the ledger lacks
  for (const auto& booked : state_.reservations) {
    ++check.compared;
    if (ledger_.reservations.contains(booked.id)) continue;
    const auto lost = ledger_.unknown_holds.find(booked.user);
    if (lost == ledger_.unknown_holds.end() || ++unheard[booked.user] > lost->second)
      check.Fail(fmt::format("{} of {} was never requested", booked.id, booked.user));
  }
  if (ledger_.duplicate_reservation_ids > 0)
    check.Fail(
        fmt::format("{} reservation numbers were given to two holds", ledger_.duplicate_reservation_ids));
  return check;
}

Check Auditor::CheckSeatCounts() const {
  Check check{"I2", "seat-count", "Free, held, paid and blocked seats add up to all seats"};
  std::map<std::string_view, std::int64_t> by_status;
  for (const auto& [seat, status] : state_.seats) ++by_status[status];
  check.compared = static_cast<std::int64_t>(state_.seats.size());
  if (check.compared != state_.total_seats + by_status["BLOCKED"])
    check.Fail(fmt::format("{} seats on the map, {} in the total", check.compared, state_.total_seats));
  if (by_status["AVAILABLE"] != state_.available_seats) {
    check.Fail(fmt::format("{} seats are free on the map, {} in the concert", by_status["AVAILABLE"],
                           state_.available_seats));
  }
  if (static_cast<std::int64_t>(confirmed_.size()) != assigned_)
    check.Fail(fmt::format("{} seats are paid, {} are assigned", confirmed_.size(), assigned_));
  return check;
}

// Gives fans of the pre-queue their drawn position, as if they had joined at one instant in drawn order.
void PutInDrawnOrder(const PublishedDraw& draw, std::vector<FanHistory>& fans) {
  if (!draw.seed) return;
  const Shuffle shuffle(*draw.seed, draw.count);
  std::vector<FanHistory*> drawn;
  auto came = kNever;
  for (auto& fan : fans) {
    const auto index = fan.number - static_cast<long>(draw.first);
    if (index < 0 || index >= static_cast<long>(draw.count)) continue;
    drawn.push_back(&fan);
    came = std::min(came, fan.join_sent);
  }
  for (auto* fan : drawn) {
    const auto position = shuffle.PositionOf(static_cast<std::uint32_t>(fan->number) - draw.first);
    fan->number = static_cast<long>(draw.first) + position;
    fan->join_sent = fan->join_answered = came + std::chrono::nanoseconds(position);
  }
}

// The times in which every seat may have been held or paid. The seats of the ledger's holds are counted from
// the request to the latest possible end: an upper bound of the taken seats.
std::vector<NoSeats> TimesWithoutSeats(const Ledger& ledger, std::int64_t seats, Seconds hold) {
  // A hold ends within a second after its deadline. A lost answer may hide a pause of the server, which
  // extends holds: then no hold is assumed to expire.
  constexpr Seconds kReleased{2};
  constexpr std::int64_t kSeatsOfAFan = 2;
  const bool exact = ledger.unknown_answers.empty();
  std::vector<std::pair<Moment, std::int64_t>> changes;
  const auto take = [&](Moment from, Moment until, std::int64_t count) {
    changes.emplace_back(from, count);
    if (until != kNever) changes.emplace_back(until, -count);
  };
  for (const auto& [id, reserved] : ledger.reservations) {
    const bool stays = reserved.outcome == FanOutcome::kPaid || reserved.outcome == FanOutcome::kUnknown;
    const auto expires = exact && !stays ? reserved.answered + hold + kReleased : kNever;
    take(reserved.sent, std::min(expires, reserved.given_back),
         static_cast<std::int64_t>(reserved.seats.size()));
  }
  for (const auto& lost : ledger.lost_holds) take(lost.sent, kNever, kSeatsOfAFan);
  std::sort(changes.begin(), changes.end());
  std::vector<NoSeats> times;
  std::int64_t taken = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const bool full_before = taken >= seats;
    taken += changes[i].second;
    if (taken >= seats && !full_before) times.push_back({changes[i].first, kNever});
    if (taken < seats && full_before) times.back().until = changes[i].first;
  }
  return times;
}

// The same check as in tests/concurrency. After a lost answer, a fan may have returned without a record: the
// additional fan `unseen` has all of these returns.
LineVerdict Auditor::MakeLineVerdict() const {
  std::vector<FanHistory> fans;
  for (const auto& [user, visit] : ledger_.visits) {
    if (visit.history.number == 0) continue;  // has no place
    auto& fan = fans.emplace_back(visit.history);
    if (fan.entered != kNever) fan.left = std::min(fan.left, fan.entered + rules_.token_ttl);
  }
  for (const auto& draw : state_.draws) PutInDrawnOrder(draw, fans);
  if (!ledger_.unknown_answers.empty()) {
    FanHistory unseen;
    unseen.number = std::numeric_limits<long>::min();
    unseen.join_sent = Moment::min();
    unseen.join_answered = Moment::max();
    unseen.returned = ledger_.unknown_answers;
    fans.push_back(std::move(unseen));
  }
  return CheckLine(std::move(fans), TimesWithoutSeats(ledger_, state_.total_seats, rules_.hold));
}

Check Auditor::CheckCapacity() const {
  Check check{"I3", "capacity", "Admitted fans never exceed the capacity"};
  const auto inside = line_.most_inside;
  check.compared = state_.samples;
  if (inside > rules_.capacity)
    check.Fail(fmt::format("{} fans were admitted at once, capacity {}", inside, rules_.capacity));
  const auto reported = std::max(state_.most_entered, state_.entered);
  if (reported > rules_.capacity)
    check.Fail(fmt::format("`serving` reported {} admitted, capacity {}", reported, rules_.capacity));
  return check;
}

Check Auditor::CheckSlots() const {
  Check check{"I3", "slots", "Payment and leaving release the slot"};
  // After a lost leave the slot stays occupied until it expires.
  if (!ledger_.unknown_answers.empty()) return check;
  check.compared = static_cast<std::int64_t>(ledger_.visits.size());
  if (state_.entered + state_.waiting > 0) {
    check.Fail(fmt::format("all fans have left, but the room reports {} admitted and {} waiting",
                           state_.entered, state_.waiting));
  }
  return check;
}

Check Auditor::CheckJoinOrder() const {
  Check check{"I4", "door", "Place numbers are unique and in join order"};
  check.compared = static_cast<std::int64_t>(ledger_.visits.size());
  if (line_.duplicate_numbers > 0)
    check.Fail(fmt::format("{} numbers were given twice", line_.duplicate_numbers));
  if (line_.join_order_violations > 0) {
    check.Fail(
        fmt::format("{} fans got a higher number than a fan that joined later", line_.join_order_violations));
  }
  return check;
}

Check Auditor::CheckAdmissionOrder() const {
  Check check{"I4", "order", "Present fans are admitted in the order of their places"};
  check.compared = line_.fans_followed;
  if (line_.admission_order_violations > 0) {
    check.Fail(fmt::format("{} polls answered waiting although a later fan was already admitted",
                           line_.admission_order_violations));
  }
  return check;
}

Check Auditor::CheckRanks() const {
  Check check{"I10", "rank", "A fan's rank never rises"};
  check.compared = line_.positions_compared;
  if (line_.rank_increases > 0)
    check.Fail(fmt::format("{} polls reported a higher rank than before", line_.rank_increases));
  return check;
}

Check Auditor::CheckDraws() const {
  Check check{"I4", "draw", "The draw matches its published commitment"};
  for (const auto& draw : state_.draws) {
    ++check.compared;
    const auto fault = Verify(draw);
    // No fan joined before the opening, or the sale ended before it.
    if (fault && *fault == DrawFault::kNotDrawnYet) continue;
    if (fault) check.Fail(fmt::format("the draw of {} numbers: {}", draw.count, Name(*fault)));
  }
  return check;
}

Check Auditor::CheckSoldOut() const {
  Check check{"I11", "sold-out", "The concert is sold out exactly when its last seat is paid"};
  check.compared = assigned_;
  const bool all_paid = assigned_ == state_.total_seats && state_.total_seats > 0;
  if (all_paid != report_.sold_out) {
    check.Fail(fmt::format("{} of {} seats are paid, but the concert is {}", assigned_, state_.total_seats,
                           state_.status));
  }
  std::optional<Time> last;
  int sold_out_answers = 0;
  for (const auto& booked : state_.reservations) {
    if (booked.status == "CONFIRMED" && booked.paid_at)
      last = std::max(last.value_or(Time::min()), *booked.paid_at);
  }
  for (const auto& [id, reserved] : ledger_.reservations)
    sold_out_answers += reserved.reported_sold_out ? 1 : 0;
  if (report_.sold_out && state_.sold_out_at != last)
    check.Fail("the sell-out time differs from the time of the last payment");
  if (!report_.sold_out && sold_out_answers > 0)
    check.Fail("a payment reported a sell-out, but the concert is not sold out");
  if (sold_out_answers > 1) check.Fail(fmt::format("{} payments reported the sell-out", sold_out_answers));
  // The answer of the last payment may have been lost.
  if (report_.sold_out && sold_out_answers == 0 && report_.unknown_sold == 0 &&
      ledger_.unknown_answers.empty())
    check.Fail("no payment reported the sell-out");
  return check;
}

Check Auditor::CheckPublicBoards() const {
  Check check{"I11", "no-public-row", "The rehearsal is on no public board"};
  for (const auto& row : state_.rankings) {
    ++check.compared;
    if (row.times != 0) check.Fail(fmt::format("{} rows on the {} board", row.times, row.window));
  }
  if (check.compared == 0) check.Fail("no board was read");
  return check;
}

Check Auditor::CheckRankings() const {
  Check check{"I11", "ranking",
              "Each ranked sell-out is once on each of its boards, with the exact duration"};
  for (const auto& sell_out : state_.sell_outs) {
    for (const auto& row : sell_out.rows) {
      ++check.compared;
      const auto name = fmt::format("concert {} on the {} board", sell_out.concert, row.window);
      if (row.times != 1) {
        check.Fail(fmt::format("{}: {} rows", name, row.times));
      } else if (row.duration_millis != sell_out.duration_millis) {
        check.Fail(
            fmt::format("{}: {} ms instead of {} ms", name, row.duration_millis, sell_out.duration_millis));
      }
    }
  }
  return check;
}

}  // namespace

void Check::Fail(std::string example) {
  ++problems;
  if (examples.size() < kExamples) examples.push_back(std::move(example));
}

bool AuditReport::holds() const {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.problems == 0; });
}

AuditReport Audit(const Ledger& ledger, const ServerState& state, const AuditRules& rules) {
  return Auditor(ledger, state, rules).Run();
}

}  // namespace maejin::cli
