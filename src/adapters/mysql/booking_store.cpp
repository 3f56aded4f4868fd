#include "adapters/mysql/booking_store.h"

#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/event_rows.h"
#include "base/run_task.h"

namespace maejin::mysql {
namespace {

// Adds an event to the feed for each concert that has opened. All nodes try it, and the first one succeeds.
void RecordOpenings(BookingContext& context, std::set<ConcertId>& recorded_before, Time now) {
  for (const auto& [concert, opened_at] : context.mirror.OpenedBy(now)) {
    if (recorded_before.contains(concert)) continue;
    const auto recorded = RunTask(context.pool.Write(
        [id = concert, at = opened_at, now](Connection& connection, const Attempt&) -> Outcome<Done> {
          AddOpening(connection, id, at, now);
          return Done{};
        }));
    if (recorded) recorded_before.insert(concert);
  }
}

// Reads the concert of the date into the mirror again. Refuses: kUnavailable.
Task<Outcome<Done>> ReadAgain(BookingContext& context, ScheduleId schedule) {
  const auto known = context.mirror.RecordOfSchedule(schedule);
  if (!known) co_return Done{};
  const auto read = [&context, id = known->id](Connection& connection) -> Outcome<Done> {
    if (auto concert = ReadConcert(connection, id)) context.mirror.Put(std::move(concert));
    return Done{};
  };
  co_return co_await context.pool.Read(read);
}

}  // namespace

MysqlBookingStore::MysqlBookingStore(Pool& pool, Random& random)
    : OperatorActions(pool, random), holds_(context_), payments_(context_) {}

Task<Outcome<Reservation>> MysqlBookingStore::Hold(HoldRequest request, Time now) {
  const auto known = co_await LoadMissing(SaleRef::OfSchedule(request.schedule));
  if (!known) co_return known.error();
  if (AgeAtOnce()) {
    // The node was stopped, for example. The opening, the end of sales and the limits may have changed since.
    const auto read = co_await ReadAgain(context_, request.schedule);
    if (!read) co_return read.error();
  }
  co_return co_await holds_.Hold(std::move(request), now);
}

Task<Outcome<PaymentOutcome>> MysqlBookingStore::FindReservation(ReservationRef ref, Time) {
  auto read = [this, ref = std::move(ref)](Connection& connection) -> Outcome<PaymentOutcome> {
    auto found = ReadReservation(connection, ref.reservation, Lock::kNone);
    if (!found || !ref.Covers(*found)) return NotFound(ref);
    auto payment = ReadPaymentOf(connection, found->number);
    return context_.OutcomeOf(std::move(*found), std::move(payment));
  };
  return context_.pool.Read(std::move(read));
}

Task<Outcome<Reservation>> MysqlBookingStore::ExtendHold(ReservationRef ref, Time now) {
  return outages_.RetryAfterOutage<Reservation>(
      [this, ref = std::move(ref), now] { return reservations_.Extend(ref, now); });
}

Task<Outcome<Reservation>> MysqlBookingStore::Cancel(ReservationRef ref, Time now) {
  return reservations_.Cancel(std::move(ref), now);
}

Task<Outcome<PaymentOutcome>> MysqlBookingStore::PayAtOnce(ReservationRef ref, PaymentRequest request,
                                                           Time now) {
  return outages_.RetryAfterOutage<PaymentOutcome>([this, ref = std::move(ref), request = std::move(request),
                                                    now] { return payments_.PayAtOnce(ref, request, now); });
}

Task<Outcome<PaymentOutcome>> MysqlBookingStore::BeginPayment(ReservationRef ref, PaymentRequest request,
                                                              Time now) {
  return outages_.RetryAfterOutage<PaymentOutcome>([this, ref = std::move(ref), request = std::move(request),
                                                    now] { return payments_.Begin(ref, request, now); });
}

Task<Outcome<PaymentOutcome>> MysqlBookingStore::FindPayment(PaymentId id, Time) {
  return payments_.Find(id);
}

Task<Outcome<PaymentOutcome>> MysqlBookingStore::RecordPayment(PaymentReport report, Time now) {
  return payments_.Record(std::move(report), now);
}

Task<Outcome<std::vector<Payment>>> MysqlBookingStore::UnsettledPayments(Time before,
                                                                         std::size_t limit) const {
  return context_.pool.Read([before, limit](Connection& connection) -> Outcome<std::vector<Payment>> {
    return ReadUnsettled(connection, before, limit);
  });
}

void MysqlBookingStore::ExpireHolds(Time now) {
  if (!context_.pool.Connected() || !outages_.Beat()) return;
  reservations_.EndDue(now);
  const std::lock_guard lock(openings_mutex_);
  RecordOpenings(context_, recorded_openings_, now);
}

}  // namespace maejin::mysql
