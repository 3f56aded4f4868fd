// The port of the waiting rooms. Every call is one whole transition, atomic and durable before it returns; the
// time is an argument; refusals are named. Thread-safe.
#pragma once

#include "base/task.h"
#include "base/time.h"
#include "domain/refusal.h"
#include "domain/words.h"

namespace maejin {

class WaitingRoomStore {
 public:
  virtual ~WaitingRoomStore() = default;

  // Makes the room of a concert, or `main`, exist with its default settings; does nothing where it does.
  virtual Task<Outcome<Done>> EnsureRoom(RoomId room, Time now) = 0;

  // Gives a fan's slot back after a payment where the room's releaseOnPayment says so. Giving back what is
  // not held is no error: paying, leaving and expiry may race, and the slot returns exactly once.
  virtual Task<Outcome<Done>> ReleaseAfterPayment(RoomId room, UserId user, Time now) = 0;
};

}  // namespace maejin
