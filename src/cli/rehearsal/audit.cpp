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

// Both books, with what several checks look up.
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
    Reconcile();
    line_ = JudgeLine();
    report_.checks = {DoubleSales(),  LostReservations(),
                      PhantomSales(), UnaskedReservations(),
                      SeatCounts(),   Capacity(),
                      Slots(),        Door(),
                      Line(),         Ranks(),
                      Draws(),        SoldOut(),
                      Rankings()};
    return std::move(report_);
  }

 private:
  void Reconcile();
  Check DoubleSales() const;
  Check LostReservations() const;
  Check PhantomSales() const;
  Check UnaskedReservations() const;
  Check SeatCounts() const;
  Check Capacity() const;
  Check Slots() const;
  Check Door() const;
  Check Line() const;
  Check Ranks() const;
  Check Draws() const;
  Check SoldOut() const;
  Check Rankings() const;

  void ComparePaid(const std::string& id, const Reserved& told, const BookedSeats& booked,
                   Check& check) const;
  LineVerdict JudgeLine() const;

  const Ledger& ledger_;
  const ServerState& state_;
  const AuditRules& rules_;
  std::map<std::string_view, const BookedSeats*> booked_;
  std::multiset<SeatKey> confirmed_;
  std::int64_t assigned_ = 0;
  LineVerdict line_;
  AuditReport report_;
};

void Auditor::Reconcile() {
  for (const auto& [id, told] : ledger_.reservations) {
    if (told.promise != Promise::kUnknown) continue;
    const auto found = booked_.find(id);
    const bool sold = found != booked_.end() && found->second->status == "CONFIRMED";
    ++(sold ? report_.unknown_sold : report_.unknown_not_sold);
  }
  for (const auto& booked : state_.reservations) {
    const bool told = ledger_.reservations.contains(booked.id);
    if (!told && ledger_.unknown_holds.contains(booked.user)) ++report_.unknown_holds;
  }
}

Check Auditor::DoubleSales() const {
  Check check{"I1", "double-sale", "No seat is paid by two fans"};
  std::map<SeatKey, std::string> owners;
  for (const auto& [id, told] : ledger_.reservations) {
    if (told.promise != Promise::kPaid) continue;
    for (const auto number : told.seats) {
      ++check.compared;
      const SeatKey seat{told.schedule, number};
      const auto [first, fresh] = owners.emplace(seat, told.user);
      if (!fresh)
        check.Fail(fmt::format("{} was told paid to {} and to {}", SeatName(seat), first->second, told.user));
    }
  }
  for (auto seat = confirmed_.begin(); seat != confirmed_.end(); seat = confirmed_.upper_bound(*seat)) {
    const auto times = confirmed_.count(*seat);
    if (times > 1) check.Fail(fmt::format("{} stands in {} confirmed reservations", SeatName(*seat), times));
  }
  return check;
}

void Auditor::ComparePaid(const std::string& id, const Reserved& told, const BookedSeats& booked,
                          Check& check) const {
  if (booked.status != "CONFIRMED")
    return check.Fail(fmt::format("{} was told paid to {}, and is {}", id, told.user, booked.status));
  if (booked.paid_at != told.paid_at)
    return check.Fail(fmt::format("{} was told another time of payment than the books have", id));
  for (const auto number : told.seats) {
    const SeatKey seat{told.schedule, number};
    const auto found = state_.seats.find(seat);
    if (found == state_.seats.end() || found->second != "ASSIGNED")
      return check.Fail(
          fmt::format("{} was told paid to {}, and {} is not assigned", id, told.user, SeatName(seat)));
  }
}

Check Auditor::LostReservations() const {
  Check check{"I5", "lost-reservation", "Every hold and payment that a fan was told of is in the books"};
  for (const auto& [id, told] : ledger_.reservations) {
    ++check.compared;
    const auto found = booked_.find(id);
    if (found == booked_.end()) {
      check.Fail(fmt::format("{} was told to {}, and the server does not know it", id, told.user));
      continue;
    }
    const auto& booked = *found->second;
    if (booked.user != told.user || booked.schedule != told.schedule || booked.seats != told.seats) {
      check.Fail(fmt::format("{} was told to {} with other seats than the books have", id, told.user));
    } else if (told.promise == Promise::kPaid) {
      ComparePaid(id, told, booked, check);
    }
  }
  return check;
}

