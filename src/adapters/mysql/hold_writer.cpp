#include "adapters/mysql/hold_writer.h"

#include <algorithm>
#include <map>
#include <set>

#include "adapters/mysql/booking_batch.h"
#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/customer_limits.h"
#include "adapters/mysql/event_rows.h"
#include "store/booking_events.h"

namespace maejin::mysql {
namespace {

// The maximum of attempts to choose seats, if other transactions take the chosen seats first.
constexpr int kMaxChoices = 8;

Outcome<std::optional<Reservation>> ReadByKey(Connection& connection, ConcertId concert,
                                              const HoldRequest& request) {
  if (request.idempotency_key.empty()) return std::optional<Reservation>{};
  auto before = ReadReservationByKey(connection, concert, request.user, request.idempotency_key);
  if (!before) return std::optional<Reservation>{};
  if (!IsAnswerTo(request, *before)) return Refusal::kIdempotencyMismatch;
  return before;
}

// Takes the seats of one date, each for its reservation. Returns the number of seats taken.
template <class Pick>
std::int64_t TakeSeats(Connection& connection, ScheduleId schedule, const std::vector<Pick*>& picks) {
  if (picks.size() == 1) {
    const auto& [member, reservation] = *picks.front();
    return MoveSeats(
        connection,
        {schedule, reservation.seats, SeatState::kAvailable, SeatState::kHeld, {}, reservation.number});
  }
  std::vector<SeatFor> seats;
  for (const auto* pick : picks) {
    for (const auto seat : pick->reservation.seats) seats.push_back({seat, pick->reservation.number});
  }
  std::sort(seats.begin(), seats.end(), [](const auto& a, const auto& b) { return a.seat < b.seat; });
  return HoldSeats(connection, schedule, seats);
}

// Reads from the database why a date takes no more holds: the mirror of this node may be stale.
Refused WhyClosed(Connection& connection, ScheduleId schedule) {
  auto row = connection.Query(
      "SELECT s.status, c.status FROM schedules s JOIN concerts c ON c.id = s.concert_id WHERE s.id = ?",
      schedule);
  const bool cancelled = row.Next() && (row.Text(0) == "CANCELLED" || row.Text(1) == "CANCELLED");
  return cancelled ? Refusal::kConcertCancelled : Refusal::kConcertClosed;
}

}  // namespace

HoldWriter::HoldWriter(BookingContext& context)
    : context_(context),
      batch_(
          context.pool,
          [this](Connection& connection, const Batch::Members& members) {
            return DecideBatch(connection, members);
          },
          [this](Connection& connection, const Attempt& attempt, const Order& order) {
            return DecideAlone(connection, attempt, order);
          }) {}

Task<Outcome<Reservation>> HoldWriter::Hold(HoldRequest request, Time now) {
  // A request without an idempotency key repeats no earlier one. So seats that are taken in the mirror are
  // refused without the database.
  if (request.idempotency_key.empty()) {
    const auto on_sale = context_.mirror.OnSale(request.schedule, now);
    if (!on_sale) co_return on_sale.error();
    const auto chosen = context_.mirror.Choose(request);
    if (!chosen) co_return chosen.error();
  }
  Order order{std::move(request), ReservationId::Random(context_.random), now};
  if (MayShareBatch(order.request))
    co_return co_await context_.Published<Reservation>(batch_(std::move(order)));
  auto hold = [this, order = std::move(order)](Connection& connection, const Attempt& attempt) {
    return DecideAlone(connection, attempt, order);
  };
  co_return co_await context_.Transit<Reservation>(std::move(hold));
}

bool HoldWriter::MayShareBatch(const HoldRequest& request) const {
  const auto concert = context_.mirror.RecordOfSchedule(request.schedule);
  return !request.best && concert;
}

std::vector<HoldWriter::Pick> HoldWriter::PickMembers(const Batch::Members& members) const {
  std::vector<Pick> picks;
  std::set<std::pair<ScheduleId, SeatNumber>> wanted;
  std::set<std::pair<ConcertId, UserId>> limited;
  for (auto* member : members) {
    const auto& [request, id, now] = member->request;
    const auto concert = context_.mirror.RecordOfSchedule(request.schedule);
    if (!concert || !context_.mirror.OnSale(request.schedule, now)) continue;
    auto seats = context_.mirror.Choose(request);
    if (!seats || wanted.size() + seats->size() > kMaxPlaceholders) continue;
    const auto is_wanted = [&](SeatNumber seat) { return wanted.contains({request.schedule, seat}); };
    if (std::any_of(seats->begin(), seats->end(), is_wanted)) continue;
    // The first hold of a customer counts for the limits of its second hold, so the second one is decided
    // alone.
    if (HasLimits(concert->details) && !limited.emplace(concert->id, request.user).second) continue;
    for (const auto seat : *seats) wanted.emplace(request.schedule, seat);
    const auto date = DateOf(*concert, request.schedule);
    picks.push_back({member, MakeReservation(request, {id}, concert->id, concert->details, *date->layout,
                                             std::move(*seats), now)});
  }
  return picks;
}

void HoldWriter::RemoveBeyondLimits(Connection& connection, std::vector<Pick>& picks) const {
  std::vector<std::shared_ptr<const ConcertRecord>> concerts;  // keeps the details alive
  std::vector<CustomerHold> holds;
  std::vector<Pick*> limited;
  for (auto& pick : picks) {
    const auto& reservation = pick.reservation;
    const auto& concert = concerts.emplace_back(context_.mirror.RecordOfSchedule(reservation.schedule));
    if (!concert || !HasLimits(concert->details)) continue;
    limited.push_back(&pick);
    holds.push_back({concert->id, &concert->details, reservation.user, reservation.schedule,
                     reservation.seats.size(), reservation.held_at});
  }
  const auto within = CheckCustomers(connection, holds);
  std::set<const Pick*> beyond;
  for (std::size_t i = 0; i < limited.size(); ++i) {
    if (!within[i]) beyond.insert(limited[i]);
  }
  std::vector<Pick> kept;
  for (auto& pick : picks) {
    if (!beyond.contains(&pick)) kept.push_back(std::move(pick));
  }
  picks = std::move(kept);
}

bool HoldWriter::DecideBatch(Connection& connection, const Batch::Members& members) {
  for (int attempt = 1; attempt <= 2; ++attempt) {
    auto picks = PickMembers(members);
    RemoveBeyondLimits(connection, picks);
    if (picks.empty()) return false;
    std::vector<Decided<Reservation>> decided;
    const auto written = Write(connection, picks, decided);
    if (written == Written::kDone) {
      for (std::size_t i = 0; i < picks.size(); ++i) picks[i].member->outcome.emplace(std::move(decided[i]));
      return true;
    }
    if (written == Written::kDateClosed) return false;
    // Another transaction took one of the seats first. Requests for that seat are decided alone, the other
    // requests again as a batch.
    for (const auto& [schedule, date] : ByDate(picks)) {
      LearnSeats(connection, schedule, MoveOf(schedule, date, SeatState::kAvailable, SeatState::kHeld).seats);
    }
  }
  return false;
}

Outcome<Decided<Reservation>> HoldWriter::DecideAlone(Connection& connection, const Attempt& attempt,
                                                      const Order& order) {
  const auto& [request, id, now] = order;
  const auto concert = context_.mirror.RecordOfSchedule(request.schedule);
  if (!concert) return Refused{Refusal::kScheduleNotFound, std::to_string(request.schedule)};
  if (attempt.commit_unknown) {
    if (auto made = ReadReservation(connection, id, Lock::kForUpdate))
      return Decided<Reservation>{std::move(*made)};
  }
  auto before = ReadByKey(connection, concert->id, request);
  if (!before) return before.error();
  if (*before) return Decided<Reservation>{std::move(**before)};
  const auto seats = ChooseFor(connection, *concert, request, now);
  if (!seats) {
    // A concurrent request with the same key may have taken the seats.
    before = ReadByKey(connection, concert->id, request);
    if (before && *before) return Decided<Reservation>{std::move(**before)};
    return seats.error();
  }
  const auto date = DateOf(*concert, request.schedule);
  std::vector<Pick> picks{
      {nullptr, MakeReservation(request, {id}, concert->id, concert->details, *date->layout, *seats, now)}};
  std::vector<Decided<Reservation>> decided;
  try {
    switch (Write(connection, picks, decided)) {
      case Written::kDone:
        return std::move(decided.front());
      case Written::kDateClosed:
        return WhyClosed(connection, request.schedule);
      case Written::kSeatsTaken:
        break;
    }
  } catch (const MysqlError& error) {
    // A concurrent request used the same key: the retry finds its reservation.
    if (error.IsDuplicate()) throw MysqlError(kChangedRow, error.what());
    throw;
  }
  return WhyTaken(connection, request, *seats, attempt);
}

HoldWriter::Written HoldWriter::Write(Connection& connection, std::vector<Pick>& picks,
                                      std::vector<Decided<Reservation>>& decided) {
  std::vector<Reservation*> reservations;
  for (auto& pick : picks) reservations.push_back(&pick.reservation);
  AddReservations(connection, reservations);
  const auto dates = ByDate(picks);
  std::map<ScheduleId, SeatMove> moves;
  for (const auto& [schedule, date] : dates) {
    auto& move = moves[schedule] = MoveOf(schedule, date, SeatState::kAvailable, SeatState::kHeld);
    if (TakeSeats(connection, schedule, date) != static_cast<std::int64_t>(move.seats.size()))
      return Written::kSeatsTaken;
  }
  std::map<ScheduleId, SeatsMoved> moved;
  for (const auto& [schedule, move] : moves) {
    const auto concert = dates.at(schedule).front()->reservation.concert;
    auto counted = CountMove(connection, concert, move, {});
    if (!counted) return Written::kDateClosed;
    moved.emplace(schedule, std::move(counted->moved));
  }
  AddProgress(connection, {reservations.begin(), reservations.end()}, +1, picks.front().reservation.held_at);
  std::vector<EventDraft> drafts;
  for (const auto* each : reservations) AppendEvent(drafts, {*each, true}, each->held_at);
  AddEvents(connection, drafts);
  for (auto& pick : picks) {
    auto& each = decided.emplace_back(Decided<Reservation>{std::move(pick.reservation)});
    each.changes.moved.push_back(ShareOf(moved.at(each.value.schedule), each.value));
    each.changes.counted.push_back({each.value, true});
  }
  return Written::kDone;
}

Outcome<std::vector<SeatNumber>> HoldWriter::ChooseFor(Connection& connection, const ConcertRecord& concert,
                                                       const HoldRequest& request, Time now) const {
  const auto on_sale = context_.mirror.OnSale(request.schedule, now);
  if (!on_sale) return on_sale.error();
  auto seats = context_.mirror.Choose(request);
  if (!seats) return seats;
  if (!HasLimits(concert.details)) return seats;
  const auto checked = CheckCustomer(
      connection, {concert.id, &concert.details, request.user, request.schedule, seats->size(), now});
  if (!checked) return checked.error();
  return seats;
}

Refused HoldWriter::WhyTaken(Connection& connection, const HoldRequest& request,
                             const std::vector<SeatNumber>& seats, const Attempt& attempt) {
  LearnSeats(connection, request.schedule, seats);
  if (request.best && attempt.number < kMaxChoices)
    throw MysqlError(kChangedRow, "another transaction took the chosen seats");
  const auto again = context_.mirror.Choose(request);
  return again ? Refused{Refusal::kSeatHeld, std::to_string(seats.front())} : again.error();
}

void HoldWriter::LearnSeats(Connection& connection, ScheduleId schedule,
                            const std::vector<SeatNumber>& seats) {
  // The seats that this transaction took itself become available again.
  connection.Command("ROLLBACK");
  std::set<std::int32_t> shards;
  for (const auto seat : seats) shards.insert(ShardOf(seat));
  for (const auto shard : shards) context_.mirror.Apply(ReadShard(connection, schedule, shard));
}

}  // namespace maejin::mysql
