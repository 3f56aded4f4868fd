#include "usecase/create_concert.h"

namespace maejin {

Task<Outcome<ConcertView>> CreateConcert::operator()(ConcertDetails details,
                                                     std::vector<SchedulePlan> schedules) {
  const auto now = clock_.Now();
  auto created = co_await bookings_.CreateConcert(std::move(details), std::move(schedules), now);
  if (!created) co_return created;
  const auto room = co_await rooms_.EnsureRoom(RoomOf(created->id), now);
  if (!room) co_return room.error();
  co_return created;
}

}  // namespace maejin
