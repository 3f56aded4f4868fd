// The names of a waiting room's keys: as docs/requirements.md names them, "room:…" for the rest.
// docs/redis-keys.md explains them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client/script.h"
#include "base/time.h"
#include "domain/waiting_room/places.h"
#include "domain/words.h"

namespace maejin::redis {

// The keys of one room. In a cluster the room's id is written as a hash tag, so that all keys of one room are
// in one hash slot: `queue:42` becomes `queue:{42}`, `token:42:minji` becomes `token:{42}:minji`.
class RoomKeys {
 public:
  RoomKeys(std::string_view room, bool cluster);

  // The room's keys in the order in which scripts/room.lua names them. The server's run id follows all
  // arguments.
  ScriptArguments Arguments() const;
  // A fan of the room `main`, as other programs read it.
  struct Shown {
    UserId user;
    PlaceNumber number = 0;
    std::string token;
  };
  // The arguments of room_show.lua.
  ScriptArguments ShowArguments(const std::vector<Shown>& fans, Time now) const;
  std::string Room() const { return "room:" + id_; }
  std::string Places() const { return Room() + ":places"; }
  // Admissions and ends that wait for the database.
  std::string Log() const { return Room() + ":log"; }
  // Counts for the sale report.
  std::string Tally() const { return Room() + ":tally"; }
  // Deadlines of waiters.
  std::string Due() const { return Room() + ":due"; }
  // The last polls of waiters, by page (signs_of_life.h).
  std::string Seen(PlaceNumber page) const { return Room() + ":seen:" + std::to_string(page); }
  // Seats left of a concert, for other programs.
  std::string SeatCount() const { return "seat:count:" + id_; }

 private:
  std::string MainPrefix() const { return cluster_ ? "{queue}" : "queue"; }

  bool main_;
  bool cluster_;
  std::string id_;  // in a cluster: with braces
};

// The set of all rooms.
inline constexpr char kRoomsKey[] = "rooms";

}  // namespace maejin::redis
