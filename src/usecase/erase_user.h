// Erases a person: bookings keep their figures under a pseudonym, places and slots end, the audit log keeps
// a keyed hash. Also erases the users of past reservations, after the time that the operator has set.
#pragma once

#include "base/clock.h"
#include "base/key_ring.h"
#include "base/random.h"
#include "base/task.h"
#include "store/emergency_store.h"
#include "store/person_store.h"
#include "store/waiting_room_store.h"

namespace maejin {

// Thread-safe. The references outlive it.
class EraseUser {
 public:
  struct Parts {
    PersonStore& persons;
    WaitingRoomStore& rooms;
    EmergencyStore& emergency;
    const KeyRing& keys;
    Random& random;
    const Clock& clock;
  };
  explicit EraseUser(Parts parts) : parts_(parts) {}

  // Returns the number of reservations. Refuses: kUnavailable; then the erasure may be repeated.
  Task<Outcome<std::int64_t>> operator()(UserId user, std::string actor);
  // Erases the users of reservations that were past `kept` ago (PersonStore::ErasePast()), a bounded number
  // at each call. Returns the number of reservations. Refuses: kUnavailable.
  Task<Outcome<std::int64_t>> Past(std::chrono::days kept);

 private:
  const Parts parts_;
};

}  // namespace maejin
