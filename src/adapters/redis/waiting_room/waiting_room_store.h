// The waiting rooms of many nodes, in Redis or Valkey. Redis decides each transition in one Lua script
// (scripts/room_*.lua), as domain/waiting_room decides. Every node mirrors the order of the rooms that it
// serves and answers most polls from memory (room.h);
// docs/decisions/2026-11-16-every-node-mirrors-the-line.md says why.
//
// Redis may lose data. Then the fans' signed tokens restore their places, and the database restores rooms and
// admissions (recovery.h). During an outage of Redis, ranks come from the mirror and the fans inside from the
// database; joins and entries are refused.
//
//   ScriptRunner   runs scripts; the mirrors follow their replies     Recovery           after a loss
//   Fans           requests that Redis decides, in batches            AdmissionRecorder  Redis → database
//   Operators      settings and phases                                RoomTicker         deadlines, signs
//   SiteStore      rooms of operators, return codes
#pragma once

#include <functional>

#include "adapters/redis/waiting_room/fans.h"
#include "adapters/redis/waiting_room/operators.h"
#include "adapters/redis/waiting_room/site_store.h"
#include "adapters/redis/waiting_room/ticker.h"

namespace maejin::redis {

struct WaitingRoomStoreOptions {
  // If no node calls or ticks a room for longer than this, fans could not poll: all count as seen at the next
  // call. 0: never (tests, in which the time jumps).
  Millis pause_after{0};
  // How long admission pauses after Redis lost data.
  Millis hold_after_loss{5000};
  // Batching window of requests that Redis decides. 0: none (tests).
  Millis batch_window{5};
  // The tokens in the keys queue:token and queue:user of the room `main` (docs/redis-keys.md). Absent: these
  // keys are not written.
  std::function<std::string(const PlaceView&)> token_of = {};
  // Writes the operators' actions to the audit log.
  SiteStore::Audit audit = {};
  // Seats left of a concert, for the key seat:count; absent: not a concert's room, or unknown.
  std::function<std::optional<std::int64_t>(const RoomId&)> seats_left = {};
};

// Results, refusals and threads as in store/waiting_room_store.h.
class WaitingRoomStore final : public maejin::WaitingRoomStore {
 public:
  // Client, random and log outlive the store. `log`: the database's records of admissions and rooms.
  WaitingRoomStore(Client& client, Random& random, AdmissionLog& log, WaitingRoomStoreOptions options);

  Task<Outcome<Done>> EnsureRoom(RoomId room, Time now, RoomState state = RoomState::kOpen) override;
  Task<Outcome<PlaceAnswer>> Join(JoinRequest request, Time now) override;
  Task<Outcome<PlaceAnswer>> Poll(PlaceRef place, Time now) override;
  std::optional<Outcome<PlaceAnswer>> PollAtOnce(const PlaceView& place, Time now) override;
  std::optional<Outcome<PlaceAnswer>> PeekAtOnce(const PlaceView& place, Time now) override;
  Task<Outcome<PlaceAnswer>> Enter(PlaceRef place, Time now) override;
  Task<Outcome<Done>> Leave(PlaceRef place, Time now) override;
  Task<Outcome<Done>> RecordAdmissions(RoomId room, Time now) override;
  Task<Outcome<Done>> ReleaseAfterPayment(RoomId room, UserId user, Time now) override;
  Task<Outcome<PlaceAnswer>> CheckInside(PlaceRef place, Time now) override;
  Task<Outcome<Done>> Revoke(RevokeRequest request, Time now) override;
  Task<Outcome<RoomInfo>> Configure(RoomId room, RoomPatch patch, std::string actor, Time now) override;
  void SetSeats(RoomId room, bool has_seats, Time now) override;
  Task<Outcome<RoomInfo>> Read(RoomId room, Time now) override;
  Task<Outcome<Serving>> ReadServing(RoomId room, Time now) override;
  std::optional<Outcome<Serving>> ServingAtOnce(std::string_view room, Time now) override;
  std::vector<RoomId> Rooms() const override;
  // Every node counts what happens in a room on all nodes, but only its own polls.
  std::vector<RoomStats> Stats() const override;
  Task<Outcome<RoomTally>> ReadTally(RoomId room, Time now) override;
  maejin::SiteStore& sites() override { return sites_; }
  void Tick(Time now) override { ticker_.Tick(now); }

 private:
  // `is_sign`: the poll counts as a sign of life.
  std::optional<Outcome<PlaceAnswer>> AnswerHere(const PlaceView& place, Time now, bool is_sign);

  const WaitingRoomStoreOptions options_;
  Client& client_;
  redis::Rooms rooms_;
  ScriptRunner runner_;
  AdmissionRecorder recorder_;
  Recovery recovery_;
  Fans fans_;
  Operators operators_;
  SiteStore sites_;
  RoomTicker ticker_;
};

}  // namespace maejin::redis
