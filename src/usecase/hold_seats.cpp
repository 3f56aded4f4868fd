#include "usecase/hold_seats.h"

namespace maejin {

Task<Outcome<Reservation>> HoldSeats::operator()(HoldCommand command) {
  const auto schedule = command.request.schedule;
  auto held = co_await Decide(std::move(command));
  if (held) co_return held;
  // FindShow() also finds the concert of a sale that is closed, which SaleAtOnce() refuses.
  if (const auto show = parts_.bookings.FindShow(schedule))
    parts_.refusals.Count(show->concert, held.error().why);
  co_return held;
}

Task<Outcome<Reservation>> HoldSeats::Decide(HoldCommand command) {
  const auto now = parts_.clock.Now();
  auto sale = parts_.bookings.SaleAtOnce(command.request.schedule, now);
  if (!sale && sale.error() == Refusal::kScheduleNotFound) {
    const auto looked = co_await parts_.bookings.LoadMissing(SaleRef::OfSchedule(command.request.schedule));
    if (!looked) co_return looked.error();
    sale = parts_.bookings.SaleAtOnce(command.request.schedule, now);
  }
  if (!sale) co_return sale.error();
  if (sale->room == RoomKind::kNone) {
    if (!command.user) co_return Refusal::kUnauthorized;
    command.request.user = std::move(*command.user);
  } else {
    AdmissionQuestion question;
    question.room = sale->room == RoomKind::kMain ? RoomId(kMainRoom) : RoomOf(sale->concert);
    question.user = std::move(command.user);
    question.token = std::move(command.token);
    auto fan = co_await parts_.turn(std::move(question), now);
    if (!fan) co_return fan.error();
    command.request.user = std::move(*fan);
  }
  // The seats stay locked until the store has decided the hold. Seats that the store chooses need no lock.
  std::unique_ptr<SeatLock::Lease> lease;
  if (parts_.lock != nullptr && !command.request.seats.empty()) {
    SeatChoice choice;
    choice.concert = sale->concert;
    choice.schedule = command.request.schedule;
    choice.seats = command.request.seats;
    auto locked = co_await parts_.lock->Take(std::move(choice));
    if (!locked) co_return locked.error();
    lease = std::move(*locked);
  }
  auto held = co_await parts_.bookings.Hold(std::move(command.request), parts_.clock.Now());
  if (held) EndTurnsWithoutSeats(*sale);
  co_return held;
}

void HoldSeats::EndTurnsWithoutSeats(const SaleView& sale) {
  if (sale.room != RoomKind::kOwn) return;
  const auto now = parts_.clock.Now();
  const auto stock = parts_.bookings.StockAtOnce(sale.concert, now);
  if (stock && !stock->HasSeats()) parts_.rooms.SetSeats(RoomOf(sale.concert), false, now);
}

}  // namespace maejin
