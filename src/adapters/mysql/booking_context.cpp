#include "adapters/mysql/booking_context.h"

#include "adapters/mysql/booking_rows.h"

namespace maejin::mysql {

void BookingContext::Publish(const MirrorChanges& changes) {
  if (changes.concert) mirror.Put(changes.concert);
  for (const auto& snapshot : changes.snapshots) mirror.Apply(snapshot);
  for (const auto& moved : changes.moved) mirror.Apply(moved);
  for (const auto& sold : changes.sold_outs)
    mirror.SoldOut(sold.concert, sold.schedule, sold.at, sold.whole_concert);
  if (changes.paid_concert != 0) mirror.Paid(changes.paid_concert, changes.paid_at);
  if (announce) announce(changes);
  if (!counters) return;
  BookingChanges rows;
  for (const auto& counted : changes.counted) rows.rows.push_back({&counted.reservation, counted.added});
  counters->Count(rows);
}

Outcome<SaleOf> BookingContext::FindSale(Connection& connection, ConcertId concert, ScheduleId schedule,
                                         Time now) const {
  auto record = mirror.RecordOf(concert);
  // A reservation exists, so the concert is open. If the mirror does not know that yet, another node opened
  // the concert.
  const bool knows_opening =
      record && record->details.booking_open_at && *record->details.booking_open_at <= now;
  if (!knows_opening) record = ReadConcert(connection, concert);
  if (!record) return Refused{Refusal::kConcertNotFound, std::to_string(concert)};
  if (auto date = DateOf(*record, schedule)) return SaleOf{record, std::move(date)};
  return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
}

PaymentOutcome BookingContext::OutcomeOf(Reservation reservation, std::optional<Payment> payment) const {
  const auto concert = mirror.RecordOf(reservation.concert);
  const auto room = concert ? concert->details.room : RoomKind::kOwn;
  // This transaction may have changed the payment after it read the reservation's refund_due.
  if (payment) reservation.refund_due = payment->status == PaymentStatus::kRefundDue;
  return {std::move(reservation), std::move(payment), room};
}

Decided<ConcertId> ReadForMirror(Connection& connection, const BookingMirror& mirror, ConcertId concert) {
  Decided<ConcertId> read{concert};
  read.changes.concert = ReadConcert(connection, concert);
  for (const auto& schedule : read.changes.concert->schedules) {
    if (mirror.RecordOfSchedule(schedule->id)) continue;
    for (const auto& shard : schedule->shards) {
      read.changes.snapshots.push_back(ReadShard(connection, schedule->id, shard.shard));
    }
  }
  return read;
}

}  // namespace maejin::mysql
