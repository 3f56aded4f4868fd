// Settings, phases and readings of rooms, each decided under the room's lock. A decision does not wait for
// the disk: its answer may leave once its ticket is committed.
#pragma once

#include <string_view>

#include "adapters/embedded/waiting_room/pause_detector.h"
#include "adapters/embedded/waiting_room/room_writer.h"
#include "adapters/embedded/waiting_room/rooms.h"

namespace maejin::embedded {

// Thread-safe. Refusals are those of store/waiting_room_store.h.
class Operators {
 public:
  // All outlive it.
  Operators(Rooms& rooms, const Journal& journal, RoomWriter& writer, PauseDetector& pauses)
      : rooms_(rooms), journal_(journal), writer_(writer), pauses_(pauses) {}

  struct Decision {
    Ticket ticket = 0;
    RoomInfo info;
  };
  Outcome<Decision> Configure(std::string_view room, const RoomPatch& patch, std::string_view actor,
                              Time now);
  void SetSeats(std::string_view room, bool has_seats, Time now);
  Outcome<Decision> Read(std::string_view room, Time now);
  // The answer may leave at once.
  Outcome<Serving> ReadServing(std::string_view room, Time now);
  // Runs the due work of one room, unless the disk refuses.
  void Advance(Room& room, Time now);

 private:
  // Advance() for a caller that holds the room's lock.
  void AdvanceLocked(Room& room, Time now);

  Rooms& rooms_;
  const Journal& journal_;
  RoomWriter& writer_;
  PauseDetector& pauses_;
};

}  // namespace maejin::embedded