Check Auditor::PhantomSales() const {
  Check check{"I6", "phantom-sale", "No seat is sold that no fan was told of"};
  for (const auto& booked : state_.reservations) {
    if (booked.status != "CONFIRMED") continue;
    ++check.compared;
    const auto told = ledger_.reservations.find(booked.id);
    const bool paid = told != ledger_.reservations.end() &&
                      (told->second.promise == Promise::kPaid || told->second.promise == Promise::kUnknown);
    if (!paid)
      check.Fail(fmt::format("{} of {} is confirmed, and nobody was told so", booked.id, booked.user));
  }
  for (const auto& [seat, status] : state_.seats) {
    if (status == "ASSIGNED" && !confirmed_.contains(seat))
      check.Fail(fmt::format("{} is assigned, and no confirmed reservation has it", SeatName(seat)));
  }
  return check;
}

Check Auditor::UnaskedReservations() const {
  Check check{"I6", "unasked-reservation", "Nothing is reserved that nobody asked for"};
  std::map<std::string_view, int> unheard;  // by user
  for (const auto& booked : state_.reservations) {
    ++check.compared;
    if (ledger_.reservations.contains(booked.id)) continue;
    const auto lost = ledger_.unknown_holds.find(booked.user);
    if (lost == ledger_.unknown_holds.end() || ++unheard[booked.user] > lost->second)
      check.Fail(fmt::format("{} of {} was never asked for", booked.id, booked.user));
  }
  if (ledger_.numbers_told_twice > 0)
    check.Fail(fmt::format("{} reservation numbers were given twice", ledger_.numbers_told_twice));
  return check;
}

Check Auditor::SeatCounts() const {
  Check check{"I2", "seat-count", "Free, held, paid and blocked seats are all the seats"};
  std::map<std::string_view, std::int64_t> by_status;
  for (const auto& [seat, status] : state_.seats) ++by_status[status];
  check.compared = static_cast<std::int64_t>(state_.seats.size());
  if (check.compared != state_.total_seats + by_status["BLOCKED"])
    check.Fail(fmt::format("{} seats on the map, {} in the total", check.compared, state_.total_seats));
  if (by_status["AVAILABLE"] != state_.available_seats) {
    check.Fail(fmt::format("{} seats are free on the map, {} in the concert's answer", by_status["AVAILABLE"],
                           state_.available_seats));
  }
  if (static_cast<std::int64_t>(confirmed_.size()) != assigned_)
    check.Fail(fmt::format("{} seats are paid, {} are assigned", confirmed_.size(), assigned_));
  return check;
}

// Whoever came before the opening stands where the draw put it, as if all had come at once, in that order.
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

// The line as tests/concurrency judges it, and one thing more: where answers were lost somebody may have come back unseen.
LineVerdict Auditor::JudgeLine() const {
  std::vector<FanHistory> fans;
  for (const auto& [user, visit] : ledger_.visits) {
    if (visit.history.number == 0) continue;  // never got a place
    auto& fan = fans.emplace_back(visit.history);
    if (fan.entered != kNever) fan.left = std::min(fan.left, fan.entered + rules_.token_ttl);
  }
  for (const auto& draw : state_.draws) PutInDrawnOrder(draw, fans);
  if (!ledger_.troubles.empty()) {
    FanHistory anybody;
    anybody.number = std::numeric_limits<long>::min();
    anybody.join_sent = Moment::min();
    anybody.join_answered = Moment::max();
    anybody.returned = ledger_.troubles;
    fans.push_back(std::move(anybody));
  }
  return CheckLine(std::move(fans));
}

Check Auditor::Capacity() const {
  Check check{"I3", "capacity", "Never more are inside than the room holds"};
  const auto inside = line_.most_inside;
  check.compared = state_.samples;
  if (inside > rules_.capacity)
    check.Fail(fmt::format("{} fans were inside at once, of {}", inside, rules_.capacity));
  const auto told = std::max(state_.most_entered, state_.entered);
  if (told > rules_.capacity)
    check.Fail(fmt::format("`serving` told of {} inside, of {}", told, rules_.capacity));
  return check;
}

