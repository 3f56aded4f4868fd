// Holding seats and giving them back.
#include <algorithm>

#include "domain/booking/concert.h"

namespace maejin {

bool IsAnswerTo(const HoldRequest& request, const Reservation& before) {
  if (before.schedule != request.schedule) return false;
  // Which seats were the best is past; how many were asked for is not.
  if (request.best) return before.seats.size() == static_cast<std::size_t>(request.best->count);
  return std::is_permutation(before.seats.begin(), before.seats.end(), request.seats.begin(),
                             request.seats.end());
}

std::optional<Refused> CheckWish(const SeatLayout& layout, const HoldRequest& request) {
  if (!request.best || !request.best->section || layout.HasSection(*request.best->section)) return {};
  return Refused{Refusal::kInvalidField, "section: this date has none of that name"};
}

Outcome<Concert::ReservationIndex> Concert::Hold(const HoldRequest& request, const NewReservation& made,
                                                 Time now, BookingChanges& changes) {
  if (!FindSchedule(request.schedule))
    return Refused{Refusal::kScheduleNotFound, std::to_string(request.schedule)};
  if (!request.idempotency_key.empty()) {
    const auto again = by_key_.find(request.user + '\0' + request.idempotency_key);
    if (again != by_key_.end()) {
      if (!IsAnswerTo(request, reservations_[again->second])) return Refusal::kIdempotencyMismatch;
      return again->second;
    }
  }
  const auto on_sale = OnSale(request.schedule, now);
  if (!on_sale) return on_sale.error();
  const auto& seats = (*on_sale)->seats;
  const auto sold_out = [&] {
    Refused refused{Refusal::kSoldOut};
    refused.may_return = seats.counts().held > 0;
    return refused;
  };
  if (const auto refused = CheckWish(*seats.layout(), request)) return *refused;
  if (seats.counts().available == 0) return sold_out();
  auto wanted = request.best ? seats.FindBest(*request.best) : request.seats;
  std::sort(wanted.begin(), wanted.end());
  if (wanted.empty()) return sold_out();
  if (auto checked = CheckSeats(seats, wanted); !checked) return checked.error();
  const auto customer = SeatsOf(request.user, request.schedule);
  if (auto checked = CheckLimits(details_, customer, wanted.size(), now); !checked) return checked.error();
  return Record(request, std::move(wanted), made, now, changes);
}

Outcome<Done> Concert::CheckSeats(const SeatMap& seats, const std::vector<SeatNumber>& wanted) const {
  for (const auto seat : wanted) {
    if (!seats.layout()->Has(seat)) return Refused{Refusal::kSeatNotFound, std::to_string(seat)};
  }
  const auto refuse_any = [&](SeatState state) {
    return std::find_if(wanted.begin(), wanted.end(),
                        [&](SeatNumber seat) { return seats.StateOf(seat) == state; });
  };
  for (const auto state : {SeatState::kAssigned, SeatState::kBlocked, SeatState::kHeld}) {
    const auto seat = refuse_any(state);
    if (seat == wanted.end()) continue;
    return Refused{state == SeatState::kHeld ? Refusal::kSeatHeld : Refusal::kSeatTaken,
                   std::to_string(*seat)};
  }
  return Done{};
}

Concert::ReservationIndex Concert::Record(const HoldRequest& request, std::vector<SeatNumber> seats,
                                          const NewReservation& made, Time now, BookingChanges& changes) {
  auto& schedule = *Find(request.schedule);
  const auto index = static_cast<ReservationIndex>(reservations_.size());
  auto& reservation = reservations_.emplace_back();
  reservation.id = made.id;
  reservation.number = made.number;
  reservation.concert = id_;
  reservation.schedule = request.schedule;
  reservation.user = request.user;
  reservation.seats = std::move(seats);
  for (const auto seat : reservation.seats) reservation.amount += schedule.seats.layout()->PriceOf(seat);
  reservation.held_at = now;
  reservation.expires_at = now + details_.hold;
  reservation.idempotency_key = request.idempotency_key;
  Move(schedule, reservation.seats, SeatState::kHeld, index);
  Count(reservation, +1);
  deadlines_.push({reservation.expires_at, index});
  if (!request.idempotency_key.empty()) by_key_[request.user + '\0' + request.idempotency_key] = index;
  changes.rows.push_back({&reservation, true});
  Progress(reservation, +1, changes);
  return index;
}

void Concert::Progress(const Reservation& reservation, std::int64_t sign, BookingChanges& changes) const {
  changes.facts.push_back(ProgressChanged{reservation.schedule, FindSchedule(reservation.schedule)->date,
                                          sign * static_cast<std::int64_t>(reservation.seats.size()),
                                          reservation.held_at});
}

Outcome<Done> Concert::Extend(ReservationIndex index, Time now, BookingChanges& changes) {
  auto& reservation = reservations_[index];
  if (!reservation.Unpaid() || now >= reservation.expires_at) return Refusal::kHoldExpired;
  if (reservation.extended) return Refusal::kAlreadyExtended;
  reservation.extended = true;
  reservation.expires_at += details_.hold;
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
    // Paid or given back meanwhile, or extended: then a later deadline is in the queue.
    if (!reservation.Unpaid() || reservation.expires_at > now) continue;
    End(reservation, ReservationStatus::kExpired, now, changes);
    ++ended;
  }
}

void Concert::End(Reservation& reservation, ReservationStatus status, Time now, BookingChanges& changes) {
  reservation.status = status;
  reservation.ended_at = now;
  Move(*Find(reservation.schedule), reservation.seats, SeatState::kAvailable, SeatMap::kNobody);
  Count(reservation, -1);
  CountUnpaid(reservation);
  changes.rows.push_back({&reservation});
  Progress(reservation, -1, changes);
}

Outcome<Done> Concert::Cancel(ReservationIndex index, Time now, BookingChanges& changes) {
  auto& reservation = reservations_[index];
  switch (reservation.status) {
    case ReservationStatus::kCancelled:
    case ReservationStatus::kRefunded:
      return Done{};
    case ReservationStatus::kExpired:
      return Refusal::kHoldExpired;
    case ReservationStatus::kHeld:
    case ReservationStatus::kPaying:
      End(reservation, ReservationStatus::kCancelled, now, changes);
      return Done{};
    case ReservationStatus::kConfirmed:
      break;
  }
  End(reservation, ReservationStatus::kRefunded, now, changes);
  if (reservation.payment != kNone)
    ChangePayment(reservation.payment, PaymentChange::kCancelled, now, changes);
  return Done{};
}

}  // namespace maejin
