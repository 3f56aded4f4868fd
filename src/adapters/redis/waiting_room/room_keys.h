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

// Of one room. In a cluster the room's id is written as a hash tag, so that all keys of one room lie in one
// slot: `queue:42` becomes `queue:{42}`, `token:42:minji` becomes `token:{42}:minji`.
class RoomKeys {
 public:
  RoomKeys(std::string_view room, bool cluster);

  // The room's keys in the order in which scripts/room.lua names them, and the token of each of `users`. The
  // server's run id follows all arguments.
  ScriptArguments Arguments(const std::vector<UserId>& users) const;
  // What room_inside.lua needs; the server's run id follows all arguments.
  ScriptArguments InsideArguments(std::string_view user, PlaceNumber number) const;
  // A fan of the room `main`, for readers.
  struct Shown {
    UserId user;
    PlaceNumber number = 0;
    std::string token;
  };
  // What room_show.lua needs.
  ScriptArguments ShowArguments(const std::vector<Shown>& fans, Time now) const;
  // What room_seats.lua needs.
  ScriptArguments SeatsArguments(bool has_seats) const;
  std::string Room() const { return "room:" + id_; }
  // Admissions and ends that wait for the database.
  std::string Log() const { return Room() + ":log"; }
  // Deadlines of waiters.
  std::string Due() const { return Room() + ":due"; }
  // Signs of life, the page-th part (signs_of_life.h).
  std::string Seen(PlaceNumber page) const { return Room() + ":seen:" + std::to_string(page); }
  // Seats left of a concert, for readers.
  std::string SeatCount() const { return "seat:count:" + id_; }

 private:
  std::string MainPrefix() const { return cluster_ ? "{queue}" : "queue"; }

  bool main_;
  bool cluster_;
  std::string id_;  // with its braces in a cluster
};

// The set of all rooms.
inline constexpr char kRoomsKey[] = "rooms";

}  // namespace maejin::redis