Check Auditor::Slots() const {
  Check check{"I3", "slots", "Whoever pays or leaves gives the slot back"};
  // A leave that was lost keeps its slot until that runs out.
  if (!ledger_.troubles.empty()) return check;
  check.compared = static_cast<std::int64_t>(ledger_.visits.size());
  if (state_.entered + state_.waiting > 0) {
    check.Fail(fmt::format("everybody has gone home, and the room says {} inside and {} waiting",
                           state_.entered, state_.waiting));
  }
  return check;
}

Check Auditor::Door() const {
  Check check{"I4", "door", "Places in the line are handed out once, in the order of coming"};
  check.compared = static_cast<std::int64_t>(ledger_.visits.size());
  if (line_.numbers_given_twice > 0)
    check.Fail(fmt::format("{} numbers were given twice", line_.numbers_given_twice));
  if (line_.overtaken_at_the_door > 0) {
    check.Fail(fmt::format("{} fans got a higher number than somebody who came after they had theirs",
                           line_.overtaken_at_the_door));
  }
  return check;
}

Check Auditor::Line() const {
  Check check{"I4", "order", "Nobody is let in before somebody who came earlier and is there"};
  check.compared = line_.fans_followed;
  if (line_.overtaken_in_line > 0) {
    check.Fail(fmt::format("{} times a fan was told to wait although one who came later was let in before",
                           line_.overtaken_in_line));
  }
  return check;
}

Check Auditor::Ranks() const {
  Check check{"I10", "rank", "A fan's rank never rises"};
  check.compared = line_.positions_compared;
  if (line_.rises > 0)
    check.Fail(fmt::format("{} times a fan was told a higher rank than before", line_.rises));
  return check;
}

Check Auditor::Draws() const {
  Check check{"I4", "draw", "The fans of the countdown are drawn as it was promised beforehand"};
  for (const auto& draw : state_.draws) {
    ++check.compared;
    const auto fault = Verify(draw);
    // Nobody came before the opening, or the sale was ended before it.
    if (fault && *fault == DrawFault::kNotDrawnYet) continue;
    if (fault) check.Fail(fmt::format("the draw of {} numbers: {}", draw.count, Name(*fault)));
  }
  return check;
}

Check Auditor::SoldOut() const {
  Check check{"I11", "sold-out", "The concert is sold out exactly when its last seat is paid"};
  check.compared = assigned_;
  const bool all_paid = assigned_ == state_.total_seats && state_.total_seats > 0;
  if (all_paid != report_.sold_out) {
    check.Fail(fmt::format("{} of {} seats are paid, and the concert is {}", assigned_, state_.total_seats,
                           state_.status));
  }
  std::optional<Time> last;
  int told = 0;
  for (const auto& booked : state_.reservations) {
    if (booked.status == "CONFIRMED" && booked.paid_at)
      last = std::max(last.value_or(Time::min()), *booked.paid_at);
  }
  for (const auto& [id, reserved] : ledger_.reservations) told += reserved.told_sold_out ? 1 : 0;
  if (report_.sold_out && state_.sold_out_at != last)
    check.Fail("the time of the sell-out is not that of the last payment");
  if (!report_.sold_out && told > 0) check.Fail("a fan was told of a sell-out that is none");
  if (told > 1) check.Fail(fmt::format("{} fans were told that theirs was the last seat", told));
  // The answer of the last payment may be among those that were lost.
  if (report_.sold_out && told == 0 && report_.unknown_sold == 0 && ledger_.troubles.empty())
    check.Fail("no fan was told that the last seat is sold");
  return check;
}

Check Auditor::Rankings() const {
  Check check{"I11", "ranking", "The sell-out stands once on every board, with its exact duration"};
  for (const auto& row : state_.rankings) {
    ++check.compared;
    if (row.times != (report_.sold_out ? 1 : 0)) {
      check.Fail(fmt::format("{} rows on the {} board", row.times, row.window));
    } else if (report_.sold_out && state_.sold_out_at && state_.opened_at &&
               Millis(row.duration_millis) != *state_.sold_out_at - *state_.opened_at) {
      check.Fail(fmt::format("the {} board says {} ms, the concert {} ms", row.window, row.duration_millis,
                             (*state_.sold_out_at - *state_.opened_at).count()));
    }
  }
  if (check.compared == 0) check.Fail("no board was read");
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
