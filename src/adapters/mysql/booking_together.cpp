// Several customers in one transaction: what DecideHold() and DecidePayment() do for one, with a statement for all of them.
// Whoever is not plain, or not sure to be, is left to those two.
#include <algorithm>
#include <map>
#include <set>

#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/booking_store.h"

namespace maejin::mysql {

struct MysqlBookingStore::HoldPick {
  SharedHolds::Member* member;
  std::shared_ptr<const ScheduleRecord> date;
  Reservation reservation;
};

struct MysqlBookingStore::PaymentPick {
  SharedPayments::Member* member;
  SaleOf sale;
  Reservation reservation;
  Payment payment;
};

namespace {

std::shared_ptr<const ScheduleRecord> DateOf(const ConcertRecord& concert, ScheduleId schedule) {
  for (const auto& date : concert.schedules) {
    if (date->id == schedule) return date;
  }
  return nullptr;
}

// The picks of each date, in the order in which dates are locked.
template <class Pick>
std::map<ScheduleId, std::vector<Pick*>> ByDate(std::vector<Pick>& picks) {
  std::map<ScheduleId, std::vector<Pick*>> dates;
  for (auto& pick : picks) dates[pick.reservation.schedule].push_back(&pick);
  return dates;
}

// All seats of a date's picks as one move.
template <class Pick>
SeatMove MoveOf(ScheduleId schedule, const std::vector<Pick*>& picks, SeatState from, SeatState to) {
  SeatMove move{schedule, {}, from, to, {}, {}};
  for (const auto* pick : picks) {
    const auto& seats = pick->reservation.seats;
    move.seats.insert(move.seats.end(), seats.begin(), seats.end());
  }
  std::sort(move.seats.begin(), move.seats.end());
  return move;
}

// What the mirror has to know of one of them: its own seats, and the versions their groups have after all of them.
SeatsMoved PartOf(const SeatsMoved& all, const Reservation& reservation) {
  return {all.schedule, reservation.seats, all.state, all.shards};
}

}  // namespace

// Those whose seats are free as far as this node knows, and wanted by no other of them.
std::vector<MysqlBookingStore::HoldPick> MysqlBookingStore::PickHolds(
    const SharedHolds::Members& members) const {
  std::vector<HoldPick> picks;
  std::set<std::pair<ScheduleId, SeatNumber>> wanted;
  for (auto* member : members) {
    const auto& [request, id, now] = member->request;
    const auto concert = mirror_.RecordOfSchedule(request.schedule);
    if (!concert || !mirror_.OnSale(request.schedule, now)) continue;
    auto seats = mirror_.Choose(request);
    if (!seats || wanted.size() + seats->size() > kMostMarks) continue;
    const auto is_wanted = [&](SeatNumber seat) { return wanted.contains({request.schedule, seat}); };
    if (std::any_of(seats->begin(), seats->end(), is_wanted)) continue;
    for (const auto seat : *seats) wanted.emplace(request.schedule, seat);
    auto date = DateOf(*concert, request.schedule);
    auto reservation = NewHold(member->request, *concert, *date, std::move(*seats));
    picks.push_back({member, std::move(date), std::move(reservation)});
  }
  return picks;
}

bool MysqlBookingStore::HoldTogether(Connection& connection, const SharedHolds::Members& members) {
  auto picks = PickHolds(members);
  if (picks.empty()) return false;
  if (HoldPicks(connection, picks)) return true;
  // Somebody else was quicker with one of these seats. Whoever wanted it goes alone, and the others once more together.
  for (const auto& [schedule, date] : ByDate(picks)) {
    LearnSeats(connection, schedule, MoveOf(schedule, date, SeatState::kAvailable, SeatState::kHeld).seats);
  }
  picks = PickHolds(members);
  return !picks.empty() && HoldPicks(connection, picks);
}

bool MysqlBookingStore::HoldPicks(Connection& connection, std::vector<HoldPick>& picks) {
  std::vector<Reservation*> reservations;
  for (auto& pick : picks) reservations.push_back(&pick.reservation);
  AddReservations(connection, reservations);
  const auto dates = ByDate(picks);
  for (const auto& [schedule, date] : dates) {
    std::vector<SeatFor> seats;
    for (const auto* pick : date) {
      for (const auto seat : pick->reservation.seats) seats.push_back({seat, pick->reservation.number});
    }
    std::sort(seats.begin(), seats.end(), [](const auto& a, const auto& b) { return a.seat < b.seat; });
    if (HoldSeats(connection, schedule, seats) != static_cast<std::int64_t>(seats.size())) return false;
  }
  std::map<ScheduleId, SeatsMoved> moved;
  for (const auto& [schedule, date] : dates) {
    const auto move = MoveOf(schedule, date, SeatState::kAvailable, SeatState::kHeld);
    auto counted = CountMove(connection, date.front()->date->concert, move, {});
    if (!counted) return false;
    moved.emplace(schedule, std::move(counted->moved));
  }
  AddProgress(connection, {reservations.begin(), reservations.end()}, +1, picks.front().reservation.held_at);
  for (auto& [member, date, reservation] : picks) {
    Decided<Reservation> decided{std::move(reservation), {}};
    decided.changes.moved.push_back(PartOf(moved.at(date->id), decided.value));
    decided.changes.counted.push_back({decided.value, true});
    member->outcome.emplace(std::move(decided));
  }
  return true;
}

// Holds that stand, with the right amount of money and no other payment; each once. Their rows are locked.
std::vector<MysqlBookingStore::PaymentPick> MysqlBookingStore::PickPayments(
    Connection& connection, const SharedPayments::Members& members) {
  std::vector<ReservationId> ids;
  for (const auto* member : members) ids.push_back(member->request.claim.reservation);
  std::sort(ids.begin(), ids.end());
  std::map<ReservationId, Reservation> found;
  for (auto& reservation : LockReservations(connection, ids))
    found.emplace(reservation.id, std::move(reservation));
  std::vector<PaymentPick> picks;
  std::size_t seats = 0;
  for (auto* member : members) {
    const auto& [claim, request, id, now] = member->request;
    const auto row = found.find(claim.reservation);
    if (row == found.end()) continue;
    auto& reservation = row->second;
    if (!claim.Covers(reservation) || reservation.status != ReservationStatus::kHeld ||
        now >= reservation.expires_at || request.amount != reservation.amount ||
        seats + reservation.seats.size() > kMostMarks) {
      continue;
    }
    auto sale = FindSale(connection, reservation.concert, reservation.schedule, now);
    if (!sale) continue;
    seats += reservation.seats.size();
    auto payment = NewPayment(member->request, reservation);
    picks.push_back({member, std::move(*sale), std::move(reservation), std::move(payment)});
    found.erase(row);
  }
  return picks;
}

// A payment that sells the last seat of a date is decided alone: it is the one that everybody hears of.
bool MysqlBookingStore::PayTogether(Connection& connection, const SharedPayments::Members& members) {
  auto picks = PickPayments(connection, members);
  if (picks.empty()) return false;
  Time paid_at{};
  for (const auto& pick : picks) paid_at = std::max(paid_at, PaidAt(pick.sale, pick.member->request.now));
  std::map<ScheduleId, SeatMove> moves;
  for (const auto& [schedule, date] : ByDate(picks))
    moves[schedule] = MoveOf(schedule, date, SeatState::kHeld, SeatState::kAssigned);
  if (!AssignPicks(connection, picks, moves, paid_at)) return false;
  std::map<ScheduleId, GroupsCounted> counted;
  for (const auto& [schedule, move] : moves) {
    auto groups = CountGroups(connection, move, paid_at);
    if (!groups) return false;
    counted.emplace(schedule, std::move(*groups));
  }
  for (const auto& [schedule, date] : ByDate(picks)) {
    const auto concert = date.front()->reservation.concert;
    const auto after = CountOpened(connection, concert, moves[schedule], std::move(counted.at(schedule)));
    if (after.schedule_sold_out) return false;
    for (auto* pick : date) Settle(*pick, after.moved, paid_at);
  }
  return true;
}

bool MysqlBookingStore::AssignPicks(Connection& connection, std::vector<PaymentPick>& picks,
                                    const std::map<ScheduleId, SeatMove>& moves, Time paid_at) {
  std::vector<const Payment*> payments;
  std::vector<std::int64_t> numbers;
  for (auto& pick : picks) {
    pick.payment.status = PaymentStatus::kCaptured;
    pick.payment.settled_at = paid_at;
    payments.push_back(&pick.payment);
    numbers.push_back(pick.reservation.number);
  }
  for (const auto& [schedule, move] : moves) {
    const auto assigned = AssignSeats(connection, schedule, move.seats, numbers);
    if (assigned != static_cast<std::int64_t>(move.seats.size())) return false;
  }
  AddPayments(connection, payments);
  ConfirmReservations(connection, numbers, paid_at);
  return true;
}

void MysqlBookingStore::Settle(PaymentPick& pick, const SeatsMoved& moved, Time paid_at) const {
  auto& reservation = pick.reservation;
  reservation.status = ReservationStatus::kConfirmed;
  reservation.paid_at = paid_at;
  reservation.ended_at.reset();
  Decided<PaymentOutcome> decided{{}, {}};
  decided.changes.moved.push_back(PartOf(moved, reservation));
  decided.changes.counted.push_back({reservation, false});
  decided.changes.paid_concert = reservation.concert;
  decided.changes.paid_at = paid_at;
  decided.value = OutcomeOf(std::move(reservation), std::move(pick.payment));
  pick.member->outcome.emplace(std::move(decided));
}

}  // namespace maejin::mysql
