// The facts about concerts that operators change, in a form that is cheap to read often. Part of the port of
// bookings (booking_store.h). Reads never wait for the disk. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "domain/booking/booking_requests.h"
#include "domain/words.h"

namespace maejin {

// The newest change of a concert that its waiting room has to follow.
struct ConcertChange {
  ConcertId concert = 0;
  RoomKind room = RoomKind::kOwn;
  // As in ConcertView; 0 while the last change is not durable. A room must not follow such a change: a crash
  // may lose it, and another change would get its number.
  std::int64_t life = 0;
};

class ConcertCatalogue {
 public:
  virtual ~ConcertCatalogue() = default;

  // At most `limit` concerts with ids above `after`, ascending. Cheap: copies no details.
  virtual std::vector<ConcertChange> ListChanges(ConcertId after, std::size_t limit) const = 0;
  // Seats for sale on a calendar day: the sum over dates that are not cancelled, of ranked concerts.
  virtual std::int64_t SeatsForSaleOn(Date date) const = 0;
  // Increases after every action of an operator on a concert. Never waits. Absent: operators also act on
  // other nodes, whose actions this node cannot count.
  virtual std::optional<std::uint64_t> CatalogueVersionAtOnce() const = 0;
};

}  // namespace maejin
