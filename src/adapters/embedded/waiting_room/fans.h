// The transitions of fans, each decided under the room's lock. A decision does not wait for the disk: its
// answer may leave once its ticket is committed.
#pragma once

#include <optional>
#include <string_view>

#include "adapters/embedded/waiting_room/pause_detector.h"
#include "adapters/embedded/waiting_room/room_writer.h"
#include "adapters/embedded/waiting_room/rooms.h"

namespace maejin::embedded {

// Thread-safe. Refusals are those of store/waiting_room_store.h.
class Fans {
 public:
  // All outlive it.
  Fans(Rooms& rooms, const Journal& journal, RoomWriter& writer, PauseDetector& pauses)
      : rooms_(rooms), journal_(journal), writer_(writer), pauses_(pauses) {}

  struct Decision {
    Ticket ticket = 0;
    PlaceAnswer answer;
  };
  Outcome<Decision> Join(const JoinRequest& request, Time now);
  Outcome<Decision> Enter(const PlaceView& place, Time now);
  Outcome<Decision> CheckInside(const PlaceView& place, Time now);

  struct EndDecision {
    Ticket ticket = 0;
    bool ended = false;  // false: there was nothing to end
  };
  // `audit` is written if a place or a slot ended.
  Outcome<EndDecision> End(const PlaceView& place, Ending ending, Time now,
                           const AuditEntry* audit = nullptr);

  // The answers of Poll() and Peek() may be sent at once. Absent: wait for NewestJoin() and call again.
  std::optional<Outcome<PlaceAnswer>> Poll(const PlaceView& place, Time now);
  std::optional<Outcome<PlaceAnswer>> Peek(const PlaceView& place, Time now);
  // The ticket of the room's newest join, or 0.
  Ticket NewestJoin(std::string_view room) const;

 private:
  // False: the address prefix is at its limit of joins. A repeated join of the same user is not limited.
  static bool MayJoin(Room& room, const UserKey& user, std::string_view address, Time now);
  // True: the request names the user, not a number, and the newest join of the room is not on disk. A request
  // with a number has a token, which the fan got after its join was on disk.
  bool MustWaitForJoin(const Room& room, const PlaceView& place) const;
  Outcome<PlaceAnswer> AnswerPoll(Room& room, Outcome<Standing> standing) const;

  Rooms& rooms_;
  const Journal& journal_;
  RoomWriter& writer_;
  PauseDetector& pauses_;
};

}  // namespace maejin::embedded
