// The names of a waiting room's keys: the seeds' where they have one, "room:…" for the rest.
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

  // The fifteen keys of the room, in the order scripts/room.lua expects, and the token of each of `users` (who may
  // be empty). The server's run id follows all arguments.
  ScriptArguments Arguments(const std::vector<UserId>& users) const;
  ScriptArguments Arguments(std::string_view user) const {
    return Arguments(std::vector<UserId>{UserId(user)});
  }
  std::string Token(std::string_view user) const { return "token:" + id_ + ":" + std::string(user); }
  // The seed's mapping of the room `main`, between a fan and its token.
  std::string QueueUser(std::string_view user) const { return MainPrefix() + ":user:" + std::string(user); }
  std::string QueueToken(std::string_view token) const {
    return MainPrefix() + ":token:" + std::string(token);
  }
  struct Shown {
    std::string_view user;
    std::string token;
  };
  // What room_show.lua needs of the room `main`.
  ScriptArguments ShowArguments(const std::vector<Shown>& fans, Millis ttl) const;
  // What room_inside.lua needs; the server's run id follows all arguments.
  ScriptArguments InsideArguments(std::string_view user, PlaceNumber number) const;
  // What the database has yet to remember.
  std::string Log() const { return "room:" + id_ + ":log"; }
  // After a loss: what fans were told before it.
  std::string ToldRanks() const { return "room:" + id_ + ":told"; }
  // Seats left of a concert, for readers.
  std::string SeatCount() const { return "seat:count:" + id_; }
  bool is_main() const { return main_; }

 private:
  std::string MainPrefix() const { return cluster_ ? "{queue}" : "queue"; }

  bool main_;
  bool cluster_;
  std::string id_;  // with its braces in a cluster
};

// The set of all rooms.
inline constexpr char kRoomsKey[] = "rooms";

}  // namespace maejin::redis
