// The waiting rooms of many nodes, in Redis or Valkey: every transition is one Lua script
// (scripts/room_*.lua), decided as domain/waiting_room.h decides. A node keeps nothing but a copy of each
// room's settings, told by their version.
//
// Redis may be lost: a place is a signed token. A fan who polls with one after Redis lost its memory is put
// back at the same number (Recover); meanwhile the room admits nobody for a while, so that those who were
// before come first. While Redis does not answer, positions are told from the token and what was known last;
// nobody joins or enters.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "adapters/redis/client.h"
#include "adapters/redis/room_codec.h"
#include "adapters/redis/room_keys.h"
#include "base/random.h"
#include "store/waiting_room_store.h"

namespace maejin::redis {

struct WaitingRoomStoreOptions {
  // Where no call and no tick of any node came for so long, nobody could poll: everybody counts as seen when
  // it goes on. 0: time may jump (tests).
  Millis pause_after{0};
  // After Redis lost its memory, so long nobody is admitted.
  Millis hold_after_loss{5000};
  // Writes the seed's queue:token and queue:user of the room `main`; absent: they are not written.
  std::function<std::string(const PlaceView&)> token_of = {};
  // The operators' actions, for the audit.
  std::function<void(Time at, const std::string& actor, const std::string& action, const RoomId& room,
                     const std::string& detail)>
      audit = {};
  // Seats left of a concert, for seat:count; absent: not a concert's room, or not known.
  std::function<std::optional<std::int64_t>(const RoomId&)> seats_left = {};
};

class WaitingRoomStore final : public maejin::WaitingRoomStore {
 public:
  // Client and random outlive the store.
  WaitingRoomStore(Client& client, Random& random, WaitingRoomStoreOptions options);
  // Waits for a tick that runs.
  ~WaitingRoomStore() override;

  Task<Outcome<Done>> EnsureRoom(RoomId room, Time now) override;
  Task<Outcome<PlaceAnswer>> Join(JoinRequest request, Time now) override;
  Task<Outcome<PlaceAnswer>> Poll(PlaceRef place, Time now) override;
  // Always absent: Redis must be asked.
  std::optional<Outcome<PlaceAnswer>> PollAtOnce(const PlaceView& place, Time now) override;
  std::optional<Outcome<PlaceAnswer>> LookAtOnce(const PlaceView& place, Time now) override;
  Task<Outcome<PlaceAnswer>> Enter(PlaceRef place, Time now) override;
  Task<Outcome<Done>> Leave(PlaceRef place, Time now) override;
  Task<Outcome<Done>> ReleaseAfterPayment(RoomId room, UserId user, Time now) override;
  Task<Outcome<PlaceAnswer>> CheckInside(PlaceRef place, Time now) override;
  Task<Outcome<Done>> Revoke(RoomId room, UserId user, std::string actor, Time now) override;
  Task<Outcome<RoomInfo>> Configure(RoomId room, RoomPatch patch, std::string actor, Time now) override;
  Task<Outcome<RoomInfo>> Read(RoomId room, Time now) override;
  Task<Outcome<Serving>> ReadServing(RoomId room, Time now) override;
  std::optional<Outcome<Serving>> ServingAtOnce(std::string_view room, Time now) override;
  std::vector<RoomId> Rooms() const override;
  void Tick(Time now) override;

 private:
  // What a node knows of a room. Replaced as a whole, never changed, but for the highest number it has seen.
  struct Known {
    RoomInfo info;
    std::shared_ptr<std::atomic<PlaceNumber>> highest = std::make_shared<std::atomic<PlaceNumber>>(0);
    std::int64_t version = 0;
    std::shared_ptr<const std::string> notice;
    Outflow outflow;
  };
  using KnownPtr = std::shared_ptr<const Known>;
  struct Watch {
    Time tick_at{};
    Time refresh_at{};
  };

  KnownPtr Find(const RoomId& room) const;
  void Remember(RoomRecord record);
  static void Saw(const Known& known, PlaceNumber number);
  RoomKeys KeysOf(const RoomId& room) const {
    return {room, client_.address().topology == Topology::kCluster};
  }

  // Runs one of the room's scripts. Where the room is missing but should not be, or a phase is due, that is
  // done first.
  using ScriptWords = std::vector<std::string>;
  Task<Outcome<Reply>> Run(const Script* script, RoomId room, UserId user, ScriptWords words, Time now);
  Task<Outcome<PlaceAnswer>> RunForPlace(const Script* script, PlaceRef place, Time now);
  Task<Outcome<PlaceAnswer>> Answer(RoomId room, Reply reply, Time now);
  Task<Outcome<bool>> End(PlaceRef place, bool only_inside, Time now);
  Task<Outcome<Done>> Create(RoomId room, Time now);
  Task<Outcome<KnownPtr>> Refresh(RoomId room, Time now);
  Task<Outcome<Done>> StepPhases(RoomId room, Time now);
  struct Change {
    RoomSettings settings;
    RoomState state;
  };
  // False: the room has changed meanwhile, decide again.
  Task<Outcome<bool>> Write(KnownPtr before, Change change, Time now);
  Task<Outcome<PlaceAnswer>> Restore(PlaceRef place, Time now);
  void MirrorMain(const PlaceRef& place, const PlaceAnswer& answer);
  void ForgetMain(const PlaceRef& place);
  PlaceAnswer Estimate(const Known& known, const PlaceRef& place, Time now) const;

  Task<void> TickAll(Time now);
  Task<void> TickRoom(RoomId room, Time now);
  Task<void> LearnRooms();

  Client& client_;
  Random& random_;
  const WaitingRoomStoreOptions options_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<RoomId, KnownPtr> rooms_;  // guarded by mutex_
  std::unordered_map<RoomId, Watch> watches_;   // the ticking coroutine only
  Time learn_at_{};                             // the ticking coroutine only
  std::mutex tick_mutex_;
  std::condition_variable tick_done_;
  bool ticking_ = false;  // guarded by tick_mutex_
};

}  // namespace maejin::redis
