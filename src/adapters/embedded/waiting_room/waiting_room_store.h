// The waiting rooms of one server: memory decides, SQLite remembers.
//
// Every room has a lock of its own, held for one decision; finding a room takes no lock. Joins, entries,
// ends, settings, phases and draws are durable. Presence and the observed outflow are not: after a restart
// every fan counts as seen at the restart.
//
// While the disk refuses writes, polls are still answered, but no fan joins, enters or expires.
//
//   Rooms          the rooms by name                    RoomWriter     changes of a room → rows
//   Fans           decides requests of fans             PauseDetector  pauses and outages
//   Operators      decides settings, phases, readings   SiteStore      rooms of operators, return codes
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "adapters/embedded/waiting_room/fans.h"
#include "adapters/embedded/waiting_room/operators.h"
#include "adapters/embedded/waiting_room/site_store.h"
#include "store/waiting_room_store.h"

namespace maejin::embedded {

struct WaitingRoomStoreOptions {
  // If no call and no tick comes for this long, the process was paused. Fans could not poll meanwhile, so all
  // fans count as seen at the end of the pause. A server, which ticks every 100 ms, sets this. Absent: time
  // may jump (tests).
  std::optional<Millis> pause_after = {};
  // The database file, which ReadTally() opens.
  std::string database = {};
};

class WaitingRoomStore final : public maejin::WaitingRoomStore {
 public:
  // Loads all rooms and creates `main` if it is missing. Journal, audit and random outlive the store.
  WaitingRoomStore(Connection& connection, Journal& journal, AuditLog& audit, Random& random, Time now,
                   WaitingRoomStoreOptions options = {});

  Task<Outcome<Done>> EnsureRoom(RoomId room, Time now, RoomState state = RoomState::kOpen) override;
  Task<Outcome<PlaceAnswer>> Join(JoinRequest request, Time now) override;
  Task<Outcome<PlaceAnswer>> Poll(PlaceRef place, Time now) override;
  std::optional<Outcome<PlaceAnswer>> PollAtOnce(const PlaceView& place, Time now) override;
  std::optional<Outcome<PlaceAnswer>> PeekAtOnce(const PlaceView& place, Time now) override;
  Task<Outcome<PlaceAnswer>> Enter(PlaceRef place, Time now) override;
  Task<Outcome<Done>> Leave(PlaceRef place, Time now) override;
  Task<Outcome<Done>> ReleaseAfterPayment(RoomId room, UserId user, Time now) override;
  Task<Outcome<PlaceAnswer>> CheckInside(PlaceRef place, Time now) override;
  Task<Outcome<Done>> Revoke(RevokeRequest request, Time now) override;
  Task<Outcome<RoomInfo>> Configure(RoomId room, RoomPatch patch, std::string actor, Time now) override;
  void SetSeats(RoomId room, bool has_seats, Time now) override;
  Task<Outcome<RoomInfo>> Read(RoomId room, Time now) override;
  Task<Outcome<Serving>> ReadServing(RoomId room, Time now) override;
  std::optional<Outcome<Serving>> ServingAtOnce(std::string_view room, Time now) override;
  std::vector<RoomId> Rooms() const override;
  std::vector<RoomStats> Stats() const override;
  Task<Outcome<RoomTally>> ReadTally(RoomId room, Time now) override;
  maejin::SiteStore& sites() override { return sites_; }
  void Tick(Time now) override;

 private:
  // Waits for the disk, then answers.
  Task<Outcome<PlaceAnswer>> AnswerWhenCommitted(Outcome<Fans::Decision> decision);
  Task<Outcome<RoomInfo>> AnswerWhenCommitted(Outcome<Operators::Decision> decision);

  Journal& journal_;
  const std::string database_;
  embedded::Rooms rooms_;
  RoomWriter writer_;
  PauseDetector pauses_;
  Fans fans_;
  Operators operators_;
  SiteStore sites_;
  std::vector<Room*> due_;  // the ticking thread only
};

}  // namespace maejin::embedded
