// A room with standby rests while its site is quiet (domain/waiting_room/standby.h): at its gate it gives
// unknown visitors a slot, without a wait in line.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "domain/waiting_room/standby.h"
#include "usecase/enter_room.h"
#include "usecase/join_room.h"

namespace maejin {

class RestRoom {
 public:
  explicit RestRoom(RoomContext context)
      : context_(context), join_(context), enter_(context), rooms_(std::make_unique<Rooms>()) {}

  // Gives the visitor a slot if the room rests. Each node decides for itself, at most four times a second, by
  // counts that all nodes share; the store enforces the capacity. Refuses: kNotYourTurn (the room does not
  // rest, or has no free slot), and as JoinRoom().
  Task<Outcome<Entered>> Admit(RoomId room, UserId visitor, std::string address) const;

 private:
  struct Resting {
    bool rests = true;
    ArrivalWindow arrivals;
    Time checked_at = {};
  };
  struct Rooms {
    std::mutex mutex;
    std::map<RoomId, Resting, std::less<>> by_id;
  };

  Task<Outcome<bool>> Rests(RoomId room) const;

  RoomContext context_;
  JoinRoom join_;
  EnterRoom enter_;
  std::unique_ptr<Rooms> rooms_;
};

}  // namespace maejin
