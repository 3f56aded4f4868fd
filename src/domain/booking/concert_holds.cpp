// Holding seats and giving them back.
#include "domain/booking/concert.h"
#include "domain/booking/concert_upkeep.h"

namespace maejin {

Outcome<Concert::ReservationIndex> Concert::Hold(const HoldRequest& request, const NewReservation& made,
                                                 Time now, BookingChanges& changes) {
  auto* schedule = Find(request.schedule);
  if (!schedule) return Refused{Refusal::kScheduleNotFound, std::to_string(request.schedule)};
  const auto key =
      request.idempotency_key.empty() ? std::string() : request.user + '\0' + request.idempotency_key;
  if (const auto again = key.empty() ? by_key_.end() : by_key_.find(key); again != by_key_.end()) {
    if (!IsAnswerTo(request, reservations_[again->second])) return Refusal::kIdempotencyMismatch;
    return again->second;
  }
  if (const auto on_sale = CheckOnSale(WindowOf(*schedule), now); !on_sale) return on_sale.error();
  auto seats = ChooseSeats(schedule->seats, request);
  if (!seats) return seats.error();
  if (HasLimits(details_)) {
    const auto tally = tallies_.Of(request.user, request.schedule);
    if (const auto checked = CheckLimits(details_, tally, seats->size(), now); !checked)
      return checked.error();
  }
  const auto index = static_cast<ReservationIndex>(reservations_.size());
  const auto& reservation = reservations_.emplace_back(
      MakeReservation(request, made, id(), details_, *schedule->seats.layout(), std::move(*seats), now));
  Move(*schedule, reservation.seats, SeatState::kHeld, index);
  tallies_.Count(reservation, +1);
  deadlines_.push({reservation.expires_at, index});
  if (!key.empty()) by_key_[key] = index;
  changes.rows.push_back({&reservation, true});
  changes.facts.push_back(ProgressOf(reservation, schedule->date, +1));
  return index;
}

Outcome<Done> Concert::Extend(ReservationIndex index, Time now, BookingChanges& changes) {
  auto& reservation = reservations_[index];
  const auto extended = ExtendDeadline(reservation, details_.hold, now);
  if (!extended) return extended;
  deadlines_.push({reservation.expires_at, index});
  changes.rows.push_back({&reservation});
  return Done{};
}

void Concert::ExpireDue(Time now, std::size_t limit, BookingChanges& changes) {
  EndCancelled(limit, now, changes);
  std::size_t ended = 0;
  while (ended < limit && !deadlines_.empty() && deadlines_.top().at <= now) {
    auto& reservation = reservations_[deadlines_.top().reservation];
    deadlines_.pop();
    // The hold was paid, ended or extended. If extended, a later deadline is in the queue.
    if (!reservation.Unpaid() || reservation.expires_at > now) continue;
    End(reservation, ReservationStatus::kExpired, EndReason::kExpired, now, changes);
    ++ended;
  }
}

void Concert::End(Reservation& reservation, ReservationStatus status, EndReason reason, Time now,
                  BookingChanges& changes) {
  auto& schedule = *Find(reservation.schedule);
  reservation.status = status;
  reservation.ended_at = now;
  reservation.end_reason = reason;
  Move(schedule, reservation.seats, SeatState::kAvailable, SeatMap::kNoReservation);
  tallies_.Count(reservation, -1);
  tallies_.CountUnpaid(reservation);
  changes.rows.push_back({&reservation});
  changes.facts.push_back(ProgressOf(reservation, schedule.date, -1));
}

Outcome<Done> Concert::Cancel(ReservationIndex index, EndReason reason, Time now, BookingChanges& changes) {
  auto& reservation = reservations_[index];
  const auto status = StatusAfterCancel(reservation);
  if (!status) return status.error();
  if (!*status) return Done{};
  End(reservation, **status, reason, now, changes);
  if (**status == ReservationStatus::kRefunded && reservation.payment != kNone)
    ledger_.Apply(reservation.payment, PaymentChange::kCancelled, now, changes);
  ConcertUpkeep::SetRefundDue(*this, reservation);
  return Done{};
}

}  // namespace maejin
